#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/factorization.h"
#include "civita/frame_motion.h"
#include "python/src/support/loaded_model.h"

namespace civita::python {

/// A name, or several, of the argument `what`. @throws nb::type_error.
std::vector<std::string> ReadNames(nanobind::handle names, const char* what);

/// The frame of this name. @throws nanobind::key_error.
const Model::NamedFrame& FrameOf(const Model& model, std::string_view name);

/// The frames of an argument `frames`: a name, several, or None for the model's body_frames. The
/// model must outlive them. @throws as FrameOf and ReadNames.
class Frames {
 public:
  Frames(const LoadedModel& model, nanobind::handle names);

  std::span<const Model::NamedFrame> all() const { return all_; }
  int num_parameters() const { return kNumBodyParameters * static_cast<int>(all_.size()); }

 private:
  std::vector<Model::NamedFrame> named_;
  std::span<const Model::NamedFrame> all_;
};

/// The index in Model::joints() of the joint of this name, which must have one coordinate. @throws
/// nanobind::key_error, UserError.
int CoupledJoint(const Model& model, const std::string& name);

/// A pose from a position (3,) and a rotation (3, 3), either of which may be None. @throws as
/// ReadArray.
Pose ReadPose(nanobind::handle position, nanobind::handle rotation);

/// A point in a frame, (3,), or None: the origin. @throws as ReadArray.
Eigen::Vector3d ReadPoint(nanobind::handle point);

/// By its name in Python. @throws UserError.
ReferenceFrame ReadReference(std::string_view name);

/// @throws UserError for a model without a centre of mass.
void CheckMass(const Model& model);

/// How dry friction grows with speed. @throws UserError, as ReadArray.
struct FrictionSpeeds {
  FrictionSpeeds(const Model& model, double friction_speed, nanobind::handle full_speeds);

  double speed;
  Eigen::VectorXd full;  ///< of AddPassiveForces
};

/// Mass properties of which com (3,) and inertia (3, 3) may be None. @throws as ReadArray.
MassProperties ReadMass(double mass, nanobind::handle com, nanobind::handle inertia);

/// A factorization as Python gives it: text in the grammar of ParseFactorization, or a
/// civita.Factorization. @throws UserError, nb::type_error.
Factorization ReadFactorization(nanobind::handle factorization, const Model& model);

}  // namespace civita::python
