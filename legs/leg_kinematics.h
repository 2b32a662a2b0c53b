#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/support.h"
#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

/// Position and motion of a foot; world axes.
struct FootKinematics {
  /// The foot's reference point: below the mean of its balls' centres by their radius, along the
  /// foot's z axis (flat) or the world's (a ball rolls: its contact point), m.
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< of the foot's body
  Eigen::Vector3d v = Eigen::Vector3d::Zero();      ///< of the point as fixed to the body, m/s
  /// rate of p: equals v except where a ball rolls
  Eigen::Vector3d pdot = Eigen::Vector3d::Zero();
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  Eigen::MatrixXd J;                      ///< 6 × nv, [angular; linear of the point]
  Eigen::MatrixXd Jdot;                   ///< its rate along v
  std::vector<Eigen::Vector3d> contacts;  ///< lowest points of its balls
};

/// Kinematics that laws of legged robots use, at the present state. Sized once.
struct LegKinematics {
  double mass = 0;                                       ///< kg
  Eigen::Vector3d c, cdot;                               ///< centre of mass, m and m/s
  Eigen::Vector3d p_base, v_base;                        ///< origin of the base
  Eigen::Matrix3d R_base = Eigen::Matrix3d::Identity();  ///< its orientation
  Eigen::Vector3d w_base;                                ///< angular velocity in its own axes
  Eigen::MatrixXd J_com, Jdot_com;                       ///< 3 × nv
  /// Momentum about c, [angular; linear], 6 × nv, and its rate along v; only where a task uses
  /// them.
  Eigen::MatrixXd A_G, Adot_G;
  std::vector<FootKinematics> feet;
  /// there is nothing but the floating tree, its base without armature
  bool base_moves_all = false;

  LegKinematics(const Model& model, const LegOptions& legs);

  /// The mean of the feet's points, horizontal, m.
  Point2 FeetCenter() const;
};

/// Takes the configuration q (nq) as home: the axes of flat feet are turned into the axes that they
/// shall have there, vertical and along the heading, and legs->R_home is set. The heading at home
/// is the horizontal part of legs->ahead; the world's x axis if that is within 26° of the vertical.
/// May be called again. @returns the axes of the heading, in the world's.
Eigen::Matrix3d TakeHome(const Model& model, const Eigen::VectorXd& q, LegOptions* legs);

/// Needs Stage::kVelocity. With H and a C with Ḣ = C + Cᵀ at this state it takes from them what
/// moves with the mass, if base_moves_all. Allocates nothing.
void UpdateLegKinematics(const Model& model, const LegOptions& legs, Workspace<double>& workspace,
                         LegKinematics& legs_now, const CoriolisIn<double>* matrices = nullptr);

}  // namespace civita
