#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/bench/bench_report.h"
#include "app/window/actions/actions.h"
#include "app/window/glfw_window.h"
#include "app/window/window.h"
#include "base/clock.h"
#include "base/number_text.h"
#include "civita/sim/output_file.h"
#include "civita/sim/quantile.h"
#include "civita/study/table.h"
#include "tests/peers/verbs.h"

namespace civita {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kAbout =
    "Opens the window on a scene and measures the work of a frame without 3-D with twelve plots of "
    "a minute, the first frame, the control step beside a run without window, the CPU while the "
    "window is hidden, and memory.";

struct WindowTimesOptions {
  double seconds = 5;          ///< per measurement
  std::string scene = "arm7";  ///< that the window shows
  int switches = 12;           ///< of the scene
  std::string json;            ///< file; empty: none
};

constexpr int kWidth = 1920, kHeight = 1080;
constexpr double kHistory_s = 60;
constexpr double kFill_s = 130;  // simulated, after which the traces are full
constexpr double kSettle_s = 1.5;
constexpr double kMost_s = 10;  // of measurements that longer ones do not make better
/// Opened in turn with the scene that is measured, for the memory.
constexpr std::array kOtherScenes = {"chain20", "quadruped"};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double ResidentMb() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return 1e-6 * resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double Quantile(std::vector<double> samples, double p) {
  if (samples.empty()) return kNaN;
  std::ranges::sort(samples);
  return samples[QuantileIndex(p, samples.size())];
}

/// Adds the durations of the control steps from a time of the run on, µs.
void AddControlTimes(const Traces& traces, double from, std::vector<double>* times) {
  const TraceBuffer& buffer = traces.buffer();
  const int channel = traces.channel(Slot::kA, "/control_us");
  for (int64_t row = buffer.LowerBound(from); row < buffer.end_index(); ++row) {
    times->push_back(static_cast<double>(buffer.value(row, channel)));
  }
}

/// The window's measurements, one after the other, from within its loop.
class WindowProbe : public WindowObserver {
 public:
  explicit WindowProbe(const WindowTimesOptions& options, ProgressLine* progress)
      : options_(options), progress_(*progress) {}

  bool Observe(GlfwWindow* window, WindowState* state, double frame_ms) override {
    if (std::isnan(first_frame_s) && !std::isnan(frame_ms)) first_frame_s = SecondsSince(start_);
    if (progress_.Due()) progress_.Show(kPhases[static_cast<std::size_t>(phase_)]);
    switch (phase_) {
      case Phase::kFill:
        return Fill(window, state);
      case Phase::kComposed:
        return MeasurePanels(frame_ms);
      case Phase::kShown:
        return MeasureShown(window, state, frame_ms);
      case Phase::kHidden:
        return MeasureHidden(window, state);
      default:
        return MeasureSwitches(state);
    }
  }

  bool ShowsFrames() const override { return phase_ != Phase::kComposed; }

  double first_frame_s = kNaN, hidden_share = kNaN;
  int width = 0, height = 0;
  std::string renderer;
  std::vector<double> ui_ms, control_us;
  double begin_mb = kNaN, end_mb = kNaN, switched_from_mb = kNaN, switched_mb = kNaN;
  double seconds = 0;  ///< for which it was shown
  int num_shown = 0;   ///< frames in them
  bool is_done = false, has_failed = false;

 private:
  enum class Phase { kFill, kComposed, kShown, kHidden, kSwitches };
  static constexpr std::array kPhases = {"filling a minute", "panels", "window", "hidden",
                                         "scenes"};

  void Begin(Phase phase) {
    phase_ = phase;
    since_ = Clock::now();
    is_measuring_ = false;
  }

  /// Runs ahead until the plots and the traces are full; the twelve plots are those first in the
  /// list.
  bool Fill(GlfwWindow* window, WindowState* state) {
    ActiveScene& scene = *state->scene;
    if (renderer.empty()) {
      renderer = window->renderer();
      width = window->width();
      height = window->height();
      state->plots.SetFamily(FamilyOf(scene.session));
      std::vector<std::string> titles;
      for (const PlotChoice& choice : scene.plot_choices) titles.push_back(choice.title);
      state->plots.Show(state->plots.family(), titles);
      state->time_axis.SetSpan(kHistory_s);
      SetSpeed(state, 0);
    }
    has_failed = scene.snapshot->state == RunState::kFailed;
    if (scene.snapshot->t < kFill_s) return !has_failed;
    SetSpeed(state, 1);
    Begin(Phase::kComposed);
    return true;
  }

