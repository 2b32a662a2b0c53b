#include "app/verbs/compare/compare_runs.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "core/manifold.h"
#include "sim/metrics.h"
#include "sim/recorder.h"
#include "sim/simulation.h"

namespace civita {
namespace {

constexpr double kStretch = 0.1;  // s between two waits
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string TorqueUnit(const std::string& error_unit) {
  return error_unit == "rad" ? "N·m" : error_unit == "m" ? "N" : "N·m, N";
}

/// One simulation with all that is gathered from it.
class Lane {
 public:
  Lane(std::unique_ptr<Scene> scene, RunCurves* traces)
      : simulation_(std::move(scene)),
        recorder_(simulation_, {}),
        motion_(simulation_.scene(), simulation_.controller().factorization(),
                simulation_.control_dt()),
        rows_(std::lround(simulation_.scene().config.duration_s / simulation_.control_dt()) + 1),
        traces_(traces) {}

  /// All steps before the time `t`, or to the end.
  void RunUntil(double t) {
    while (!done() && simulation_.time() < t) {
      if (!simulation_.Step()) return;
      --rows_;
      const StepRecord& record = simulation_.record();
      recorder_.Add(record);
      motion_.Add(record.q, record.s, record.q_d);
      if (traces_ != nullptr) Trace(record);
    }
  }

  bool done() const { return rows_ == 0 || simulation_.failure().failed; }
  double time() const { return simulation_.time(); }

  ComparedRun Finish(const std::vector<MetricInfo>& metrics) {
    const RunSummary summary = recorder_.Finish(simulation_, 0, !done());
    ComparedRun run;
    run.seed = simulation_.scene().config.seed;
    run.passed = summary.passed;
    run.verdict = summary.verdict;
    for (const MetricInfo& info : metrics) run.values.push_back(Value(info, summary));
    return run;
  }

 private:
  void Trace(const StepRecord& record) {
    RunCurves& out = *traces_;
    const double rate = out.t.empty() ? kNan : (record.tau - tau_).norm();
    out.t.push_back(record.t);
    out.error.push_back(record.e.norm());
    out.V.push_back(record.V);
    out.s.push_back(record.s.norm());
    out.torque.push_back(record.tau.norm());
    out.torque_rate.push_back(rate / simulation_.control_dt());
    out.twist.push_back(motion_.twist());
    out.energy_balance.push_back(record.energy_balance);
    out.ee.push_back(motion_.ee());
    out.ee_reference.push_back(motion_.ee_reference());
    tau_ = record.tau;
  }

  double Value(const MetricInfo& info, const RunSummary& summary) const {
    const auto ratio = [](double path, double reference) {
      return reference > 0 ? path / reference : kNan;
    };
    if (info.mark_s) {
      for (const auto& [t, V] : summary.V_at) {
        if (t == *info.mark_s) return V;
      }
      return kNan;
    }
    const std::pair<const char*, double> values[] = {
        {"error_rms", summary.error_rms},
        {"error_peak", summary.error_peak},
        {"path", motion_.path()},
        {"path_ratio", ratio(motion_.path(), motion_.path_reference())},
        {"ee_path_m", motion_.ee_path()},
        {"ee_path_ratio", ratio(motion_.ee_path(), motion_.ee_path_reference())},
        {"twist_rad", motion_.twist()},
        {"ideal_turning_rad", motion_.ideal_turning()},
        {"torque_rms", summary.torque_rms},
        {"torque_rate", summary.torque_rate},
        {"high_frequency_share", summary.high_frequency_share},
        {"energy_J", summary.energy_J},
        {"energy_balance_peak", summary.balance_peak},
        {"passivity_residual", summary.passivity_residual},
        {"saturated_steps", static_cast<double>(summary.saturated_steps)},
        {"step_p50_us", summary.step_p50_us},
        {"step_p99_us", summary.step_p99_us},
    };
    for (const auto& [key, value] : values) {
      if (info.key == key) return value;
    }
    return kNan;
  }

