#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "civita/factorization.h"
#include "civita/frame_motion.h"

namespace civita::python {

/// A quantity's name, or several. @throws nb::type_error.
std::vector<std::string> ReadNames(nanobind::handle quantities);

/// The frame of this name. @throws nanobind::key_error.
const Model::NamedFrame& FrameOf(const Model& model, const std::string& name);

/// A pose from a position (3,) and a rotation (3, 3), either of which may be None. @throws as
/// ReadArray.
Pose ReadPose(nanobind::handle position, nanobind::handle rotation);

/// A point in a frame, (3,), or None: the origin. @throws as ReadArray.
Eigen::Vector3d ReadPoint(nanobind::handle point);

/// By its name in Python. @throws UserError.
ReferenceFrame ReadReference(const std::string& name);

/// @throws UserError for a model without a centre of mass.
void CheckMass(const Model& model);

/// Mass properties of which com (3,) and inertia (3, 3) may be None. @throws as ReadArray.
MassProperties ReadMass(double mass, nanobind::handle com, nanobind::handle inertia);

/// A factorization as Python gives it: text in the grammar of ParseFactorization, or a
/// civita.Factorization. @throws UserError, nb::type_error.
Factorization ReadFactorization(nanobind::handle factorization, const Model& model);

}  // namespace civita::python
