// Copies of a Model with a change.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/regressor.h"
#include "python/src/bind/bind.h"
#include "python/src/support/arguments.h"
#include "python/src/support/arrays.h"
#include "python/src/support/loaded_model.h"

namespace civita::python {
namespace {

using M = const LoadedModel&;
using ModelPtr = std::shared_ptr<LoadedModel>;

/// Of the same source.
ModelPtr CopyWith(M self, const Model& model, Constraints loops) {
  return std::make_shared<LoadedModel>(
      LoadedModel{model, self.source, self.notices, std::move(loops), self.loops_error});
}

ModelPtr CopyWith(M self, const Model& model) { return CopyWith(self, model, self.loops); }

/// The frame of this name, or the world.
Model::NamedFrame CarrierOf(const Model& model, const std::optional<std::string>& frame) {
  return frame ? FrameOf(model, *frame) : Model::NamedFrame{"world", -1, {}};
}

ModelPtr WithFrame(M self, const std::string& name, const std::optional<std::string>& frame,
                   nb::handle position, nb::handle rotation) {
  return CopyWith(
      self, self.model.WithFrame(name, CarrierOf(self.model, frame), ReadPose(position, rotation)));
}

ModelPtr WithScaledInertia(M self, double factor) {
  if (!(factor > 0)) throw UserError("factor: not positive");
  return CopyWith(self, self.model.WithScaledInertia(factor));
}

ModelPtr WithLockedJoints(M self, const std::vector<std::string>& joints, nb::handle q) {
  const Eigen::VectorXd at =
      q.is_none() ? self.model.DefaultPosition() : ReadVector(q, "q", self.model.nq());
  for (const std::string& name : joints) {
    try {
      (void)self.model.FindJoint(name);
    } catch (const UserError& error) {
      throw nb::key_error(error.what());
    }
  }
  return CopyWith(self, self.model.WithLockedJoints(joints, at),
                  LockJoints(self.loops, self.model, joints, at));
}

ModelPtr WithModel(M self, M other, const std::optional<std::string>& frame, nb::handle position,
                   nb::handle rotation, const std::string& prefix) {
  const Model::NamedFrame G = CarrierOf(self.model, frame);
  const Pose X = ReadPose(position, rotation);
  ModelPtr both =
      CopyWith(self, self.model.WithModel(other.model, G, X, prefix),
               JoinConstraints(self.loops, self.model, other.loops, other.model, G, X, prefix));
  both->notices.insert(both->notices.end(), other.notices.begin(), other.notices.end());
  if (both->loops_error.empty()) both->loops_error = other.loops_error;
  return both;
}

ModelPtr WithPayload(M self, const std::string& frame, double mass, nb::handle com,
                     nb::handle inertia) {
  return CopyWith(self,
                  self.model.WithPayload(FrameOf(self.model, frame), ReadMass(mass, com, inertia)));
}

ModelPtr WithInertia(M self, const std::string& body, double mass, nb::handle com,
                     nb::handle inertia) {
  (void)FrameOf(self.model, body);  // KeyError
  return CopyWith(self, self.model.WithInertia(body, ReadMass(mass, com, inertia)));
}

ModelPtr WithParameters(M self, nb::handle parameters, bool allow_impossible_moments) {
  const auto numbers = static_cast<Index>(kNumBodyParameters * self.body_frames.size());
  return CopyWith(self,
                  WithModelParameters(self.model, ReadVector(parameters, "parameters", numbers),
                                      allow_impossible_moments));
}

ModelPtr WithCoupledJoint(M self, const std::string& joint, const std::string& leader, double ratio,
                          double offset) {
  JointConstraint constraint{
      joint, CoupledJoint(self.model, joint), CoupledJoint(self.model, leader), {offset, ratio}};
  CheckConstraint(self.model, constraint, "joint '" + joint + "'");
  Constraints loops = self.loops;
  loops.joints.push_back(constraint);
  return CopyWith(self, self.model, loops);
}

/// Copies with other masses.
void BindMasses(nb::class_<LoadedModel>& c) {
  c.def("with_scaled_inertia", WithScaledInertia, nb::arg("factor"),
        "A copy with all masses and inertias times `factor`.")
      .def(
          "with_payload", WithPayload, nb::arg("frame"), nb::arg("mass"),
          nb::arg("com") = nb::none(), nb::arg("inertia") = nb::none(),
          nb::sig("def with_payload(self, frame: str, mass: float, com: ArrayLike | None = None, "
                  "inertia: ArrayLike | None = None) -> Model"),
          "A copy with a rigid load fixed to the body of a frame.\n\nParameters\n----------\nframe "
          ": str\nmass : float\n    kg.\ncom : array_like, (3,)\n    Centre of mass in the frame, "
          "m; default its origin.\ninertia : array_like, (3, 3)\n    About the centre of mass, in "
          "the frame's axes, kg·m²; default zero.")
      .def("with_inertia", WithInertia, nb::arg("body"), nb::arg("mass"),
           nb::arg("com") = nb::none(), nb::arg("inertia") = nb::none(),
           nb::sig("def with_inertia(self, body: str, mass: float, com: ArrayLike | None = None, "
                   "inertia: ArrayLike | None = None) -> Model"),
           "A copy in which a body has another mass, centre of mass and inertia.\n\n"
           "Parameters\n----------\nbody : str\n    The name of a body that was given; of bodies "
           "that are fixed to each other each has its own.\nmass : float\n    kg.\ncom : "
           "array_like, (3,)\n    Centre of mass in its frame, m; default the origin.\ninertia : "
           "array_like, (3, 3)\n    About the centre of mass, in the frame's axes, kg·m²; default "
           "zero.")
      .def(
          "with_parameters", WithParameters, nb::arg("parameters"),
          nb::arg("allow_impossible_moments") = false,
          nb::sig("def with_parameters(self, parameters: ArrayLike, allow_impossible_moments: bool "
                  "= False) -> Model"),
          R"(A copy with other inertial parameters π, as `parameters` gives and identification finds them.

Parameters
----------
parameters : array_like, (10·nb,)
    Ten for each of `body_frames`, whose body then has all the inertia of what is fixed to it.
allow_impossible_moments : bool
    Whether moments that no body has, as noise gives them, are taken and not refused.)");
}

}  // namespace

void BindModelOperations(nb::class_<LoadedModel>& c) {
  c.def("with_frame", WithFrame, nb::arg("name"), nb::arg("frame") = nb::none(),
        nb::arg("position") = nb::none(), nb::arg("rotation") = nb::none(),
        nb::sig("def with_frame(self, name: str, frame: str | None = None, position: ArrayLike "
                "| None = None, rotation: ArrayLike | None = None) -> Model"),
        "A copy with a further frame.\n\nParameters\n----------\nname : str\nframe : str, "
        "optional\n    The frame that it is fixed to; default the world.\nposition, rotation : "
        "array_like, (3,) and (3, 3)\n    Its pose in that frame, m.")
      .def(
          "with_locked_joints", WithLockedJoints, nb::arg("joints"), nb::arg("q") = nb::none(),
          nb::sig("def with_locked_joints(self, joints: typing.Sequence[str], q: ArrayLike | None "
                  "= None) -> Model"),
          "A copy in which joints are fixed as they stand at q.\n\nIts H is the rows and columns "
          "of the other joints' coordinates of this H. The other joints keep their order, numbers "
          "and\nlimits, all frames stay, bodies that no longer move by themselves merge into those "
          "that carry them.\n\nParameters\n----------\njoints : sequence of str\n    Names of "
          "joints.\nq : array_like, (nq,)\n    Numbers of the other joints do not count; default: "
          "`default_position`.\n\nRaises\n------\nKeyError\n    For an unknown name.\nValueError\n "
          "   If no joint remains, and where a loop that the joints close is violated.")
      .def(
          "with_model", WithModel, nb::arg("other"), nb::arg("frame") = nb::none(),
          nb::arg("position") = nb::none(), nb::arg("rotation") = nb::none(),
          nb::arg("prefix") = "",
          nb::sig("def with_model(self, other: Model, frame: str | None = None, position: "
                  "ArrayLike | None = None, rotation: ArrayLike | None = None, prefix: str = '') "
                  "-> Model"),
          "A copy with the bodies, joints, frames, tendons and loops of another model after its "
          "own: q is [q of this; q of other].\n\nParameters\n----------\nother : Model\n    What "
          "hangs on its world hangs on the frame.\nframe : str, optional\n    Default the "
          "world.\nposition, rotation : array_like, (3,) and (3, 3)\n    Pose of the other model's "
          "world in that frame, m.\nprefix : str\n    Put before the other model's names.\n\n"
          "Raises\n------\nKeyError\n    For an unknown frame.\nValueError\n    If two bodies, "
          "frames or joints have one name, and for a free joint of `other` where the frame moves.")
      .def("with_coupled_joint", WithCoupledJoint, nb::arg("joint"), nb::arg("leader"),
           nb::arg("ratio") = 1.0, nb::arg("offset") = 0.0,
           "A copy in which a joint follows another, q = ratio q_leader + offset, as a mimic joint "
           "or the rotor of a geared motor.\n\nIt counts with Dynamics(…, loops=True) and "
           "evaluate(reduced=True), in the "
           "velocities that are independent. In C++ a JointConstraint.\n\nParameters\n----------\n"
           "joint, leader : str\n    Joints of one coordinate.\nratio : float\noffset : float\n    "
           "rad or m.");
  BindMasses(c);
}

}  // namespace civita::python
