#include "sim/run_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <numbers>

#include "sim/quantile.h"

namespace civita {
namespace {

Eigen::Map<const Eigen::VectorXd> AsVector(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

__attribute__((format(printf, 2, 3))) void AppendFormat(std::string* text, const char* format,
                                                        ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  *text += line;
}

void AppendLegs(const LegSummary& legs, std::string* text) {
  constexpr double kDegree = std::numbers::pi / 180;
  AppendFormat(text, "    contact forces  p50 %.2f, p99 %.2f, max %.1f µs\n", legs.qp_p50_us,
               legs.qp_p99_us, legs.qp_max_us);
  if (legs.contacts) {
    AppendFormat(text, "  unmet wrench    RMS %.3g N, %.3g N·m; no solution in %ld steps\n",
                 legs.contacts->unmet_force, legs.contacts->unmet_moment,
                 legs.contacts->infeasible_steps);
  }
  AppendFormat(text, "  tilt            RMS %.3g°, largest %.3g°\n", legs.tilt_rms / kDegree,
               legs.tilt_peak / kDegree);
  AppendFormat(text, "  velocity        %.3g m/s forward, %.3g m/s to the left\n", legs.forward,
               legs.sideways);
  AppendFormat(text, "  feet            %ld steps, moved by %.3g m, slid by %.3g m\n", legs.steps,
               legs.feet_moved, legs.slip);
}

}  // namespace

std::string ErrorUnit(const Model& model) {
  bool angle = false, length = false;
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.type != JointType::kSlide) angle = true;
    if (HasTranslations(joint.type)) length = true;
  }
  if (angle && length) return "rad, m";
  return length ? "m" : "rad";
}

void RunStatistics::MeanSquare::Add(double x2) {
  if (n++ == 0) first = x2;
  last = x2;
  sum += x2;
}

double RunStatistics::MeanSquare::Root() const {
  if (n == 0) return 0;
  if (n == 1) return std::sqrt(sum);
  return std::sqrt((sum - 0.5 * (first + last)) / static_cast<double>(n - 1));
}

RunStatistics::RunStatistics(const RowLayout& layout, const Scene& scene, double dt_s,
                             double nominal_height)
    : layout_(layout),
      marks_(scene.config.marks_s),
      pushes_(scene.pushes),
      error_unit_(ErrorUnit(scene.plant)),
      dt_s_(dt_s),
      torque_metrics_(scene.plant.nv(), dt_s),
      passivity_(dt_s),
      error_by_coordinate_(static_cast<std::size_t>(scene.plant.nv())),
      nominal_height_(nominal_height) {
  Clear();
}

void RunStatistics::Clear() {
  error_ = settled_error_ = torque_ = {};
  std::fill(error_by_coordinate_.begin(), error_by_coordinate_.end(), MeanSquare());
  figures_ = {};
  torque_metrics_ = TorqueMetrics(static_cast<int>(error_by_coordinate_.size()), dt_s_);
  passivity_ = PassivityResidual(dt_s_);
  control_us_.clear();
  if (layout_.num_feet() > 0) legs_.emplace(layout_, nominal_height_, dt_s_);
}

void RunStatistics::Add(std::span<const double> row) {
  const double t = layout_.t(row);
  const std::span<const double> e = layout_.e(row);
  double e2 = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    error_by_coordinate_[i].Add(e[i] * e[i]);
    e2 += e[i] * e[i];
  }
  const Eigen::Map<const Eigen::VectorXd> tau = AsVector(layout_.tau(row));
  torque_metrics_.Add(tau, AsVector(layout_.v(row)));
  const bool pushed = std::any_of(pushes_.begin(), pushes_.end(),
                                  [&](const Push& push) { return push.acts(t, dt_s_); });
  passivity_.Add(layout_.V(row), layout_.P(row),
                 layout_.saturated(row) || layout_.constrained(row) || pushed);
  error_.Add(e2);
  torque_.Add(tau.squaredNorm());
  if (t >= RunSummary::kSettled) settled_error_.Add(e2);
  figures_.error_peak = std::max(figures_.error_peak, std::sqrt(e2));
  figures_.balance_peak = std::max(figures_.balance_peak, std::abs(layout_.energy_balance(row)));
  for (const double mark : marks_) {
    if (std::abs(t - mark) < 0.5 * dt_s_) figures_.V_at.emplace_back(mark, layout_.V(row));
  }
  if (layout_.saturated(row)) ++figures_.saturated_steps;
  ++figures_.steps;
  figures_.duration_s = t;
  control_us_.push_back(static_cast<float>(layout_.control_us(row)));
  if (legs_) legs_->Add(row);
}

