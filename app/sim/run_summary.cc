#include "app/sim/run_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

namespace civita {
namespace {

void AppendNames(const char* group, int n, std::vector<std::string>* names) {
  for (int i = 0; i < n; ++i) {
    names->push_back(std::string("/") + group + "/" + std::to_string(i));
  }
}

Eigen::Map<const Eigen::VectorXd> AsVector(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// The sample below which a share `p` of all lies; reorders.
double Quantile(std::vector<float>* samples, double p) {
  if (samples->empty()) return 0;
  const auto last = static_cast<double>(samples->size() - 1);
  const auto nth = samples->begin() + static_cast<std::ptrdiff_t>(std::lround(p * last));
  std::nth_element(samples->begin(), nth, samples->end());
  return *nth;
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

RowLayout::RowLayout(const Controller& controller)
    : RowLayout(controller.model().nq(), controller.model().nv(), controller.signal_names()) {}

RowLayout::RowLayout(int nq, int nv, const std::vector<std::string>& law_signals)
    : nv_(static_cast<std::size_t>(nv)) {
  signals_ = {"t"};
  AppendNames("q", nq, &signals_);
  v_ = signals_.size();
  AppendNames("v", nv, &signals_);
  tau_ = signals_.size();
  AppendNames("tau", nv, &signals_);
  AppendNames("q_d", nq, &signals_);
  e_ = signals_.size();
  AppendNames("e", nv, &signals_);
  AppendNames("s", nv, &signals_);
  scalars_ = signals_.size();
  for (const char* name :
       {"/V", "/Vdot", "/P", "/energy_balance", "/saturated", "/constrained", "/V_estimation"}) {
    signals_.emplace_back(name);
  }
  signals_.insert(signals_.end(), law_signals.begin(), law_signals.end());
  timings_ = {"/kinematics_us", "/matrices_us", "/law_us", "/control_us", "/physics_us"};
}

void RowLayout::Fill(const StepRecord& record, std::span<double> row) const {
  double* out = row.data();
  const auto put = [&out](const Eigen::VectorXd& x) { out = std::copy_n(x.data(), x.size(), out); };
  // Nanoseconds are what the clock counts; so few digits keep the file small.
  const auto put_us = [&out](double seconds) { *out++ = std::round(seconds * 1e9) / 1e3; };
  *out++ = record.t;
  put(record.q);
  put(record.v);
  put(record.tau);
  put(record.q_d);
  put(record.e);
  put(record.s);
  *out++ = record.V;
  *out++ = record.Vdot;
  *out++ = record.P;
  *out++ = record.energy_balance;
  *out++ = record.saturated ? 1 : 0;
  *out++ = record.constrained ? 1 : 0;
  *out++ = record.V_estimation;
  put(record.signals);
  put_us(record.kinematics_s);
  put_us(record.matrices_s);
  put_us(record.law_s);
  put_us(record.control_s);
  put_us(record.physics_s);
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

RunStatistics::RunStatistics(const RowLayout& layout, const Scene& scene, double dt_s)
    : layout_(layout),
      marks_(scene.config.marks_s),
      pushes_(scene.pushes),
      error_unit_(ErrorUnit(scene.plant)),
      dt_s_(dt_s),
      torque_metrics_(scene.plant.nv(), dt_s),
      passivity_(dt_s),
      error_by_coordinate_(static_cast<std::size_t>(scene.plant.nv())) {}

void RunStatistics::Clear() {
  error_ = settled_error_ = torque_ = {};
  std::fill(error_by_coordinate_.begin(), error_by_coordinate_.end(), MeanSquare());
  figures_ = {};
  torque_metrics_ = TorqueMetrics(static_cast<int>(error_by_coordinate_.size()), dt_s_);
  passivity_ = PassivityResidual(dt_s_);
  control_us_.clear();
}

/// Whether a push of the config acts in the step that starts at t.
bool RunStatistics::pushed(double t) const {
  return std::any_of(pushes_.begin(), pushes_.end(), [&](const Push& push) {
    const double half = 0.5 * dt_s_;
    return t >= push.start_s - half && t < push.start_s + push.duration_s - half;
  });
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
  passivity_.Add(layout_.V(row), layout_.P(row),
                 layout_.saturated(row) || layout_.constrained(row) || pushed(t));
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
