// The runs that were kept, beside A and B: the table below that of a comparison.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/actions/forecasts.h"
#include "app/window/actions/ghosts.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/table.h"

namespace civita {
namespace {

// A row of a run in this colour.
void DrawKept(const Ui& ui, Column* column, const TableColumns& columns, Rgb color,
              std::string_view name, std::vector<std::string> values) {
  const Rect r = column->Box(columns.row);
  FillRect(ui, {r.x, r.middle_y() - ui.px(1), ui.px(10), ui.px(3)}, color, ui.px(1.5f));
  DrawTableRow(
      column, columns,
      {.name = name, .values = std::move(values), .name_font = ui.fonts.body, .indent = ui.px(16)});
}

std::vector<std::string> ValuesOf(const SpanFigures::Run& run) {
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
  const TableColumns columns = EvenColumns(ui, 3, 66, column->width - ui.px(24), 14);
  DrawTableRow(
      column, columns,
      {.name = unit, .values = {"error, RMS", "turning, °", "−d ln V/dt"}, .is_head = true});
  UpdateKeptFigures(scene.traces, state->ghosts, from, to, state->now, &state->kept_figures);
  const KeptFigures& kept = state->kept_figures;
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const auto run = static_cast<std::size_t>(slot);
    DrawKept(ui, column, columns, ui.theme.series[run],
             (slot == Slot::kA ? "A  " : "B  ") + RunName(scene, slot),
             ValuesOf(kept.own.runs[run]));
  }
  for (std::size_t i = 0; i < state->ghosts.size(); ++i) {
    const Rect r = column->Box(columns.row);
    ImGui::PushID(static_cast<int>(i));
    const Rect close{r.right() - ui.px(20), r.y + ui.px(2), ui.px(20), ui.px(20)};
    const bool goes = IconButton(ui, "remove", Icon::kClose, close, "Remove it from the plots");
    DrawKept(ui, column, columns, GhostColor(ui.theme, i), state->ghosts[i].name,
             ValuesOf(kept.ghosts[i]));
    ImGui::PopID();
    if (goes) return RemoveGhost(state, i);
  }
}

}  // namespace civita
