#include "civita/sim/run_summary.h"

#include <cstddef>

namespace civita {

double RunSummary::value(std::string_view key, std::optional<double> mark_s) const {
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].key == key && metrics[i].mark_s == mark_s) return values[i];
  }
  return kNaN;
}

RunStatistics::Others::Others(const Scene& scene)
    : couplings(scene),
      causes(scene),
      error_by_coordinate(static_cast<std::size_t>(scene.plant.nv())) {}

RunStatistics::RunStatistics(const Simulation& simulation)
    : scene_(simulation.scene()), dt_s_(simulation.control_dt()), metrics_(simulation) {
  Restart();
}

void RunStatistics::Restart() {
  metrics_.Restart();
  others_.emplace(scene_);
  if (CanFall(scene_)) falls_ = &metrics_.Use<FallStatistics>();
}

void RunStatistics::Add(const StepRecord& record) {
  metrics_.Add(record);
  others_->causes.Add(record);
  others_->couplings.Add(record.t, record.q);
  for (Eigen::Index i = 0; i < record.e.size(); ++i) {
    others_->error_by_coordinate[static_cast<std::size_t>(i)].Add(record.e[i] * record.e[i]);
  }
  ++others_->steps;
  others_->duration_s = record.t;
}

RunSummary RunStatistics::Summarize() const {
  RunSummary summary;
  summary.metrics = metrics_.infos();
  metrics_.Read(&summary.values);
  summary.steps = others_->steps;
  summary.duration_s = others_->duration_s;
  summary.dt_s = dt_s_;
  summary.error_unit = PositionUnit(scene_);
  summary.notes = others_->couplings.Notes();
  for (const MeanSquare& error : others_->error_by_coordinate) {
    summary.error_rms_by_coordinate.push_back(error.Root());
  }
  if (falls_ != nullptr) summary.fall = falls_->fall();
  const std::string causes = summary.fell() ? "" : others_->causes.Describe();
  if (!causes.empty()) summary.notes.push_back(causes);
  return summary;
}

}  // namespace civita
