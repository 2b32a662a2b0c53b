#pragma once

#include <Eigen/LU>
#include <string>

#include "civita/error.h"
#include "civita/model.h"

namespace civita::internal {

/// Rotations and inertias computed in double precision are exact to rounding; what is farther off
/// is an error of the user's, not of arithmetic.
inline constexpr double kRounding = 1e-9;

/// Checks that X is a pose. `what` names whose it is and `symbol` how it is called. @throws
/// UserError.
inline void CheckRigid(const std::string& what, const char* symbol, const Pose& X) {
  MessageStream message;
  message << what << ": " << symbol;
  if (!X.R.allFinite() || !X.p.allFinite()) {
    message << " must be finite";
    throw UserError(message.str());
  }
  const double error = (X.R.transpose() * X.R - Eigen::Matrix3d::Identity()).norm();
  const double determinant = X.R.determinant();
  if (error > kRounding || determinant < 0) {
    message << " has no rotation matrix: RᵀR differs from 1 by " << error << ", determinant "
            << determinant;
    throw UserError(message.str());
  }
}

}  // namespace civita::internal
