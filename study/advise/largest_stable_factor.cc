#include "civita/study/advise/largest_stable_factor.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/text.h"
#include "civita/error.h"
#include "civita/sim/simulation.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/held_stability.h"
#include "civita/study/open_scene.h"

namespace civita {
namespace {

/// The scene that trials run: on its reference but for the prior's error, and undisturbed.
SceneConfig MakeTrialConfig(SceneConfig config, double size) {
  config.initial.q.reset();
  config.initial.v.reset();
  config.initial.v_error.reset();
  config.initial.v_error_prior = VelocityErrorPrior::kEnergy;
  config.initial.v_error_size = size;
  config.pushes.clear();
  config.thrown.at_s.reset();
  return config;
}

/// What the held error equations say of the first start; NaN where advice refuses the scene.
double PredictStableFactor(SceneConfig config, const Factorization& factorization, double size) {
  try {
    const std::unique_ptr<Scene> scene = OpenScene(MakeTrialConfig(std::move(config), size));
    return Advise(*scene, {.factorization = factorization}).largest_factor;
  } catch (const UserError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

/// The trials' simulations, which are made once.
class StabilityRuns {
 public:
  StabilityRuns(const SceneConfig& config, const StabilityTrials& trials, const Watch& watch)
      : watch_(watch) {
    SceneConfig own = MakeTrialConfig(config, trials.size);
    for (int seed = 1; seed <= trials.starts; ++seed) {
      own.initial.v_error_seed = seed;
      simulations_.push_back(std::make_unique<Simulation>(OpenScene(own)));
      simulations_.back()->set_stop(watch.stop);
    }
    const Scene& scene = simulations_.front()->scene();
    if (scene.config.mode != ControlMode::kHeld) {
      throw UserError("control.mode: a law that acts at every instant is stable with any torsion");
    }
    if (!scene.law->uses_factorization) {
      throw UserError("controller.type: '" + std::string(scene.law->type) + "' does not use C");
    }
    const double dt = simulations_.front()->control_dt();
    steps_ = std::clamp(std::lround(scene.config.duration_s / dt), 1L, HeldDecay::kMostSteps);
    duration_s_ = static_cast<double>(steps_) * dt;
  }

  /// Whether the sum of V grows.
  bool Grow(const Factorization& factorization, double x) {
    watch_.Show("x " + internal::ShortNumber(x), kUnknownShare);
    double start = 0, end = 0;
    for (const std::unique_ptr<Simulation>& simulation : simulations_) {
      ++runs_;
      simulation->SetFactorization(ScaleTorsion(factorization, x));
      simulation->Reset();
      start += simulation->record().V;
      for (long left = steps_; left > 0 && simulation->Step(); --left) {
        if (watch_.stopped()) break;
      }
      if (watch_.stopped()) return false;
      if (simulation->failure().failed) return true;
      simulation->Evaluate();
      end += simulation->record().V;
    }
    return !(end <= start);
  }

  bool stopped() const { return watch_.stopped(); }
  int runs() const { return runs_; }
  double duration_s() const { return duration_s_; }

 private:
  const Watch& watch_;
  std::vector<std::unique_ptr<Simulation>> simulations_;
  long steps_ = 0;
  double duration_s_ = 0;
  int runs_ = 0;
};

void CheckTrials(const StabilityTrials& trials) {
  CIVITA_CHECK(trials.starts > 0 && trials.size > 0 && trials.first >= 0 && trials.tolerance > 0 &&
                   trials.most > trials.first,
               trials.starts << " starts, from " << trials.first << " to " << trials.most);
}

}  // namespace

Factorization ScaleTorsion(const Factorization& factorization, double x) {
  if (!factorization.admissible()) {
    throw UserError("factorization: a C with alpha differs by more than torsion");
  }
  Factorization scaled = factorization;
  const auto scale = [x](Coefficient* coefficient) {
    if (!coefficient->is_number()) {
      throw UserError("factorization: " + coefficient->text() +
                      " is a function of q; a multiple is made of numbers");
    }
    *coefficient = Coefficient(x * coefficient->number());
  };
  scaled.t *= x;
  for (auto& injection : scaled.body_injections) scale(&injection.beta);
  for (auto& injection : scaled.joint_injections) scale(&injection.beta);
  for (auto& form : scaled.three_forms) {
    for (auto& component : form.components) scale(&component.omega);
    form.file.clear();
    form.made.clear();
  }
  return scaled;
}

StableFactor MeasureStableFactor(const SceneConfig& config, const Factorization& factorization,
                                 const StabilityTrials& trials, const Watch& watch) {
  CheckTrials(trials);
  if (factorization.torsion_free()) {
    throw UserError("factorization: the torsion-free C has no multiple; name one with torsion");
  }
  StabilityRuns runs(config, trials, watch);
  StableFactor found;
  found.predicted = PredictStableFactor(config, factorization, trials.size);
  found.duration_s = runs.duration_s();
  const auto finish = [&] {
    found.runs = runs.runs();
    found.interrupted = runs.stopped();
    return found;
  };
  const auto grow = [&](double x) { return runs.Grow(factorization, x); };
  if (grow(0)) {
    found.grows = 0;
    return finish();
  }
  if (runs.stopped()) return finish();
  // A bracket, by doubling or halving, then bisection of the ratio.
  const bool can_begin = found.predicted > 0 && found.predicted < trials.most;
  double x = trials.first > 0 ? trials.first : can_begin ? found.predicted : 1;
  bool grows = false;
  const auto look = [&] {
    grows = grow(x);
    if (!runs.stopped()) (grows ? found.grows : found.stable) = x;
  };
  look();
  const double ratio = grows ? 0.5 : 2;
  const bool first = grows;
  while (!runs.stopped() && grows == first && x * ratio <= trials.most && x * ratio > 1e-9) {
    x *= ratio;
    look();
  }
  while (!runs.stopped() && std::isfinite(found.grows) && found.stable > 0 &&
         found.grows > (1 + trials.tolerance) * found.stable) {
    x = std::sqrt(found.stable * found.grows);
    look();
  }
  return finish();
}

}  // namespace civita
