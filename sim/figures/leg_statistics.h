#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "civita/sim/leg_probe.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/metrics.h"
#include "civita/sim/quantile.h"

namespace civita {

/// Whether the scene's law distributes contact forces and reports in its signals the part of the
/// wrench that the feet do not supply.
bool DistributesForces(const Scene& scene);

/// Statistics of a legged robot's run; all zero for other robots. Means and RMS values are over
/// the records.
class LegStatistics final : public Accumulator {
 public:
  explicit LegStatistics(const MetricContext& context);
  void Add(const StepRecord& record) override;

  double tilt_rms() const { return RootMean(tilt_squares_); }  ///< rad
  double tilt_peak() const { return tilt_peak_; }
  /// Mean velocity of the base in heading axes, m/s.
  double forward() const { return Mean(forward_); }
  double sideways() const { return Mean(sideways_); }
  /// Touchdowns after 20 ms or more in the air.
  double steps() const { return static_cast<double>(steps_); }
  /// Σ over feet of the distance between their first and last position, m.
  double feet_moved() const;
  /// Σ over feet of the sliding distance under load, m.
  double slip() const { return slip_; }
  /// RMS of the part of the wrench that the feet did not supply: N and N·m.
  double unmet_force() const { return RootMean(unmet_force_); }
  double unmet_moment() const { return RootMean(unmet_moment_); }
  /// Control steps whose constraints were infeasible.
  double infeasible_steps() const { return static_cast<double>(infeasible_steps_); }
  /// Median time that the contact forces take in a control step, µs.
  double qp_p50_us() const { return qp_us_.Quantile(0.5); }
  double qp_p99_us() const { return qp_us_.Quantile(0.99); }
  double qp_max_us() const { return qp_us_.Quantile(1); }

 private:
  struct FootState {
    Eigen::Vector2d start = Eigen::Vector2d::Zero(), present = start;
    long in_air = 0;  ///< number of records
  };

  void AddFeet(const LegReading& legs);
  double Mean(double sum) const { return sum / static_cast<double>(std::max(1L, records_)); }
  double RootMean(double squares) const { return std::sqrt(Mean(squares)); }

  double dt_s_;
  std::vector<FootState> feet_;
  Eigen::Matrix3d R_home_ = Eigen::Matrix3d::Identity();  ///< of the base, heading aside
  /// Indices of the law's signals; −1 if it has no such signal.
  Eigen::Index unmet_force_signal_ = -1, unmet_moment_signal_ = -1, qp_status_signal_ = -1;
  long records_ = 0, steps_ = 0, infeasible_steps_ = 0;
  double tilt_squares_ = 0, tilt_peak_ = 0, forward_ = 0, sideways_ = 0, slip_ = 0;
  double unmet_force_ = 0, unmet_moment_ = 0;  ///< sums of squares
  QuantileHistogram qp_us_;
};

}  // namespace civita
