// Quantitative measures of a run, from samples one control step apart. tests/sim/metrics_test.cc
// checks each against a signal whose value is known.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "civita/scenes/scene.h"
#include "civita/sim/metric_table.h"
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
  /// welch(tau, 1/dt, nperseg=1/dt). NaN for runs shorter than a second
  /// and with more than 2²⁰ steps a second.
  double high_frequency_share() const;

  static constexpr double kCutoffHz = 20;

 private:
  static constexpr Eigen::Index kTogether = 4;  ///< joints whose spectra are taken side by side

  void AddWindow();
  void AddSpectra(Eigen::Index joints, Eigen::Index last_low);

  double dt_s_;
  Eigen::Index window_;      ///< samples in one second; 0: too many
  Eigen::MatrixXd samples_;  ///< the last second, nv rows, as a ring
  Eigen::VectorXd hann_, cosine_, sine_, tau_, windowed_;
  Eigen::Matrix<double, kTogether, Eigen::Dynamic> block_;     ///< windowed_ of kTogether joints
  Eigen::Matrix<double, kTogether, Eigen::Dynamic> power_at_;  ///< of these, by frequency
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
  /// Leaves out the step to the next sample, at which V jumps.
  void Break() { rows_ = 0; }

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

/// Lengths of the paths of the motion and of the reference, in the metric of PlantGeometry and at
/// the end effector. Steps at a singular configuration of the loops are left out. Allocates only in
/// the constructor. Of records also what the angles that they hold have grown.
class MotionMetrics final : public Accumulator {
 public:
  /// The scene must outlive it.
  explicit MotionMetrics(const Scene& scene);
  explicit MotionMetrics(const MetricContext& context) : MotionMetrics(*context.scene) {}
  void Add(const StepRecord& record) override;
  /// `step_length`: ErrorTurning's of the step to q; NaN: not known.
  void Add(SignalIn q, SignalIn q_d, double step_length = kNaN);

  /// Σ ‖Δq‖_H of the motion and of the reference, √kg·m; Σ ‖Δp‖ of the end effector, m: the frame
  /// `ee`, otherwise the centre of mass of the body with most joints before it.
  double path() const { return path_; }
  double path_reference() const { return path_reference_; }
  double ee_path() const { return ee_path_; }
  double ee_path_reference() const { return ee_path_reference_; }
  double path_ratio() const { return Ratio(path_, path_reference_); }
  double ee_path_ratio() const { return Ratio(ee_path_, ee_path_reference_); }
  double twist() const { return twist_ - twist_from_; }
  /// NaN for a law without C.
  double ideal_turning() const {
    return scene_.law->uses_factorization ? ideal_turning_ - ideal_turning_from_ : kNaN;
  }
  /// End effector at the last sample, world axes, m.
  const Eigen::Vector3d& ee() const { return ee_; }
  const Eigen::Vector3d& ee_reference() const { return ee_d_; }

 private:
  static double Ratio(double path, double reference) {
    return reference > 0 ? path / reference : kNaN;
  }
  void AddPath(SignalIn from, SignalIn to, double* length);
  Eigen::Vector3d EndEffector(SignalIn q);

  const Scene& scene_;
  const Model::NamedFrame* ee_frame_;
  Eigen::Vector3d ee_point_;     ///< in the frame
  Workspace<double> workspace_;  ///< of the end effector
  PlantGeometry geometry_;
  bool first_ = true;
  Eigen::VectorXd q_, q_d_;                         ///< of the last sample
  Eigen::VectorXd q_mid_, tangent_, half_tangent_;  ///< of the tree, loose objects aside
  Eigen::VectorXd delta_, H_delta_;
  Eigen::MatrixXd H_;
  Eigen::Vector3d ee_, ee_d_;
  double path_ = 0, path_reference_ = 0, ee_path_ = 0, ee_path_reference_ = 0;
  double twist_from_ = 0, ideal_turning_from_ = 0, twist_ = 0, ideal_turning_ = 0;
};

}  // namespace civita
