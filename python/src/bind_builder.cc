#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/model.h"
#include "civita/suggest.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"
#include "python/src/loaded_model.h"

namespace civita::python {
namespace {

using Eigen::Vector3d;

JointType TypeOf(const std::string& text) {
  std::vector<std::string> names;
  for (const JointType type :
       {JointType::kHinge, JointType::kSlide, JointType::kBall, JointType::kFree,
        JointType::kHelical, JointType::kUniversal, JointType::kPlanar}) {
    if (text == ToString(type)) return type;
    names.emplace_back(ToString(type));
  }
  throw UserError("type: " + UnknownName("joint", text, names));
}

Vector3d Vector(nb::handle argument, const char* name) { return ReadVector(argument, name, 3); }

int AddBody(ModelBuilder& self, const std::string& name, int parent, nb::handle position,
            nb::handle rotation, double mass, nb::handle com, nb::handle inertia) {
  Pose pose;
  if (!position.is_none()) pose.p = Vector(position, "position");
  if (!rotation.is_none()) pose.R = ReadMatrix(rotation, "rotation", 3, 3);
  MassProperties properties;
  properties.mass = mass;
  if (!com.is_none()) properties.com = Vector(com, "com");
  if (!inertia.is_none()) properties.inertia = ReadMatrix(inertia, "inertia", 3, 3);
  return self.AddBody(name, parent, pose, properties);
}

/// Sets the members of JointProperties that `options` name. @throws UserError.
JointProperties PropertiesOf(const std::string& name, const nb::kwargs& options) {
  JointProperties p;
  p.name = name;
  const std::pair<const char*, Vector3d*> vectors[] = {
      {"axis", &p.axis}, {"axis2", &p.axis2}, {"anchor", &p.anchor}};
  const std::pair<const char*, double*> numbers[] = {{"pitch", &p.pitch},
                                                     {"scale", &p.scale},
                                                     {"position_reference", &p.position_reference},
                                                     {"armature", &p.armature},
                                                     {"damping", &p.damping},
                                                     {"frictionloss", &p.frictionloss},
                                                     {"stiffness", &p.stiffness},
                                                     {"spring_reference", &p.spring_reference}};
  for (const auto& [key, value] : options) {
    const auto word = nb::cast<std::string>(key);
    std::vector<std::string> names;
    bool found = false;
    for (const auto& [vector_name, vector] : vectors) {
      names.emplace_back(vector_name);
      if (word != vector_name) continue;
      *vector = Vector(value, vector_name);
      found = true;
    }
    for (const auto& [number_name, number] : numbers) {
      names.emplace_back(number_name);
      if (word != number_name) continue;
      if (!nb::try_cast(value, *number)) {
        throw nb::type_error((word + ": not a number").c_str());
      }
      found = true;
    }
    if (!found) throw nb::key_error(UnknownName("property of a joint", word, names).c_str());
  }
  return p;
}

}  // namespace

void BindBuilder(nb::module_& module) {
  nb::class_<ModelBuilder>(
      module, "ModelBuilder",
      "Collects bodies and joints and builds a Model of them.\n\n>>> b = "
      "civita.ModelBuilder()\n>>> "
      "link = b.add_body(\"link\", mass=1.0, com=[0, 0, 0.5])\n>>> b.add_joint(link, \"hinge\", "
      "\"q1\", axis=[0, 1, 0])\n>>> model = b.build()")
      .def(nb::init<>())
      .def(
          "add_body", AddBody, nb::arg("name"), nb::arg("parent") = ModelBuilder::kWorld,
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
          "spring_reference, as in civita/model.h (JointProperties).")
      .def(
          "set_gravity",
          [](ModelBuilder& self, nb::handle gravity) {
            self.set_gravity(Vector(gravity, "gravity"));
          },
          nb::arg("gravity"), nb::sig("def set_gravity(self, gravity: ArrayLike) -> None"),
          "Sets the acceleration of gravity in world axes, m/s²; default (0, 0, -9.81).")
      .def("allow_impossible_moments", &ModelBuilder::allow_impossible_moments,
           "Accepts principal moments that no body can have.")
      .def(
          "build",
          [](const ModelBuilder& self) {
            return std::make_shared<LoadedModel>(LoadedModel{self.Build(), "builder", {}, {}, {}});
          },
          "Builds the model.");
}

}  // namespace civita::python
