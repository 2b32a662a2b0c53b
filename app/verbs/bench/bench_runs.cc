#include "app/verbs/bench/bench_runs.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "app/interrupt.h"
#include "base/clock.h"
#include "base/number_text.h"
#include "civita/scenes/scene.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_to_end.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;
using Shares = std::array<double, kRunParts.size()>;

constexpr const char* kMethod = R"(
A run is that of `civita run --headless` without a folder, on one thread, from its start to its end.
physics is MuJoCo's mj_step, dynamics H, C and g of the law's model with their kinematics, law the
rest of the law but for the QP of contact forces, reference what is asked of the law and the drives
that its torques go through, plant what is recorded of the plant: V, V̇, the turning of s, feet,
falls; recording the hash of the signals. Beside it stands mj_step alone: the drives of the run,
played from the same start and warm start on the same mjModel and options, without anything else.
Both are repeated in turn; the least CPU time of each counts.
)";

double ThreadSeconds() { return internal::CpuSeconds(CLOCK_THREAD_CPUTIME_ID); }

bool IsOfStepsAlone(const Scene& scene) {
  const SceneConfig& config = scene.config;
  const bool exact = scene.closed && config.plant.loops == LoopForm::kExact;
  return config.mode == ControlMode::kHeld && !exact && !scene.payload && !config.thrown.at_s;
}

/// The physics of a run without anything else.
class BarePhysics {
 public:
  /// Takes the run's steps once, to record what drives them.
  explicit BarePhysics(Simulation* run)
      : m_(run->mj()),
        substeps_(std::lround(run->control_dt() / m_->opt.timestep)),
        drive_size_(static_cast<std::size_t>(mj_stateSize(m_, kDrives))),
        data_(mj_makeData(m_)) {
    run->Reset();
    Simulation::Saved start;
    run->Save(&start);
    start_ = start.state;
    const double steps = run->scene().config.duration_s / run->control_dt();
    for (long left = std::lround(steps) + 1; left > 0 && run->Step(); --left) {
      drives_.resize(drives_.size() + drive_size_);
      mj_getState(m_, run->data(), drives_.data() + drives_.size() - drive_size_, kDrives);
    }
    end_ = Motion(*run->data());
  }

  void Play() {
    mj_setState(m_, data_.get(), start_.data(), mjSTATE_INTEGRATION);
    for (std::size_t at = 0; at < drives_.size(); at += drive_size_) {
      mj_setState(m_, data_.get(), drives_.data() + at, kDrives);
      for (long i = 0; i < substeps_; ++i) mj_step(m_, data_.get());
    }
  }

  double Difference() const { return (Motion(*data_) - end_).lpNorm<Eigen::Infinity>(); }

 private:
  static constexpr int kDrives = mjSTATE_CTRL | mjSTATE_QFRC_APPLIED | mjSTATE_XFRC_APPLIED;

  Eigen::VectorXd Motion(const mjData& d) const {
    Eigen::VectorXd motion(m_->nq + m_->nv);
    motion << Eigen::Map<const Eigen::VectorXd>(d.qpos, m_->nq),
        Eigen::Map<const Eigen::VectorXd>(d.qvel, m_->nv);
    return motion;
  }

  const mjModel* m_;
  long substeps_;
  std::size_t drive_size_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  std::vector<double> start_, drives_;
  Eigen::VectorXd end_;
};

