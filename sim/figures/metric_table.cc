#include "civita/sim/metric_table.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>

#include "base/number_text.h"
#include "civita/error.h"
#include "civita/sim/kinematic_trees.h"
#include "civita/sim/leg_statistics.h"
#include "civita/sim/metrics.h"
#include "civita/sim/quantile.h"
#include "civita/sim/run_accumulators.h"

namespace civita {
namespace {

constexpr double kSettled = 2;  ///< s

/// What rounding adds up to over a run, relative to values of the order of 1.
constexpr double kRounding = 1e-9;
/// What soft contacts make, of a tilt (rad) and a share, and of a foot's way (m).
constexpr double kUnfelt = 1e-4, kUnfelt_m = 1e-5;

/// The tracking error; NaN under a law that is not to reach q_d.
class ErrorAccumulator final : public Accumulator {
 public:
  explicit ErrorAccumulator(const MetricContext& context)
      : follows_(context.scene->law->FollowsReference(context.scene->config.law_options)),
        origin_s_(context.origin_s),
        trees_(FindKinematicTrees(context.scene->plant)),
        by_tree_(trees_.size() > 1 ? trees_.size() : 0) {}
  void Add(const StepRecord& record) override {
    if (!follows_) return;
    const double square = record.e.squaredNorm();
    all_.Add(square);
    for (std::size_t i = 0; i < by_tree_.size(); ++i) {
      double of_tree = 0;
      for (const int iv : trees_[i].velocities) of_tree += record.e[iv] * record.e[iv];
      by_tree_[i].Add(of_tree);
    }
    if (record.t - origin_s_ >= kSettled) settled_.Add(square);
    peak_ = std::fmax(peak_, std::sqrt(square));
  }
  double rms() const { return all_.Root(); }
  double rms_of_tree(int tree) const { return by_tree_[static_cast<std::size_t>(tree)].Root(); }
  double settled_rms() const { return settled_.Root(); }
  double peak() const { return peak_; }

 private:
  bool follows_;
  double origin_s_;
  MeanSquare all_, settled_;
  std::vector<KinematicTree> trees_;
  std::vector<MeanSquare> by_tree_;  ///< none for a single tree
  double peak_ = kNaN;
};

std::function<double()> ReadErrorOfTree(MetricSet& set, const MetricInfo& info) {
  return
      [&error = set.Use<ErrorAccumulator>(), tree = info.tree] { return error.rms_of_tree(tree); };
}

class TorqueAccumulator final : public Accumulator {
 public:
  explicit TorqueAccumulator(const MetricContext& context)
      : metrics_(context.scene->plant.nv(), context.dt_s) {}
  void Add(const StepRecord& record) override {
    squares_.Add(record.tau.squaredNorm());
    metrics_.Add(record.tau, record.v);
  }
  double rms() const { return squares_.Root(); }
  double rate() const { return metrics_.rate(); }
  double energy() const { return metrics_.energy(); }
  double high_frequency_share() const { return metrics_.high_frequency_share(); }

 private:
  MeanSquare squares_;
  TorqueMetrics metrics_;
};

/// The largest ‖s‖, and what of it sampling or rounding alone may cause, so that V and P of a run
/// on its reference are noise: the largest change of v in a step whose torque is held, otherwise
/// kShare of the largest ‖v‖.
class ErrorResolution {
 public:
  ErrorResolution(ControlMode mode, int nv)
      : held_(mode == ControlMode::kHeld), v_(Eigen::VectorXd::Zero(nv)) {}
  void Add(const StepRecord& record) {
    first_ = first_ || record.thrown;
    s_ = std::fmax(s_, record.s.norm());
    const double noise = held_ ? (first_ ? 0 : (record.v - v_).norm()) : kShare * record.v.norm();
    noise_ = std::fmax(noise_, noise);
    first_ = false;
    v_ = record.v;
  }
  bool resolved() const { return s_ > noise_; }