RunSummary RunStatistics::Summarize() const {
  RunSummary summary = figures_;
  summary.dt_s = dt_s_;
  summary.error_unit = error_unit_;
  summary.error_rms = error_.Root();
  summary.error_rms_settled =
      settled_error_.n > 0 ? settled_error_.Root() : std::numeric_limits<double>::quiet_NaN();
  summary.torque_rms = torque_.Root();
  summary.torque_rate = torque_metrics_.rate();
  summary.high_frequency_share = torque_metrics_.high_frequency_share();
  summary.energy_J = torque_metrics_.energy();
  summary.passivity_residual = passivity_.relative();
  for (const MeanSquare& error : error_by_coordinate_) {
    summary.error_rms_by_coordinate.push_back(error.Root());
  }
  std::vector<float> times = control_us_;
  summary.step_p50_us = Quantile(&times, 0.5);
  summary.step_p99_us = Quantile(&times, 0.99);
  summary.step_max_us = Quantile(&times, 1);
  if (legs_) summary.legs = legs_->Summarize();
  return summary;
}

std::string FormatSummary(const Simulation& simulation, const RunSummary& summary,
                          const std::string& files) {
  const Scene& scene = simulation.scene();
  const Controller& controller = simulation.controller();
  std::string text = scene.config.name;
  AppendFormat(&text, " · %s", std::string(controller.type()).c_str());
  if (FindControllerType(controller.type()).uses_factorization) {
    text += ", " + controller.factorization().ToString();
  }
  const char* const mode = scene.config.mode == ControlMode::kHeld ? "held" : "at every stage";
  AppendFormat(&text, " · %s, %g ms\n", mode, 1e3 * summary.dt_s);

  const char* const unit = summary.error_unit.c_str();
  AppendFormat(&text, "  tracking error  RMS %.4g, peak %.4g %s", summary.error_rms,
               summary.error_peak, unit);
  if (std::isfinite(summary.error_rms_settled)) {
    AppendFormat(&text, "; from %g s on RMS %.4g", RunSummary::kSettled, summary.error_rms_settled);
  }
  if (!summary.V_at.empty()) {
    text += "\n  storage       ";
    for (const auto& [t, V] : summary.V_at) AppendFormat(&text, "  V(%g s) %.6g", t, V);
  }
  AppendFormat(&text, "\n  energy balance  largest %.3g\n", summary.balance_peak);
  AppendFormat(&text,
               "  torque          RMS %.4g, rate %.4g 1/s, cut by a limit in %ld of %ld steps\n",
               summary.torque_rms, summary.torque_rate, summary.saturated_steps, summary.steps);
  AppendFormat(&text, "  energy spent    %.4g J\n", summary.energy_J);
  AppendFormat(&text, "  control step    p50 %.2f, p99 %.2f, max %.1f µs\n", summary.step_p50_us,
               summary.step_p99_us, summary.step_max_us);
  if (summary.legs) AppendLegs(*summary.legs, &text);
  AppendFormat(&text, "  real time       %.3g× (%.4g s in %.3g s)\n", summary.real_time_factor,
               summary.duration_s, summary.wall_s);
  if (summary.mujoco_warnings > 0) {
    AppendFormat(&text, "  MuJoCo          %d warnings\n", summary.mujoco_warnings);
  }
  if (!files.empty()) text += "  files           " + files + "\n";
  text += "  " + summary.verdict + "\n";
  return text;
}

}  // namespace civita
