#include "civita/study/compare/compare.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/number_text.h"
#include "civita/error.h"
#include "civita/sim/trials/compare_runs.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/evaluate/eval_states.h"

namespace civita {
namespace {

using Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

/// The command of the program that makes the comparison.
std::string CommandLine(const CompareOptions& options) {
  std::string line = "civita compare " + ShellQuoted(options.scene);
  for (const std::string& text : options.variations) line += " --vary " + ShellQuoted(text);
  for (const std::string& text : options.overrides) line += " --set " + ShellQuoted(text);
  if (options.duration_s) line += " --duration " + internal::ExactNumber(*options.duration_s);
  if (options.seed) line += " --seed " + std::to_string(*options.seed);
  if (options.seeds > 1) line += " --seeds " + std::to_string(options.seeds);
  if (options.initial_states > 1) {
    line += " --initial-states " + std::to_string(options.initial_states);
  }
  if (!options.states.empty()) line += " --states " + ShellQuoted(options.states);
  return line;
}

void CheckOptions(const CompareOptions& options) {
  for (const auto& [name, number] :
       {std::pair("seeds", options.seeds), std::pair("initial_states", options.initial_states)}) {
    if (number < 1) throw UserError(options.called(name) + ": at least 1");
  }
}

std::vector<Variant> ReadVariants(const CompareOptions& options) {
  CheckOptions(options);
  return CombineVariations(options.variations, options.called);
}

/// What of a scene a seed may change that a prediction is of.
VectorXd WhatSeedsChange(const Scene& scene) {
  std::vector<double> numbers;
  const auto add = [&](const auto& matrix) {
    numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
  };
  add(scene.q_start);
  add(scene.v_start);
  for (const Push& push : scene.pushes) add(push.force);
  for (const auto& body : scene.plant.bodies()) {
    numbers.push_back(body.mass.mass);
    add(body.mass.com);
    add(body.mass.inertia);
  }
  const VectorXd zero = VectorXd::Zero(scene.control_model.nv());
  ReferenceState state{scene.q_start, zero, zero};
  for (const double share : {0.2, 0.55, 0.9}) {
    scene.reference->Sample(share * scene.config.duration_s, state);
    add(state.q);
  }
  return VectorXd::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

/// Runs seeds and starts one after the other, and all variants of each in step.
class Comparer {
 public:
  Comparer(CompareOptions options, Watch watch)
      : options_(std::move(options)),
        watch_(std::move(watch)),
        notes_(watch_.note),
        variants_(ReadVariants(options_)) {
    comparison_.command = CommandLine(options_);
    for (const Variant& variant : variants_) {
      const std::unique_ptr<Scene> scene = OpenVariant(variant, 0);
      if (scene->config.seed > std::numeric_limits<int>::max() - (options_.seeds - 1)) {
        throw UserError(options_.called("seeds") + ": the last seed is greater than 2147483647");
      }
      if (comparison_.variants.empty()) {
        comparison_.scene = scene->config.name;
        comparison_.title = scene->config.title;
        comparison_.velocity_unit = VelocityUnit(*scene);
        comparison_.duration_s = scene->config.duration_s;
        first_seed_ = scene->config.seed;
        ReadStates(scene->plant);
      }
      comparison_.metrics = MergeMetrics(std::move(comparison_.metrics), CompareMetrics(*scene));
      for (const std::string& notice : scene->notices) notes_.Add(notice);
      comparison_.variants.push_back(
          {variant.name, variant.settings, ToYaml(scene->config), TurningCauses(*scene), {}, {}});
      comparison_.variants.back().law = scene->law->type;
      comparison_.variants.back().damps_by_inertia = DampsByInertia(*scene);
    }
  }

  VariantComparison Run() {
    const Clock::time_point start_time = Clock::now();
    for (int k = 0; k < options_.seeds; ++k) {
      for (int start = 0; start < num_starts(); ++start) {
        if (!comparison_.interrupted) RunOnce(k, start);
      }
    }
    comparison_.wall_s = std::chrono::duration<double>(Clock::now() - start_time).count();
    if (options_.seeds > 1 && !SeedsMatter()) {
      notes_.Add("nothing that was measured depends on the seed; " +
                 options_.called("initial_states") + " varies the start");
    }
    return std::move(comparison_);
  }

 private:
  int num_starts() const {
    return states_ ? static_cast<int>(states_->size()) : options_.initial_states;
  }

  void ReadStates(const Model& plant) {
    if (options_.states.empty()) return;
    const std::string name = options_.states == "-" ? "standard input" : options_.states;
    std::vector<std::string> notices;
    states_ = ParseStates(ReadStatesText(options_.states, options_.called), name, plant, &notices);
    for (const std::string& notice : notices) notes_.Add(notice);
    if (states_->size() == 0) throw UserError(name + ": there are no states in it");
  }

  /// The scene as a variant sets it, its seed increased by `later_seeds`. Masses, ground and
  /// excitation depend on the seed, so it is set before the scene is built.
  std::unique_ptr<Scene> OpenVariant(const Variant& variant, int later_seeds,
                                     std::optional<std::size_t> state = {}) const {
    SceneConfig config = ReadVariant(options_, variant);
    config.seed += later_seeds;
    if (state) {
      const auto q = states_->q(*state), v = states_->v(*state);
      config.initial.q.emplace(q.begin(), q.end());
      config.initial.v.emplace(v.begin(), v.end());
      config.initial.v_error.reset();
      config.initial.v_error_prior = VelocityErrorPrior::kNone;
    }
    return OpenScene(config, options_.called, variant.keys());
  }

  std::unique_ptr<Scene> OpenAt(const Variant& variant, int later_seeds, int start) const {
    if (states_) return OpenVariant(variant, later_seeds, static_cast<std::size_t>(start));
    std::unique_ptr<Scene> scene = OpenVariant(variant, later_seeds);
    MoveStart(first_seed_ + later_seeds, start, scene.get());
    return scene;
  }

  void RunOnce(int later_seeds, int start) {
    std::vector<std::unique_ptr<Scene>> scenes;
    for (const Variant& variant : variants_) {
      scenes.push_back(OpenAt(variant, later_seeds, start));
    }
    const bool first = comparison_.variants.front().runs.empty();
    for (std::size_t i = 0; i < scenes.size(); ++i) Predict(*scenes[i], i);
    std::vector<RunCurves> traces(variants_.size());
    const auto go_on = [&](double t) {
      ShowProgress(t);
      return !watch_.stopped();
    };
    std::vector<ComparedRun> runs =
        RunInStep(std::move(scenes), go_on, first ? &traces : nullptr, watch_.stop, options_.jobs);
    comparison_.interrupted = watch_.stopped();
    if (comparison_.interrupted && !first) return;  // runs of this start are incomplete
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].start = start;
      comparison_.variants[i].runs.push_back(std::move(runs[i]));
      if (first) comparison_.variants[i].traces = std::move(traces[i]);
    }
    ++done_;
  }

