#include <cmath>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

// The user's command while driving, otherwise the reference's.
DriveCommand Shown(const ActiveScene& scene) {
  if (scene.drive) return *scene.drive;
  const BodyCommand& body = scene.snapshot->body;
  return body.walk ? DriveCommand{body.velocity, body.yaw_rate} : DriveCommand{};
}

SliderSpec SpeedSpec(const char* symbol, const char* name) {
  return {.symbol = symbol,
          .name = name,
          .unit = "m/s",
          .min = -kMaxDriveSpeed,
          .max = kMaxDriveSpeed,
          .is_signed = true};
}

void DrawDriveSliders(WindowState* state, float x, float* y, float width) {
  const Ui& ui = state->ui;
  const bool driving = state->scene->drive.has_value();
  DriveCommand wanted = Shown(*state->scene);
  bool changed = false;
  const auto slider = [&](const char* id, const SliderSpec& spec, double* value) {
    changed |= GainSlider(ui, id, spec, &state->slider, x, *y, width, value, driving).changed;
    *y += ui.px(kSliderRow);
  };
  slider("forward", SpeedSpec("v_x", "Forward"), &wanted.velocity[0]);
  slider("left", SpeedSpec("v_y", "To the left"), &wanted.velocity[1]);
  const SliderSpec yaw{.symbol = "ω_z",
                       .name = "Turning left",
                       .unit = "rad/s",
                       .min = -kMaxDriveYawRate,
                       .max = kMaxDriveYawRate,
                       .is_signed = true};
  slider("turn", yaw, &wanted.yaw_rate);
  if (changed) SetDrive(state, wanted);
}

// The command that the robot gets now, which follows the user's with limited acceleration.
void DrawTold(const WindowState& state, float x, float* y, float width) {
  const Ui& ui = state.ui;
  const BodyCommand& body = state.scene->snapshot->body;
  SectionLabel(ui, x, *y, "Told now");
  *y += ui.px(14);
  const auto row = [&](std::string_view name, double value, std::string_view unit) {
    const std::string text = body.walk ? Fixed(value, 2, 0, Sign::kAlways) : "stand";
    FactRow(ui, {x, *y, width, ui.px(20)}, name, text, body.walk ? unit : "");
    *y += ui.px(20);
  };
  row("Forward", body.velocity[0], "m/s");
  row("To the left", body.velocity[1], "m/s");
  row("Turning left", body.yaw_rate, "rad/s");
}

}  // namespace

float DrawDrivePanel(WindowState* state, float x, float y, float width) {
  const Ui& ui = state->ui;
  const float top = y;
  DrawDriveSliders(state, x, &y, width);
  y += ui.px(6);
  const Rect row{x, y, width, ui.px(34)};
  if (!state->scene->drive) {
    const bool takes_input = !state->scene->session.is_replay();
    if (Button(ui, "drive", "Drive", row, ButtonKind::kPrimary, {}, takes_input)) {
      ToggleDrive(state);
    }
  } else {
    const float half = std::floor(0.5f * (width - ui.px(8)));
    if (Button(ui, "stop", "Stop", {x, y, half, row.h}, ButtonKind::kPrimary)) {
      SetDrive(state, DriveCommand{});
    }
    if (Button(ui, "release", "Let go", {row.right() - half, y, half, row.h})) ToggleDrive(state);
  }
  y += ui.px(50);
  DrawRule(ui, ImGui::GetWindowDrawList(), x, x + width, y);
  y += ui.px(18);
  DrawTold(*state, x, &y, width);
  y += ui.px(14);
  y += TextWrapped(ImGui::GetWindowDrawList(), ui.fonts.small, x, y, width, ToImU32(ui.theme.muted),
                   KeyText(ToggleDrive) +
                       " drives and lets go. Arrow keys go forward, back and turn, with shift "
                       "sideways; end steps in place, space pauses.");
  return y - top;
}

}  // namespace civita