 private:
  static constexpr double kShare = 1e-6;
  bool held_, first_ = true;
  Eigen::VectorXd v_;  ///< of the last record
  double s_ = 0, noise_ = 0;
};

class StorageAccumulator final : public Accumulator {
 public:
  explicit StorageAccumulator(const MetricContext& context)
      : dt_s_(context.dt_s),
        origin_s_(context.origin_s),
        pushes_(context.scene->pushes),
        passivity_(context.dt_s),
        error_(context.scene->config.mode, context.scene->plant.nv()) {
    for (const double mark : context.scene->config.marks_s) V_at_.emplace_back(mark, kNaN);
  }
  void Add(const StepRecord& record) override {
    const bool pushed = std::any_of(pushes_.begin(), pushes_.end(),
                                    [&](const Push& push) { return push.acts(record.t, dt_s_); });
    if (record.thrown) passivity_.Break();
    passivity_.Add(record.V, record.P, record.saturated || record.constrained || pushed);
    error_.Add(record);
    balance_peak_ = std::fmax(balance_peak_, std::abs(record.energy_balance));
    if (record.saturated) ++saturated_;
    if (record.constrained) ++constrained_;
    for (auto& [mark, V] : V_at_) {
      if (std::abs(record.t - origin_s_ - mark) < 0.5 * dt_s_) V = record.V;
    }
  }
  double balance_peak() const { return balance_peak_; }
  double passivity_residual() const { return error_.resolved() ? passivity_.relative() : kNaN; }
  double saturated_steps() const { return static_cast<double>(saturated_); }
  double constrained_steps() const { return static_cast<double>(constrained_); }
  /// V at a mark of the config; NaN before it is reached.
  double V_at(double mark_s) const {
    for (const auto& [mark, V] : V_at_) {
      if (mark == mark_s) return V;
    }
    return kNaN;
  }

 private:
  double dt_s_, origin_s_;
  std::vector<Push> pushes_;
  PassivityResidual passivity_;
  ErrorResolution error_;
  double balance_peak_ = kNaN;
  long saturated_ = 0, constrained_ = 0;
  std::vector<std::pair<double, double>> V_at_;
};

std::function<double()> ReadStorageAt(MetricSet& set, const MetricInfo& info) {
  return [&storage = set.Use<StorageAccumulator>(), mark = *info.mark_s] {
    return storage.V_at(mark);
  };
}

class TimeAccumulator final : public Accumulator {
 public:
  explicit TimeAccumulator(const MetricContext& /*context*/) {}
  void Add(const StepRecord& record) override { control_us_.Add(1e6 * record.control_s); }
  double p50_us() const { return Quantile(0.5); }
  double p99_us() const { return Quantile(0.99); }
  double max_us() const { return Quantile(1); }

