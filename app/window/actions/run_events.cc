#include "app/window/actions/run_events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "app/window/actions/actions.h"
#include "civita/scenes/plant/stiffness.h"
#include "civita/sim/metrics.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

constexpr double kFast = 0.5;  // of C·dt over the inertia: one step turns v by half a radian

bool IsHeld(const SceneData& scene) { return scene.config.mode == ControlMode::kHeld; }

std::string Rate(const SceneData& scene) {
  return IsHeld(scene) ? Tabular(scene.config.rate_hz) + " Hz"
                       : "steps of " + Short(1000 * ControlStepOf(scene)) + " ms";
}

std::string Finer(const SceneData& scene) {
  return IsHeld(scene) ? "a faster control rate" : "a smaller time step";
}

std::string Damping(const SceneData& scene, const Eigen::VectorXd& K_D, const Stiffness& found) {
  const double grows = GrowsFrom(scene);
  return "K_D is too large for " + Rate(scene) +
         (IsHeld(scene) ? ": held over a step it takes " : ": in a step it takes ") +
         Short(found.factor) + " times the velocity error of " +
         scene.velocity_names[static_cast<std::size_t>(found.velocity)] +
         ", and the error grows from " + Short(grows) + " on. Use K_D below " +
         Short(K_D.maxCoeff() * grows / found.factor, 2) + ", or " + Finer(scene) + ".";
}

// What could not be computed is not said to be harmless.
std::string Unknown(const SceneData& scene, bool damping, bool coriolis) {
  const std::string what = damping && coriolis ? "K_D and C are" : damping ? "K_D is" : "C is";
  const std::string why = scene.closed ? "with closed loops" : "of this law";
  return "Whether " + what + " too stiff for the control step is not computed " + why +
         ": try smaller gains or " + Finer(scene) + ", and look at pushes, contacts and limits.";
}

// Why a run left the finite numbers, and what helps: from the numbers of one control step at its
// last finite state.
std::string DescribeCause(const SceneData& scene, const Tuning& tuning, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& v) {
  const Factorization& factorization = tuning.factorization;
  const auto gain = [&](std::string_view key) -> const Eigen::VectorXd* {
    for (std::size_t i = 0; i < tuning.gains.size(); ++i) {
      if (scene.law->parameters[i].key == key) return &tuning.gains[i];
    }
    return nullptr;
  };
  const Eigen::VectorXd* K_D = gain("K_D");
  bool knows_damping = K_D == nullptr;
  if (K_D != nullptr) {
    const std::optional<Stiffness> stiffness = CalcDampingStiffness(scene, *K_D, q);
    knows_damping = stiffness.has_value();
    if (stiffness && stiffness->factor > GrowsFrom(scene)) return Damping(scene, *K_D, *stiffness);
  }
  const double dt = ControlStepOf(scene), most = IsHeld(scene) ? 1 : GrowsFrom(scene);
  const Eigen::VectorXd* Lambda = gain("Lambda");
  if (Lambda != nullptr && Lambda->maxCoeff() * dt > most) {
    return "Λ is too large for " + Rate(scene) + ": Λ·dt is " + Short(Lambda->maxCoeff() * dt) +
           ", and position errors " + (IsHeld(scene) ? "overshoot" : "grow") + " from " +
           Short(most) + " on. Use Λ below " + Short(most / dt, 2) + " 1/s, or " + Finer(scene) +
           ".";
  }
  const std::optional<double> found = CalcCoriolisStiffness(scene, factorization, q, v);
  const std::optional<double> plain = CalcCoriolisStiffness(scene, Factorization(), q, v);
  if (found && plain && *found > kFast) {
    const bool torsion = !factorization.torsion_free() && *found > 2 * *plain;
    if (torsion) {
      return "The torsion of C is too large for " + Rate(scene) + ": C·dt is " + Short(*found) +
             " times the inertia, " + Short(*plain) +
             " without torsion. Use a smaller |t| or |β|, or " + Finer(scene) + ".";
    }
    return "The motion is too fast for " + Rate(scene) + ": C·dt is " + Short(*found) +
           " times the inertia. Smaller gains or " + Finer(scene) + " help.";
  }
  const bool knows_coriolis = found || !scene.law->uses_factorization;
  if (!knows_damping || !knows_coriolis) return Unknown(scene, !knows_damping, !knows_coriolis);
  return "Neither K_D, Λ nor C is stiff for the control step: look at pushes, contacts and limits, "
         "or use a smaller time step.";
}