  /// What is not drawn does not empty the caches, as with a graphics card.
  bool MeasurePanels(double frame_ms) {
    if (SecondsSince(since_) < kSettle_s) return true;
    if (!std::isnan(frame_ms)) ui_ms.push_back(frame_ms);
    if (SecondsSince(since_) > kSettle_s + std::min(options_.seconds, kMost_s)) {
      Begin(Phase::kShown);
    }
    return true;
  }

  bool MeasureShown(GlfwWindow* window, WindowState* state, double frame_ms) {
    const ActiveScene& scene = *state->scene;
    if (!is_measuring_) {
      if (SecondsSince(since_) < kSettle_s) return true;
      is_measuring_ = true;
      since_ = Clock::now();
      from_t_ = scene.traces.buffer().last_time();
      begin_mb = ResidentMb();
    }
    if (!std::isnan(frame_ms)) ++num_shown;
    seconds = SecondsSince(since_);
    if (seconds < options_.seconds) return true;
    end_mb = ResidentMb();
    AddControlTimes(scene.traces, from_t_, &control_us);
    window->Hide();
    Begin(Phase::kHidden);
    return true;
  }

  bool MeasureHidden(GlfwWindow* window, WindowState* state) {
    if (!is_measuring_) {
      if (SecondsSince(since_) < kSettle_s) return true;
      is_measuring_ = true;
      since_ = Clock::now();
      cpu_ = internal::CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    }
    const double passed = SecondsSince(since_);
    if (passed < std::min(options_.seconds, kMost_s)) return true;
    hidden_share = (internal::CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_) / passed;
    window->Show();
    Begin(Phase::kSwitches);
    OpenScene(state, kOtherScenes[0]);
    return true;
  }

  /// Memory is compared between two times of the same scene, after each was open once.
  bool MeasureSwitches(WindowState* state) {
    if (state->loader.is_loading() || state->scene->snapshot->t < 0.3) {
      since_ = Clock::now();
      return true;
    }
    if (SecondsSince(since_) < 0.3) return true;
    constexpr std::size_t kRound = kOtherScenes.size() + 1;
    ++switched_;
    if (switched_ == kRound) switched_from_mb = ResidentMb();
    const std::size_t at = switched_ % kRound;
    const bool ends = switched_ >= static_cast<std::size_t>(options_.switches) + kRound && at == 0;
    if (ends) {
      switched_mb = ResidentMb();
      is_done = true;
      return false;
    }
    Begin(Phase::kSwitches);
    OpenScene(state, at < kOtherScenes.size() ? kOtherScenes[at] : options_.scene);
    return true;
  }

  const WindowTimesOptions& options_;
  ProgressLine& progress_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point since_ = start_;
  Phase phase_ = Phase::kFill;
  bool is_measuring_ = false;
  double from_t_ = 0, cpu_ = 0;
  std::size_t switched_ = 0;
};

/// The same run without a window, in real time too, so that the steps come as often.
std::vector<double> TimeHeadless(const std::string& scene, double seconds,
                                 const InterruptGuard& guard) {
  Session session(LoadScene(ReadConfig(scene, {})));
  Traces traces(session);
  const Clock::time_point start = Clock::now();
  while (SecondsSince(start) < seconds + kSettle_s && !guard.interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(16));
    traces.Drain(&session);
  }
  std::vector<double> times;
  AddControlTimes(traces, kSettle_s, &times);
  return times;
}

/// A measured quantity; the target is its maximum; NaN: none.
struct WindowQuantity {
  const char* key;
  const char* name;
  double value, target = kNaN;
};

