#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"

// The bar below the picture: buttons, what is known of the run, the clock and the speed.

namespace civita {
namespace {

// The times on the scrub bar, from left to right.
struct ScrubScale {
  Rect bar;
  double t0 = 0, t1 = 1;

  float X(double t) const {
    return bar.x + static_cast<float>(std::clamp((t - t0) / (t1 - t0), 0.0, 1.0)) * bar.w;
  }
  double TimeAt(float x) const {
    return t0 + (t1 - t0) * static_cast<double>(std::clamp((x - bar.x) / bar.w, 0.0f, 1.0f));
  }
};

// Draws marks of events, as in the plots.
void DrawMarks(const Ui& ui, const ActiveScene& scene, const ScrubScale& scale) {
  for (const RunLog::EventMark& mark : scene.log.marks()) {
    if (mark.t < scale.t0 || mark.t > scale.t1) continue;
    const bool failure = mark.kind == PlotMark::Kind::kFailure;
    const float half = ui.px(failure ? 7 : 6);
    FillRect(ui,
             {std::floor(scale.X(mark.t)), scale.bar.middle_y() - half, ui.px(failure ? 3 : 2),
              2 * half},
             failure ? ui.theme.error : ui.theme.muted);
  }
}

// Draws the other branch as a thin line above, which leaves the bar where the branches part.
void DrawOtherBranch(const Ui& ui, const Snapshot& snapshot, const ScrubScale& scale) {
  if (std::isnan(snapshot.branch_t) || snapshot.other_branch_end_t < scale.t0) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float x = scale.X(snapshot.branch_t), end = scale.X(snapshot.other_branch_end_t);
  const float middle = scale.bar.middle_y(), up = ui.px(6);
  const ImVec2 points[] = {{x, middle}, {std::min(x + up, end), middle - up}, {end, middle - up}};
  draw->AddPolyline(points, 3, ToImU32(ui.theme.muted), 1.5f * ui.scale);
}

// Draws the time under the pointer above the bar, which leaves the clock beside it free.
void DrawScrubTime(const Ui& ui, const ScrubScale& scale, double t) {
  const std::string text = Fixed(t, 2) + " s";
  const float w = TextWidth(ui.fonts.small, text) + ui.px(16), h = ui.px(24);
  const float x =
      std::clamp(scale.X(t) - 0.5f * w, scale.bar.x, std::max(scale.bar.x, scale.bar.right() - w));
  const Rect label{std::floor(x), std::floor(scale.bar.y - h - ui.px(6)), w, h};
  const Ui over = Above(ui);
  DrawFloating(over, label, ui.theme.popup, ui.theme.border, 6);
  TextMiddle(over, ui.fonts.small, label.middle_x(), label.middle_y(), ui.theme.text, text,
             Align::kCenter);
}

// Draws what can be reached of the run, and moves in it with the pointer.
void DrawScrubBar(WindowState* state, const Rect& bar) {
  const Ui& ui = state->ui;
  const Theme& theme = ui.theme;
  ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  const double other_end = std::isnan(snapshot.branch_t) ? 0 : snapshot.other_branch_end_t;
  const ScrubScale scale{bar, snapshot.oldest_saved_t,
                         std::max({snapshot.oldest_saved_t + 1, snapshot.newest_t, other_end})};
  const float middle = bar.middle_y(), half = ui.px(2);
  const Hit hit = HitBox("scrub", bar);
  const float x = scale.X(snapshot.t), newest = scale.X(snapshot.newest_t);
  FillRect(ui, {bar.x, middle - half, bar.w, 2 * half}, theme.track, half);
  FillRect(ui, {bar.x, middle - half, newest - bar.x, 2 * half},
           Mix(theme.track, theme.accent, 0.4f), half);
  FillRect(ui, {bar.x, middle - half, x - bar.x, 2 * half}, theme.accent, half);
  DrawOtherBranch(ui, snapshot, scale);
  DrawMarks(ui, scene, scale);
  const ImVec2 knob(x, middle);
  const bool failed = snapshot.state == RunState::kFailed;
  FillCircle(ui, knob, ui.px(7), theme.thumb, 28);
  StrokeCircle(ui, knob, ui.px(7) - 0.5f, failed ? theme.error : theme.accent, 1.5f * ui.scale);
  // One command at a time, so that a slow simulation follows the pointer without a queue.
  if (scene.scrub_to && scene.session.HasAnswered(snapshot)) {
    RewindTo(state, *std::exchange(scene.scrub_to, std::nullopt));
  }
  if (!hit.hovered && !hit.held) return;
  const double t = std::min(scale.TimeAt(ImGui::GetIO().MousePos.x), snapshot.newest_t);
  FillRect(ui, {std::floor(scale.X(t)), middle - ui.px(8), ui.hairline(), ui.px(16)}, theme.text);
  DrawScrubTime(ui, scale, t);
  if (hit.held && std::abs(t - snapshot.t) >= scene.session.control_dt()) scene.scrub_to = t;
}

void DrawSpeedCombo(WindowState* state, const Rect& r) {
  std::vector<std::string> labels;
  int selected = -1;
  const double present = state->scene->session.target_speed();
  for (const double speed : Speeds()) {
    if (speed == present || (speed <= 0 && present <= 0))
      selected = static_cast<int>(labels.size());
    labels.push_back(SpeedLabel(speed));
  }
  if (selected < 0) {  // a speed from the command line that is not in the list
    selected = static_cast<int>(labels.size());
    labels.push_back(SpeedLabel(present));
  }
  if (Combo(state->ui, "speed", labels, &selected, r)) {
    if (static_cast<std::size_t>(selected) < Speeds().size()) {
      SetSpeed(state, Speeds()[static_cast<std::size_t>(selected)]);
    }
  }
}

// Draws the buttons from x on. Returns their right edge.
float DrawButtons(WindowState* state, float x, float middle) {
  const Ui& ui = state->ui;
  const Snapshot& snapshot = *state->scene->snapshot;
  const auto box = [&](float left) { return Rect{left, middle - ui.px(16), ui.px(32), ui.px(32)}; };
  const bool playing = snapshot.state == RunState::kRunning;
  ActionButton(state, "back", Do<StepBack, 1>, box(x), {.enabled = CanStepBack(*state)});
  x += ui.px(36);
  if (PlayButton(ui, "play", playing, {x, middle - ui.px(17), ui.px(34), ui.px(34)},
                 TipOf(TogglePlay, playing ? "Pause" : "Play"))) {
    TogglePlay(state);
  }
  x += ui.px(38);
  const bool can_step = snapshot.state != RunState::kFailed;
  ActionButton(state, "step", Do<StepForward, 1>, box(x), {.enabled = can_step});
  x += ui.px(36);
  ActionButton(state, "reset", ResetRun, box(x), {.on = state->repeat_s.has_value()});
  x += ui.px(36);
  if (!std::isnan(snapshot.branch_t)) {
    const std::string name =
        "To the other branch, which leaves at " + Fixed(snapshot.branch_t, 2) + " s";
    ActionButton(state, "branch", SwitchBranch, box(x), {.name = name});
    x += ui.px(36);
  }
  return x + ui.px(8);
}

}  // namespace

void DrawTransport(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  const Snapshot& snapshot = *state->scene->snapshot;
  const float middle = std::floor(r.middle_y() + ui.hairline());
  const float x = DrawButtons(state, r.x + ui.px(10), middle);
  const float combo_width = ui.px(78);
  float right = r.right() - ui.px(12) - combo_width;
  DrawSpeedCombo(state, {right, middle - ui.px(15), combo_width, ui.px(30)});
  right -= ui.px(12);
  TextMiddle(ui, ui.fonts.small, right, middle, ui.theme.muted, "s", Align::kRight);
  right -= ui.px(12);
  const std::string time = Fixed(snapshot.t, 3, 6);
  const bool is_past = snapshot.t < snapshot.newest_t;
  TextMiddle(ui, ui.fonts.strong, right, middle, is_past ? ui.theme.accent : ui.theme.text, time,
             Align::kRight);
  right -=
      std::max(TextWidth(ui.fonts.strong, time), TextWidth(ui.fonts.strong, "88.888")) + ui.px(18);
  const Rect bar{x, middle - ui.px(12), right - x, ui.px(24)};
  if (bar.w > ui.px(60)) DrawScrubBar(state, bar);
}

}  // namespace civita
