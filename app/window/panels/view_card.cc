#include <algorithm>
#include <cmath>

#include "app/window/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/render/view_input.h"

namespace civita {
namespace {

std::string SecondsText(double t) { return Fixed(t, 3, 6); }

// Draws marks of events on the scrub bar, as in the plots.
void DrawScrubMarks(const Ui& ui, const ActiveScene& scene, const Rect& bar, double t0, double t1) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (const RunLog::EventMark& mark : scene.log.marks()) {
    if (mark.t < t0 || mark.t > t1) continue;
    const bool failure = mark.kind == PlotMark::Kind::kFailure;
    const float x = std::floor(bar.x + static_cast<float>((mark.t - t0) / (t1 - t0)) * bar.w);
    const float half = ui.px(failure ? 7 : 6);
    FillRect(draw, {x, bar.middle_y() - half, ui.px(failure ? 3 : 2), 2 * half},
             ToImU32(failure ? ui.theme.error : ui.theme.muted));
  }
}

// Draws the time since the start; a click rewinds to that time.
void DrawScrubBar(WindowState* state, const Rect& bar) {
  const Ui& ui = state->ui;
  const Theme& theme = ui.theme;
  ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const double t1 = std::max({1.0, scene.session.scene().config.duration_s, snapshot.t});
  const auto at = [&](double t) { return bar.x + static_cast<float>(t / t1) * bar.w; };
  const float middle = bar.middle_y(), half = ui.px(2);
  const Hit hit = HitBox("scrub", bar);
  FillRect(draw, {bar.x, middle - half, bar.w, 2 * half}, ToImU32(theme.track), half);
  const float from = at(std::min(snapshot.oldest_saved_t, snapshot.t));
  FillRect(draw, {bar.x, middle - half, at(snapshot.t) - bar.x, 2 * half},
           ToImU32(Mix(theme.track, theme.accent, 0.35f)), half);
  FillRect(draw, {from, middle - half, at(snapshot.t) - from, 2 * half}, ToImU32(theme.accent),
           half);
  DrawScrubMarks(ui, scene, bar, 0, t1);
  const ImVec2 knob(at(snapshot.t), middle);
  const bool failed = snapshot.state == RunState::kFailed;
  draw->AddCircleFilled(knob, ui.px(7), ToImU32(theme.thumb), 28);
  draw->AddCircle(knob, ui.px(7) - 0.5f, ToImU32(failed ? theme.error : theme.accent), 28,
                  1.5f * ui.scale);
  if (!hit.hovered) return;
  const double t = t1 * static_cast<double>((ImGui::GetIO().MousePos.x - bar.x) / bar.w);
  if (t < snapshot.oldest_saved_t || t > snapshot.t) return;
  FillRect(draw,
           {std::floor(ImGui::GetIO().MousePos.x), middle - ui.px(8), ui.hairline(), ui.px(16)},
           ToImU32(theme.text));
  Tooltip(ui, "Back to " + Fixed(t, 2) + " s");
  if (hit.clicked) RewindTo(state, t);
}

void DrawSpeedCombo(WindowState* state, const Rect& r) {
  std::vector<std::string> labels;
  int selected = -1;
  const double present = state->scene->snapshot->target_speed;
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

}  // namespace

Rect PictureArea(const Ui& ui, const Rect& card) {
  const float hair = ui.hairline();
  return {card.x + hair, card.y + hair, std::max(1.0f, card.w - 2 * hair),
          std::max(1.0f, card.h - ui.px(kTransportHeight) - hair)};
}

void DrawViewCard(WindowState* state, const Rect& card, View3d* view) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  DrawCard(ui, draw, card);
  const Rect picture = PictureArea(ui, card);
  ShowView(picture, ui.px(9.5f), ImDrawFlags_RoundCornersTop, view);
  state->is_view_held = ImGui::IsItemActive();
  ImGui::SetItemAllowOverlap();  // controls over the picture take precedence
  DrawRule(ui, draw, picture.x, picture.right(), picture.bottom());
  DrawViewOverlay(state, picture, view);
  DrawHandles(state, picture);
  DrawTransport(state, {card.x, picture.bottom(), card.w, ui.px(kTransportHeight)});
  DrawFailCard(state, picture);
  if (!state->launcher.is_open) DrawToast(ui, draw, state->toast, state->now, picture);
}

void DrawTransport(WindowState* state, const Rect& r) {
  const Ui& ui = state->ui;
  const Snapshot& snapshot = *state->scene->snapshot;
  const float middle = std::floor(r.middle_y() + ui.hairline());
  float x = r.x + ui.px(10);
  const auto box = [&](float left) { return Rect{left, middle - ui.px(16), ui.px(32), ui.px(32)}; };
  const bool playing = snapshot.state == RunState::kRunning;
  if (IconButton(ui, "back", Icon::kStepBack, box(x), "Back to the last saved state  ←",
                 {.enabled = CanStepBack(*state)})) {
    StepBack(state);
  }
  x += ui.px(36);
  if (PlayButton(ui, "play", playing, {x, middle - ui.px(17), ui.px(34), ui.px(34)},
                 playing ? "Pause  space" : "Play  space")) {
    TogglePlay(state);
  }
  x += ui.px(38);
  const bool can_step = snapshot.state != RunState::kFailed;
  if (IconButton(ui, "step", Icon::kStep, box(x), "One step  →", {.enabled = can_step})) {
    StepForward(state);
  }
  x += ui.px(36);
  if (IconButton(ui, "reset", Icon::kReset, box(x), "Reset  backspace")) ResetRun(state);
  x += ui.px(44);

  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float combo_width = ui.px(78);
  float right = r.right() - ui.px(12) - combo_width;
  DrawSpeedCombo(state, {right, middle - ui.px(15), combo_width, ui.px(30)});
  right -= ui.px(12);
  TextMiddle(ui, draw, ui.fonts.small, right, middle, ToImU32(ui.theme.muted), "s", Align::kRight);
  right -= ui.px(12);
  const std::string time = SecondsText(snapshot.t);
  TextMiddle(ui, draw, ui.fonts.strong, right, middle, ToImU32(ui.theme.text), time, Align::kRight);
  right -=
      std::max(TextWidth(ui.fonts.strong, time), TextWidth(ui.fonts.strong, "88.888")) + ui.px(18);
  const Rect bar{x, middle - ui.px(12), right - x, ui.px(24)};
  if (bar.w > ui.px(60)) DrawScrubBar(state, bar);
}

}  // namespace civita