std::vector<WindowQuantity> QuantitiesOf(const WindowProbe& m,
                                         const std::vector<double>& headless) {
  const double beside = Quantile(m.control_us, 0.99) / Quantile(headless, 0.99);
  return {
      {"ui_median_ms", "work of a frame without 3-D, median, ms", Quantile(m.ui_ms, 0.5), 1},
      {"ui_p99_ms", "work of a frame without 3-D, 99 %, ms", Quantile(m.ui_ms, 0.99)},
      {"frames_per_s", "frames a second", m.num_shown / m.seconds},
      {"first_frame_s", "first frame, s", m.first_frame_s, 1.5},
      {"control_median_us", "control step, median, µs", Quantile(m.control_us, 0.5)},
      {"control_p99_us", "control step, 99 %, µs", Quantile(m.control_us, 0.99)},
      {"headless_median_us", "without a window, median, µs", Quantile(headless, 0.5)},
      {"headless_p99_us", "without a window, 99 %, µs", Quantile(headless, 0.99)},
      {"control_p99_ratio", "control step, 99 %, over that without a window", beside, 1.2},
      {"hidden_cpu_percent", "CPU while hidden, % of a core", 100 * m.hidden_share, 5},
      {"memory_mb", "memory, MB", m.begin_mb},
      {"memory_growth_mb", "memory, growth meanwhile, MB", m.end_mb - m.begin_mb, 10},
      {"switches_growth_mb", "memory, growth over the scenes, MB",
       m.switched_mb - m.switched_from_mb, 40},
  };
}

/// @returns an ExitCode. @throws UserError, also when there is no display.
int TimeWindow(const WindowTimesOptions& options) {
  const InterruptGuard guard;
  if (!options.json.empty()) OutputFile(options.json, OutputFile::Kind::kNamed);
  BenchReport report;
  DescribeBenchMachine(&report);
  std::optional<ProgressLine> progress(std::in_place);
  WindowProbe measurement(options, &*progress);
  WindowOptions window;
  window.scenes = LoadScenes(options.scene);
  window.opened = options.scene;
  window.width = kWidth;
  window.height = kHeight;
  window.scale = 1;
  window.observer = &measurement;
  window.interrupted = [&guard] { return guard.interrupted(); };
  RunWindow(std::move(window));
  if (measurement.has_failed) throw UserError(options.scene + ": its run fails, see civita run");
  if (!measurement.is_done) return guard.interrupted() ? kExitInterrupted : kExitFailed;
  progress->Show("without a window");
  const std::vector<double> headless =
      TimeHeadless(options.scene, std::min(options.seconds, kMost_s), guard);
  progress.reset();
  if (guard.interrupted()) return kExitInterrupted;

  nlohmann::ordered_json json = {{"machine", report.machine},    {"renderer", measurement.renderer},
                                 {"scene", options.scene},       {"width", measurement.width},
                                 {"height", measurement.height}, {"seconds", measurement.seconds},
                                 {"switches", options.switches}};
  PrintOut(report.machine.value("cpu", "") + ", " +
           std::to_string(report.machine.value("cores", 0)) + " cores, " + measurement.renderer +
           "\nwindow " + std::to_string(measurement.width) + " × " +
           std::to_string(measurement.height) + ", 12 plots of " +
           internal::WithDecimals(kHistory_s, 0) + " s, " + options.scene + ", " +
           internal::General(measurement.seconds, 3) + " s, " + std::to_string(options.switches) +
           " scenes\n\n");
  Table table;
  table.columns = {{}, {.is_text = true}};
  for (const WindowQuantity& quantity : QuantitiesOf(measurement, headless)) {
    json["quantities"][quantity.key] = quantity.value;
    std::string target;
    if (!std::isnan(quantity.target)) {
      json["targets"][quantity.key] = quantity.target;
      target = "at most " + internal::General(quantity.target) +
               (quantity.value <= quantity.target ? "" : " missed");
    }
    table.AddRow(quantity.name, {internal::General(quantity.value, 3), target});
  }
  PrintOut(ToTerminal(table));
  if (!options.json.empty())
    WriteWhole(options.json, json.dump(2) + "\n", OutputFile::Kind::kNamed);
  return kExitDone;
}

}  // namespace

std::function<int()> AddWindowTimes(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<WindowTimesOptions>();
  command->description(kAbout);
  command->add_option("--scene", options->scene, "that the window shows")
      ->type_name("SCENE")
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "of each measurement")
      ->type_name("S")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0));
  command->add_option("--switches", options->switches, "of the scene, for the window's memory")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000));
  command->add_option("--json", options->json, "write FILE")->type_name("FILE");
  return [options] { return TimeWindow(*options); };
}

}  // namespace civita
