// The table of metrics: the numbers that sum a run up. The table of a headless run, run.json, the
// window's table of two runs, `civita compare`, `civita survive` and docs/compare.md all read it; a
// line of it, in metric_table.cc, is all that a new metric takes.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "civita/sim/scene_unit.h"
#include "civita/sim/simulation.h"

namespace civita {

/// What a metric tells of: the motion, how well a law of physics is kept (rounding and sampling),
/// or the machine. Differences of the motion alone are worth a sentence.
enum class MetricKind { kMotion, kCheck, kMachine };

/// A metric of a scene: a row of a table.
struct MetricInfo {
  std::string key;    ///< in compare.json and compare.csv: "torque_rate"
  std::string label;  ///< for people: "torque rate"
  std::string unit;   ///< "N·m/s"; "" where there is none
  std::string doc;    ///< its definition, one line
  /// Storage at this time: the entry of "V_at" in the JSON.
  std::optional<double> mark_s = std::nullopt;
  MetricKind kind = MetricKind::kMotion;
  bool count = false;     ///< a whole number
  std::string json = {};  ///< place in the summary of run.json, "legs/slip_m"; empty: `key`

  using Kind = MetricKind;
  bool operator==(const MetricInfo& other) const {
    return key == other.key && mark_s == other.mark_s;
  }
};

/// What accumulators know of the run that they measure.
struct MetricContext {
  const Scene* scene;           ///< outlives them
  Factorization factorization;  ///< the law's at the start
  double dt_s = 0;              ///< of the control steps
  double nominal_height = 0;    ///< Simulation::nominal_height, m
};

/// Adds up a run's records, one control step apart. Add allocates nothing. Several metrics may read
/// one accumulator.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  virtual void Add(const StepRecord& record) = 0;
  /// The law's from the next record on.
  virtual void SetFactorization(const Factorization& /*factorization*/) {}
};

class MetricSet;

/// A line of the table.
struct Metric {
  const char* key;
  const char* label;
  SceneUnit unit;
  const char* doc;
  /// Reads the value in an accumulator of the set, which `Of` makes if need be. The value is NaN as
  /// long as it is not known.
  std::function<double()> (*reading)(MetricSet& set, const MetricInfo& info);
  MetricKind kind = MetricKind::kMotion;
  bool (*applies)(const Scene& scene) = nullptr;  ///< nothing: to every scene
  const char* json = "";                          ///< as in MetricInfo
  bool count = false;
  bool at_marks = false;  ///< one for each of the config's marks_s
};

/// The table: first those of metric_table.cc, then those registered.
std::vector<const Metric*> Metrics();

/// Adds a metric to the table. Its strings must stay alive. Not while another thread uses the
/// table. @throws ContractError: a key that is there already.
void RegisterMetric(const Metric& metric);

/// The metrics of a scene in the table's order.
std::vector<MetricInfo> MetricsOf(const Scene& scene);
/// The position of a metric among others; their number where it is not there.
std::size_t FindMetric(const std::vector<MetricInfo>& among, const MetricInfo& metric);
/// Both lists without repetition.
std::vector<MetricInfo> MergeMetrics(std::vector<MetricInfo> metrics,
                                     const std::vector<MetricInfo>& more);

/// The metrics of a run so far. Allocates nothing but in the constructor and Restart.
class MetricSet {
 public:
  /// All metrics of the scene, or those named. The simulation's scene must outlive it.
  explicit MetricSet(const Simulation& simulation, std::vector<std::string_view> keys = {});
  MetricSet(const MetricSet&) = delete;
  MetricSet& operator=(const MetricSet&) = delete;

  /// Forgets all records; the law's factorization stays the present one.
  void Restart();
  void SetFactorization(const Factorization& factorization);
  void Add(const StepRecord& record);

  const std::vector<MetricInfo>& infos() const { return infos_; }
  double value(std::size_t metric) const { return readings_[metric](); }
  /// NaN for a metric that is none of these.
  double value(std::string_view key) const;
  /// In the order of infos().
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

/// A reading for the table: what the function says of the set's accumulator.
template <auto kValue>
struct Reading;
template <typename T, double (T::*kValue)() const>
struct Reading<kValue> {
  static std::function<double()> Of(MetricSet& set, const MetricInfo& /*info*/) {
    return [&accumulator = set.Use<T>()] { return (accumulator.*kValue)(); };
  }
};

/// A number as tables have it: four digits; "–" for NaN.
std::string FormatValue(double value);

/// What differs by more than this, relative to the larger magnitude, is called apart.
inline constexpr double kApart = 0.2;

}  // namespace civita