/// Runs to the end. @returns the CPU time; the shares are of the time that passed.
double TimeTurn(Simulation* run, Shares* shares) {
  run->Reset();
  Recorder recorder(*run, {});
  RecordingTimes recording;
  recorder.set_times(&recording);
  Shares sums{};
  const double start = ThreadSeconds();
  internal::LapClock clock;
  RunToEnd(run, &recorder, [&] {
    const StepRecord& step = run->record();
    const double dynamics = step.kinematics_s + step.matrices_s;
    const double parts[] = {
        step.physics_s, dynamics,       step.law_s - step.qp_s,
        step.qp_s,      step.sensors_s, step.control_s - dynamics - step.law_s - step.sensors_s,
        step.plant_s};
    for (std::size_t i = 0; i < std::size(parts); ++i) sums[i] += parts[i];
    return !InterruptGuard::raised();
  });
  const double passed = clock.Lap(), cpu = ThreadSeconds() - start;
  sums[7] = recording.signals_s;
  sums[8] = recording.metrics_s;
  sums[9] = recording.rows_s;
  sums[10] = passed - std::accumulate(sums.begin(), sums.end(), 0.0);
  for (double& sum : sums) sum /= passed;
  *shares = sums;
  return cpu;
}

Json ToJson(const RunTimes& run) {
  Json shares;
  for (std::size_t i = 0; i < kRunParts.size(); ++i) shares[kRunParts[i]] = run.shares[i];
  return {{"scene", run.scene},
          {"steps", run.steps},
          {"step_us", 1e6 * run.step_s},
          {"mj_step_us", 1e6 * run.physics_s},
          {"factor", run.factor()},
          {"difference", run.difference},
          {"shares", shares}};
}

Table RunsTable(const std::vector<RunTimes>& runs) {
  Table table{.summary =
                  "CPU time of a control step of headless runs, beside the physics alone, "
                  "and the shares of it, %."};
  table.columns = {{.title = "run, µs"}, {.title = "mj_step, µs"}, {.title = "factor"}};
  for (const std::string_view part : kRunParts) table.columns.push_back({std::string(part)});
  for (const RunTimes& run : runs) {
    const auto text = [](double x, int decimals) {
      return std::isnan(x) ? "–" : internal::WithDecimals(x, decimals);
    };
    std::vector<std::string> texts = {text(1e6 * run.step_s, 2), text(1e6 * run.physics_s, 2),
                                      text(run.factor(), 2)};
    for (const double share : run.shares) texts.push_back(text(100 * share, 1));
    table.AddRow(run.scene, texts);
  }
  return table;
}

}  // namespace

std::vector<std::string> RunScenes() {
  std::vector<std::string> scenes;
  for (const char* name : {"arm7", "chain20", "quadruped", "biped", "g1", "four_bar"}) {
    const auto found = std::ranges::find(Scenes(), name, &SceneInfo::name);
    if (found != Scenes().end() && found->is_here) scenes.emplace_back(name);
  }
  return scenes;
}

RunTimes TimeRun(std::unique_ptr<Scene> scene, double seconds) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  RunTimes times{.scene = scene->config.name, .step_s = HUGE_VAL, .physics_s = HUGE_VAL};
  const bool has_physics = IsOfStepsAlone(*scene);
  Simulation run(std::move(scene));
  run.set_stop(InterruptGuard::flag());
  BarePhysics bare(&run);
  times.steps = run.step();
  double spent = 0;
  for (int turn = 0; (turn < 3 || spent < seconds) && !InterruptGuard::raised(); ++turn) {
    Shares shares;
    const double cpu = TimeTurn(&run, &shares), start = ThreadSeconds();
    if (cpu < times.step_s) times.shares = shares;
    times.step_s = std::min(times.step_s, cpu);
    if (has_physics) bare.Play();
    const double physics = ThreadSeconds() - start;
    times.physics_s = std::min(times.physics_s, physics);
    spent += cpu + physics;
  }
  const auto steps = static_cast<double>(std::max(1L, times.steps));
  times.step_s /= steps;
  times.physics_s = has_physics ? times.physics_s / steps : kNone;
  times.difference = has_physics ? bare.Difference() : kNone;
  return times;
}

BenchRecord MakeRunsRecord(const BenchReport& report, const std::vector<RunTimes>& runs) {
  BenchRecord record;
  record.method = kMethod;
  record.times = RunsTable(runs);
  record.json = {{"machine", report.machine}, {"runs", Json::array()}};
  for (const RunTimes& run : runs) record.json["runs"].push_back(ToJson(run));
  return record;
}

}  // namespace civita
