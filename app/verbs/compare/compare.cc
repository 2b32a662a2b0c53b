#include "app/verbs/compare/compare.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <span>
#include <system_error>
#include <utility>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/terminal.h"
#include "app/verbs/compare/comparison_report.h"
#include "app/verbs/run/run_scene.h"
#include "base/number_text.h"
#include "base/read_file.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/sim/trials/compare_runs.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/evaluate/eval_states.h"

namespace civita {
namespace {

using Clock = std::chrono::steady_clock;

std::string ShellQuoted(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string CommandLine(const CompareOptions& options) {
  std::string line = "civita compare " + ShellQuoted(options.scene);
  for (const std::string& text : options.variations) line += " --vary " + ShellQuoted(text);
  for (const std::string& text : options.overrides) line += " --set " + ShellQuoted(text);
  if (options.duration_s) {
    line += " --duration ";
    internal::AppendNumber(*options.duration_s, &line);
  }
  if (options.seed) line += " --seed " + std::to_string(*options.seed);
  if (options.seeds > 1) line += " --seeds " + std::to_string(options.seeds);
  if (options.initial_states > 1) {
    line += " --initial-states " + std::to_string(options.initial_states);
  }
  if (!options.states.empty()) line += " --states " + ShellQuoted(options.states);
  return line;
}

void CheckOptions(const CompareOptions& options) {
  if (options.duration_s && !(std::isfinite(*options.duration_s) && *options.duration_s > 0)) {
    throw UserError("--duration: not a positive number of seconds");
  }
  if (options.seed && *options.seed < 0) {
    throw UserError("--seed: not a whole number from 0 to 2147483647");
  }
}

/// A state from the file of states.
struct Start {
  std::span<const double> q, v;
};

/// The scene as a variant sets it, its seed increased by `later_seeds`, from its own start or
/// another one. ReadConfig's errors on the variant's overrides name --set.
std::unique_ptr<Scene> OpenVariant(const CompareOptions& options, const Variant& variant,
                                   int later_seeds = 0, const std::optional<Start>& start = {}) {
  RunOptions run;
  run.scene = options.scene;
  run.duration_s = options.duration_s;
  run.seed = options.seed;
  for (const std::string& text : options.overrides) {
    run.overrides.push_back(ResolveOverride(text, "--set"));
  }
  run.overrides.insert(run.overrides.end(), variant.overrides.begin(), variant.overrides.end());
  try {
    SceneConfig config = ReadRunConfig(run);
    // Before the scene is built, since masses, ground and excitation depend on the seed.
    run.seed = config.seed + later_seeds;
    if (!start) return OpenScene(run);
    config.seed = *run.seed;
    config.initial.q.emplace(start->q.begin(), start->q.end());
    config.initial.v.emplace(start->v.begin(), start->v.end());
    config.initial.v_error.reset();
    return LoadScene(config);
  } catch (const UserError& error) {
    std::string what = error.what();
    for (const auto& [key, value] : variant.settings) {
      const std::string place = "--set " + key;
      if (what.starts_with(place)) what.replace(0, place.size(), "--vary " + key);
    }
    throw UserError(what);
  }
}

/// A file name for a variant, which names of long values would make too long for the system.
std::string FileStem(std::size_t index, const std::string& name) {
  constexpr std::size_t kLongest = 80;
  std::string stem = std::to_string(index + 1) + "_";
  for (const char c : name.substr(0, kLongest)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    stem += plain ? c : '_';
  }
  return stem;
}

void WriteCurves(const std::filesystem::path& path, const RunCurves& traces) {
  const std::vector<std::string> columns = {"t",       "/error",       "/V",     "/s",
                                            "/torque", "/torque_rate", "/twist", "/energy_balance",
                                            "/ee/x",   "/ee/y",        "/ee/z"};
  CsvFile file(path, OutputFile::Kind::kWhole, columns);
  for (std::size_t k = 0; k < traces.t.size(); ++k) {
    const std::array row = {traces.t[k],      traces.error[k],          traces.V[k],
                            traces.s[k],      traces.torque[k],         traces.torque_rate[k],
                            traces.twist[k],  traces.energy_balance[k], traces.ee[k].x(),
                            traces.ee[k].y(), traces.ee[k].z()};
    file.AddRow(row);
  }
  file.Commit();
}

/// Removes the files of an earlier comparison's variants that this one does not write.
void RemoveEarlier(const std::filesystem::path& out, const std::vector<std::string>& kept) {
  nlohmann::json earlier;
  try {
    earlier = nlohmann::json::parse(internal::ReadFile(out / "compare.json"), nullptr, false);
  } catch (const UserError&) {
    return;  // there is none
  }
  if (!earlier.is_object() || !earlier.contains("files")) return;
  static const std::regex kOurs("[0-9]+_[A-Za-z0-9._-]*\\.(yaml|csv)");
  for (const nlohmann::json& file : earlier["files"]) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (!std::regex_match(name, kOurs) || std::ranges::find(kept, name) != kept.end()) continue;
    std::error_code ignored;
    std::filesystem::remove(out / name, ignored);
  }
}

void WriteFiles(const std::filesystem::path& out, VariantComparison* comparison) {
  for (std::size_t i = 0; i < comparison->variants.size(); ++i) {
    const ComparedVariant& variant = comparison->variants[i];
    const std::string stem = FileStem(i, variant.name);
    WriteWhole(out / (stem + ".yaml"), variant.config);
    WriteCurves(out / (stem + ".csv"), variant.traces);
    comparison->files.push_back(stem + ".yaml");
    comparison->files.push_back(stem + ".csv");
  }
  WriteWhole(out / "compare.csv", FormatCsv(*comparison));
  WriteWhole(out / "plots.svg", FormatPlots(*comparison));
  WriteWhole(out / "report.html", FormatHtml(*comparison));
  RemoveEarlier(out, comparison->files);
  WriteWhole(out / "compare.json", FormatJson(*comparison));
}

/// Runs seeds and starts one after the other, and all variants of each in step.
class Comparer {
 public:
  Comparer(const CompareOptions& options, std::vector<Variant> variants,
           const std::function<bool()>& interrupted,
           const std::function<void(const std::string&)>& note)
      : options_(options), variants_(std::move(variants)), interrupted_(interrupted), note_(note) {
    comparison_.command = CommandLine(options);
    for (const Variant& variant : variants_) {
      const std::unique_ptr<Scene> scene = OpenVariant(options_, variant);
      if (scene->config.seed > std::numeric_limits<int>::max() - (options_.seeds - 1)) {
        throw UserError("--seeds: the last seed is greater than 2147483647");
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
      for (const std::string& notice : scene->notices) Note(notice);
      comparison_.variants.push_back(
          {variant.name, variant.settings, ToYaml(scene->config), TurningCauses(*scene), {}, {}});
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
      Note("nothing that was measured depends on the seed; --initial-states varies the start");
    }
    return std::move(comparison_);
  }

 private:
  void Note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) != notes_.end()) return;
    notes_.push_back(text);
    note_(text);
  }

