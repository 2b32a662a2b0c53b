// The Times tab: how long control steps and their parts take.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/table.h"

namespace civita {
namespace {

constexpr float kHistogram = 150;  // logical px
constexpr int kBars = 48;

// The axis of durations, logarithmic.
struct TimeScale {
  Rect area;
  double lo, hi;  // exponents of µs

  float X(double us) const {
    return static_cast<float>(area.x + area.w * (std::log10(us) - lo) / (hi - lo));
  }
  double EdgeOf(int bar) const { return std::pow(10.0, lo + (hi - lo) * bar / kBars); }
};

TimeScale ScaleFor(const PartTimes& times, std::size_t part, double period_us, const Rect& area) {
  double least = period_us, most = period_us;
  for (int run = 0; run < times.num_runs(); ++run) {
    const TimeHistogram* found = times.Find(static_cast<Slot>(run), part);
    if (found == nullptr || found->count() == 0) continue;
    least = std::min(least, found->Percentile(0));
    most = std::max(most, found->max());
  }
  const double lo = std::floor(std::log10(std::max(least, 1e-2)) * 2) / 2;
  return {area, lo, std::max(lo + 0.5, std::log10(most) + 0.1)};
}

// Bars of A, an outline of B: counts on a logarithmic axis, on which single late steps show.
void DrawBars(const Ui& ui, const TimeScale& scale, const TimeHistogram& times, Slot slot,
              std::int64_t most) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rgb color = ui.theme.series[static_cast<std::size_t>(slot)];
  const float top = 0.94f * scale.area.h;
  float last = scale.area.bottom();
  for (int bar = 0; bar < kBars; ++bar) {
    const double from = scale.EdgeOf(bar), to = scale.EdgeOf(bar + 1);
    const std::int64_t count = times.CountIn(from, to);
    const double share = std::log1p(static_cast<double>(count)) /
                         std::log1p(static_cast<double>(std::max<std::int64_t>(1, most)));
    const float x = std::floor(scale.X(from)), right = std::floor(scale.X(to));
    const float y = std::floor(scale.area.bottom() - top * static_cast<float>(share));
    if (slot == Slot::kA) {
      FillRect(ui, {x, y, right - x - ui.hairline(), scale.area.bottom() - y}, {color, 0.55f});
    } else {
      const ImU32 line = ToImU32(color);
      draw->AddLine(ImVec2(x, last), ImVec2(x, y), line, ui.px(1.5f));
      draw->AddLine(ImVec2(x, y), ImVec2(right, y), line, ui.px(1.5f));
    }
    last = y;
  }
}

void DrawAxis(const Ui& ui, const TimeScale& scale, double period_us) {
  const Rect& area = scale.area;
  FillRect(ui, {area.x, area.bottom(), area.w, ui.hairline()}, ui.theme.axis);
  const float y = area.bottom() + ui.px(10), unit = TextWidth(ui.fonts.tiny, "µs") + ui.px(6);
  float last = -1e9f;
  for (int e = static_cast<int>(std::floor(scale.lo)); e <= static_cast<int>(scale.hi); ++e) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double us = digit * std::pow(10.0, e);
      const float x = std::floor(scale.X(us));
      if (x < area.x || x > area.right() - unit || x - last < ui.px(40)) continue;
      FillRect(ui, {x, area.y, ui.hairline(), area.h}, ui.theme.grid);
      TextMiddle(ui, ui.fonts.tiny, x, y, ui.theme.muted, Short(us), Align::kCenter);
      last = x;
    }
  }
  TextMiddle(ui, ui.fonts.tiny, area.right(), y, ui.theme.muted, "µs", Align::kRight);
  const float x = std::floor(scale.X(period_us));
  for (float dash = area.y; dash < area.bottom(); dash += ui.px(5)) {
    FillRect(ui, {x, dash, ui.px(1), std::min(area.bottom() - dash, ui.px(3))}, ui.theme.warn);
  }
  TextMiddle(ui, ui.fonts.tiny, x - ui.px(4), area.y + ui.px(6), ui.theme.warn, "period",
             Align::kRight);
}

