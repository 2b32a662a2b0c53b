#pragma once

#include "civita/model.h"

namespace civita::internal {

/// −m c×c×: what a mass at c has about the origin.
inline Eigen::Matrix3d PointInertia(double m, const Eigen::Vector3d& c) {
  return m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
}

/// Adds the body placed at X to a mass, both in the axes of X's frame.
inline void AddPlaced(const MassProperties& added, const Pose& X, MassProperties* sum) {
  const Eigen::Vector3d com = X.R * added.com + X.p;
  const double mass = sum->mass + added.mass;
  const Eigen::Vector3d common =
      mass > 0 ? Eigen::Vector3d((sum->mass * sum->com + added.mass * com) / mass)
               : Eigen::Vector3d::Zero();
  sum->inertia += X.R * added.inertia * X.R.transpose() +
                  PointInertia(sum->mass, sum->com - common) +
                  PointInertia(added.mass, com - common);
  sum->mass = mass;
  sum->com = common;
}

}  // namespace civita::internal
