#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <vector>

#include "civita/controllers/legs/leg_options.h"
#include "civita/sim/ground_surface.h"

namespace civita {

/// True state of a legged robot's feet and base. Sized once.
struct LegReading {
  Eigen::VectorXd foot_force;      ///< by foot: sum of the normal forces of the ground, N
  Eigen::VectorXd foot_slip;       ///< speed of the foot's loaded points along the ground, m/s
  Eigen::Matrix3Xd foot_position;  ///< by column: mean of the foot's balls, world, m
  double base_height = 0;          ///< height of the base's origin above the ground below it, m
  double tilt = 0;                 ///< angle of the base to its attitude at home, without yaw, rad

  explicit LegReading(int num_feet = 0)
      : foot_force(Eigen::VectorXd::Zero(num_feet)),
        foot_slip(foot_force),
        foot_position(Eigen::Matrix3Xd::Zero(3, num_feet)) {}
};

/// Reads LegReading from the simulator. A foot is its body with everything welded to it; the
/// ground is everything that is welded to the world and collides.
class LegProbe {
 public:
  /// At `q_home` (nq) the base is upright and at its nominal height; its joint must be free and
  /// the first.
  LegProbe(const mjModel& m, const LegOptions& legs, const Eigen::VectorXd& q_home);

  /// Nominal height of the base's origin above the ground, m.
  double nominal_height() const { return nominal_height_; }

  /// Reads the results of the last mj_forward, or of the forward pass at the start of the last
  /// mj_step. Allocates nothing.
  void Read(const mjModel& m, const mjData& d, LegReading* reading) const;

 private:
  double CalcBaseHeight(const mjModel& m, const mjData& d) const;
  void ReadContacts(const mjModel& m, const mjData& d, LegReading* reading) const;

  enum : int { kOther = -1, kGround = -2 };

  int base_ = 0;
  std::vector<int> feet_;     ///< bodies
  Eigen::Matrix3Xd middles_;  ///< mean of the feet's balls, in their bodies' axes
  std::vector<int> owner_;    ///< by geom: the foot that it belongs to, kGround or kOther
  GroundSurface ground_;
  Eigen::Vector3d up_home_;  ///< the vertical at home, in the base's axes
  double nominal_height_ = 0;
};

}  // namespace civita