 private:
  double Quantile(double p) const {
    return control_us_.count() > 0 ? control_us_.Quantile(p) : kNaN;
  }
  QuantileHistogram control_us_;
};

bool HasLegs(const Scene& scene) { return scene.legs != nullptr; }
bool HasNoLegs(const Scene& scene) { return scene.legs == nullptr; }
bool HasNoLoops(const Scene& scene) { return scene.closed == nullptr; }

template <auto kValue>
constexpr auto Of = &Reading<kValue>::Of;

using Tracking = ErrorAccumulator;
using Task = TaskStatistics;
using Torque = TorqueAccumulator;
using Motion = MotionMetrics;
using Storage = StorageAccumulator;
using Time = TimeAccumulator;
using Legs = LegStatistics;
using Falls = FallStatistics;
using enum MetricKind;

// clang-format off: one or two lines for each metric.
constexpr Metric kMetrics[] = {
    {"task_error_rms_m", "task error, RMS", "m",
     "root of the time mean of the squared distance of the task's frame from its reference, in the "
     "task's directions; beside it `error_rms` is the distance from the posture",
     Of<&Task::rms_m>, kMotion, Task::Applies, "", kRounding},
    {"task_error_rms_rad", "task error in angle, RMS", "rad",
     "root of the mean square of the frame's angle to its reference, of tasks `pose`",
     Of<&Task::rms_rad>, kMotion, Task::Turns, "", kRounding},
    {"task_damped_share", "task damped, share of time", "",
     "share of the steps near a singularity, where the law damps a direction of the task",
     Of<&Task::damped_share>, kMotion, Task::Applies},
    {"error_rms", "tracking error, RMS", PositionUnit,
     "root of the time mean of ‖q ⊖ q_d‖²; none for a limit cycle, which leaves q_d",
     Of<&Tracking::rms>, kMotion, nullptr, "", kRounding},
    {.key = "error_rms_of",
     .label = "error of",
     .unit = PositionUnit,
     .doc = "`error_rms` of each tree of a model with several and no loops, which would join them, "
            "by the name of its first body",
     .reading = ReadErrorOfTree,
     .applies = HasNoLoops,
     .floor = kRounding,
     .of_trees = true},
    {"error_peak", "tracking error, peak", PositionUnit, "largest ‖q ⊖ q_d‖", Of<&Tracking::peak>,
     kMotion, nullptr, "", kRounding},
    {"error_rms_after_2s", "error after 2 s, RMS", PositionUnit,
     "root of the time mean of ‖q ⊖ q_d‖² from t = 2 s on, in the window from 2 s after a throw",
     Of<&Tracking::settled_rms>, kMotion, nullptr, "", kRounding},
    {"path", "path", "√kg·m", "Σ ‖Δq‖_H with the plant's H, of closed chains ‖Δw‖_H̄",
     Of<&Motion::path>},
    {"path_ratio", "path ratio", "", "Σ ‖Δq‖_H over that of q_d", Of<&Motion::path_ratio>},
    {"ee_path_m", "end-effector path", "m",
     "Σ ‖Δp‖ of the frame `ee`, else of the centre of mass of the body with most joints before it",
     Of<&Motion::ee_path>},
    {"ee_path_ratio", "end-effector path ratio", "", "Σ ‖Δp‖ over that at q_d",
     Of<&Motion::ee_path_ratio>},
    {.key = "twist_rad",
     .label = "turning",
     .unit = "rad",
     .doc =
         "∫ ‖(∇_v s)⊥‖_H / ‖s‖_H dt, ∇ the Riemannian connection, ⊥ the part H-orthogonal to s: "
         "how far s turns against parallel transport, over the steps at both ends of which ‖s‖_H "
         "is above 1 % of its largest value so far, and above what a control step changes of v "
         "(in every_stage 1e-6 of v)",
     .reading = Of<&Motion::twist>,
     .kind = kTurning,
     .floor = kRounding},
    {.key = "ideal_turning_rad",
     .label = "turning by torsion",
     .unit = "rad",
     .doc = "∫ ‖H⁻¹K(v)s‖_H / ‖s‖_H dt over the same steps, K = C − C_christoffel of the law's "
            "model: what the contorsion turns",
     .reading = Of<&Motion::ideal_turning>,
     .kind = kTurning,
     .floor = kRounding},
    {"torque_rms", "torque, RMS", TorqueUnit, "root of the time mean of ‖τ‖²", Of<&Torque::rms>,
     kEffort},
    {"torque_rate", "torque rate", TorqueRateUnit, "sqrt(mean ‖Δτ/dt‖²): how jagged the torque is",
     Of<&Torque::rate>, kEffort},
    {"high_frequency_share", "torque above 20 Hz", "",
     "part of the torque's one-sided power spectrum above 20 Hz (Hann windows of 1 s, half "
     "overlapping, less their means; all joints together); none for runs under 1 s",
     Of<&Torque::high_frequency_share>, kEffort, nullptr, "", kUnfelt},
    {"energy_J", "energy", "J", "∫ Σ|τ_i v_i| dt", Of<&Torque::energy>, kEffort},
    {"energy_balance_peak", "energy balance, peak", StorageUnit,
     "largest |V − V(0) + ∫(P − P_ext) dt|: 0 for an exact model and law",
     Of<&Storage::balance_peak>, kCheck},
    {"passivity_residual", "passivity residual", "",
     "largest |(V_{k+2} − V_k)/(2dt) + (P_k + 4P_{k+1} + P_{k+2})/6| over the largest P; "
     "steps with a limit, a contact or a push of the config are left out; none where s is noise: "
     "‖s‖ below 1e-6 of ‖v‖ in every_stage, below the change of v in a control step when held",
     Of<&Storage::passivity_residual>, kCheck},
    {.key = "saturated_steps",
     .label = "steps at a torque limit",
     .unit = "",
     .doc = "control steps whose torque a limit cut",
     .reading = Of<&Storage::saturated_steps>,
     .kind = kEffort,
     .count = true},
    {.key = "constrained_steps",
     .label = "steps at a stop or in contact",
     .unit = "",
     .doc = "control steps in which a joint limit or a contact acted",
     .reading = Of<&Storage::constrained_steps>,
     .kind = kEffort,
     .applies = HasNoLegs,
     .count = true},
    {.key = "V_at",
     .label = "V",
     .unit = StorageUnit,
     .doc = "the law's storage at the config's `marks_s`",
     .reading = ReadStorageAt,
     .at_marks = true},
    {"fall_s", "time of the fall", "s",
     "first time that the base of a floating robot is below 60 % of its nominal height, tilted "
     "beyond 60°, or falls freely; none without a fall",
     Of<&Falls::time>, kMotion, CanFall},
    {"tilt_rms_rad", "tilt, RMS", "rad", "root of the mean square of the base's tilt, yaw aside",
     Of<&Legs::tilt_rms>, kMotion, HasLegs, "legs/tilt_rms_rad", kUnfelt},
    {"tilt_peak_rad", "tilt, peak", "rad", "largest tilt", Of<&Legs::tilt_peak>, kMotion, HasLegs,
     "legs/tilt_peak_rad", kUnfelt},
    {.key = "forward_m_s",
     .label = "velocity forward",
     .unit = "m/s",
     .doc = "mean velocity of the base along its heading",
     .reading = Of<&Legs::forward>,
     .applies = HasLegs,
     .json = "legs/velocity_m_s/0",
     .floor = kRounding},
    {.key = "sideways_m_s",
     .label = "velocity to the left",
     .unit = "m/s",
     .doc = "mean velocity of the base across its heading",
     .reading = Of<&Legs::sideways>,
     .applies = HasLegs,
     .json = "legs/velocity_m_s/1",
     .floor = kRounding},
    {.key = "foot_steps",
     .label = "steps of the feet",
     .unit = "",
     .doc = "feet set down after 20 ms or more in the air",
     .reading = Of<&Legs::steps>,
     .applies = HasLegs,
     .json = "legs/steps",
     .count = true},
    {"feet_moved_m", "feet moved", "m",
     "Σ over feet of the distance from the first step to the last", Of<&Legs::feet_moved>, kMotion,
     HasLegs, "legs/feet_moved_m", kUnfelt_m},
    {"slip_m", "feet slid", "m", "Σ over feet of the path that they slid while loaded",
     Of<&Legs::slip>, kMotion, HasLegs, "legs/slip_m", kUnfelt_m},
    {"unmet_force_N", "unmet force, RMS", "N",
     "root of the mean square of the force that the law asked of the feet and did not get",
     Of<&Legs::unmet_force>, kEffort, DistributesForces, "legs/contacts/unmet_force_N"},
    {"unmet_moment_Nm", "unmet moment, RMS", "N·m",
     "root of the mean square of the moment that the law asked of the feet and did not get",
     Of<&Legs::unmet_moment>, kEffort, DistributesForces, "legs/contacts/unmet_moment_Nm"},
    {.key = "infeasible_steps",
     .label = "steps without a solution",
     .unit = "",
     .doc = "control steps in which no contact forces met all constraints",
     .reading = Of<&Legs::infeasible_steps>,
     .applies = DistributesForces,
     .json = "legs/contacts/infeasible_steps",
     .count = true},
    {"qp_p50_us", "contact forces, median", "µs", "time of the contact forces in a control step",
     Of<&Legs::qp_p50_us>, kMachine, HasLegs, "legs/qp_us/p50"},
    {"qp_p99_us", "contact forces, 99 %", "µs", "99th percentile of that time",
     Of<&Legs::qp_p99_us>, kMachine, HasLegs, "legs/qp_us/p99"},
    {"qp_max_us", "contact forces, longest", "µs", "the longest of those times",
     Of<&Legs::qp_max_us>, kMachine, HasLegs, "legs/qp_us/max"},
    {"step_p50_us", "control step, median", "µs",
     "time taken by reference, law and limits, within 0.25 %; compared variants share the cores",
     Of<&Time::p50_us>, kMachine, nullptr, "control_step_us/p50"},
    {"step_p99_us", "control step, 99 %", "µs", "99th percentile of that time", Of<&Time::p99_us>,
     kMachine, nullptr, "control_step_us/p99"},
    {"step_max_us", "control step, longest", "µs", "the longest of those times", Of<&Time::max_us>,
     kMachine, nullptr, "control_step_us/max"},
};
// clang-format on

std::deque<Metric>& Registered() {
  static std::deque<Metric> registered;
  return registered;
}

MetricInfo Describe(const Metric& metric, const Scene& scene) {
  return {metric.key,  metric.label, metric.unit(scene), metric.doc,  std::nullopt,
          metric.kind, metric.count, metric.json,        metric.floor};
}

/// Calls use(info, metric) for each metric of the scene.
template <typename Use>
void ForEachMetric(const Scene& scene, Use use) {
  for (const Metric* metric : Metrics()) {
    if (metric->applies != nullptr && !metric->applies(scene)) continue;
    MetricInfo info = Describe(*metric, scene);
    if (!metric->of_trees && !metric->at_marks) use(info, *metric);
    const std::vector<KinematicTree> trees =
        metric->of_trees ? FindKinematicTrees(scene.plant) : std::vector<KinematicTree>();
    for (std::size_t i = 0; trees.size() > 1 && i < trees.size(); ++i) {
      info.key = std::string(metric->key) + "_" + trees[i].name;
      info.label = std::string(metric->label) + " " + trees[i].name;
      info.tree = static_cast<int>(i);
      use(info, *metric);
    }
    if (!metric->at_marks) continue;
    for (const double mark : scene.config.marks_s) {
      info.label = std::string(metric->label) + "(" + FormatValue(mark) + " s)";
      info.mark_s = mark;
      use(info, *metric);
    }
  }
}

}  // namespace

std::string_view HeadingOf(MetricKind kind) {
  constexpr std::string_view kHeadings[] = {"Error and motion", "Turning", "Effort",
                                            "How exactly the laws hold", "This machine"};
  static_assert(std::size(kHeadings) == std::size(kMetricKinds));
  return kHeadings[static_cast<std::size_t>(kind)];
}

std::vector<const Metric*> Metrics() {
  std::vector<const Metric*> metrics;
  for (const Metric& metric : kMetrics) metrics.push_back(&metric);
  for (const Metric& metric : Registered()) metrics.push_back(&metric);
  return metrics;
}

void RegisterMetric(const Metric& metric) {
  for (const Metric* other : Metrics()) {
    CIVITA_CHECK(std::string_view(other->key) != metric.key,
                 "a metric '" << metric.key << "' is there already");
  }
  Registered().push_back(metric);
}

std::vector<MetricInfo> MetricsOf(const Scene& scene) {
  std::vector<MetricInfo> infos;
  ForEachMetric(scene, [&](const MetricInfo& info, const Metric&) { infos.push_back(info); });
  return infos;
}

std::size_t FindMetric(const std::vector<MetricInfo>& among, const MetricInfo& metric) {
  return static_cast<std::size_t>(std::find(among.begin(), among.end(), metric) - among.begin());
}

std::vector<MetricInfo> MergeMetrics(std::vector<MetricInfo> metrics,
                                     const std::vector<MetricInfo>& more) {
  for (const MetricInfo& info : more) {
    if (FindMetric(metrics, info) == metrics.size()) metrics.push_back(info);
  }
  return metrics;
}

MetricSet::MetricSet(const Simulation& simulation, std::vector<std::string_view> keys)
    : context_{&simulation.scene(), simulation.control_dt(), simulation.nominal_height()} {
  ForEachMetric(simulation.scene(), [&](const MetricInfo& info, const Metric& metric) {
    if (!keys.empty() && std::find(keys.begin(), keys.end(), info.key) == keys.end()) return;
    infos_.push_back(info);
    metrics_.push_back(&metric);
  });
  Restart();
}

void MetricSet::Restart(double origin_s) {
  context_.origin_s = origin_s;
  readings_.clear();
  accumulators_.clear();
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    readings_.push_back(metrics_[i]->reading(*this, infos_[i]));
  }
}

void MetricSet::Add(const StepRecord& record) {
  for (const auto& accumulator : accumulators_) accumulator->Add(record);
}

double MetricSet::value(std::string_view key) const {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].key == key) return value(i);
  }
  return kNaN;
}

void MetricSet::Read(std::vector<double>* values) const {
  values->resize(readings_.size());
  for (std::size_t i = 0; i < readings_.size(); ++i) (*values)[i] = value(i);
}

double RelativeDifference(const MetricInfo& metric, double a, double b) {
  const double difference = std::abs(a - b);
  return difference <= metric.floor ? 0 : difference / std::fmax(std::abs(a), std::abs(b));
}

std::string FormatValue(double value) {
  if (!std::isfinite(value)) return "–";
  return internal::General(value == 0 ? 0 : value, 4);  // zero has no sign
}

}  // namespace civita
