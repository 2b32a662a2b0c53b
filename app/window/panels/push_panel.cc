#include <array>
#include <numbers>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/table.h"

namespace civita {
namespace {

constexpr std::array<std::string_view, 3> kRepeats = {"Once", "Every 2 s", "Every 5 s"};

void DrawPushList(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  const ActiveScene& scene = *state->scene;
  constexpr std::size_t kMaxListed = 12;
  const std::size_t first = scene.pushes.size() > kMaxListed ? scene.pushes.size() - kMaxListed : 0;
  for (std::size_t i = first; i < scene.pushes.size(); ++i) {
    const Push& push = scene.pushes[i].push;
    const std::string name = PushedName(*scene.session.mj(), push);
    TextMiddle(ui, ui.fonts.small, column->x, column->y + ui.px(10), ui.theme.muted,
               Fixed(push.start_s, 3, 7) + " s");
    ImGui::PushID(static_cast<int>(i));
    DrawTableRow(column, {.row = 20, .rights = {column->width}},
                 {.name = name,
                  .values = {PushFigures(*scene.session.mj(), push)},
                  .font = ui.fonts.small,
                  .indent = ui.px(78)});
    ImGui::PopID();
  }
  if (scene.pushes.empty()) {
    TextMiddle(ui, ui.fonts.small, column->x, column->y + ui.px(10), ui.theme.muted, "None yet");
    column->Skip(20);
  }
}

// Without undo; no command is sent until the push is made.
void DrawPushSliders(WindowState* state, Column* column) {
  using enum SliderScale;
  PushForm& form = state->scene->push;
  const auto slider = [&](const char* id, const SliderSpec& spec, double* value) {
    GainSlider(column, id, spec, &state->slider, value);
  };
  if (PushesWhole(*state->scene)) {
    slider("impulse",
           {"J", "Impulse", "N·s", 0.5, 200, form.usual_impulse, kLogarithmic, 1, {}, 1e4},
           &form.impulse);
  } else {
    slider("force", {"F", "Force", "N", 1, 500, form.usual_force, kLogarithmic, 0, {}, 1e5},
           &form.force);
  }
  slider("duration", {"Δt", "Duration", "ms", 10, 1000, 100, kLogarithmic, 0, {}, 1e5},
         &form.duration_ms);
  slider("azimuth", {"ψ", "Direction, from x to y", "°", -180, 180, 90, kSigned, 0},
         &form.azimuth_deg);
  slider("elevation", {"θ", "Upwards", "°", -90, 90, 0, kSigned, 0}, &form.elevation_deg);
}

// Shows the impulse of a push given by force, or the peak force of one given by impulse (half
// sine).
void DrawConsequence(const WindowState& state, Column* column) {
  const Ui& ui = state.ui;
  const PushForm& form = state.scene->push;
  const bool whole = PushesWhole(*state.scene);
  const std::string_view name = whole ? "Peak force" : "Impulse", unit = whole ? "N" : "N·s";
  const double duration_s = form.duration_ms / 1000;
  const std::string value = whole ? Fixed(0.5 * std::numbers::pi * form.impulse / duration_s, 0)
                                  : Fixed(form.force * duration_s, 2);
  column->Skip(16);
  TextMiddle(ui, ui.fonts.body, column->x, column->y, ui.theme.muted, name);
  const float unit_width = TextWidth(ui.fonts.small, unit) + ui.px(6);
  TextMiddle(ui, ui.fonts.body, column->x + column->width - unit_width, column->y, ui.theme.text,
             value, Align::kRight);
  TextMiddle(ui, ui.fonts.small, column->x + column->width, column->y, ui.theme.muted, unit,
             Align::kRight);
  column->Skip(22);
}

void DrawPushForm(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  PushForm& form = scene.push;
  Combo(ui, "body", scene.push_targets.names, &form.body_choice, column->Box(32), "Body");
  column->Skip(46);
  DrawPushSliders(state, column);
  DrawConsequence(*state, column);
  const bool has_changed = Choose(column, "repeat", kRepeats, &form.repeat, 30);
  if (has_changed && form.repeat == PushRepeat::kOnce) StopPushes(state);
  if (form.is_repeating) {
    if (Button(ui, "push now", "Stop pushing", column->Box(34))) StopPushes(state);
  } else if (Button(ui, "push now", "Push now", column->Box(34), ButtonKind::kPrimary)) {
    PushNow(state);
  }
  column->Skip(50);
}

}  // namespace

void DrawPushPanel(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  const float top = column->y;
  const bool is_replay = state->scene->session.is_replay();
  if (is_replay) BeginGreyed();
  DrawPushForm(state, column);
  if (is_replay) EndGreyed(ui, {column->x, top, column->width, column->y - top});
  column->Rule(0, 18);
  SectionLabel(ui, column->x, column->y, "In this run");
  column->Skip(12);
  DrawPushList(state, column);
}

}  // namespace civita
