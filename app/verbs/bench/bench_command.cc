#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/bench/bench.h"
#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/bench_quantities.h"
#include "app/verbs/bench/bench_runs.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "base/number_text.h"
#include "civita/scenes/scene.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/sim/trials/parallel_for.h"
#include "civita/study/open_scene.h"

namespace civita {
namespace {

constexpr const char* kBenchAbout =
    "Times H, C, Christoffel symbols, inverse dynamics and more on one core, from the state to all "
    "output.";

constexpr const char* kBenchFooter = R"(
Models: chainN, treeN, bipedN, quadrupedN with N hinges (1 to 300), biped and quadruped floating,
random inertias from a fixed seed; or any scene, MJCF or URDF file.
Flops are what the kernels' vectors do, counted by running them with numbers that count; the shares
are those of this core's peak by the same instruction set, measured by a loop of multiply-adds, and of
the time that merely writing as much output takes. Batches are as many states as a vector holds, then 64 on all cores.
Runs (--runs) are headless runs of scenes, by parts: physics, the model's dynamics, the law, its QP,
sensors, what is recorded of the plant, signals, metrics; and by how much they take longer than
mj_step alone with the same torques. Without names: those of arm7, chain20, legged robots, four_bar.
The folder (--out) gets benchmarks.md and benchmarks.json; files of the same names are replaced.
Exit codes: 0 done, 2 bad input, 130 interrupted (what was measured is kept).
)";

constexpr const char* kUsualRuns = "usual";

class Bench {
 public:
  explicit Bench(const BenchOptions& options) : options_(options) {
    if (options.runs.empty()) {
      for (const std::string& name : options.models) models_.push_back(FindModel(name));
    }
    const bool usual = options.runs == std::vector<std::string>{kUsualRuns};
    for (const std::string& name : usual ? RunScenes() : options.runs) {
      runs_.push_back(ReadConfig({.scene = name, .duration_s = options.duration_s}));
    }
    if (!options.out.empty()) folder_.emplace(options.out);
    // reports a file that cannot be written before measuring
    if (!options.json.empty()) OutputFile(options.json, OutputFile::Kind::kNamed);
  }

  int Run(const AddToRecord& add) {
    DescribeBenchMachine(&report_);
    for (const NamedModel& each : models_) MeasureModel(each);
    MeasureRuns();
    BenchRecord record = runs_.empty() ? MakeRecord(report_) : MakeRunsRecord(report_, run_times_);
    const ShowProgress show = [this](const std::string& text) { return Show(text); };
    if (add && !interrupted()) add(report_, show, &record);
    progress_.reset();
    Print(record);
    Write(record);
    if (!interrupted()) return kExitDone;
    PrintError("interrupted; what was measured is kept");
    return kExitInterrupted;
  }

 private:
  bool interrupted() const { return guard_.interrupted(); }

  /// @returns false when stopped.
  bool Show(const std::string& text) {
    if (progress_->Due()) progress_->Show(text, ShareDone());
    return !interrupted();
  }

  double ShareDone() const {
    std::size_t rows = 0;
    for (const NamedModel& each : models_) {
      rows += BenchQuantities().size();
      if (BatchesOnOneThread(each)) rows += BatchQuantities().size();
      if (BatchesOnAllThreads(each)) rows += BatchQuantities().size();
    }
    return static_cast<double>(report_.rows.size() + run_times_.size()) /
           static_cast<double>(rows + runs_.size());
  }

  static bool BatchesOnOneThread(const NamedModel& of) {
    return of.model.nv() <= kLargestBatchModel;
  }
  static bool BatchesOnAllThreads(const NamedModel& of) {
    return of.model.nv() <= kLargestThreadedModel && NumCores() > 1;
  }

  void MeasureRuns() {
    for (const SceneConfig& config : runs_) {
      if (!Show(config.name + ", its run")) return;
      run_times_.push_back(TimeRun(OpenScene(config), options_.seconds));
    }
  }

