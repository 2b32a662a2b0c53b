#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/controllers/legs/leg_options.h"

namespace civita {

/// How a legged robot stands and goes, in truth. Sized once.
struct LegReading {
  Eigen::VectorXd foot_force;      ///< by foot: normal forces of the ground, summed, N
  Eigen::VectorXd foot_slip;       ///< speed of the foot's loaded points along the ground, m/s
  Eigen::Matrix3Xd foot_position;  ///< by column: the middle of the foot's balls, world, m
  double base_height = 0;          ///< of the base's origin above the ground under it, m
  double tilt = 0;                 ///< of the base from its attitude at home, rad, yaw aside

  explicit LegReading(int num_feet = 0)
      : foot_force(Eigen::VectorXd::Zero(num_feet)),
        foot_slip(foot_force),
        foot_position(Eigen::Matrix3Xd::Zero(3, num_feet)) {}
};

/// Reads that from the simulator. A foot is its body, with what is welded to it; the ground is all
/// that is welded to the world and collides.
class LegProbe {
 public:
  /// At `q_home` the base is upright and at its nominal height; its joint is free and the first.
  LegProbe(const mjModel& m, const LegOptions& legs, const Eigen::VectorXd& q_home);

  /// Of the base's origin above the ground, m.
  double nominal_height() const { return nominal_height_; }

  /// What the last mj_forward, or the last mj_step at its beginning, found. Allocates nothing.
  void Read(const mjModel& m, const mjData& d, LegReading* reading) const;

 private:
  double CalcBaseHeight(const mjModel& m, const mjData& d) const;
  void ReadContacts(const mjModel& m, const mjData& d, LegReading* reading) const;

  enum : int { kOther = -1, kGround = -2 };

  int base_ = 0;
  std::vector<int> feet_;     ///< bodies
  Eigen::Matrix3Xd middles_;  ///< of the feet's balls, in their bodies' axes
  std::vector<int> owner_;    ///< by geom: the foot that it is of, kGround or kOther
  std::vector<int> ground_;   ///< geoms
  Eigen::Vector3d up_home_;   ///< the vertical at home, in the base's axes
  double nominal_height_ = 0;
};

/// A fall: the base below 60 % of its nominal height, or tilted beyond 60°.
struct Fall {
  bool fallen = false;
  double t = 0;
  double height = 0, nominal_height = 0, tilt = 0;
};

/// "fell at t = 1.2 s: the base at 0.17 m, below 60 % of 0.3 m".
std::string Describe(const Fall& fall);

/// Notes the first fall of a run.
class FallWatch {
 public:
  explicit FallWatch(double nominal_height = 0) { fall_.nominal_height = nominal_height; }

  void Add(double t, double height, double tilt);
  const Fall& fall() const { return fall_; }

 private:
  Fall fall_;
};

}  // namespace civita
