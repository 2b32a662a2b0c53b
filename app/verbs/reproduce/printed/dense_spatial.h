#pragma once

#include <Eigen/Core>

#include "civita/model.h"

// Spatial algebra with dense 6×6 matrices, [angular; linear], term by term as in the papers.

namespace civita::dense {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

inline Eigen::Matrix3d Cross(const Eigen::Vector3d& x) {
  Eigen::Matrix3d m;
  m << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return m;
}

inline Matrix6d MotionCross(const Vector6d& x) {
  Matrix6d m = Matrix6d::Zero();
  m.topLeftCorner<3, 3>() = m.bottomRightCorner<3, 3>() = Cross(x.head<3>());
  m.bottomLeftCorner<3, 3>() = Cross(x.tail<3>());
  return m;
}

/// f×̄*: the matrix with (f×̄*) y = (y×*) f.
inline Matrix6d ForceBarCross(const Vector6d& f) {
  Matrix6d m = Matrix6d::Zero();
  m.topLeftCorner<3, 3>() = -Cross(f.head<3>());
  m.topRightCorner<3, 3>() = m.bottomLeftCorner<3, 3>() = -Cross(f.tail<3>());
  return m;
}

inline Matrix6d ToMatrix(double m, const Eigen::Vector3d& h, const Eigen::Matrix3d& Ibar) {
  Matrix6d I;
  I << Ibar, Cross(h), -Cross(h), m * Eigen::Matrix3d::Identity();
  return I;
}

/// Spatial inertia about the origin of the body's frame.
inline Matrix6d ToMatrix(const MassProperties& mass) {
  const Eigen::Matrix3d c = Cross(mass.com);
  return ToMatrix(mass.mass, mass.mass * mass.com, mass.inertia - mass.mass * c * c);
}

/// B(ξ, I) = ½[(ξ×*)I + (Iξ)×̄* − I(ξ×)] ([EW] (10); [WES], section VI-B).
inline Matrix6d DenseChristoffelFactor(const Matrix6d& I, const Vector6d& x) {
  return 0.5 * (-MotionCross(x).transpose() * I + ForceBarCross(I * x) - I * MotionCross(x));
}

/// From world axes about the world's origin to the axes and origin of the frame at X_WB.
inline Matrix6d ToFrame(const Pose& X_WB) {
  const Eigen::Matrix3d R = X_WB.R.transpose();
  Matrix6d X;
  X << R, Eigen::Matrix3d::Zero(), -R * Cross(X_WB.p), R;
  return X;
}

}  // namespace civita::dense
