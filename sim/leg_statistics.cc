#include "sim/leg_statistics.h"

#include <algorithm>
#include <cmath>

#include "controllers/legs/contact_forces.h"
#include "sim/quantile.h"

namespace civita {
namespace {

constexpr double kShortestFlight = 0.02;  // s; a foot that bounces takes no step

double Square(double x) { return x * x; }

}  // namespace

LegStatistics::LegStatistics(const RowLayout& layout, double nominal_height, double dt_s)
    : layout_(&layout), dt_s_(dt_s), watch_(nominal_height), feet_(layout.num_feet()) {
  const std::vector<std::string>& names = layout.signals();
  const auto find = [&names](const char* name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::size_t{0} : static_cast<std::size_t>(found - names.begin());
  };
  unmet_force_ = find("/unmet/force");
  unmet_moment_ = find("/unmet/moment");
  qp_status_ = find("/qp/status");
  if (unmet_force_ * unmet_moment_ * qp_status_ > 0) sum_.contacts.emplace();
}

void LegStatistics::Add(std::span<const double> row) {
  const double tilt = layout_->tilt(row);
  watch_.Add(layout_->t(row), layout_->base_height(row), tilt);
  tilt_squares_ += tilt * tilt;
  sum_.tilt_peak = std::max(sum_.tilt_peak, tilt);

  const std::span<const double> q = layout_->q(row), v = layout_->v(row);
  const double heading =
      std::atan2(2 * (q[3] * q[6] + q[4] * q[5]), 1 - 2 * (q[5] * q[5] + q[6] * q[6]));
  sum_.forward += std::cos(heading) * v[0] + std::sin(heading) * v[1];
  sum_.sideways += std::cos(heading) * v[1] - std::sin(heading) * v[0];

  for (std::size_t i = 0; i < feet_.size(); ++i) {
    FootState& foot = feet_[i];
    foot.x = layout_->foot_x(row, i);
    foot.y = layout_->foot_y(row, i);
    if (rows_ == 0) {
      foot.x_start = foot.x;
      foot.y_start = foot.y;
    }
    sum_.slip += dt_s_ * layout_->foot_slip(row, i);
    if (layout_->foot_force(row, i) > 0) {
      if (static_cast<double>(foot.in_air) * dt_s_ >= kShortestFlight) ++sum_.steps;
      foot.in_air = 0;
    } else {
      ++foot.in_air;
    }
  }
  if (sum_.contacts) {
    sum_.contacts->unmet_force += Square(row[unmet_force_]);
    sum_.contacts->unmet_moment += Square(row[unmet_moment_]);
    const auto status = static_cast<ContactForces::Status>(std::lround(row[qp_status_]));
    const bool infeasible = status == ContactForces::Status::kTorqueDropped ||
                            status == ContactForces::Status::kFallback;
    if (infeasible) ++sum_.contacts->infeasible_steps;
  }
  qp_us_.push_back(static_cast<float>(layout_->qp_us(row)));
  ++rows_;
}

LegSummary LegStatistics::Summarize() const {
  LegSummary summary = sum_;
  const auto n = static_cast<double>(std::max(1L, rows_));
  summary.fall = watch_.fall();
  summary.tilt_rms = std::sqrt(tilt_squares_ / n);
  if (summary.contacts) {
    summary.contacts->unmet_force = std::sqrt(summary.contacts->unmet_force / n);
    summary.contacts->unmet_moment = std::sqrt(summary.contacts->unmet_moment / n);
  }
  summary.forward /= n;
  summary.sideways /= n;
  for (const FootState& foot : feet_) {
    summary.feet_moved += std::hypot(foot.x - foot.x_start, foot.y - foot.y_start);
  }
  std::vector<float> times = qp_us_;
  summary.qp_p50_us = Quantile(&times, 0.5);
  summary.qp_p99_us = Quantile(&times, 0.99);
  summary.qp_max_us = Quantile(&times, 1);
  return summary;
}

}  // namespace civita
