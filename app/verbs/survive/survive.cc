#include "app/verbs/survive/survive.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <future>
#include <limits>
#include <system_error>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/terminal.h"
#include "app/verbs/survive/survival_table.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/sim/trials/parallel_for.h"
#include "civita/sim/trials/survival_trial.h"
#include "civita/study/compare/compare_variants.h"

namespace civita {
namespace {

/// One planned row of the table.
struct Experiment {
  SceneConfig config;
  SurvivalRow row;
};

class Survival {
 public:
  Survival(const SurviveOptions& options, const std::function<void(const std::string&)>& note)
      : options_(options), note_(note) {
    std::vector<Variation> variations;
    for (const std::string& text : options.variations) variations.push_back(ParseVariation(text));
    const std::vector<Variant> variants =
        variations.empty() ? std::vector<Variant>(1) : CombineVariations(variations);
    for (const std::string& scene : options.scenes) {
      for (const Variant& variant : variants) Plan(scene, variant);
    }
    seed_ = options.seed ? *options.seed : experiments_.front().config.seed;
    if (seed_ > std::numeric_limits<int>::max() - (options.trials - 1)) {
      throw UserError("--trials: the last seed is greater than 2147483647");
    }
    done_.resize(experiments_.size() * static_cast<size_t>(options.trials));
  }

  SurvivalTable Run(const std::function<bool()>& interrupted) {
    {
      ProgressLine progress;
      ParallelFor threads(options_.jobs);
      std::future<void> work = std::async(std::launch::async, [&] {
        threads.Run(
            static_cast<int>(done_.size()), [this](int i) { RunOne(i); }, &stop_);
      });
      while (work.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
        if (interrupted()) stop_ = true;
        if (progress.Due()) {
          progress.Show(DescribeProgress(progress.elapsed_s()),
                        static_cast<double>(count_) / static_cast<double>(done_.size()));
        }
      }
      work.get();
      interrupted_ = interrupted();
    }
    return Collect();
  }

 private:
  /// Plans the rows of a scene and variant; errors in them show before anything runs.
  void Plan(const std::string& scene, const Variant& variant) {
    std::vector<std::string> overrides;
    if (options_.all_errors) overrides = AllErrors();
    if (options_.without_steps) overrides.emplace_back("gait.may_step=false");
    for (const std::string& text : options_.overrides) {
      overrides.push_back(ResolveOverride(text, "--set"));
    }
    overrides.insert(overrides.end(), variant.overrides.begin(), variant.overrides.end());
    const SceneConfig config = ReadConfig(scene, overrides);
    const std::unique_ptr<Scene> loaded = LoadScene(config);
    for (const std::string& notice : loaded->notices) Note(notice);
    const bool gait = FindGait(*loaded).has_value();
    if (gait && !options_.shares.empty()) {
      throw UserError("--push: a share of what a stand takes, but " + scene +
                      " walks; give --impulse in N·s");
    }
    SurvivalRow row;
    row.scene = loaded->config.name;
    row.variant = NameOf(variant);
    row.gait = gait;
    row.may_step = loaded->config.legs.gait.may_step;
    row.config = ToYaml(loaded->config);
    for (const PushLevel& level : Levels(gait, scene)) {
      row.push = level;
      experiments_.push_back({config, row});
    }
  }

