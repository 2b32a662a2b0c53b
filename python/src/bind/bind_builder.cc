#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/model.h"
#include "civita/suggest.h"
#include "core/model/internal/property_rows.h"
#include "python/src/bind/bind.h"
#include "python/src/support/arguments.h"
#include "python/src/support/arrays.h"
#include "python/src/support/loaded_model.h"

namespace civita::python {
namespace {

JointType TypeOf(const std::string& text) {
  std::vector<std::string> names;
  for (const JointType type : JointTypes()) {
    if (text == ToString(type)) return type;
    names.emplace_back(ToString(type));
  }
  throw UserError("type: " + UnknownName("joint", text, names));
}

int AddBody(ModelBuilder& self, const std::string& name, int parent, nb::handle position,
            nb::handle rotation, double mass, nb::handle com, nb::handle inertia) {
  return self.AddBody(name, parent, ReadPose(position, rotation), ReadMass(mass, com, inertia));
}

/// Sets the properties that `options` name. @throws UserError.
void SetProperties(const nb::kwargs& options, const char* kind,
                   const std::vector<internal::PropertyRow>& known) {
  for (const auto& [key, value] : options) {
    const auto word = nb::cast<std::string>(key);
    const auto at = std::ranges::find(known, word, &internal::PropertyRow::name);
    if (at == known.end()) {
      std::vector<std::string> names;
      for (const internal::PropertyRow& property : known) names.emplace_back(property.name);
      throw nb::key_error(UnknownName(kind, word, names).c_str());
    }
    if (at->size == 1) {
      if (!nb::try_cast(value, *at->numbers))
        throw nb::type_error((word + ": not a number").c_str());
      continue;
    }
    Eigen::Map<Eigen::VectorXd>(at->numbers, at->size) = ReadVector(value, at->name, at->size);
  }
}

std::shared_ptr<LoadedModel> BuiltBy(const ModelBuilder& self) {
  return std::make_shared<LoadedModel>(LoadedModel{self.Build(), "builder", {}, {}, {}});
}

JointProperties PropertiesOf(const std::string& name, const nb::kwargs& options) {
  JointProperties p;
  p.name = name;
  SetProperties(options, "property of a joint", internal::PropertyRows(p));
  return p;
}

void AddTendon(ModelBuilder& self, const std::map<int, double>& coefficients,
               const std::string& name, const nb::kwargs& options) {
  TendonProperties t;
  t.name = name;
  for (const auto& [iq, coefficient] : coefficients) t.terms.push_back({iq, coefficient});
  SetProperties(options, "property of a tendon", internal::PropertyRows(t));
  self.AddTendon(t);
}

/// Bodies and joints.
void BindMechanism(nb::class_<ModelBuilder>& c) {
  c.def("add_body", AddBody, nb::arg("name"), nb::arg("parent") = ModelBuilder::kWorld,
        nb::arg("position") = nb::none(), nb::arg("rotation") = nb::none(), nb::arg("mass") = 0.0,
        nb::arg("com") = nb::none(), nb::arg("inertia") = nb::none(),
        nb::sig("def add_body(self, name: str, parent: int = -1, position: ArrayLike | None = "
                "None, rotation: ArrayLike | None = None, mass: float = 0.0, com: ArrayLike | "
                "None = None, inertia: ArrayLike | None = None) -> int"),
        "Adds a body and returns its index.\n\nParameters\n----------\nname : str\nparent : "
        "int\n    An index returned earlier; -1, the default, is the world.\nposition, rotation "
        ": array_like, (3,) and (3, 3)\n    Its pose in the parent's frame when all its joints "
        "are at their position_reference, m.\nmass : float\n    kg.\ncom : array_like, (3,)\n    "
        "Centre of mass in its frame, m.\ninertia : array_like, (3, 3)\n    About the centre of "
        "mass, in the axes of its frame, kg·m².")
      .def(
          "set_mass",
          [](ModelBuilder& self, int body, double mass, nb::handle com, nb::handle inertia) {
            self.SetMass(body, ReadMass(mass, com, inertia));
          },
          nb::arg("body"), nb::arg("mass"), nb::arg("com") = nb::none(),
          nb::arg("inertia") = nb::none(),
          nb::sig("def set_mass(self, body: int, mass: float, com: ArrayLike | None = None, "
                  "inertia: ArrayLike | None = None) -> None"),
          "Changes the mass of a body.\n\nParameters\n----------\nbody : int\n    An index that "
          "add_body returned.\nmass, com, inertia\n    As in `add_body`.")
      .def(
          "add_joint",
          [](ModelBuilder& self, int body, const std::string& type, const std::string& name,
             const nb::kwargs& properties) {
            self.AddJoint(body, TypeOf(type), PropertiesOf(name, properties));
          },
          nb::arg("body"), nb::arg("type"), nb::arg("name") = "", nb::arg("properties"),
          nb::sig("def add_joint(self, body: int, type: str, name: str = '', **properties: float | "
                  "ArrayLike) -> None"),
          "Adds a joint between a body and its parent, after those that the body has.\n\n"
          "Parameters\n----------\nbody : int\ntype : str\n    hinge, slide, ball, free, helical, "
          "universal or planar.\nname : str\n**properties\n    axis, axis2, anchor (3,), pitch "
          "(m/rad), scale, position_reference, armature, damping, frictionloss, stiffness,\n    "
          "spring_reference, stiffness_poly and damping_poly (2,), position_lower, position_upper, "
          "velocity_limit, effort_lower,\n    effort_upper, as in civita/model.h "
          "(JointProperties).");
}

/// Tendons and frames.
void BindTendonsAndFrames(nb::class_<ModelBuilder>& c) {
  c.def("add_tendon", AddTendon, nb::arg("coefficients"), nb::arg("name") = "",
        nb::arg("properties"),
        nb::sig("def add_tendon(self, coefficients: dict[int, float], name: str = '', "
                "**properties: float | ArrayLike) -> None"),
        "Adds a tendon of constant moment arms, whose length is a sum of coordinates.\n\n"
        "Parameters\n----------\ncoefficients : dict\n    From numbers in q, of joints that were "
        "added, to change of length per unit.\nname : str\n**properties\n    damping, "
        "frictionloss, stiffness, rest_lower, rest_upper (m), stiffness_poly and damping_poly "
        "(2,), as in civita/model.h (TendonProperties).")
      .def(
          "add_frame",
          [](ModelBuilder& self, const std::string& name, int body, nb::handle position,
             nb::handle rotation) { self.AddFrame(name, body, ReadPose(position, rotation)); },
          nb::arg("name"), nb::arg("body"), nb::arg("position") = nb::none(),
          nb::arg("rotation") = nb::none(),
          nb::sig("def add_frame(self, name: str, body: int, position: ArrayLike | None = None, "
                  "rotation: ArrayLike | None = None) -> None"),
          "Adds a frame fixed to a body, which has no mass.\n\nParameters\n----------\nname : "
          "str\nbody : int\n    An index that add_body returned; -1 is the world.\nposition, "
          "rotation : array_like, (3,) and (3, 3)\n    Its pose in the body's frame, m.");
}

}  // namespace

void BindBuilder(nb::module_& module) {
  nb::class_<ModelBuilder> c(
      module, "ModelBuilder",
      "Collects bodies and joints and builds a Model of them.\n\n>>> b = "
      "civita.ModelBuilder()\n>>> "
      "link = b.add_body(\"link\", mass=1.0, com=[0, 0, 0.5])\n>>> b.add_joint(link, \"hinge\", "
      "\"q1\", axis=[0, 1, 0])\n>>> model = b.build()");
  c.def(nb::init<>())
      .def(
          "__init__",
          [](ModelBuilder* self, const LoadedModel& model) {
            new (self) ModelBuilder(model.model);
          },
          nb::arg("model"), nb::sig("def __init__(self, model: Model) -> None"),
          "The description of a model, which can be added to and built again: bodies, joints, "
          "tendons and frames, in the order in\nwhich they were given; body i is "
          "`model.frames[i]`. Loops are not part of it.");
  BindMechanism(c);
  BindTendonsAndFrames(c);
  c.def(
       "set_gravity",
       [](ModelBuilder& self, nb::handle gravity) {
         self.set_gravity(ReadVector(gravity, "gravity", 3));
       },
       nb::arg("gravity"), nb::sig("def set_gravity(self, gravity: ArrayLike) -> None"),
       "Sets the acceleration of gravity in world axes, m/s²; default (0, 0, -9.81).")
      .def("allow_impossible_moments", &ModelBuilder::allow_impossible_moments,
           "Accepts principal moments that no body can have.")
      .def("build", BuiltBy, "Builds the model.")
      .def("__repr__",
           [](const ModelBuilder& self) {
             return "<civita.ModelBuilder of " + std::to_string(self.bodies().size()) + " bodies>";
           })
      .def(
          "__copy__", [](const ModelBuilder& self) { return self; },
          nb::sig("def __copy__(self) -> ModelBuilder"))
      .def(
          "__deepcopy__", [](const ModelBuilder& self, nb::handle) { return self; },
          nb::arg("memo"), nb::sig("def __deepcopy__(self, memo: object) -> ModelBuilder"))
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(self.type(), nb::make_tuple(self.attr("build")()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"),
          "By the model that it builds; one that is not complete has none.");
}

}  // namespace civita::python
