#include <algorithm>
#include <cmath>

#include "app/window/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/render/view_input.h"

namespace civita {
namespace {

std::string SecondsText(double t) { return Fixed(t, 3, 6); }

// Name of the point whose trail is shown.
std::string TrackedName(const mjModel& m) {
  const TrackedPoint tracked = FindTrackedPoint(m);
  const char* name = tracked.site >= 0 ? mj_id2name(&m, mjOBJ_SITE, tracked.site)
                                       : mj_id2name(&m, mjOBJ_BODY, tracked.body);
  const std::string text = name != nullptr ? name : "";
  return text.empty() || text == "ee" || text == "tcp" || text == "attachment_site" ? "end effector"
                                                                                    : text;
}

// The body selected in the view becomes the place of the injection, if that is waited for.
void TakePickedBody(WindowState* state, const View3d& view, int before) {
  const int body = view.selected_body();
  if (!state->scene->picks_injection || body <= 0 || body == before) return;
  const char* name = mj_id2name(&view.model(), mjOBJ_BODY, body);
  const bool taken = name != nullptr && ChooseInjectionBody(state, name);
  state->scene->picks_injection = !taken;
  if (!taken) ShowToast(state, "No injection can act at this body", true);
}

// Draws the legend of a legged robot's stance.
void DrawStanceChips(const Ui& ui, float x, float y) {
  struct Entry {
    Swatch swatch;
    Rgb color;
    std::string_view name, tip;
  };
  const Entry entries[] = {
      {Swatch::kLine, ForceColor(ui.theme), "force", "Normal force of the ground on each foot"},
      {Swatch::kDot, ForceColor(ui.theme), "CoP", "Centre of pressure, as the law wants it"},
      {Swatch::kDot, ComColor(ui.theme), "CoM", "Ground point of the centre of mass"},
      {Swatch::kRing, DcmColor(ui.theme), "DCM",
       "Divergent component of motion, ξ = c + v/ω:\nsteps begin where it leaves the support"}};
  for (const Entry& entry : entries) {
    const float right = Chip(ui, x, y, entry.swatch, entry.color, entry.name);
    if (Rect{x, y, right - x, ui.px(26)}.contains(ImGui::GetIO().MousePos)) Tooltip(ui, entry.tip);
    x = right + ui.px(6);
  }
}

void DrawTrailChips(const Ui& ui, const Rect& picture, float x, float y, const mjModel& m) {
  x = Chip(ui, x, y, Swatch::kLine, ui.theme.series[0], TrackedName(m)) + ui.px(8);
  if (picture.w > ui.px(420)) {
    Chip(ui, x, y, Swatch::kDashes, ui.theme.reference, "reference");
  }
}

void DrawCameraChoice(WindowState* state, const Rect& picture, View3d* view) {
  const Ui& ui = state->ui;
  // The names of two runs need more room.
  const float needed = ui.px(state->scene->is_comparing() ? 560 : 440);
  if (picture.w < needed || view->cameras().size() < 2) return;
  std::vector<std::string> names;
  float width = 0;
  for (const CameraChoice& camera : view->cameras()) {
    names.push_back(camera.name);
    width = std::max(width, TextWidth(ui.fonts.small, camera.name));
  }
  width = std::min(width + ui.px(36), ui.px(170));
  int camera = view->camera_choice();
  if (PillCombo(ui, "camera", names, &camera,
                {picture.right() - ui.px(12) - width, picture.y + ui.px(12), width, ui.px(26)})) {
    view->SetCamera(camera);
  }
}

// Draws chips upper left, the camera choice upper right.
void DrawOverlay(WindowState* state, const Rect& picture, View3d* view) {
  const Ui& ui = state->ui;
  const float y = picture.y + ui.px(12);
  float x = picture.x + ui.px(12);
  if (state->scene->is_comparing()) {
    x = Chip(ui, x, y, Swatch::kDot, ui.theme.series[0], "A", RunName(*state->scene, Slot::kA)) +
        ui.px(8);
    Chip(ui, x, y, Swatch::kRing, ui.theme.series[1], "B", RunName(*state->scene, Slot::kB));
  } else if (state->scene->session.scene().legs != nullptr) {
    if (state->shows_stance) DrawStanceChips(ui, x, y);
  } else {
    DrawTrailChips(ui, picture, x, y, view->model());
  }
  if (const int body = view->selected_body(); body > 0) {
    const char* name = mj_id2name(&view->model(), mjOBJ_BODY, body);
    Chip(ui, picture.x + ui.px(12), picture.bottom() - ui.px(38), Swatch::kDot, ui.theme.push,
         name != nullptr ? name : "body", "ctrl-right drag pulls");
  }
  DrawCameraChoice(state, picture, view);
}
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
  const int before = view->selected_body();
  ShowView(picture, ui.px(9.5f), ImDrawFlags_RoundCornersTop, view);
  state->is_view_held = ImGui::IsItemActive();
  TakePickedBody(state, *view, before);
  ImGui::SetItemAllowOverlap();  // controls over the picture take precedence
  DrawRule(ui, draw, picture.x, picture.right(), picture.bottom());
  DrawOverlay(state, picture, view);
  DrawTransport(state, {card.x, picture.bottom(), card.w, ui.px(kTransportHeight)});
  DrawFailCard(state, picture);
  DrawToast(ui, draw, state->toast, state->now, picture);
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