  void Note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) != notes_.end()) return;
    notes_.push_back(text);
    note_(text);
  }

  std::vector<PushLevel> Levels(bool gait, const std::string& scene) const {
    std::vector<PushLevel> levels;
    for (const double share : options_.shares) levels.push_back({false, share});
    for (const double impulse : options_.impulses) levels.push_back({true, impulse});
    if (!levels.empty()) return levels;
    if (gait) throw UserError("--impulse: " + scene + " walks; how hard is it pushed, in N·s?");
    return {{false, 1}};
  }

  std::string NameOf(const Variant& variant) const {
    std::string name = variant.name;
    const auto add = [&name](const std::string& text) {
      name += (name.empty() ? "" : ", ") + text;
    };
    if (options_.all_errors) add("all errors");
    for (const std::string& text : options_.overrides) add(text);
    if (options_.without_steps) add("without steps");
    return name.empty() ? "as modelled" : name;
  }

  /// Trial by trial, within each row by row, so that all rows have equally many trials when
  /// interrupted.
  void RunOne(int task) {
    const auto i = static_cast<size_t>(task);
    const Experiment& experiment = experiments_[i % experiments_.size()];
    const int seed = seed_ + static_cast<int>(i / experiments_.size());
    done_[i] = RunTrial(experiment.config, experiment.row.push, seed, stop_);
    if (done_[i]) ++count_;
  }

  std::string DescribeProgress(double elapsed_s) const {
    const size_t count = count_;
    const double left = count > 0 ? elapsed_s * static_cast<double>(done_.size() - count) /
                                        static_cast<double>(count)
                                  : 0;
    return std::to_string(count) + " of " + std::to_string(done_.size()) + " trials, " +
           internal::WithDecimals(left, 0) + " s to go";
  }

  SurvivalTable Collect() const {
    SurvivalTable table;
    table.trials = options_.trials;
    table.seed = seed_;
    table.interrupted = interrupted_;
    for (const Experiment& experiment : experiments_) table.rows.push_back(experiment.row);
    for (size_t i = 0; i < done_.size(); ++i) {
      if (done_[i]) table.rows[i % experiments_.size()].trials.push_back(*done_[i]);
    }
    return table;
  }

  const SurviveOptions& options_;
  const std::function<void(const std::string&)>& note_;
  std::vector<Experiment> experiments_;
  std::vector<std::string> notes_;
  int seed_ = 0;
  std::vector<std::optional<SurvivalTrial>> done_;
  std::atomic<size_t> count_ = 0;
  std::atomic<bool> stop_ = false;
  bool interrupted_ = false;
};

void CheckOptions(const SurviveOptions& options) {
  const auto check = [](const char* flag, const std::vector<double>& values, int most) {
    for (const double value : values) {
      if (value >= 0 && value <= most) continue;
      throw UserError(std::string(flag) + ": not a list of numbers from 0 to " +
                      std::to_string(most) + ", as in " + flag + " 1,1.5");
    }
  };
  check("--push", options.shares, 1000);          // times what a stand takes
  check("--impulse", options.impulses, 1000000);  // N·s
  if (options.seed && *options.seed < 0) {
    throw UserError("--seed: not a whole number from 0 to 2147483647");
  }
}

}  // namespace

const std::vector<std::string>& AllErrors() {
  static const std::vector<std::string> errors = {"noise.joint_position=0.0005",
                                                  "noise.joint_velocity=0.02",
                                                  "noise.orientation_rad=0.0035",
                                                  "noise.angular_velocity=0.02",
                                                  "noise.position_m=0.002",
                                                  "noise.velocity=0.02",
                                                  "control.actuation_delay_s=0.004",
                                                  "plant.mass_error=0.2",
                                                  "observer.gain=5",
                                                  "observer.compensate=true"};
  return errors;
}

SurvivalTable RunTrials(const SurviveOptions& options, const std::function<bool()>& interrupted,
                        const std::function<void(const std::string&)>& note) {
  CheckOptions(options);
  return Survival(options, note).Run(interrupted);
}

int RunSurvive(const SurviveOptions& options) {
  const InterruptGuard guard;
  std::optional<OutputFolder> folder;
  if (!options.out.empty()) folder.emplace(options.out);
  const SurvivalTable table = RunTrials(
      options, [&guard] { return guard.interrupted(); }, PrintNote);
  const std::string text = FormatSurvival(table);
  PrintOut(text);
  if (folder) {
    const std::filesystem::path out = options.out;
    WriteWhole(out / "survival.md", text);
    WriteWhole(out / "survival.json", FormatSurvivalJson(table));
  }
  if (!table.interrupted) return kExitDone;
  size_t done = 0;
  for (const SurvivalRow& row : table.rows) done += row.trials.size();
  PrintError("interrupted after " + std::to_string(done) + " of " +
             std::to_string(table.rows.size() * static_cast<size_t>(table.trials)) + " trials");
  return kExitInterrupted;
}

}  // namespace civita
