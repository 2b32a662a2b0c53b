// The runs that were kept, beside A and B: the table below that of a comparison.
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "app/window/actions/actions.h"
#include "app/window/actions/forecasts.h"
#include "app/window/actions/ghosts.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

constexpr float kKeptRow = 24, kKeptColumn = 66;  // logical pixels

// A name and three numbers; false when the button at its end, of a ghost, was pressed.
bool KeptRow(const Ui& ui, Column* column, std::string_view name, std::optional<Rgb> color,
             const std::array<std::string, 3>& values, bool is_ghost) {
  const Rect r = column->Box(kKeptRow);
  float right = r.right() - ui.px(24), x = r.x;
  if (is_ghost) {
    const Rect close{r.right() - ui.px(20), r.y + ui.px(2), ui.px(20), ui.px(20)};
    if (IconButton(ui, "remove", Icon::kClose, close, "Remove it from the plots")) return false;
  }
  if (color) {
    FillRect(ui, {x, r.middle_y() - ui.px(1), ui.px(10), ui.px(3)}, *color, ui.px(1.5f));
    x += ui.px(16);
  }
  for (std::size_t i = values.size(); i-- > 0; right -= ui.px(kKeptColumn)) {
    TextMiddle(ui, color ? ui.fonts.body : ui.fonts.small, right, r.middle_y(),
               color ? ui.theme.text : ui.theme.muted, values[i], Align::kRight);
  }
  const Font font = color ? ui.fonts.body : ui.fonts.small;
  const float limit = right + ui.px(kKeptColumn - 52);
  NameClipped(ui, font, x, r.middle_y(), limit, color ? ui.theme.text : ui.theme.muted, name);
  if (x + TextWidth(font, name) > limit) {
    DelayedTooltip(ui, HitBox(std::string(name).c_str(), {x, r.y, limit - x, r.h}), name);
  }
  column->Skip(kKeptRow);
  return true;
}

std::array<std::string, 3> ValuesOf(const SpanFigures::Run& run) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  const auto shown = [](double x) { return std::isfinite(x) ? Short(x, 3) : std::string("–"); };
  return {shown(run.error.rms), shown(kDegrees * run.turning), shown(run.decay_rate)};
}

}  // namespace

void DrawKeptRuns(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  const Figures& figures = scene.snapshot->figures;
  double from = figures.since_t, to = EndOfFigures(*scene.snapshot);
  if (const auto& span = state->selected_span) from = span->from, to = span->to;
  if (Button(ui, "keep", "Keep A in the plots", column->Box(32), ButtonKind::kPlain, Icon::kCopy)) {
    KeepShownRun(state);
  }
  column->Skip(42);
  if (state->ghosts.empty()) return;
  SectionLabel(ui, column->x, column->y + ui.px(8),
               "Kept runs, " + Fixed(from, 2) + " to " + Fixed(to, 2) + " s");
  column->Skip(24);
  const auto* error = scene.session.signals().Find("/e");
  const std::string unit = error == nullptr ? "" : error->info.unit;
  KeptRow(ui, column, unit, std::nullopt, {"error, RMS", "turning, °", "−d ln V/dt"}, false);
  UpdateKeptFigures(scene.traces, state->ghosts, from, to, state->now, &state->kept_figures);
  const KeptFigures& kept = state->kept_figures;
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const auto run = static_cast<std::size_t>(slot);
    KeptRow(ui, column, (slot == Slot::kA ? "A  " : "B  ") + RunName(scene, slot),
            ui.theme.series[run], ValuesOf(kept.own.runs[run]), false);
  }
  for (std::size_t i = 0; i < state->ghosts.size(); ++i) {
    const GhostRun& ghost = state->ghosts[i];
    ImGui::PushID(static_cast<int>(i));
    const bool stays =
        KeptRow(ui, column, ghost.name, GhostColor(ui.theme, i), ValuesOf(kept.ghosts[i]), true);
    ImGui::PopID();
    if (!stays) return RemoveGhost(state, i);
  }
}

}  // namespace civita
