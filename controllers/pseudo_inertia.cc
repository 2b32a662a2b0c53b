#include "civita/controllers/pseudo_inertia.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "civita/error.h"

namespace civita {

Eigen::Matrix4d CalcPseudoInertia(const BodyParameters& parameters) {
  Eigen::Matrix3d I;
  I << parameters[4], parameters[7], parameters[8],  //
      parameters[7], parameters[5], parameters[9],   //
      parameters[8], parameters[9], parameters[6];
  Eigen::Matrix4d J;
  J.topLeftCorner<3, 3>() = 0.5 * I.trace() * Eigen::Matrix3d::Identity() - I;
  J.topRightCorner<3, 1>() = parameters.segment<3>(1);
  J.bottomLeftCorner<1, 3>() = parameters.segment<3>(1).transpose();
  J(3, 3) = parameters[0];
  return J;
}

BodyParameters CalcBodyParameters(const Eigen::Matrix4d& J) {
  BodyParameters parameters;
  parameters << J(3, 3), J(0, 3), J(1, 3), J(2, 3),             //
      J(1, 1) + J(2, 2), J(0, 0) + J(2, 2), J(0, 0) + J(1, 1),  //
      -J(0, 1), -J(0, 2), -J(1, 2);
  return parameters;
}

Eigen::Matrix4d CalcPseudoInertiaDual(const BodyParameters& b) {
  // tr(Ī B) = Σ b for the symmetric B of the components of Ī in b; so L's block is tr(B)1 − B.
  Eigen::Matrix4d L;
  L << b[5] + b[6], -0.5 * b[7], -0.5 * b[8], 0.5 * b[1],  //
      -0.5 * b[7], b[4] + b[6], -0.5 * b[9], 0.5 * b[2],   //
      -0.5 * b[8], -0.5 * b[9], b[4] + b[5], 0.5 * b[3],   //
      0.5 * b[1], 0.5 * b[2], 0.5 * b[3], b[0];
  return L;
}

bool CalcUpperFactor(const Eigen::Matrix4d& J, Eigen::Matrix4d* U) {
  // Cholesky's method, starting with the last column.
  Eigen::Matrix4d factor = Eigen::Matrix4d::Zero();
  for (int j = 3; j >= 0; --j) {
    double square = J(j, j);
    for (int k = j + 1; k < 4; ++k) square -= factor(j, k) * factor(j, k);
    if (!(square > 1e-13 * J(j, j))) return false;
    factor(j, j) = std::sqrt(square);
    for (int i = 0; i < j; ++i) {
      double sum = J(i, j);
      for (int k = j + 1; k < 4; ++k) sum -= factor(i, k) * factor(j, k);
      factor(i, j) = sum / factor(j, j);
    }
  }
  *U = factor;
  return true;
}

std::string WhyNotPhysical(const BodyParameters& parameters) {
  const Eigen::Matrix4d J = CalcPseudoInertia(parameters);
  Eigen::Matrix4d U;
  if (CalcUpperFactor(J, &U)) return {};
  internal::MessageStream why;
  const double m = parameters[0];
  if (!(m > 0)) {
    why << "its mass is " << m << " kg";
    return why.str();
  }
  const Eigen::Vector3d h = parameters.segment<3>(1);
  const Eigen::Matrix3d Sigma = J.topLeftCorner<3, 3>() - h * h.transpose() / m;
  // I = tr(Σ)1 − Σ: the principal moments are largest first because Σ's are smallest first.
  const Eigen::Vector3d moments =
      Sigma.trace() - Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(Sigma, Eigen::EigenvaluesOnly)
                          .eigenvalues()
                          .array();
  why << "its principal moments of inertia are " << moments[2] << ", " << moments[1] << " and "
      << moments[0] << " kg·m², and the two smaller ones must be positive and sum to more than the "
      << "largest";
  return why.str();
}

}  // namespace civita
