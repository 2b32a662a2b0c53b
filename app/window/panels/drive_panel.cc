#include <cmath>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

// The user's command while driving, otherwise the reference's.
DriveCommand Shown(const ActiveScene& scene) {
  if (scene.drive) return *scene.drive;
  const BodyCommand& body = scene.snapshot->body;
  return body.walk ? DriveCommand{body.velocity, body.yaw_rate} : DriveCommand{};
}

void DrawDriveSliders(WindowState* state, Column* column) {
  const bool driving = state->scene->drive.has_value();
  DriveCommand wanted = Shown(*state->scene);
  bool changed = false;
  const auto slider = [&](const char* id, const char* symbol, const char* name, const char* unit,
                          double most, double* value) {
    const SliderSpec spec{symbol, name, unit, -most, most, 0, SliderScale::kSigned};
    changed |= GainSlider(column, id, spec, &state->slider, value, driving).changed;
  };
  slider("forward", "v_x", "Forward", "m/s", kMaxDriveSpeed, &wanted.velocity[0]);
  slider("left", "v_y", "To the left", "m/s", kMaxDriveSpeed, &wanted.velocity[1]);
  slider("turn", "ω_z", "Turning left", "rad/s", kMaxDriveYawRate, &wanted.yaw_rate);
  if (changed) SetDrive(state, wanted);
}

// The command that the robot gets now, which follows the user's with limited acceleration.
void DrawTold(const WindowState& state, Column* column) {
  const Ui& ui = state.ui;
  const BodyCommand& body = state.scene->snapshot->body;
  SectionLabel(ui, column->x, column->y, "Told now");
  column->Skip(14);
  const auto row = [&](std::string_view name, double value, std::string_view unit) {
    const std::string text = body.walk ? Fixed(value, 2, 0, Sign::kAlways) : "stand";
    FactRow(ui, column->Box(20), name, text, body.walk ? unit : "");
    column->Skip(20);
  };
  row("Forward", body.velocity[0], "m/s");
  row("To the left", body.velocity[1], "m/s");
  row("Turning left", body.yaw_rate, "rad/s");
}

}  // namespace

void DrawDrivePanel(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  DrawDriveSliders(state, column);
  column->Skip(6);
  const Rect row = column->Box(34);
  if (!state->scene->drive) {
    const bool takes_input = !state->scene->session.is_replay();
    if (Button(ui, "drive", "Drive", row, ButtonKind::kPrimary, {}, takes_input)) {
      ToggleDrive(state);
    }
  } else {
    const float half = std::floor(0.5f * (row.w - ui.px(8)));
    if (Button(ui, "stop", "Stop", {row.x, row.y, half, row.h}, ButtonKind::kPrimary)) {
      SetDrive(state, DriveCommand{});
    }
    if (Button(ui, "release", "Let go", {row.right() - half, row.y, half, row.h})) {
      ToggleDrive(state);
    }
  }
  column->Skip(42);
  if (Button(ui, "survive", "Push it until it falls …", column->Box(32), ButtonKind::kPlain,
             Icon::kPush)) {
    OpenSurvive(state);
  }
  column->Skip(46);
  column->Rule(0, 18);
  DrawTold(*state, column);
  column->Skip(14);
  column->Text(KeyText(ToggleDrive) +
                   " drives and lets go. Arrow keys go forward, back and turn, with shift "
                   "sideways; end steps in place, space pauses.",
               0);
}

}  // namespace civita
