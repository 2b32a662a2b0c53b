// An arm of four hinges, for the examples beside it.
#pragma once

#include <string>

#include "civita/model.h"

inline civita::Model Arm() {
  civita::ModelBuilder builder;
  const Eigen::Matrix3d inertia = Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal();
  int parent = civita::ModelBuilder::kWorld;
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d p(0, 0, i == 0 ? 0 : 0.4);
    parent = builder.AddBody("link" + std::to_string(i), parent, {.p = p},
                             {2 - 0.4 * i, {0.02, 0.01, 0.2}, inertia});
    const Eigen::Vector3d axis = i % 2 == 0 ? Eigen::Vector3d(0, 0, 1) : Eigen::Vector3d(0, 1, 0);
    builder.AddJoint(parent, civita::JointType::kHinge, {.axis = axis});
  }
  return builder.Build();
}
