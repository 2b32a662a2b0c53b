#include <mujoco/mujoco.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "civita/build_info.h"
#include "civita/centroidal.h"
#include "civita/describe.h"
#include "civita/error.h"
#include "civita/json/model_json.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/passive_elements.h"
#include "civita/regressor.h"
#include "civita/study/model/load_model.h"
#include "civita/suggest.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/docs.h"
#include "python/src/support/arguments.h"
#include "python/src/support/arrays.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/signatures.h"

namespace civita::python {
namespace {

using ModelPtr = std::shared_ptr<LoadedModel>;

/// The bytes of a path, as the system has them. @throws nb::python_error, TypeError for what is no
/// path and ValueError for a NUL byte within it.
std::string FileOf(nb::handle path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), static_cast<void*>(&bytes)) == 0) throw nb::python_error();
  return nb::steal<nb::bytes>(bytes).c_str();
}

ModelPtr FromFile(nb::handle path, const std::string& base) {
  const std::string file = FileOf(path);
  if (base != "fixed" && base != "free") {
    throw UserError("base: " + UnknownName("choice", base, {"fixed", "free"}));
  }
  const nb::gil_scoped_release release;
  CheckMujocoVersion();
  const bool free_base = base == "free";
  std::string loops_error;
  const auto load = [&]() -> civita::LoadedModel {
    try {
      return LoadModel(file, {.free_base = free_base});
    } catch (const UserError& error) {
      loops_error = error.what();
      return LoadModel(file, {.free_base = free_base, .loops = false});
    }
  };
  civita::LoadedModel loaded = load();
  return std::make_shared<LoadedModel>(LoadedModel{loaded.model, file, std::move(loaded.notices),
                                                   std::move(loaded.loops), loops_error});
}

ModelPtr FromJson(const std::string& text) {
  civita::LoadedModel read = ReadModelJson(text, "text");
  return std::make_shared<LoadedModel>(
      LoadedModel{read.model, "json", {}, std::move(read.loops), {}});
}

/// Those of the model. @throws UserError where they could not be read.
const Constraints& LoopsOf(const LoadedModel& self) {
  if (!self.loops_error.empty()) throw UserError("loops: " + self.loops_error);
  return self.loops;
}

/// The model at this address, which another module made with the same version of MuJoCo.
ModelPtr FromAddress(std::uintptr_t address) {
  const auto* mj = reinterpret_cast<const mjModel*>(address);
  LoadedModel loaded{BuildModel(*mj), "mujoco", DescribeUnmodelledForces(*mj), {}, {}};
  try {
    loaded.loops = ReadConstraints(*mj, loaded.model);
  } catch (const UserError& error) {
    loaded.loops_error = error.what();
  }
  return std::make_shared<LoadedModel>(std::move(loaded));
}

ModelPtr FromMujoco(nb::handle model) {
  if (!nb::hasattr(model, "_address")) throw nb::type_error("model: not a mujoco.MjModel");
  const nb::object mujoco = nb::module_::import_("mujoco");
  const auto version = nb::cast<std::string>(mujoco.attr("__version__"));
  if (version != mj_versionString()) {
    throw UserError("the package mujoco is of version " + version + ", and civita has MuJoCo " +
                    mj_versionString() + ", whose models are others: see docs/from_mujoco.md");
  }
  return FromAddress(nb::cast<std::uintptr_t>(model.attr("_address")));
}

nb::object ToArray3(const Eigen::Vector3d& x) { return ToArray(Eigen::VectorXd(x)); }
nb::object ToArray33(const Eigen::Matrix3d& x) {
  return ToArray(Eigen::Ref<const Eigen::MatrixXd>(x));
}

nb::dict ToDict(const Model::NamedJoint& joint) {
  nb::dict row;
  row["name"] = joint.name;
  row["type"] = ToString(joint.type);
  row["iq"] = joint.iq;
  row["nq"] = NumPositions(joint.type);
  row["iv"] = joint.iv;
  row["nv"] = NumVelocities(joint.type);
  return row;
}

nb::list JointsOf(const LoadedModel& self) {
  nb::list joints;
  for (const Model::NamedJoint& joint : self.model.joints()) joints.append(ToDict(joint));
  return joints;
}

/// What the model was built of.
nb::list LinksOf(const LoadedModel& self) {
  const ModelBuilder built(self.model);
  nb::list links;
  for (const ModelBuilder::Body& body : built.bodies()) {
    nb::dict row;
    row["name"] = body.name;
    row["parent"] = body.parent < 0 ? nb::none() : nb::cast(built.bodies()[body.parent].name);
    row["position"] = ToArray3(body.X_PB.p);
    row["rotation"] = ToArray33(body.X_PB.R);
    row["mass"] = body.mass.mass;
    row["com"] = ToArray3(body.mass.com);
    row["inertia"] = ToArray33(body.mass.inertia);
    nb::list joints;
    for (const int k : body.joints) {
      const JointProperties& joint = built.joints()[k].properties;
      nb::dict of;
      of["name"] = joint.name;
      of["axis"] = ToArray3(joint.axis);
      of["anchor"] = ToArray3(joint.anchor);
      of["position_reference"] = joint.position_reference;
      joints.append(of);
    }
    row["joints"] = joints;
    links.append(row);
  }
  return links;
}

