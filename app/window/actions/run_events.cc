#include "app/window/actions/run_events.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/actions/failure_cause.h"
#include "base/typeset_number.h"
#include "civita/sim/metrics.h"

namespace civita {
namespace {

std::string CauseOf(const ActiveScene& scene) {
  const Snapshot& snapshot = *scene.snapshot;
  if (snapshot.failure.cause == FailureCause::kLaw) {
    return "The law itself ended the run; its text says why.";
  }
  if (snapshot.failure.cause == FailureCause::kProgram) return "The law has no part in it.";
  const Tuning& tuning = scene.slots.front().tuning.current();
  const auto vector = [](const std::vector<double>& numbers) {
    return Eigen::VectorXd::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size())).eval();
  };
  std::string cause = DescribeCause(scene.session.scene(), tuning.gains, tuning.factorization,
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
                     Grouped(snapshot.deadline_misses) + " of " + Grouped(snapshot.step),
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

}  // namespace

void NoteRunEvents(WindowState* state) {
  NoteEvents(state);
  NoteFailure(state);
  NoteOtherFailure(state);
}

}  // namespace civita
