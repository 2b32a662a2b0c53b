#include "civita/sim/trials/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "civita/manifold.h"
#include "civita/sim/metrics.h"
#include "civita/sim/recorder.h"
#include "civita/sim/simulation.h"
#include "civita/sim/trials/parallel_for.h"

namespace civita {
namespace {

constexpr double kStretch = 0.1;  // s between two synchronizations

/// One simulation with everything recorded from it.
class Lane {
 public:
  Lane(std::unique_ptr<Scene> scene, RunCurves* traces, const std::atomic<bool>* stop)
      : simulation_(std::move(scene)),
        recorder_(simulation_, {}),
        rows_(std::lround(simulation_.scene().config.duration_s / simulation_.control_dt()) + 1),
        traces_(traces) {
    simulation_.set_stop(stop);
  }

  /// Takes all steps before the time `t`, or to the end of the run.
  void RunUntil(double t) {
    while (!done() && simulation_.time() < t) {
      if (!simulation_.Step()) return;
      --rows_;
      const StepRecord& record = simulation_.record();
      recorder_.Add(record);
      if (traces_ != nullptr) Trace(record);
    }
  }

  bool done() const { return rows_ == 0 || simulation_.failure().failed; }

  ComparedRun Finish(const std::vector<MetricInfo>& metrics) {
    const RunSummary summary = recorder_.Finish(simulation_, 0, !done());
    ComparedRun run;
    run.seed = simulation_.scene().config.seed;
    run.passed = summary.passed;
    run.end = simulation_.failure().failed ? RunEnd::kFailed
              : summary.fell()             ? RunEnd::kFell
              : summary.interrupted        ? RunEnd::kInterrupted
                                           : RunEnd::kDone;
    run.end_s = run.end == RunEnd::kFailed ? simulation_.failure().t
                : run.end == RunEnd::kFell ? summary.fall->t
                                           : summary.duration_s;
    run.verdict = summary.verdict;
    for (const MetricInfo& info : metrics) {
      run.values.push_back(summary.value(info.key, info.mark_s));
    }
    return run;
  }

 private:
  void Trace(const StepRecord& record) {
    RunCurves& out = *traces_;
    const MotionMetrics& motion = recorder_.motion();
    const double rate = out.t.empty() ? kNaN : (record.tau - tau_).norm();
    out.t.push_back(record.t);
    out.error.push_back(record.e.norm());
    out.V.push_back(record.V);
    out.s.push_back(record.s.norm());
    out.torque.push_back(record.tau.norm());
    out.torque_rate.push_back(rate / simulation_.control_dt());
    out.twist.push_back(record.twist);
    out.energy_balance.push_back(record.energy_balance);
    out.ee.push_back(motion.ee());
    out.ee_reference.push_back(motion.ee_reference());
    tau_ = record.tau;
  }

  Simulation simulation_;
  Recorder recorder_;
  long rows_;  ///< remaining
  RunCurves* traces_;
  Eigen::VectorXd tau_;
};

}  // namespace

std::string ComparedRun::status_word() const {
  constexpr const char* kWords[] = {"done", "interrupted", "failed", "fell"};
  return kWords[static_cast<int>(end)];
}

std::string ComparedRun::status() const {
  return end == RunEnd::kDone ? status_word() : status_word() + " at " + FormatValue(end_s) + " s";
}

void MoveStart(int seed, int start, Scene* scene) {
  if (start == 0) return;
  std::seed_seq sequence{seed, start};
  std::mt19937_64 random(sequence);
  std::uniform_real_distribution<double> offset(-1, 1);
  const int nv = scene->plant.nv();
  Eigen::VectorXd step(nv);
  for (int i = 0; i < nv; ++i) step[i] = kSpread_q * offset(random);
  const Eigen::VectorXd q = scene->q_start;
  IntegratePosition<double>(scene->plant, q, step, 1, scene->q_start);
  for (int i = 0; i < nv; ++i) scene->v_start[i] += kSpread_v * offset(random);
}

std::vector<MetricInfo> CompareMetrics(const Scene& scene) {
  std::vector<MetricInfo> metrics = MetricsOf(scene);
  std::erase_if(metrics, [&](const MetricInfo& info) {
    return info.mark_s && *info.mark_s > scene.config.duration_s;
  });
  return metrics;
}

bool DampsByInertia(const SceneData& scene) {
  return scene.law->damping == DampingForm::kInertia && scene.legs == nullptr &&
         scene.config.gain_form != GainForm::kDiagonal;
}

std::vector<std::string> TurningCauses(const SceneData& scene) {
  const SceneConfig& config = scene.config;
  const mjModel& m = *scene.mj;
  const auto any = [&m](const mjtNum* x) {
    return std::any_of(x, x + m.nv, [](mjtNum each) { return each > 0; });
  };
  std::vector<std::string> causes;
  const auto add = [&causes](bool acts, const char* cause) {
    if (acts) causes.emplace_back(cause);
  };
  add(any(m.dof_damping), "joint damping");
  add(any(m.dof_frictionloss), "dry friction");
  add(config.gain_form == GainForm::kDiagonal, "gains that are not proportional to H");
  add(scene.law->damping != DampingForm::kInertia, "a law whose damping is not H times a gain");
  const auto G = config.gains.find("G");
  const auto is_not_zero = [](double x) { return x != 0; };
  add(G != config.gains.end() && std::ranges::any_of(G->second, is_not_zero), "a skew gain G");
  add(config.delay_s + config.actuation_delay_s > 0, "a late torque");
  add(config.velocity_filter_hz > 0, "a filtered velocity");
  const NoiseConfig& noise = config.noise;
  add(config.encoder_resolution > 0 ||
          std::max({noise.joint_position, noise.joint_velocity, noise.orientation,
                    noise.angular_velocity, noise.position, noise.velocity}) > 0,
      "noise of measurements");
  add(!scene.pushes.empty(), "pushes");
  add(scene.legs != nullptr, "contacts");
  add(scene.payload != nullptr || config.plant.mass_error > 0 ||
          config.plant.mass_scale != config.model_scale || !config.estimate.empty(),
      "a wrong model");
  return causes;
}

std::vector<ComparedRun> RunInStep(std::vector<std::unique_ptr<Scene>> scenes,
                                   const std::function<bool(double t)>& go_on,
                                   std::vector<RunCurves>* traces, const std::atomic<bool>* stop,
                                   int jobs) {
  std::vector<MetricInfo> metrics;
  for (const std::unique_ptr<Scene>& scene : scenes) {
    metrics = MergeMetrics(std::move(metrics), CompareMetrics(*scene));
  }
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    lanes.push_back(
        std::make_unique<Lane>(std::move(scenes[i]), traces ? &(*traces)[i] : nullptr, stop));
  }
  const int count = static_cast<int>(lanes.size());
  ParallelFor threads(std::min(jobs > 0 ? jobs : NumCores(), count));
  const auto running = [&] {
    return std::any_of(lanes.begin(), lanes.end(), [](const auto& lane) { return !lane->done(); });
  };
  for (double t = 0; running() && go_on(t);) {
    t += kStretch;
    threads.Run(count, [&](int i) { lanes[static_cast<std::size_t>(i)]->RunUntil(t); });
  }
  std::vector<ComparedRun> runs;
  runs.reserve(lanes.size());
  for (const std::unique_ptr<Lane>& lane : lanes) runs.push_back(lane->Finish(metrics));
  return runs;
}

}  // namespace civita