nb::dict FindJoint(const LoadedModel& self, const std::string& name) {
  try {
    return ToDict(self.model.FindJoint(name));
  } catch (const UserError& error) {
    throw nb::key_error(error.what());
  }
}

nb::dict FindFrame(const LoadedModel& self, const std::string& name) {
  const Model::NamedFrame& frame = FrameOf(self.model, name);
  nb::dict row;
  row["name"] = frame.name;
  row["body"] = frame.body < 0 ? nb::none() : nb::cast(self.model.bodies()[frame.body].name);
  row["position"] = ToArray3(frame.X_BF.p);
  row["rotation"] = ToArray33(frame.X_BF.R);
  return row;
}

template <typename Rows>
std::vector<std::string> NamesOf(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

std::vector<std::string> FramesOf(const LoadedModel& self) {
  std::vector<std::string> names = NamesOf(self.model.frames());
  const std::vector<std::string> added = NamesOf(self.model.added_frames());
  names.insert(names.end(), added.begin(), added.end());
  return names;
}

std::vector<std::string> VelocityNames(const LoadedModel& self) {
  std::vector<std::string> names;
  for (int k = 0; k < self.model.nv(); ++k) names.push_back(self.model.VelocityName(k));
  return names;
}

/// What __setstate__ makes the same model of, to the bit, in a process with the same build.
nb::tuple StateOf(const LoadedModel& self) {
  return nb::make_tuple(VersionText(), WriteModelJson(self.model, self.loops), self.source,
                        self.notices, self.loops_error);
}

void SetState(LoadedModel& self, const nb::tuple& state) {
  const auto version = nb::cast<std::string>(state[0]);
  if (version != VersionText()) {
    throw UserError("a Model of civita " + version + ", and this is " + VersionText());
  }
  civita::LoadedModel read =
      ReadModelJson(nb::cast<std::string>(state[1]), "damaged bytes of a model", false);
  new (&self) LoadedModel{read.model, nb::cast<std::string>(state[2]),
                          nb::cast<std::vector<std::string>>(state[3]), std::move(read.loops),
                          nb::cast<std::string>(state[4])};
}

std::string Repr(const LoadedModel& self) {
  return "<civita.Model '" + self.source + "': " + std::to_string(self.model.num_bodies()) +
         " bodies, nq " + std::to_string(self.model.nq()) + ", nv " +
         std::to_string(self.model.nv()) + ">";
}

using M = const LoadedModel&;

/// By number of q or v: limits and what joints have by themselves.
void BindVectors(nb::class_<LoadedModel>& c) {
  const auto def = [&c](const char* name, auto get, const char* doc) {
    c.def_prop_ro(
        name, [get](M m) { return ToArray((m.model.*get)()); }, SigProperty(name), doc);
  };
  def("position_lower", &Model::position_lower,
      "Lower limits by number of q, rad or m; -inf where there is none.");
  def("position_upper", &Model::position_upper,
      "Upper limits by number of q, rad or m; inf where there is none.");
  def("velocity_limit", &Model::velocity_limit,
      "Limits of |v| by number of v, rad/s or m/s; inf where there is none.");
  def("effort_lower", &Model::effort_lower,
      "Lower limits of the joints' forces by number of v, N·m or N; -inf where there is none.");
  def("effort_upper", &Model::effort_upper,
      "Upper limits of the joints' forces by number of v, N·m or N; inf where there is none.");
  def("armature", &Model::armature, "By number of v, kg·m² or kg.");
  def("damping", &Model::damping, "By number of v, N·m·s or N·s/m.");
  def("frictionloss", &Model::frictionloss, "By number of v, N·m or N.");
  def("default_position", &Model::DefaultPosition, "The model's own configuration, (nq,).");
}

/// Joints and frames by name, and configurations.
void BindLookup(nb::class_<LoadedModel>& c) {
  c.def("find_joint", FindJoint, nb::arg("name"),
        nb::sig("def find_joint(self, name: str) -> dict[str, typing.Any]"),
        "The joint of this name, a dict as in `joints`. KeyError for an unknown one, with the "
        "nearest name.")
      .def(
          "find_frame", FindFrame, nb::arg("name"),
          nb::sig("def find_frame(self, name: str) -> dict[str, typing.Any]"),
          "The frame of this name as a dict: name, body (of `bodies`, None for the world), and its "
          "position, (3,), m, and rotation, (3, 3), in the frame of that body, whose origin is on "
          "its joint. KeyError for an unknown one, with the nearest name.");
}

void BindData(nb::class_<LoadedModel>& c) {
  c.def_prop_ro(
       "source", [](M m) { return m.source; }, "Where it was read.")
      .def_prop_ro(
          "notices", [](M m) { return m.notices; }, "Remarks on what was read.")
      .def_prop_ro(
          "nq", [](M m) { return m.model.nq(); }, "Numbers in q.")
      .def_prop_ro(
          "nv", [](M m) { return m.model.nv(); }, "Numbers in v.")
      .def_prop_ro(
          "joints", JointsOf, nb::sig("def joints(self) -> list[dict[str, typing.Any]]"),
          "The joints as dicts: name, type, iq and nq (its numbers in q), iv and nv (in v).")
      .def_prop_ro(
          "links", LinksOf, nb::sig("def links(self) -> list[dict[str, typing.Any]]"),
          "What the model is built of, parents first, as dicts: name, parent (None: the world), "
          "its "
          "placement there at the joints' references as position, (3,), m, and rotation, (3, 3); "
          "mass "
          "(kg), com (3,), m, and inertia about it (3, 3), kg·m², in the link's axes; joints, a "
          "list of "
          "dicts: name, axis and anchor, (3,), in the link's axes, and position_reference.")
      .def_prop_ro(
          "frames", FramesOf,
          "Names of all frames: of the bodies that were given, also of those fixed to others, and "
          "then of sites (`site:NAME` where a body has that name) and of ModelBuilder.add_frame.")
      .def_prop_ro(
          "body_frames", [](M m) { return NamesOf(m.body_frames); },
          "Names of one frame for each body that moves by itself, the first on it.")
      .def_prop_ro(
          "bodies", [](M m) { return NamesOf(m.model.bodies()); },
          "Names of the bodies that move, one a joint.")
      .def_prop_ro("velocity_names", VelocityNames, "A name for each number of v.")
      .def_prop_ro(
          "gravity", [](M m) { return ToArray(Eigen::VectorXd(m.model.gravity())); },
          nb::sig("def gravity(self) -> Array"), "m/s², in world axes.")
      .def_prop_ro(
          "parameters", [](M m) { return ToArray(CalcModelParameters(m.model, m.body_frames)); },
          nb::sig("def parameters(self) -> Array"),
          "Inertial parameters π, ten for each of `body_frames`, of the body with all that is "
          "fixed "
          "to it: mass, mass times centre of mass (3), Ī_xx, Ī_yy, Ī_zz, Ī_xy, Ī_xz, Ī_yz, in the "
          "frame about its origin.")
      .def_prop_ro(
          "total_mass", [](M m) { return CalcTotalMass(m.model); }, "Of all that moves, kg.")
      .def_prop_ro(
          "has_closed_loops", [](M m) { return !m.loops.empty(); },
          "Whether it has closed loops, which count with Dynamics(…, loops=True) and "
          "evaluate(reduced=True).");
}

}  // namespace