  void MeasureModel(const NamedModel& of) {
    for (const BenchQuantity<double>& quantity : BenchQuantities()) {
      if (quantity.output(of.model) == 0) continue;
      if (!Show(of.name + ", " + std::string(quantity.name))) return;
      BenchTask<double> task(of.model);
      BenchRow row{.model = of.name, .quantity = std::string(quantity.name)};
      row.times = TimeCalls(options_.seconds, [&] { quantity.Run(task); });
      const OperationCounts counts = counts_[row.quantity] =
          CountOperations(of.model, row.quantity);
      row.flops = counts.plain;
      const bool plain = std::string_view("plain") == task.workspace.instruction_set();
      row.kernel_flops = !plain && counts.kernel > 0 ? counts.kernel : row.flops;
      row.write = MeasureWrite(quantity.output(of.model));
      report_.rows.push_back(std::move(row));
    }
    if (BatchesOnOneThread(of)) MeasureBatches(of, 1);
    if (BatchesOnAllThreads(of)) MeasureBatches(of, NumCores());
  }

  /// Batches of as many states as the vectors hold, or of all states on several threads.
  void MeasureBatches(const NamedModel& of, int threads) {
    BatchTask task(of.model, threads);
    for (const BatchQuantity& batch : BatchQuantities()) {
      if (!Show(of.name + ", " + std::string(batch.name) + ", many states")) return;
      const BenchQuantity<double>& quantity = FindBenchQuantity(batch.name);
      BenchRow row{.model = of.name,
                   .quantity = std::string(batch.name),
                   .batch = task.states,
                   .threads = threads};
      row.times = TimeCalls(options_.seconds, [&] { batch.Run(task); });
      for (double* time : {&row.times.min, &row.times.median, &row.times.p99}) {
        *time /= task.states;
      }
      row.flops = counts_.at(row.quantity).plain;
      row.kernel_flops = counts_.at(row.quantity).batch_kernel;
      const auto numbers = static_cast<std::size_t>(task.states) * quantity.output(of.model);
      row.write = MeasureWrite(numbers) / task.states;
      report_.rows.push_back(std::move(row));
    }
  }

  void Print(const BenchRecord& record) const;
  void Write(const BenchRecord& record) const;

  BenchOptions options_;
  std::optional<OutputFolder> folder_;
  std::vector<NamedModel> models_;
  std::vector<SceneConfig> runs_;
  std::vector<RunTimes> run_times_;
  std::map<std::string, OperationCounts> counts_;  ///< of the present model, by quantity
  BenchReport report_;
  InterruptGuard guard_;
  std::optional<ProgressLine> progress_{std::in_place};
};

void Bench::Print(const BenchRecord& record) const {
  PrintOut(report_.machine.value("cpu", "") + ", " + report_.machine.value("instruction_set", "") +
           " kernels, peak " + internal::WithDecimals(1e-9 * report_.peak, 1) +
           " GFlop/s a core\n\n" + ToTerminal(record.times, kAnyWidth));
}

void Bench::Write(const BenchRecord& record) const {
  const std::string json = record.json.dump(2) + "\n";
  if (!options_.json.empty()) WriteWhole(options_.json, json, OutputFile::Kind::kNamed);
  if (options_.out.empty()) return;
  const std::filesystem::path out(options_.out);
  WriteWhole(out / "benchmarks.json", json);
  WriteWhole(out / kTableFile, ToJson(record.times));
  WriteWhole(out / "benchmarks.md", ToMarkdown(record));
}

}  // namespace

int RunBench(const BenchOptions& options, const AddToRecord& add) {
  return Bench(options).Run(add);
}

void AddBenchOptions(CLI::App* command, BenchOptions* options) {
  command->description(kBenchAbout);
  command->footer(kBenchFooter);
  AddValue(command, "--models", "MODEL,…", "what to time them on", &options->models)
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->capture_default_str();
  AddNames(command, "--runs", "time headless runs of these scenes instead", &options->runs)
      ->expected(0, 1)
      ->type_name("[SCENE,…]")
      ->default_str(kUsualRuns);
  AddDuration(command, &options->duration_s);
  AddValue(command, "--json", "FILE", "write FILE", &options->json);
  AddOutDirectory(command, "write the record into DIR", &options->out);
  AddValue(command, "--seconds", "S", "of each measurement", &options->seconds)
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0));
}

std::function<int()> AddBench(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<BenchOptions>();
  AddBenchOptions(command, options.get());
  return [options] { return RunBench(*options); };
}

}  // namespace civita
