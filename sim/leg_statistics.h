#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/leg_probe.h"
#include "sim/row_layout.h"

namespace civita {

/// Of what the feet did not give: root of the mean square, N and N·m; steps whose constraints left
/// no solution.
struct ContactSummary {
  double unmet_force = 0, unmet_moment = 0;
  long infeasible_steps = 0;
};

/// How a legged robot fared in a run.
struct LegSummary {
  Fall fall;
  double tilt_rms = 0, tilt_peak = 0;      ///< rad
  double forward = 0, sideways = 0;        ///< mean velocity of the base, axes of its heading, m/s
  long steps = 0;                          ///< feet set down after 20 ms or more in the air
  double feet_moved = 0;                   ///< Σ over feet, from the first row to the last, m
  double slip = 0;                         ///< Σ over feet of the way that they slid, loaded, m
  std::optional<ContactSummary> contacts;  ///< of a law that distributes contact forces
  double qp_p50_us = 0, qp_p99_us = 0, qp_max_us = 0;  ///< contact forces, of the control step
};

/// Adds up rows to a LegSummary.
class LegStatistics {
 public:
  LegStatistics(const RowLayout& layout, double nominal_height, double dt_s);

  void Add(std::span<const double> row);
  LegSummary Summarize() const;

 private:
  struct FootState {
    double x_start = 0, y_start = 0, x = 0, y = 0;
    long in_air = 0;  ///< rows
  };

  const RowLayout* layout_;
  double dt_s_;
  FallWatch watch_;
  long rows_ = 0;
  double tilt_squares_ = 0;
  std::vector<FootState> feet_;
  /// Columns of the law's signals; 0: it has none such.
  std::size_t unmet_force_ = 0, unmet_moment_ = 0, qp_status_ = 0;
  std::vector<float> qp_us_;
  LegSummary sum_;
};

}  // namespace civita