void BindModel(nb::module_& module) {
  nb::class_<LoadedModel> c(module, "Model", nb::is_weak_referenceable(), kModelDoc);
  c.def_static(
       "from_file", FromFile, nb::arg("file"), nb::arg("base") = "fixed",
       nb::sig("def from_file(file: str | os.PathLike[str], base: str = 'fixed') -> Model"),
       "Reads a model as `civita eval` does.\n\nParameters\n----------\nfile : path\n    An "
       "MJCF or URDF file, a scene's name, a config, a product of exponentials, or JSON of "
       "`save`.\nbase "
       ": str\n    \"free\" puts a base that is fixed in the file on a free joint "
       "root_joint, which comes first.\n\nRaises\n------\nValueError\n    With the file, "
       "the line or key and what is valid.")
      .def_static("from_mujoco", FromMujoco, nb::arg("model"),
                  nb::sig("def from_mujoco(model: typing.Any) -> Model"),
                  "The model of a mujoco.MjModel, whose qpos, qvel and qfrc are q, v and τ. It is "
                  "copied: later changes of the MjModel do not count. Raises ValueError where the "
                  "package mujoco is of another version than civita's MuJoCo.")
      .def_static("from_json", FromJson, nb::arg("text"),
                  "The model of a text of `to_json`, as `from_file` reads it from a file.\n\n"
                  "Raises\n------\nValueError\n    With the key and what is valid.")
      .def(
          "to_json", [](M m) { return WriteModelJson(m.model, LoopsOf(m)); },
          "The text that `save` writes: what was given to a ModelBuilder, for changes of any of "
          "it.")
      .def(
          "save", [](M m, nb::handle file) { SaveModelJson(FileOf(file), m.model, LoopsOf(m)); },
          nb::arg("file"), nb::sig("def save(self, file: str | os.PathLike[str]) -> None"),
          "Writes the model with its loops as JSON, which `from_file` reads to the same bits.\n\n"
          "Parameters\n----------\nfile : path\n    FILE.json; the keys are those of "
          "docs/model.schema.json.\n\nRaises\n------\nValueError\n    If the name does not end "
          "with .json, and where the loops of the model could not be read.")
      .def(
          "describe", [](M m) { return Describe(m.model); }, "A table with a line a body.")
      .def("__repr__", Repr)
      .def("__getstate__", StateOf, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
      .def("__setstate__", SetState, nb::arg("state"),
           nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"))
      // It does not change.
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> Model"))
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); },
          nb::arg("memo"), nb::sig("def __deepcopy__(self, memo: dict[int, typing.Any]) -> Model"));
  BindData(c);
  BindVectors(c);
  BindLookup(c);
  BindPositions(c);
  BindModelOperations(c);
}

}  // namespace civita::python
