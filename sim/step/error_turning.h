#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <limits>

#include "civita/scenes/scene.h"
#include "civita/sim/plant_geometry.h"

namespace civita {

/// How far s turns along a motion, in the plant's geometry: H, C and the numbers of v and s are
/// those of PlantGeometry, so of closed chains those of the independent velocities. Steps at a
/// singular configuration of the loops are left out. Allocates only in the constructor.
class ErrorTurning {
 public:
  /// `factorization` is the law's, dt_s the control period, s.
  ErrorTurning(const Scene& scene, Factorization factorization, double dt_s);

  /// Adds the configuration and s of a control step.
  void Add(const Eigen::VectorXd& q, const Eigen::VectorXd& s);
  /// Leaves out the step to the next sample, which a throw has changed, and measures ‖s‖_H anew.
  void Break();
  /// Back to 0, before any sample.
  void Restart() { state_ = start_; }
  /// Sets the law's factorization from the next sample on.
  void set_factorization(Factorization factorization) { factorization_ = std::move(factorization); }

  /// ∫ ‖(∇_v s)⊥‖_H / ‖s‖_H dt, rad, ∇ the Riemannian connection and ⊥ the part H-orthogonal to s:
  /// the turning of s against parallel transport. Each step transports s_n at the midpoint m,
  ///   (H_m + ½dt·C_m) s∥ = (H_m − ½dt·C_m) s_n,
  /// and adds the angle between s∥ and s_{n+1}. 0 for the torsion-free C with K_D ∝ H and an exact
  /// model. Steps count while ‖s‖_H > kFloor of its maximum so far, since a vanishing s has no
  /// direction, and above what sampling or rounding alone makes of it: the change of v in a step
  /// whose torque is held, otherwise kNoise of ‖v‖_H. On the reference there is nothing to turn.
  double twist() const { return state_.twist; }
  /// ∫ ‖(H⁻¹K(v)s)⊥‖_H / ‖s‖_H dt over the same steps, rad: the turning that the contorsion K = C
  /// − C_christoffel of the law's model explains.
  double ideal_turning() const { return state_.ideal_turning; }
  /// ‖Δq‖_H of the last step, in the metric at its midpoint; NaN if it was left out.
  double step_length() const { return step_length_; }

  static constexpr double kFloor = 0.01, kNoise = 1e-6;

  /// What it has accumulated, with the last sample.
  struct State {
    bool first = true;   ///< no sample, or a throw since
    bool second = true;  ///< one sample, thus no v
    Eigen::VectorXd q, s;
    Eigen::VectorXd v;   ///< of the last step
    double largest = 0;  ///< maximum of ‖s‖_H so far
    double twist = 0, ideal_turning = 0;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void AddStep(const Eigen::VectorXd& q);
  void AddIdealTurning();
  double Norm(const Eigen::VectorXd& x);
  double CalcNoise();

  Model plant_;
  Factorization factorization_;
  double dt_s_;
  bool is_held_;
  PlantGeometry geometry_, control_geometry_;
  State start_, state_;
  double step_length_ = std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd q_mid_, v_mid_, tangent_, half_tangent_;  ///< of the tree
  Eigen::VectorXd s_, v_, half_, s_mid_, transported_, turned_;
  Eigen::MatrixXd H_, C_, K_, control_H_, lhs_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace civita
