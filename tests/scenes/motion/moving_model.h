#pragma once

#include <gtest/gtest.h>

#include <random>

#include "civita/manifold.h"
#include "civita/scenes/motion/reference.h"

// A model to move, and a check of the references' derivatives.

namespace civita {

/// A random tree with every joint type and a free body.
inline Model MakeModel(std::mt19937* random) {
  std::uniform_real_distribution<double> number(-1, 1);
  const MassProperties mass{1, {0.1, 0, 0}, 0.1 * Eigen::Matrix3d::Identity()};
  ModelBuilder builder;
  const auto pose = [&] {
    return Pose{Eigen::Matrix3d::Identity(), {number(*random), number(*random), number(*random)}};
  };
  const int hinge = builder.AddBody("hinge", ModelBuilder::kWorld, pose(), mass);
  builder.AddJoint(hinge, JointType::kHinge,
                   {.name = "q1", .axis = {1, number(*random), number(*random)}});
  const int ball = builder.AddBody("ball", hinge, pose(), mass);
  builder.AddJoint(ball, JointType::kBall, {.name = "q2"});
  const int slide = builder.AddBody("slide", ball, pose(), mass);
  builder.AddJoint(slide, JointType::kSlide, {.name = "q3", .axis = {0, 1, number(*random)}});
  const int free = builder.AddBody("free", ModelBuilder::kWorld, pose(), mass);
  builder.AddJoint(free, JointType::kFree, {.name = "q4"});
  const int planar = builder.AddBody("planar", free, pose(), mass);
  builder.AddJoint(planar, JointType::kPlanar, {.name = "q5"});
  return builder.Build();
}

inline Eigen::VectorXd RandomVector(Eigen::Index size, double scale, std::mt19937* random) {
  std::uniform_real_distribution<double> number(-scale, scale);
  Eigen::VectorXd x(size);
  for (double& value : x) value = number(*random);
  return x;
}

inline Eigen::VectorXd RandomPosition(const Model& model, std::mt19937* random) {
  Eigen::VectorXd q = model.DefaultPosition();
  IntegratePosition(model, q, RandomVector(model.nv(), 2, random), 1, q);
  return q;
}

inline ReferenceState At(const Model& model, const Reference& reference, double t) {
  ReferenceState state{model.DefaultPosition(), Eigen::VectorXd::Zero(model.nv()),
                       Eigen::VectorXd::Zero(model.nv())};
  reference.Sample(t, state);
  return state;
}

/// Velocity and acceleration against fourth-order differences of position and velocity.
inline void ExpectConsistent(const Model& model, const Reference& reference, double t) {
  constexpr double h = 1e-3;
  const ReferenceState now = At(model, reference, t);
  const auto step = [&](double dt) {
    Eigen::VectorXd e(model.nv());
    DifferencePosition(model, At(model, reference, t + dt).q, now.q, e);
    return e;
  };
  const Eigen::VectorXd v = (8 * (step(h) - step(-h)) - (step(2 * h) - step(-2 * h))) / (12 * h);
  const auto rate = [&](double dt) { return At(model, reference, t + dt).v; };
  const Eigen::VectorXd vdot = (8 * (rate(h) - rate(-h)) - (rate(2 * h) - rate(-2 * h))) / (12 * h);
  EXPECT_LT((now.v - v).lpNorm<Eigen::Infinity>(), 1e-7) << "t = " << t;
  EXPECT_LT((now.vdot - vdot).lpNorm<Eigen::Infinity>(), 1e-7) << "t = " << t;
}

}  // namespace civita
