#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>

#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/whole_body.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"

namespace civita {

/// A legged robot that stands with bent knees on the plane z = 0, and its law's options.
struct LeggedRobot {
  Model model;
  std::shared_ptr<LegOptions> legs;
  Eigen::VectorXd q;
};

inline MassProperties Link(double mass, const Eigen::Vector3d& com) {
  const double r2 = mass * 0.004;
  return {mass, com, Eigen::Vector3d(r2, 1.2 * r2, 0.8 * r2).asDiagonal()};
}

/// Adds a hinge with its own body at `offset` from the last one.
inline int AddHinge(ModelBuilder* builder, int parent, const std::string& name,
                    const Eigen::Vector3d& axis, const Eigen::Vector3d& offset, double mass) {
  const int body =
      builder->AddBody(name, parent, {Eigen::Matrix3d::Identity(), offset},
                       Link(mass, Eigen::Vector3d(0.005, -0.003, mass > 0.2 ? -0.08 : 0)));
  builder->AddJoint(body, JointType::kHinge, {.name = name, .axis = axis, .armature = 0.01});
  return body;
}

inline void SetOnTheGround(LeggedRobot* robot) {
  Workspace<double> workspace(robot->model);
  UpdateKinematics(robot->model, robot->q, workspace);
  const Foot& foot = robot->legs->feet.front();
  const Pose pose = CalcFramePose(robot->model, foot.frame, workspace);
  robot->q[2] -= (pose.p + pose.R * foot.points.front()).z() - foot.radius;
}

/// Four legs of `joints` (3 or 5) hinges: (yaw,) roll, pitch, knee (, ankle); point feet.
inline LeggedRobot MakeQuadruped(int joints = 3, double trunk_mass = 8,
                                 const Eigen::Vector3d& gravity = {0, 0, -9.81}) {
  ModelBuilder builder;
  builder.set_gravity(gravity);
  const int base = builder.AddBody(
      "base", ModelBuilder::kWorld, {},
      {trunk_mass, {0.01, 0, 0.01}, Eigen::Vector3d(0.05, 0.12, 0.14).asDiagonal()});
  builder.AddJoint(base, JointType::kFree, {.name = "base"});
  for (const double x : {0.2, -0.2}) {
    for (const double y : {0.12, -0.12}) {
      const std::string name = std::string(x > 0 ? "F" : "R") + (y > 0 ? "L" : "R");
      int body = base;
      Eigen::Vector3d offset(x, y, 0);
      const auto add = [&](const char* joint, const Eigen::Vector3d& axis, double mass) {
        body = AddHinge(&builder, body, name + joint, axis, offset, mass);
        offset.setZero();
      };
      if (joints == 5) add("_yaw", Eigen::Vector3d::UnitZ(), 0.15);
      add("_roll", Eigen::Vector3d::UnitX(), 0.15);
      add("_pitch", Eigen::Vector3d::UnitY(), 0.8);
      offset.z() = -0.2;
      add("_knee", Eigen::Vector3d::UnitY(), 0.3);
      if (joints == 5) {
        offset.z() = -0.15;
        add("_ankle", Eigen::Vector3d::UnitY(), 0.1);
      }
    }
  }
  LeggedRobot robot{builder.Build(), std::make_shared<LegOptions>(), {}};
  robot.q = robot.model.DefaultPosition();
  robot.legs->tau_max = Eigen::VectorXd::Constant(robot.model.nv(), 60);
  for (int leg = 0; leg < 4; ++leg) {
    const int first = 7 + joints * leg + (joints == 5 ? 1 : 0);
    robot.q[first] = 0.02;
    robot.q[first + 1] = 0.8;
    robot.q[first + 2] = -1.6;
    if (joints == 5) robot.q[first + 3] = 0.7;
    const char* names[] = {"FL", "FR", "RL", "RR"};
    Foot foot{.name = names[leg],
              .frame = robot.model.FindFrame(std::string(names[leg]) +
                                             (joints == 5 ? "_ankle" : "_knee")),
              .points = {{0, 0, joints == 5 ? -0.1 : -0.2}},
              .radius = 0.02};
    robot.legs->feet.push_back(std::move(foot));
  }
  SetOnTheGround(&robot);
  return robot;
}

/// Two legs of six hinges with flat feet, and two arms of one hinge each.
inline LeggedRobot MakeBiped() {
  ModelBuilder builder;
  const int base =
      builder.AddBody("base", ModelBuilder::kWorld, {},
                      {20, {0.02, 0, 0.15}, Eigen::Vector3d(0.5, 0.4, 0.2).asDiagonal()});
  builder.AddJoint(base, JointType::kFree, {.name = "base"});
  for (const double y : {0.1, -0.1}) {
    const std::string side = y > 0 ? "L" : "R";
    int body = AddHinge(&builder, base, side + "_roll", Eigen::Vector3d::UnitX(), {0, y, 0}, 0.5);
    const Eigen::Vector3d none = Eigen::Vector3d::Zero(), down(0, 0, -0.3);
    body = AddHinge(&builder, body, side + "_yaw", Eigen::Vector3d::UnitZ(), none, 0.5);
    body = AddHinge(&builder, body, side + "_pitch", Eigen::Vector3d::UnitY(), none, 2);
    body = AddHinge(&builder, body, side + "_knee", Eigen::Vector3d::UnitY(), down, 1.5);
    body = AddHinge(&builder, body, side + "_ankle", Eigen::Vector3d::UnitY(), down, 0.1);
    body = AddHinge(&builder, body, side + "_foot", Eigen::Vector3d::UnitX(), none, 0.5);
    AddHinge(&builder, base, side + "_arm", Eigen::Vector3d::UnitY(), {0, 2 * y, 0.35}, 1.5);
  }
  LeggedRobot robot{builder.Build(), std::make_shared<LegOptions>(), {}};
  robot.q = robot.model.DefaultPosition();
  robot.legs->tau_max = Eigen::VectorXd::Constant(robot.model.nv(), 150);
  robot.legs->gait = {.step_s = 0.4,
                      .shortest_step_s = 0.22,
                      .longest_step_s = 0.6,
                      .exchange_s = 0.03,
                      .swing_height = 0.06};
  for (int leg = 0; leg < 2; ++leg) {
    robot.q[7 + 7 * leg + 2] = -0.4;
    robot.q[7 + 7 * leg + 3] = 0.8;
    robot.q[7 + 7 * leg + 4] = -0.4;
    Foot foot{.name = leg == 0 ? "L" : "R",
              .frame = robot.model.FindFrame(leg == 0 ? "L_foot" : "R_foot"),
              .points = {},
              .radius = 0.005};
    for (const double x : {0.12, -0.06}) {
      for (const double y : {0.03, -0.03}) foot.points.emplace_back(x, y, -0.04);
    }
    robot.legs->feet.push_back(std::move(foot));
  }
  SetOnTheGround(&robot);
  return robot;
}

/// A random velocity near rest, and a random position near the standing one.
inline Eigen::VectorXd Near(const LeggedRobot& robot, double size, std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return Eigen::VectorXd::NullaryExpr(robot.model.nv(), [&] { return uniform(*random); });
}

}  // namespace civita