  /// As for an earlier run of the variant, if the seed changes nothing of it.
  void Predict(Scene& scene, std::size_t variant) {
    if (!comparison_.why_no_prediction.empty()) return;
    const VectorXd now = WhatSeedsChange(scene);
    std::vector<PredictedError>& predicted = comparison_.variants[variant].predicted;
    for (const EarlierPrediction& earlier : predictions_) {
      if (earlier.variant != variant || earlier.of != now) continue;
      predicted.push_back(predicted[earlier.index]);
      return;
    }
    prediction_s_ += EstimatePredictionTime(scene);
    if (prediction_s_ > kMostPrediction_s) {
      comparison_.why_no_prediction = "predictions of so many runs would take more than " +
                                      internal::General(kMostPrediction_s) + " s";
      for (ComparedVariant& each : comparison_.variants) each.predicted.clear();
      return;
    }
    predictions_.push_back({variant, now, predicted.size()});
    predicted.push_back(PredictError(scene));
  }

  void ShowProgress(double t) const {
    const int starts = options_.seeds * num_starts();
    watch_.Show("start " + std::to_string(done_ + 1) + " of " + std::to_string(starts) + ", " +
                    internal::WithDecimals(t, 1) + " of " +
                    internal::General(comparison_.duration_s) + " s",
                (done_ + t / comparison_.duration_s) / starts);
  }

  bool SeedsMatter() const {
    for (const ComparedVariant& variant : comparison_.variants) {
      for (const ComparedRun& run : variant.runs) {
        const ComparedRun& other = variant.runs[static_cast<std::size_t>(run.start)];
        for (std::size_t i = 0; i < run.values.size(); ++i) {
          const bool same = run.values[i] == other.values[i] || std::isnan(run.values[i]);
          if (comparison_.metrics[i].kind != MetricInfo::Kind::kMachine && !same) return true;
        }
      }
    }
    return false;
  }

  CompareOptions options_;
  Watch watch_;
  Notes notes_;
  std::vector<Variant> variants_;
  VariantComparison comparison_;
  std::optional<EvalStates> states_;
  int first_seed_ = 0, done_ = 0;
  double prediction_s_ = 0;
  struct EarlierPrediction {
    std::size_t variant;
    VectorXd of;  ///< WhatSeedsChange
    std::size_t index;
  };
  std::vector<EarlierPrediction> predictions_;
  static constexpr double kMostPrediction_s = 1;  ///< of processor time
};

}  // namespace

std::function<VariantComparison()> PlanComparison(const CompareOptions& options,
                                                  const Watch& watch) {
  return [comparer = std::make_shared<Comparer>(options, watch)] { return comparer->Run(); };
}

VariantComparison CompareVariants(const CompareOptions& options, const Watch& watch) {
  return PlanComparison(options, watch)();
}

}  // namespace civita
