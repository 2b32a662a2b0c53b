#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/model.h"

namespace civita {

/// What a legged robot is to move, as one task velocity ẋ = J v: linear task (3, world axes),
/// base's angular velocity (3, its own axes), each foot's point (3) or [point; angular velocity]
/// (6), joints that make up a posture. As many rows as coordinates; damped where legs straighten:
///   v_r = (JᵀJ + δ1)⁻¹Jᵀ ẋ_r,
///   v̇_r = (JᵀJ + δ1)⁻¹[Jᵀ(ẍ_r − J̇ v_r) + J̇ᵀ(ẋ_r − J v_r)],
/// the second the rate of the first wherever ẍ_r is that of ẋ_r. With momentum_weight w > 0 rows
/// w A_G v ask for what the arms and the trunk can do to keep the angular momentum about the centre
/// of mass from growing.
class LegTasks {
 public:
  /// The posture is P (v − v_d), a row for each joint that no leg needs; where a leg has more
  /// joints than its foot has rows, a row for each direction in which they move without the foot,
  /// at q. So all joints of such a leg share in what the foot does.
  /// @throws UserError for a leg with fewer joints, and for joints of other kinds than hinges and
  /// slides.
  LegTasks(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q);

  int rows() const { return static_cast<int>(J_.rows()); }
  static constexpr int kLinear = 0, kAngular = 3;
  int foot_row(size_t foot) const { return 6 + foot_rows_ * static_cast<int>(foot); }
  int posture_row() const { return posture_row_; }
  /// P, constant; as many columns as the robot has joints, those after the base.
  const Eigen::MatrixXd& posture() const { return posture_; }

  /// J and J̇ at the state of `legs`; `base` chooses the linear task, without `momentum` its rows
  /// ask for nothing. All allocate nothing.
  void Update(const LegKinematics& legs, bool base, bool momentum);
  /// v_r from ẋ_r.
  void SolveVelocity(const Eigen::VectorXd& xdot_r, Eigen::VectorXd& v_r);
  /// v̇_r from ẋ_r, ẍ_r and v_r.
  void SolveAcceleration(const Eigen::VectorXd& xdot_r, const Eigen::VectorXd& xddot_r,
                         const Eigen::VectorXd& v_r, Eigen::VectorXd& vdot_r);
  /// H ∂v̇/∂ẍ for the first six rows: joint forces by accelerations of the linear task and the base.
  void CalcTrunkResponse(const Eigen::MatrixXd& H, Eigen::Matrix<double, Eigen::Dynamic, 6>& HJ);

 private:
  /// P, from the feet's Jacobians at q.
  Eigen::MatrixXd MakePosture(const Model& model, const LegOptions& legs,
                              const Eigen::VectorXd& q) const;

  int foot_rows_, posture_row_;
  Eigen::MatrixXd posture_;
  double momentum_weight_, damping_;
  Eigen::MatrixXd J_, Jdot_, normal_;
  Eigen::VectorXd missed_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::Matrix<double, Eigen::Dynamic, 6> trunk_;
};

}  // namespace civita
