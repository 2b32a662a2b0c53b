#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/controllers/legs/dense_factor.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/model.h"

namespace civita {

/// The tasks of a legged robot as one task velocity ẋ = J v: linear task (3, world axes), base's
/// angular velocity (3, its own axes), each foot's point (3) or [point; angular velocity] (6), and
/// the posture of the remaining joints. There are as many rows as coordinates; the inverse is
/// damped where legs straighten:
///   v_r = (JᵀJ + δ1)⁻¹Jᵀ ẋ_r,
///   v̇_r = (JᵀJ + δ1)⁻¹[Jᵀ(ẍ_r − J̇ v_r) + J̇ᵀ(ẋ_r − J v_r)],
/// and v̇_r is the rate of v_r wherever ẍ_r is that of ẋ_r. With momentum_weight w > 0, additional
/// rows w A_G v make arms and trunk limit the growth of the angular momentum about the centre of
/// mass.
class LegTasks {
 public:
  /// The posture is P (v − v_d). P has a row for each joint that belongs to no leg and, where a
  /// leg has more joints than its foot has rows, a row for each direction in joint space that
  /// leaves the foot at rest, evaluated at q (nq). So all joints of such a leg share in the motion
  /// of the foot.
  /// @throws UserError for a leg with too few joints, and for joints other than hinges and slides.
  LegTasks(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q);

  int rows() const { return static_cast<int>(J_.rows()); }
  static constexpr int kLinear = 0, kAngular = 3;
  int foot_row(size_t foot) const { return 6 + foot_rows_ * static_cast<int>(foot); }
  int posture_row() const { return posture_row_; }
  /// P, constant, a row for each posture task and a column for each joint coordinate after the
  /// base.
  const Eigen::MatrixXd& posture() const { return posture_; }

  /// Computes J and J̇ at the state of `legs`; `base` selects the base as the linear task, and
  /// without `momentum` the momentum rows are zero. This and the functions below allocate nothing.
  void Update(const LegKinematics& legs, bool base, bool momentum);
  /// v_r (nv) from ẋ_r.
  void SolveVelocity(const Eigen::VectorXd& xdot_r, Eigen::VectorXd& v_r);
  /// v̇_r (nv) from ẋ_r, ẍ_r and v_r.
  void SolveAcceleration(const Eigen::VectorXd& xdot_r, const Eigen::VectorXd& xddot_r,
                         const Eigen::VectorXd& v_r, Eigen::VectorXd& vdot_r);
  /// Computes the trunk's response at the mass matrix H: joint forces H ∂v̇/∂ẍ (nv × 6) by
  /// accelerations of the first six rows, the linear task and the base. @returns its first six
  /// rows.
  const Eigen::Matrix<double, 6, 6>& CalcTrunkResponse(const Eigen::MatrixXd& H);
  /// W += H ∂v̇/∂ẍ a, after CalcTrunkResponse at this H.
  void AddTrunkResponse(const Eigen::MatrixXd& H, const Eigen::Matrix<double, 6, 1>& a,
                        Eigen::VectorXd& W);

 private:
  /// P, from the feet's Jacobians at q.
  Eigen::MatrixXd MakePosture(const Model& model, const LegOptions& legs,
                              const Eigen::VectorXd& q) const;

  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// normal += the squares of three rows of J, which have all columns.
  void AddRows(Eigen::Index row);
  /// The same of rows that are zero but in some columns.
  void AddRows(Eigen::Index row, const std::vector<int>& columns);

  int foot_rows_, posture_row_;
  std::vector<std::vector<int>> columns_;  ///< by foot: coordinates that move it
  Eigen::MatrixXd posture_;
  double momentum_weight_;
  RowMatrix J_, Jdot_;
  Eigen::MatrixXd constant_;  ///< the part of JᵀJ + δ1 that never changes
  Eigen::Matrix3Xd squared_;  ///< the columns that AddRows takes
  DenseFactor factor_;        ///< of JᵀJ + δ1
  Eigen::VectorXd missed_, step_;
  /// L⁻¹ of the first six rows of J and of H, each as columns
  Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor> trunk_;
  Eigen::Matrix<double, 6, 6> response_;
};

}  // namespace civita
