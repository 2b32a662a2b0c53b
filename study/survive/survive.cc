#include "civita/study/survive/survive.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/number_text.h"
#include "civita/error.h"
#include "civita/sim/trials/parallel_for.h"
#include "civita/sim/trials/survival_trial.h"
#include "civita/study/compare/compare_variants.h"

namespace civita {
namespace {

using Clock = std::chrono::steady_clock;

void CheckOptions(const SurviveOptions& options) {
  if (options.scenes.empty()) throw UserError(options.called("scenes") + ": none is given");
  if (options.trials < 1) throw UserError(options.called("trials") + ": at least 1");
  const auto check = [](const std::string& option, const std::vector<double>& values, int most) {
    const auto fits = [most](double value) { return value >= 0 && value <= most; };
    if (std::ranges::all_of(values, fits)) return;
    throw UserError(option + ": not a list of numbers from 0 to " + std::to_string(most) +
                    ", as in " + option + " 1,1.5");
  };
  check(options.called("push"), options.shares, 1000);          // times what a stand takes
  check(options.called("impulse"), options.impulses, 1000000);  // N·s
  if (options.seed && *options.seed < 0) {
    throw UserError(options.called("seed") + ": not a whole number from 0 to 2147483647");
  }
}

/// One planned row of the table.
struct Experiment {
  SceneConfig config;
  SurvivalRow row;
};

class Survival {
 public:
  Survival(SurviveOptions options, Watch watch)
      : options_(std::move(options)), watch_(std::move(watch)), notes_(watch_.note) {
    CheckOptions(options_);
    const std::vector<std::string>& texts = options_.variations;
    const std::vector<Variant> variants =
        texts.empty() ? std::vector<Variant>(1) : CombineVariations(texts, options_.called);
    for (const std::string& scene : options_.scenes) {
      for (const Variant& variant : variants) Plan(scene, variant);
    }
    seed_ = options_.seed ? *options_.seed : experiments_.front().config.seed;
    if (seed_ > std::numeric_limits<int>::max() - (options_.trials - 1)) {
      throw UserError(options_.called("trials") + ": the last seed is greater than 2147483647");
    }
    done_.resize(experiments_.size() * static_cast<size_t>(options_.trials));
    for (const SurvivalRow& row : options_.known.rows) Recall(row);
    if (count_ > 0) {
      notes_.Add(std::to_string(count_.load()) + " of " + std::to_string(done_.size()) +
                 " trials are known");
    }
  }

  SurvivalTable Run() {
    const Clock::time_point start = Clock::now();
    ParallelFor threads(options_.jobs);
    std::future<void> work = std::async(std::launch::async, [&] {
      threads.Run(
          static_cast<int>(done_.size()), [this](int i) { RunOne(i); }, &stop());
    });
    const size_t known = count_;
    double kept_s = 0;
    while (work.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
      const std::chrono::duration<double> elapsed = Clock::now() - start;
      if (options_.keep && elapsed.count() > kept_s + kKeep_s) {
        kept_s = elapsed.count();
        options_.keep(Collect(true));
      }
      watch_.Show(DescribeProgress(elapsed.count(), known),
                  static_cast<double>(count_) / static_cast<double>(done_.size()));
    }
    work.get();
    return Collect(stop());
  }

 private:
  static constexpr double kKeep_s = 10;

  void Recall(const SurvivalRow& known) {
    for (size_t e = 0; e < experiments_.size(); ++e) {
      const SurvivalRow& row = experiments_[e].row;
      if (std::tie(row.scene, row.variant, row.config) !=
              std::tie(known.scene, known.variant, known.config) ||
          row.push.absolute != known.push.absolute || row.push.amount != known.push.amount) {
        continue;
      }
      for (const SurvivalTrial& trial : known.trials) {
        if (trial.seed < seed_ || trial.seed - seed_ >= options_.trials) continue;
        auto& done = done_[static_cast<size_t>(trial.seed - seed_) * experiments_.size() + e];
        if (!done) ++count_;
        done = trial;
      }
    }
  }

  /// Plans the rows of a scene and variant; errors in them show before anything runs.
  void Plan(const std::string& scene, const Variant& variant) {
    SceneChoice choice{.scene = scene, .called = options_.called};
    if (options_.all_errors) choice.overrides = AllErrors();
    if (options_.without_steps) choice.overrides.emplace_back("gait.may_step=false");
    choice.overrides.insert(choice.overrides.end(), options_.overrides.begin(),
                            options_.overrides.end());
    const SceneConfig config = ReadVariant(std::move(choice), variant);
    const std::unique_ptr<Scene> loaded = LoadScene(config, options_.called, variant.keys());
    for (const std::string& notice : loaded->notices) notes_.Add(notice);
    const bool gait = FindGait(*loaded).has_value();
    if (gait && !options_.shares.empty()) {
      throw UserError(options_.called("push") + ": a share of what a stand takes, but " + scene +
                      " walks; give " + options_.called("impulse") + " in N·s");
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

  std::vector<PushLevel> Levels(bool gait, const std::string& scene) const {
    std::vector<PushLevel> levels;
    for (const double share : options_.shares) levels.push_back({false, share});
    for (const double impulse : options_.impulses) levels.push_back({true, impulse});
    if (!levels.empty()) return levels;
    if (gait) {
      throw UserError(options_.called("impulse") + ": " + scene +
                      " walks; how hard is it pushed, in N·s?");
    }
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
    if (done_[i]) return;
    const Experiment& experiment = experiments_[i % experiments_.size()];
    const int seed = seed_ + static_cast<int>(i / experiments_.size());
    std::optional<SurvivalTrial> trial =
        RunTrial(experiment.config, experiment.row.push, seed, stop());
    if (!trial) return;
    const std::lock_guard lock(mutex_);
    done_[i] = std::move(trial);
    ++count_;
  }

  const std::atomic<bool>& stop() const {
    static const std::atomic<bool> never = false;
    return watch_.stop != nullptr ? *watch_.stop : never;
  }

  std::string DescribeProgress(double elapsed_s, size_t known) const {
    const size_t count = count_;
    const double left = count > known ? elapsed_s * static_cast<double>(done_.size() - count) /
                                            static_cast<double>(count - known)
                                      : 0;
    return std::to_string(count) + " of " + std::to_string(done_.size()) + " trials, " +
           internal::WithDecimals(left, 0) + " s to go";
  }

  SurvivalTable Collect(bool interrupted) {
    const std::lock_guard lock(mutex_);
    SurvivalTable table;
    table.trials = options_.trials;
    table.seed = seed_;
    table.interrupted = interrupted;
    for (const Experiment& experiment : experiments_) table.rows.push_back(experiment.row);
    for (size_t i = 0; i < done_.size(); ++i) {
      if (done_[i]) table.rows[i % experiments_.size()].trials.push_back(*done_[i]);
    }
    return table;
  }

  SurviveOptions options_;
  Watch watch_;
  Notes notes_;
  std::vector<Experiment> experiments_;
  int seed_ = 0;
  std::vector<std::optional<SurvivalTrial>> done_;
  std::atomic<size_t> count_ = 0;
  std::mutex mutex_;  ///< of done_, while trials run
};

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

SurvivalTable RunTrials(const SurviveOptions& options, const Watch& watch) {
  return Survival(options, watch).Run();
}

}  // namespace civita
