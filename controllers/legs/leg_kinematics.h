#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/support.h"
#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Where a foot is and how it moves; world axes.
struct FootKinematics {
  /// The foot's own point: below the mean of its balls' centres by their radius, along the foot's
  /// z axis (flat) or the world's (a ball rolls: the point where it touches).
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< of its body
  Eigen::Vector3d v = Eigen::Vector3d::Zero();      ///< of the point, as part of the body
  Eigen::Vector3d pdot = Eigen::Vector3d::Zero();   ///< rate of p: v but where a ball rolls
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  Eigen::MatrixXd J;                      ///< 6 × nv, [angular; linear of the point]
  Eigen::MatrixXd Jdot;                   ///< its rate along v
  std::vector<Eigen::Vector3d> contacts;  ///< lowest points of its balls
};

/// What the law wants to know of the motion at hand. Sized once.
struct LegKinematics {
  double mass = 0;                                       ///< kg
  Eigen::Vector3d c, cdot;                               ///< centre of mass, m and m/s
  Eigen::Vector3d p_base, v_base;                        ///< origin of the base
  Eigen::Matrix3d R_base = Eigen::Matrix3d::Identity();  ///< its orientation
  Eigen::Vector3d w_base;                                ///< angular velocity in its own axes
  Eigen::MatrixXd J_com, Jdot_com;                       ///< 3 × nv
  /// 6 × nv: [angular about c; linear] momentum, and its rate along v; where a task wants them.
  Eigen::MatrixXd A_G, Adot_G;
  std::vector<FootKinematics> feet;

  LegKinematics(const Model& model, const LegOptions& legs);

  /// The mean of the feet's points, horizontal.
  Point2 FeetCenter() const;
};

/// Needs Stage::kVelocity. Allocates nothing.
void UpdateLegKinematics(const Model& model, const LegOptions& legs, Workspace<double>& workspace,
                         LegKinematics& legs_now);

}  // namespace civita
