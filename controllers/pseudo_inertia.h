#pragma once

#include <Eigen/Core>
#include <string>

#include "civita/regressor.h"

// The inertia of a body as one symmetric 4×4 matrix (Wensing, Kim and Slotine 2018): a
// distribution of mass with this inertia exists exactly when the matrix is positive semidefinite.

namespace civita {

/// J = [Σ h; hᵀ m] of a body's parameters, Σ = ½tr(Ī)1 − Ī the second moments of its mass.
Eigen::Matrix4d CalcPseudoInertia(const BodyParameters& parameters);

/// The parameters of the pseudo-inertia J; inverse of CalcPseudoInertia.
BodyParameters CalcBodyParameters(const Eigen::Matrix4d& J);

/// The symmetric L with tr(J L) = πᵀb for every J and its parameters π.
Eigen::Matrix4d CalcPseudoInertiaDual(const BodyParameters& b);

/// Upper triangular U with a positive diagonal and J = U Uᵀ. @returns false, and leaves U
/// unchanged, unless J is positive definite.
bool CalcUpperFactor(const Eigen::Matrix4d& J, Eigen::Matrix4d* U);

/// Reason why no body of positive thickness has these parameters, as text; empty if one has.
std::string WhyNotPhysical(const BodyParameters& parameters);

}  // namespace civita