std::string CauseOf(const ActiveScene& scene) {
  const Snapshot& snapshot = *scene.snapshot;
  if (snapshot.failure.cause == FailureCause::kLaw) {
    return "The law itself ended the run; its text says why.";
  }
  if (snapshot.failure.cause == FailureCause::kProgram) return "The law has no part in it.";
  const auto vector = [](const std::vector<double>& numbers) {
    return Eigen::VectorXd::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size())).eval();
  };
  std::string cause = DescribeCause(scene.session.scene(), scene.slots.front().tuning.current(),
                                    vector(snapshot.qpos), vector(snapshot.qvel));
  if (snapshot.saturated_steps > 0) {
    cause += " A torque limit acted in " + Grouped(snapshot.saturated_steps) + " of the " +
             Grouped(snapshot.step) + " steps before.";
  }
  return cause;
}

void NoteFailure(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  if (snapshot.state != RunState::kFailed) {
    scene.is_failure_logged = false;
    state->time_axis.stretch_end = std::numeric_limits<double>::infinity();
    return;
  }
  constexpr double kUnstretched = 0.12;  // s before the end that must not affect the axes
  state->time_axis.stretch_end = snapshot.failure.t - kUnstretched;
  if (scene.is_failure_logged) return;
  scene.is_failure_logged = true;
  scene.is_failure_dismissed = false;
  StopPushes(state);
  scene.failure_cause = CauseOf(scene);
  scene.log.Add({snapshot.failure.t,
                 TypesetNumbers(snapshot.failure.reason) + ". " + scene.failure_cause,
                 LogLine::Kind::kError});
  scene.log.Mark(PlotMark::Kind::kFailure, snapshot.failure.t, "stopped");
}

/// One line and one mark for what has gone on since t, maybe for many steps; the line follows the
/// count.
void NoteEvent(ActiveScene* scene, const char* topic, bool happened, double t, PlotMark::Kind mark,
               LogLine line) {
  if (!happened) return;
  scene->log.Mark(mark, t, topic);
  line.t = t;
  line.topic = topic;
  scene->log.Tell(std::move(line));
}

void NoteEvents(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  const Fall& fall = snapshot.fall;
  NoteEvent(&scene, "fell", fall.fallen, fall.t, PlotMark::Kind::kFailure,
            {.text = "The robot " + TypesetNumbers(Describe(fall)), .kind = LogLine::Kind::kError});
  const double limited_t = scene.traces.first_saturation();
  NoteEvent(&scene, "torque limit", snapshot.saturated_steps > 0 && !std::isnan(limited_t),
            limited_t, PlotMark::Kind::kNotice,
            {.text = "A torque limit acts: in " + Grouped(snapshot.saturated_steps) + " of " +
                     Grouped(snapshot.step) + " steps since the start",
             .kind = LogLine::Kind::kWarning});
  NoteEvent(&scene, "deadline missed", snapshot.deadline_misses > 0, snapshot.first_miss_t,
            PlotMark::Kind::kNotice,
            {.text = "Control steps took longer than their period: " +
                     Grouped(snapshot.deadline_misses) + " of " + Grouped(snapshot.judged_steps),
             .kind = LogLine::Kind::kWarning});
}

// For the second run, which stands still while the first goes on.
void NoteOtherFailure(WindowState* state) {
  ActiveScene& scene = *state->scene;
  const Failure& failure = scene.snapshot->other.failure;
  const bool was_logged = std::exchange(scene.is_other_failure_logged, failure.failed);
  if (!failure.failed || was_logged) return;
  scene.log.Add({failure.t, "B stopped: " + failure.reason, LogLine::Kind::kError});
  scene.log.Mark(PlotMark::Kind::kFailure, failure.t, "B stopped");
  ShowToast(state, "B stopped: " + failure.reason, true);
}

constexpr long kPortion = 2000;  // steps, fewer than the rows that wait for the next frame

}  // namespace

void NoteRunEvents(WindowState* state) {
  NoteEvents(state);
  NoteFailure(state);
  NoteOtherFailure(state);
}

bool RunUp::Advance(WindowState* state) {
  if (!to_s_) return true;
  const ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  if (!scene.session.HasAnswered(snapshot)) return false;
  double to = *to_s_;
  if (scene.session.is_replay()) to = std::min(to, snapshot.newest_t);
  const long last = std::lround(to / scene.session.control_dt());
  if (snapshot.state != RunState::kPaused || snapshot.step >= last) {
    to_s_.reset();
    return true;
  }
  if (snapshot.step >= asked_for_) {
    const long steps = std::min(kPortion, last - snapshot.step);
    asked_for_ = snapshot.step + steps;
    Post(state, command::StepOnce{steps});
  }
  return false;
}

}  // namespace civita
