// The table of metrics: the numbers that summarize a run. The table of a headless run, run.json,
// the window's comparison, `civita compare`, `civita survive` and docs/compare.md all read it; a
// new metric needs only a line in metric_table.cc.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/sim/scene_unit.h"
#include "civita/sim/simulation.h"

namespace civita {

/// What a metric describes: the motion (its errors and paths, how s turns, what it takes), how
/// exactly a physical law holds (rounding and sampling), or the machine.
enum class MetricKind { kMotion, kTurning, kEffort, kCheck, kMachine };
inline constexpr MetricKind kMetricKinds[] = {MetricKind::kMotion, MetricKind::kTurning,
                                              MetricKind::kEffort, MetricKind::kCheck,
                                              MetricKind::kMachine};
/// Only differences in the motion are reported as a finding.
constexpr bool IsOfMotion(MetricKind kind) {
  return kind != MetricKind::kCheck && kind != MetricKind::kMachine;
}
/// The heading of such metrics in tables.
std::string_view HeadingOf(MetricKind kind);

/// Description of a metric of a scene.
struct MetricInfo {
  std::string key;    ///< in compare.json and compare.csv: "torque_rate"
  std::string label;  ///< for display: "torque rate"
  std::string unit;   ///< "N·m/s"; "" where there is none
  std::string doc;    ///< its definition, one line
  /// Time at which the storage is taken: the entry of "V_at" in the JSON.
  std::optional<double> mark_s = std::nullopt;
  MetricKind kind = MetricKind::kMotion;
  bool count = false;     ///< an integer
  std::string json = {};  ///< place in the summary of run.json, "legs/slip_m"; empty: `key`
  double floor = 0;       ///< a difference of two values up to this is rounding, in the unit
  int tree = -1;          ///< in FindKinematicTrees; −1: of the whole model

  using Kind = MetricKind;
  bool operator==(const MetricInfo& other) const {
    return key == other.key && mark_s == other.mark_s;
  }
};

/// What accumulators are told about the run that they measure.
struct MetricContext {
  const Scene* scene;         ///< outlives the accumulators
  double dt_s = 0;            ///< of the control steps
  double nominal_height = 0;  ///< Simulation::nominal_height, m
  double origin_s = 0;        ///< from which the metrics' times count
};

/// Accumulates a run's records, one control step apart. Add allocates nothing. Several metrics may
/// share one accumulator.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  virtual void Add(const StepRecord& record) = 0;
};

class MetricSet;

/// A line of the table of metrics.
struct Metric {
  const char* key;
  const char* label;
  SceneUnit unit;
  const char* doc;
  /// Reads the value from an accumulator of the set, which `Of` makes if needed; NaN while it is
  /// not known.
  std::function<double()> (*reading)(MetricSet& set, const MetricInfo& info);
  MetricKind kind = MetricKind::kMotion;
  bool (*applies)(const Scene& scene) = nullptr;  ///< null: to every scene
  const char* json = "";                          ///< as in MetricInfo
  double floor = 0;                               ///< as in MetricInfo
  bool count = false;
  bool at_marks = false;  ///< one metric for each of the config's marks_s
  /// One metric for each tree of a model with several: its name follows `key`, after _, and
  /// `label`.
  bool of_trees = false;
};

/// The table: the metrics of metric_table.cc, then the registered ones.
std::vector<const Metric*> Metrics();

/// Adds a metric to the table. Its strings must outlive the process's use of the table. No other
/// thread may use the table meanwhile. @throws ContractError if the key exists.
void RegisterMetric(const Metric& metric);

/// The metrics of a scene in the table's order.
std::vector<MetricInfo> MetricsOf(const Scene& scene);
/// The index of a metric in `among`; among.size() if it is not there.
std::size_t FindMetric(const std::vector<MetricInfo>& among, const MetricInfo& metric);
/// The union of both lists, in order, without duplicates.
std::vector<MetricInfo> MergeMetrics(std::vector<MetricInfo> metrics,
                                     const std::vector<MetricInfo>& more);

/// The metrics of a run so far. Allocates only in the constructor and Restart.
class MetricSet {
 public:
  /// Measures all metrics of the scene, or those of `keys`. The simulation's scene must outlive
  /// it.
  explicit MetricSet(const Simulation& simulation, std::vector<std::string_view> keys = {});
  MetricSet(const MetricSet&) = delete;
  MetricSet& operator=(const MetricSet&) = delete;

  /// Discards all records. Marks and "after 2 s" count from `origin_s`.
  void Restart(double origin_s = 0);
  void Add(const StepRecord& record);

  const std::vector<MetricInfo>& infos() const { return infos_; }
  double value(std::size_t metric) const { return readings_[metric](); }
  /// The value of a metric so far, in its unit; NaN for a key that is not in the set.
  double value(std::string_view key) const;
  /// Writes all values in the order of infos().
  void Read(std::vector<double>* values) const;

  /// The set's accumulator of a type; made from the context if there is none yet.
  template <std::derived_from<Accumulator> T>
  const T& Use() {
    for (const std::unique_ptr<Accumulator>& accumulator : accumulators_) {
      if (const auto* found = dynamic_cast<const T*>(accumulator.get())) return *found;
    }
    auto made = std::make_unique<T>(context_);
    const T& accumulator = *made;
    accumulators_.push_back(std::move(made));
    return accumulator;
  }

 private:
  MetricContext context_;
  std::vector<MetricInfo> infos_;
  std::vector<const Metric*> metrics_;  ///< of the infos
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
  std::vector<std::function<double()>> readings_;
};

/// A Metric::reading that applies the function to the set's accumulator.
template <auto kValue>
struct Reading;
template <typename T, double (T::*kValue)() const>
struct Reading<kValue> {
  static std::function<double()> Of(MetricSet& set, const MetricInfo& /*info*/) {
    return [&accumulator = set.Use<T>()] { return (accumulator.*kValue)(); };
  }
};

/// A value as tables show it: four digits; "–" for NaN.
std::string FormatValue(double value);

/// The difference of two values of a metric relative to the larger magnitude; 0 if it is rounding,
/// NaN if one is not known.
double RelativeDifference(const MetricInfo& metric, double a, double b);

/// Threshold on RelativeDifference above which it is reported.
inline constexpr double kApart = 0.2;

}  // namespace civita
