#include "civita/sim/run_summary.h"

#include <algorithm>
#include <cmath>

namespace civita {

double RunSummary::value(std::string_view key, std::optional<double> mark_s) const {
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].key == key && metrics[i].mark_s == mark_s) return values[i];
  }
  return kNaN;
}

RunStatistics::RunStatistics(const Simulation& simulation)
    : can_fall_(CanFall(simulation.scene())),
      metrics_(simulation),
      couplings_(simulation.scene()),
      error_by_coordinate_(static_cast<std::size_t>(simulation.scene().plant.nv())),
      scene_(simulation.scene()),
      causes_(scene_),
      error_unit_(PositionUnit(simulation.scene())),
      dt_s_(simulation.control_dt()) {
  FindFalls();
}

void RunStatistics::FindFalls() {
  if (can_fall_) falls_ = &metrics_.Use<FallStatistics>();
}

void RunStatistics::Restart() {
  metrics_.Restart();
  couplings_.Restart();
  std::fill(error_by_coordinate_.begin(), error_by_coordinate_.end(), MeanSquare());
  causes_ = ErrorCauses(scene_);
  FindFalls();
  steps_ = 0;
  duration_s_ = 0;
}

void RunStatistics::Add(const StepRecord& record) {
  metrics_.Add(record);
  causes_.Add(record);
  couplings_.Add(record.t, record.q);
  for (std::size_t i = 0; i < error_by_coordinate_.size(); ++i) {
    const double e = record.e[static_cast<Eigen::Index>(i)];
    error_by_coordinate_[i].Add(e * e);
  }
  ++steps_;
  duration_s_ = record.t;
}

RunSummary RunStatistics::Summarize() const {
  RunSummary summary;
  summary.metrics = metrics_.infos();
  metrics_.Read(&summary.values);
  summary.steps = steps_;
  summary.duration_s = duration_s_;
  summary.dt_s = dt_s_;
  summary.error_unit = error_unit_;
  summary.notes = couplings_.Notes();
  for (const MeanSquare& error : error_by_coordinate_) {
    summary.error_rms_by_coordinate.push_back(error.Root());
  }
  if (falls_ != nullptr) summary.fall = falls_->fall();
  const std::string causes = summary.fell() ? "" : causes_.Describe();
  if (!causes.empty()) summary.notes.push_back(causes);
  return summary;
}

}  // namespace civita