  int num_starts() const {
    return states_ ? static_cast<int>(states_->size()) : options_.initial_states;
  }

  void ReadStates(const Model& plant) {
    if (options_.states.empty()) return;
    const std::string name = options_.states == "-" ? "standard input" : options_.states;
    std::vector<std::string> notices;
    states_ = ParseStates(ReadStatesText(options_.states), name, plant, &notices);
    for (const std::string& notice : notices) Note(notice);
    if (states_->size() == 0) throw UserError(name + ": there are no states in it");
  }

  std::unique_ptr<Scene> OpenAt(const Variant& variant, int later_seeds, int start) {
    if (states_) {
      const auto row = static_cast<std::size_t>(start);
      return OpenVariant(options_, variant, later_seeds, Start{states_->q(row), states_->v(row)});
    }
    std::unique_ptr<Scene> scene = OpenVariant(options_, variant, later_seeds);
    MoveStart(first_seed_ + later_seeds, start, scene.get());
    return scene;
  }

  void RunOnce(int later_seeds, int start) {
    std::vector<std::unique_ptr<Scene>> scenes;
    for (const Variant& variant : variants_) {
      scenes.push_back(OpenAt(variant, later_seeds, start));
    }
    const bool first = comparison_.variants.front().runs.empty();
    std::vector<RunCurves> traces(variants_.size());
    const auto go_on = [&](double t) {
      if (progress_.Due()) ShowProgress(t);
      return !interrupted_();
    };
    std::vector<ComparedRun> runs =
        RunInStep(std::move(scenes), go_on, first ? &traces : nullptr, options_.stop);
    comparison_.interrupted = interrupted_();
    if (comparison_.interrupted && !first) return;  // runs of this start are incomplete
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].start = start;
      comparison_.variants[i].runs.push_back(std::move(runs[i]));
      if (first) comparison_.variants[i].traces = std::move(traces[i]);
    }
    ++done_;
  }

  void ShowProgress(double t) {
    const int starts = options_.seeds * num_starts();
    progress_.Show("start " + std::to_string(done_ + 1) + " of " + std::to_string(starts) + ", " +
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

  const CompareOptions& options_;
  std::vector<Variant> variants_;
  VariantComparison comparison_;
  std::vector<std::string> notes_;
  std::optional<EvalStates> states_;
  int first_seed_ = 0, done_ = 0;
  const std::function<bool()>& interrupted_;
  const std::function<void(const std::string&)>& note_;
  ProgressLine progress_;
};

}  // namespace

VariantComparison CompareVariants(const CompareOptions& options,
                                  const std::function<bool()>& interrupted,
                                  const std::function<void(const std::string&)>& note) {
  CheckOptions(options);
  std::vector<Variation> variations;
  for (const std::string& text : options.variations) variations.push_back(ParseVariation(text));
  Comparer comparer(options, CombineVariations(variations), interrupted, note);
  std::optional<OutputFolder> folder;
  if (!options.out.empty()) folder.emplace(options.out);
  VariantComparison comparison = comparer.Run();
  if (!folder) return comparison;
  try {
    WriteFiles(options.out, &comparison);
  } catch (const WriteError& error) {
    comparison.write_error = error.what();
  }
  return comparison;
}

int RunCompare(const CompareOptions& given) {
  const InterruptGuard guard;
  CompareOptions options = given;
  options.stop = InterruptGuard::flag();
  const VariantComparison comparison = CompareVariants(
      options, [&guard] { return guard.interrupted(); }, PrintNote);
  PrintOut(FormatTable(comparison) + "\n");
  const std::string summary = Summarize(comparison);
  if (!summary.empty()) PrintOut(summary + "\n\n");
  PrintOut(DescribeDifferences(comparison) + "\n");
  if (!comparison.write_error.empty()) {
    PrintError(comparison.write_error);
    return kExitFailed;
  }
  if (!options.out.empty()) {
    PrintOut("  files  " + (std::filesystem::path(options.out) / "report.html").string() + "\n");
  }
  if (comparison.interrupted) return kExitInterrupted;
  int code = kExitDone;
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.passed()) continue;
    PrintError(variant.name + " " + variant.verdict());
    code = kExitFailed;
  }
  return code;
}

}  // namespace civita
