// Quantitative measures of a run, from samples one control step apart. tests/sim/metrics_test.cc
// checks each against a signal whose value is known.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/plant_geometry.h"

namespace civita {

/// The value of a metric that does not apply to a run.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using SignalIn = const Eigen::Ref<const Eigen::VectorXd>&;

/// Root mean square over time, by the trapezoidal rule over samples one control step apart.
class MeanSquare {
 public:
  void Add(double square) {
    if (n_++ == 0) first_ = square;
    last_ = square;
    sum_ += square;
  }
  /// NaN without samples.
  double Root() const {
    if (n_ == 0) return kNaN;
    if (n_ == 1) return std::sqrt(sum_);
    return std::sqrt((sum_ - 0.5 * (first_ + last_)) / static_cast<double>(n_ - 1));
  }

 private:
  double sum_ = 0, first_ = 0, last_ = 0;
  long n_ = 0;
};

/// Measures of the torque of a run; samples are nv numbers, N·m or N.
class TorqueMetrics {
 public:
  TorqueMetrics(int nv, double dt_s);
  void Add(SignalIn tau, SignalIn v);

  /// Roughness: sqrt(mean ‖Δτ/dt‖²), N·m/s. NaN for a single sample.
  double rate() const;
  /// ∫ Σ|τ_i v_i| dt by the trapezoidal rule, J: braking recovers no energy.
  double energy() const { return energy_; }
  /// Share of the power of all torques above kCutoffHz: one-sided periodograms of Hann windows of
  /// one second that overlap by half, each window minus its mean, averaged. In scipy this is
  /// welch(tau, 1/dt, nperseg=1/dt). NaN for runs shorter than a second.
  double high_frequency_share() const;

  static constexpr double kCutoffHz = 20;

 private:
  void AddWindow();

  double dt_s_;
  Eigen::Index window_;      ///< samples in one second
  Eigen::MatrixXd samples_;  ///< the last second, nv rows, as a ring
  Eigen::VectorXd hann_, cosine_, sine_, tau_, windowed_;
  long count_ = 0;
  double rate_squares_ = 0, energy_ = 0, power_ = 0;
  double low_ = 0, all_ = 0;  ///< power up to the cut-off, and total
};

/// Checks V̇ = −P by a residual,
///   r_k = (V_{k+2} − V_k)/(2dt) + (P_k + 4P_{k+1} + P_{k+2})/6,
/// which is of fourth order in dt where V̇ = −P. Steps in which a limit, a contact or a push acted
/// are excluded.
class PassivityResidual {
 public:
  explicit PassivityResidual(double dt_s) : dt_s_(dt_s) {}
  /// Adds a sample; `marked`: the proof does not apply in the step that starts here.
  void Add(double V, double P, bool marked);

  double largest() const { return largest_; }  ///< max |r_k|, W
  /// max |r_k| / max P; NaN when nothing was counted or dissipated.
  double relative() const;
  long counted() const { return counted_; }  ///< number of residuals
  long marked() const { return marked_; }    ///< number of marked samples

 private:
  double dt_s_;
  double V_[2] = {0, 0}, P_[2] = {0, 0};  ///< the last two samples
  bool mark_[2] = {false, false};
  long rows_ = 0, counted_ = 0, marked_ = 0;
  double largest_ = 0, P_max_ = 0;
};

/// Length of the path and turning of s along it, in the plant's geometry: H, C and the numbers of
/// Δq, v and s are those of PlantGeometry, so of closed chains those of the independent velocities.
/// Steps at a singular configuration of the loops are left out. Allocates only in the constructor.
class MotionMetrics {
 public:
  /// The scene must outlive it; `factorization` is the law's, dt_s the control period, s.
  MotionMetrics(const Scene& scene, Factorization factorization, double dt_s);
  void Add(SignalIn q, SignalIn s, SignalIn q_d);
  /// Sets the law's factorization from the next sample on.
  void set_factorization(Factorization factorization) { factorization_ = std::move(factorization); }

  /// Σ ‖Δq‖_H of the motion and of the reference, √kg·m; Σ ‖Δp‖ of the end effector, m: the site
  /// `ee`, otherwise the centre of mass of the body with most joints before it.
  double path() const { return path_; }
  double path_reference() const { return path_reference_; }
  double ee_path() const { return ee_path_; }
  double ee_path_reference() const { return ee_path_reference_; }
  /// End effector at the last sample, world axes, m.
  const Eigen::Vector3d& ee() const { return ee_; }
  const Eigen::Vector3d& ee_reference() const { return ee_d_; }

  /// ∫ ‖(∇_v s)⊥‖_H / ‖s‖_H dt, rad, ∇ the Riemannian connection and ⊥ the part H-orthogonal to s:
  /// the turning of s against parallel transport. Each step transports s_n at the midpoint m,
  ///   (H_m + ½dt·C_m) s∥ = (H_m − ½dt·C_m) s_n,
  /// and adds the angle between s∥ and s_{n+1}. 0 for the torsion-free C with K_D ∝ H and an exact
  /// model. Steps count while ‖s‖_H > kFloor of its maximum so far, since a vanishing s has no
  /// direction.
  double twist() const { return twist_; }
  /// ∫ ‖(H⁻¹K(v)s)⊥‖_H / ‖s‖_H dt over the same steps, rad: the turning that the contorsion K = C
  /// − C_christoffel of the law's model explains. NaN for a law without C.
  double ideal_turning() const { return ideal_turning_; }

  static constexpr double kFloor = 0.01;

 private:
  bool AddPath(SignalIn q, SignalIn q_d);
  void AddTurning();
  void AddIdealTurning();
  double Norm(SignalIn x);
  Eigen::Vector3d EndEffector(SignalIn q);

  const Scene& scene_;
  Factorization factorization_;
  double dt_s_;
  const Model::NamedFrame* ee_frame_;
  Eigen::Vector3d ee_point_;     ///< in the frame
  Workspace<double> workspace_;  ///< of the end effector
  PlantGeometry geometry_, control_geometry_;
  bool first_ = true;
  Eigen::VectorXd q_, q_d_, s_last_;                        ///< of the last sample
  Eigen::VectorXd q_mid_, v_mid_, tangent_, half_tangent_;  ///< of the tree
  Eigen::VectorXd s_, delta_, half_, s_mid_, transported_, turned_;
  Eigen::MatrixXd H_, C_, K_, control_H_, lhs_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::Vector3d ee_, ee_d_;
  double largest_ = 0;  ///< maximum of ‖s‖_H so far
  double path_ = 0, path_reference_ = 0, ee_path_ = 0, ee_path_reference_ = 0;
  double twist_ = 0, ideal_turning_ = 0;
};

}  // namespace civita
