#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/actions/actions.h"
#include "study/typeset_number.h"

// The actions that move in time.

namespace civita {
namespace {

void Pause(WindowState* state) {
  if (state->scene->snapshot->state == RunState::kRunning) Post(state, command::Pause{});
}

// Takes out what the user did after t.
ActiveScene::Aside CutAfter(ActiveScene* scene, double t) {
  ActiveScene::Aside cut;
  cut.marks = scene->log.CutMarks(t);
  const auto is_cut = [t](const PushEvent& event) {
    return event.push.start_s > t && !event.is_planned;
  };
  std::copy_if(scene->pushes.begin(), scene->pushes.end(), std::back_inserter(cut.pushes), is_cut);
  std::erase_if(scene->pushes, is_cut);
  PushForm& form = scene->push;
  form.is_repeating = form.is_repeating && form.first_t <= t;
  if (form.is_repeating) {
    form.next_t = form.first_t + (std::floor((t - form.first_t) / form.every_s) + 1) * form.every_s;
  }
  return cut;
}

}  // namespace

void StepForward(WindowState* state, int steps) {
  Pause(state);
  Post(state, command::StepOnce{steps});
}

bool CanStepBack(const WindowState& state) {
  const Snapshot& snapshot = *state.scene->snapshot;
  return snapshot.t > snapshot.oldest_saved_t;
}

void StepBack(WindowState* state, int steps) {
  Pause(state);
  Post(state, command::StepOnce{-steps});
}

void RewindTo(WindowState* state, double t) {
  const Snapshot& snapshot = *state->scene->snapshot;
  Pause(state);
  Post(state, command::Rewind{std::clamp(t, snapshot.oldest_saved_t, snapshot.newest_t)});
}

void SwitchBranch(WindowState* state) {
  const Snapshot& snapshot = *state->scene->snapshot;
  if (std::isnan(snapshot.branch_t)) {
    ShowToast(state, "There is one branch only: go back in time, and on from there");
    return;
  }
  Post(state, command::SwitchBranch{});
  AddLine(state, "To the other branch, which leaves at " + Fixed(snapshot.branch_t, 3) + " s");
}

void FollowBranches(WindowState* state) {
  ActiveScene* scene = state->scene.get();
  for (const Traces::Mark& mark : scene->traces.TakeMarks()) {
    if (mark.kind == TraceRow::Kind::kStep) {
      const std::optional<double> asked = scene->log.PlaceThrow(mark.t);
      const TimeAxis& axis = state->time_axis;
      if (asked && !axis.following() && axis.t0() <= *asked && *asked <= axis.t1()) {
        ShowThrow(state, mark.t);
      }
      continue;
    }
    const ActiveScene::Aside before = std::exchange(scene->aside, {});
    const bool is_reset = mark.kind == TraceRow::Kind::kReset;
    ActiveScene::Aside cut = CutAfter(scene, is_reset ? -1 : mark.t);
    if (is_reset) continue;
    scene->aside = std::move(cut);
    if (mark.kind == TraceRow::Kind::kBranch) continue;
    scene->log.AddMarks(before.marks);
    scene->pushes.insert(scene->pushes.end(), before.pushes.begin(), before.pushes.end());
  }
}

void RepeatRun(WindowState* state) {
  state->repeat_s = state->scene->session.scene().config.duration_s;
}

void ToggleRepeat(WindowState* state) {
  if (!state->repeat_s) {
    RepeatRun(state);
    return ShowToast(state, "Starts anew at " + Short(*state->repeat_s) + " s, again and again");
  }
  state->repeat_s.reset();
  ShowToast(state, "Does not start anew");
}

void RepeatAtEnd(WindowState* state) {
  const Snapshot& snapshot = *state->scene->snapshot;
  const bool is_over =
      state->repeat_s && snapshot.t >= *state->repeat_s && snapshot.state == RunState::kRunning;
  if (!is_over || snapshot.is_recording || !state->scene->session.HasAnswered(snapshot)) return;
  Post(state, command::Reset{});
  state->scene->drive.reset();
  // Lines of the run before, which are later than the new one's first, are to be told from its own.
  RunLog& log = state->scene->log;
  if (!log.lines().empty() && log.lines().back().t > 0) {
    log.Add({0, "Starts anew", LogLine::Kind::kAction});
  }
}

}  // namespace civita