  Simulation simulation_;
  Recorder recorder_;
  MotionMetrics motion_;
  long rows_;  ///< still to come
  RunCurves* traces_;
  Eigen::VectorXd tau_;
};

/// Lets every core take the next lane that nobody has taken.
void ForEachLane(std::vector<std::unique_ptr<Lane>>* lanes, double t) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < lanes->size(); i = next++) (*lanes)[i]->RunUntil(t);
  };
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(cores, lanes->size()); ++i) helpers.emplace_back(work);
  work();
}

}  // namespace

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
  using enum MetricInfo::Kind;
  const std::string e = ErrorUnit(scene.plant), tau = TorqueUnit(e);
  std::vector<MetricInfo> rows = {
      {"error_rms", "tracking error, RMS", e, "root of the time mean of ‖q ⊖ q_d‖²"},
      {"error_peak", "tracking error, peak", e, "largest ‖q ⊖ q_d‖"},
      {"path", "path", "√kg·m", "Σ ‖Δq‖_H with the plant's H"},
      {"path_ratio", "path over the reference's", "", "the same, over that of q_d"},
      {"ee_path_m", "path of the end effector", "m",
       "Σ ‖Δp‖ of the site ee, else of the last body"},
      {"ee_path_ratio", "the same over the reference's", "", "the same, over that at q_d"},
      {"twist_rad", "twist", "rad",
       "∫ ‖(∇_v s)⊥‖_H / ‖s‖_H dt: turning of s against parallel transport, while ‖s‖_H is above "
       "1 % of its largest value so far"},
      {"ideal_turning_rad", "ideal turning", "rad",
       "∫ ‖H⁻¹K(v)s‖_H / ‖s‖_H dt: what the contorsion K of the law's C turns"},
      {"torque_rms", "torque, RMS", tau, "root of the time mean of ‖τ‖²"},
      {"torque_rate", "torque rate", tau == "N·m, N" ? "N·m/s, N/s" : tau + "/s",
       "sqrt(mean ‖Δτ/dt‖²): how jagged the torque is"},
      {"high_frequency_share", "torque above 20 Hz", "",
       "part of the torque's one-sided power spectrum (Hann windows of 1 s) above 20 Hz"},
      {"energy_J", "energy", "J", "∫ Σ|τ_i v_i| dt"},
      {"energy_balance_peak", "energy balance, peak", "J",
       "largest |V − V(0) + ∫(P − P_ext) dt|: 0 for an exact model and law", std::nullopt, kCheck},
      {"passivity_residual", "passivity residual", "",
       "largest |(V_{k+2} − V_k)/(2dt) + (P_k + 4P_{k+1} + P_{k+2})/6| over the largest P, steps "
       "with limits, contacts and pushes left out",
       std::nullopt, kCheck},
      {"saturated_steps", "steps with torque at a limit", "", "control steps that a limit cut"},
  };
  for (const double mark : scene.config.marks_s) {
    if (mark > scene.config.duration_s) continue;
    rows.push_back(
        {"V_at", "V(" + FormatValue(mark) + " s)", "J", "the law's storage at marks", mark});
  }
  rows.push_back({"step_p50_us", "control step, median", "µs",
                  "time taken by reference, law and limits", std::nullopt, kMachine});
  rows.push_back({"step_p99_us", "control step, 99 %", "µs", "the same, 99th percentile",
                  std::nullopt, kMachine});
  return rows;
}

std::vector<ComparedRun> RunInStep(std::vector<std::unique_ptr<Scene>> scenes,
                                   const std::function<bool(double t)>& go_on,
                                   std::vector<RunCurves>* traces) {
  const std::vector<MetricInfo> metrics = CompareMetrics(*scenes.front());
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    lanes.push_back(std::make_unique<Lane>(std::move(scenes[i]), traces ? &(*traces)[i] : nullptr));
  }
  const auto running = [&] {
    return std::any_of(lanes.begin(), lanes.end(), [](const auto& lane) { return !lane->done(); });
  };
  for (double t = 0; running() && go_on(t);) {
    t += kStretch;
    ForEachLane(&lanes, t);
  }
  std::vector<ComparedRun> runs;
  runs.reserve(lanes.size());
  for (const std::unique_ptr<Lane>& lane : lanes) runs.push_back(lane->Finish(metrics));
  return runs;
}

}  // namespace civita
