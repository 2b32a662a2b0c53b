#include "sim/live_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace civita {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double RootMean(double sum, long n) {
  return n > 0 ? std::sqrt(sum / static_cast<double>(n)) : kUnknown;
}

}  // namespace

LiveFigures::LiveFigures(const Simulation& simulation)
    : dt_s_(simulation.control_dt()), torque_(simulation.scene().plant.nv(), dt_s_) {
  Restart(simulation);
}

void LiveFigures::Restart(const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  since_t_ = simulation.time();
  steps_ = 0;
  error_squares_ = error_peak_ = torque_squares_ = 0;
  torque_ = TorqueMetrics(scene.plant.nv(), dt_s_);
  motion_.emplace(scene, simulation.controller().factorization(), dt_s_);
  V_at_.clear();
  for (const double mark : scene.config.marks_s) V_at_.emplace_back(mark, kUnknown);
}

void LiveFigures::Add(const StepRecord& record) {
  ++steps_;
  const double error = record.e.norm();
  error_squares_ += error * error;
  error_peak_ = std::max(error_peak_, error);
  torque_squares_ += record.tau.squaredNorm();
  torque_.Add(record.tau, record.v);
  motion_->Add(record.q, record.s, record.q_d);
  for (auto& [mark, V] : V_at_) {
    if (std::abs(record.t - mark) < 0.5 * dt_s_) V = record.V;
  }
}

void LiveFigures::Describe(Figures* figures) const {
  figures->since_t = since_t_;
  figures->error_rms = RootMean(error_squares_, steps_);
  figures->error_peak = steps_ > 0 ? error_peak_ : kUnknown;
  figures->path_ratio =
      motion_->path_reference() > 0 ? motion_->path() / motion_->path_reference() : kUnknown;
  figures->twist = motion_->twist();
  figures->ideal_turning = motion_->ideal_turning();
  figures->torque_rms = RootMean(torque_squares_, steps_);
  figures->torque_rate = torque_.rate();
  figures->energy = torque_.energy();
  figures->high_frequency_share = torque_.high_frequency_share();
  figures->V_at.clear();
  for (const auto& [mark, V] : V_at_) {
    if (!std::isnan(V)) figures->V_at.emplace_back(mark, V);
  }
}

}  // namespace civita