void DrawHistogram(WindowState* state, Column* column, std::size_t part, double period_us) {
  const Ui& ui = state->ui;
  const PartTimes& times = state->times;
  const Rect box = column->Box(kHistogram);
  const TimeScale scale =
      ScaleFor(times, part, period_us, {box.x, box.y, box.w, box.h - ui.px(20)});
  DrawAxis(ui, scale, period_us);
  std::int64_t most = 0;
  for (int run = 0; run < times.num_runs(); ++run) {
    const TimeHistogram* found = times.Find(static_cast<Slot>(run), part);
    for (int bar = 0; found != nullptr && bar < kBars; ++bar) {
      most = std::max(most, found->CountIn(scale.EdgeOf(bar), scale.EdgeOf(bar + 1)));
    }
  }
  for (int run = 0; run < times.num_runs(); ++run) {
    const auto slot = static_cast<Slot>(run);
    const TimeHistogram* found = times.Find(slot, part);
    if (found != nullptr) DrawBars(ui, scale, *found, slot, most);
  }
  const Hit hit = HitBox("histogram", scale.area);
  if (hit.hovered && most > 0) {
    const double share =
        static_cast<double>((ImGui::GetIO().MousePos.x - scale.area.x) / scale.area.w);
    const int bar = std::clamp(static_cast<int>(share * kBars), 0, kBars - 1);
    std::string text = Short(scale.EdgeOf(bar)) + " to " + Short(scale.EdgeOf(bar + 1)) + " µs";
    for (int run = 0; run < times.num_runs(); ++run) {
      const TimeHistogram* found = times.Find(static_cast<Slot>(run), part);
      if (found == nullptr) continue;
      const auto count = found->CountIn(scale.EdgeOf(bar), scale.EdgeOf(bar + 1));
      text += std::string("\n") +
              (times.num_runs() == 1 ? ""
               : run == 0            ? "A: "
                                     : "B: ") +
              std::to_string(count) + (count == 1 ? " step" : " steps");
    }
    Tooltip(ui, text);
  }
  column->Skip(kHistogram + 8);
}

std::string ShownTime(double us) {
  if (std::isnan(us)) return "–";
  return Fixed(us, us < 10 ? 2 : us < 100 ? 1 : 0);
}

// A row of the table, of one part and run; a click chooses the part.
void DrawPart(WindowState* state, Column* column, const TableColumns& columns, std::size_t part,
              Slot slot) {
  const Ui& ui = state->ui;
  const TimeHistogram* times = state->times.Find(slot, part);
  if (times == nullptr) return;
  const Rect r = column->Box(columns.row);
  const bool is_first = slot == Slot::kA, is_two = state->times.num_runs() > 1;
  const bool is_on = state->timed_part == part;
  ImGui::PushID(static_cast<int>(part) * 2 + static_cast<int>(slot));
  const Hit hit =
      DrawTableRow(column, columns,
                   {.name = kTimedParts[part].name,
                    .values = {ShownTime(times->Percentile(0.5)),
                               ShownTime(times->Percentile(0.99)), ShownTime(times->max())},
                    .tip = std::string(kTimedParts[part].doc),
                    .name_font = is_two  ? ui.fonts.small
                                 : is_on ? ui.fonts.strong
                                         : ui.fonts.body,
                    .indent = is_two ? ui.px(30) : 0,
                    .id = "part",
                    .is_choice = true,
                    .is_on = is_on});
  ImGui::PopID();
  if (hit.clicked) state->timed_part = part;
  if (!is_two) return;
  // As the runs' chips; the colour of a curve would not read as a letter on every ground.
  DrawSwatch(ui, is_first ? Swatch::kDot : Swatch::kRing, r.x + ui.px(6), r.middle_y(),
             ui.theme.series[static_cast<std::size_t>(slot)]);
  TextMiddle(ui, ui.fonts.strong, r.x + ui.px(15), r.middle_y(), ui.theme.text,
             is_first ? "A" : "B");
}

// Of the run's control steps.
void DrawTimesOfSteps(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  const ActiveScene& scene = *state->scene;
  const double period_us = 1e6 * scene.session.control_dt();
  std::optional<std::pair<double, double>> span;
  if (state->selected_span) span = {state->selected_span->from, state->selected_span->to};
  state->times.Update(scene.traces, span);
  const PartTimes& times = state->times;
  if (times.Find(Slot::kA, state->timed_part) == nullptr) state->timed_part = 0;
  const TimeHistogram* control = times.Find(Slot::kA, 0);
  if (control == nullptr || control->count() == 0) {
    column->Text("No control step has been timed yet", 8);
    return;
  }
  column->Title(kTimedParts[state->timed_part].name, 28);
  DrawHistogram(state, column, state->timed_part, period_us);
  const TableColumns columns = EvenColumns(ui, 3, 52, column->width, 0);
  const std::string title = "µs, " + Fixed(times.from(), 2) + "–" + Fixed(times.to(), 2) + " s";
  DrawTableRow(column, columns, {.name = title, .values = {"p50", "p99", "max"}, .is_head = true});
  for (std::size_t part = 0; part < kTimedParts.size(); ++part) {
    for (int run = 0; run < times.num_runs(); ++run) {
      DrawPart(state, column, columns, part, static_cast<Slot>(run));
    }
  }
  column->Skip(10);
  column->Text(Grouped(control->count()) +
                   " steps; the status bar's are those of the last second. "
                   "The control period is " +
                   Short(period_us) + " µs.",
               6);
}

}  // namespace

void DrawTimesPanel(WindowState* state, Column* column) {
  DrawTimesOfSteps(state, column);
  // Of the algorithms alone, without a run.
  if (Button(state->ui, "bench", "Bench H, C, Γ of this robot", column->Box(32), ButtonKind::kPlain,
             Icon::kJobs)) {
    BenchShown(state);
  }
  column->Skip(40);
}

}  // namespace civita
