// Figures that tell runs apart, from their samples one control step apart. What is known of each on
// a signal with a known answer is in tests/sim/metrics_test.cc.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "civita/scenes/scene.h"

namespace civita {

/// The value of a metric that a run has nothing of.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using SignalIn = const Eigen::Ref<const Eigen::VectorXd>&;

/// The root of a mean of squares over time, by the trapezoid over samples one control step apart.
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

/// What the torque of a run says of it: joint order, N·m or N.
class TorqueMetrics {
 public:
  TorqueMetrics(int nv, double dt_s);
  void Add(SignalIn tau, SignalIn v);

  /// How jagged: sqrt(mean ‖Δτ/dt‖²), N·m/s. NaN for a single sample.
  double rate() const;
  /// ∫ Σ|τ_i v_i| dt by the trapezoid, J: nothing is won back in braking.
  double energy() const { return energy_; }
  /// The part above kCutoffHz of the torque's power, all joints' together: one-sided periodograms
  /// of Hann windows of a second that overlap by half, each window less its mean, averaged. Of
  /// scipy that is welch(tau, 1/dt, nperseg=1/dt). NaN for runs shorter than a second.
  double high_frequency_share() const;

  static constexpr double kCutoffHz = 20;

 private:
  void AddWindow();

  double dt_s_;
  Eigen::Index window_;      ///< samples a second
  Eigen::MatrixXd samples_;  ///< the last second, nv rows, as a ring
  Eigen::VectorXd hann_, cosine_, sine_, tau_, windowed_;
  long count_ = 0;
  double rate_squares_ = 0, energy_ = 0, power_ = 0;
  double low_ = 0, all_ = 0;  ///< power up to the cut-off, and altogether
};

/// Whether V falls as promised, as a residual that can fail:
///   r_k = (V_{k+2} − V_k)/(2dt) + (P_k + 4P_{k+1} + P_{k+2})/6,
/// of fourth order in dt where V̇ = −P. Steps in which a limit or a contact acted, or somebody
/// pushed, are left out.
class PassivityResidual {
 public:
  explicit PassivityResidual(double dt_s) : dt_s_(dt_s) {}
  /// `marked`: the proof does not hold in the step that starts here.
  void Add(double V, double P, bool marked);

  double largest() const { return largest_; }  ///< max |r_k|, W
  /// The same over max P; NaN when nothing was counted or dissipated.
  double relative() const;
  long counted() const { return counted_; }  ///< residuals
  long marked() const { return marked_; }    ///< rows

 private:
  double dt_s_;
  double V_[2] = {0, 0}, P_[2] = {0, 0};  ///< the two rows before
  bool mark_[2] = {false, false};
  long rows_ = 0, counted_ = 0, marked_ = 0;
  double largest_ = 0, P_max_ = 0;
};

/// How long the way was and how s turned on it; H is the plant's. Allocates nothing after the
/// constructor.
class MotionMetrics {
 public:
  /// The scene must outlive it; `factorization` is the law's.
  MotionMetrics(const Scene& scene, Factorization factorization, double dt_s);
  void Add(SignalIn q, SignalIn s, SignalIn q_d);
  /// The law's from the next sample on.
  void set_factorization(Factorization factorization) { factorization_ = std::move(factorization); }

  /// Σ ‖Δq‖_H and that of the reference, √kg·m; Σ ‖Δp‖ of the end effector, m: the site `ee`, else
  /// the centre of mass of the body with most joints before it.
  double path() const { return path_; }
  double path_reference() const { return path_reference_; }
  double ee_path() const { return ee_path_; }
  double ee_path_reference() const { return ee_path_reference_; }
  /// The last ones, world axes.
  const Eigen::Vector3d& ee() const { return ee_; }
  const Eigen::Vector3d& ee_reference() const { return ee_d_; }

  /// ∫ ‖(∇_v s)⊥‖_H / ‖s‖_H dt, rad, ∇ the Riemannian connection and ⊥ the part H-orthogonal to s:
  /// by how much s turns against parallel transport. Each step transports s_n at the midpoint m,
  ///   (H_m + ½dt·C_m) s∥ = (H_m − ½dt·C_m) s_n,
  /// and adds the angle between s∥ and s_{n+1}. 0 for the torsion-free C with K_D ∝ H and an exact
  /// model. Counted while ‖s‖_H > kFloor of its largest value so far: a vanishing s has no
  /// direction.
  double twist() const { return twist_; }
  /// ∫ ‖(H⁻¹K(v)s)⊥‖_H / ‖s‖_H dt over the same steps, rad: what the contorsion K = C −
  /// C_christoffel of the law's model turns. NaN where the law has no C.
  double ideal_turning() const { return ideal_turning_; }

  static constexpr double kFloor = 0.01;

 private:
  void AddPath(SignalIn q, SignalIn q_d);
  void AddTurning(SignalIn s);
  Eigen::Vector3d EndEffector(SignalIn q);

  const Scene& scene_;
  Factorization factorization_;
  double dt_s_;
  const Model::NamedFrame* ee_frame_;
  Eigen::Vector3d ee_point_;  ///< in the frame
  Workspace<double> workspace_, control_workspace_;
  bool first_ = true;
  Eigen::VectorXd q_, s_, q_d_;  ///< of the row before
  Eigen::VectorXd q_mid_, v_mid_, delta_, half_, s_mid_, transported_, turned_;
  Eigen::MatrixXd H_, C_, K_, control_H_, lhs_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::Vector3d ee_, ee_d_;
  double largest_ = 0;  ///< ‖s‖_H so far
  double path_ = 0, path_reference_ = 0, ee_path_ = 0, ee_path_reference_ = 0;
  double twist_ = 0, ideal_turning_ = 0;
};

}  // namespace civita
