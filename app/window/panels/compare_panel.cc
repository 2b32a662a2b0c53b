#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/actions/forecasts.h"
#include "app/window/actions/ghosts.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/units.h"
#include "app/window/widgets/table.h"
#include "civita/factorization_text.h"
#include "civita/sim/metrics.h"
#include "civita/study/compare/comparison.h"

namespace civita {
namespace {

constexpr float kRunHeight = 22;  // logical pixels
constexpr float kWidest = 0.26f;  // of the table: a column

// A table that grows downwards.
struct CompareTable : Column {
  TableColumns columns;

  float right_of(Slot slot) const { return x + columns.rights[static_cast<std::size_t>(slot)]; }
  float middle() const { return y + 0.5f * ui.px(kRunHeight); }
  void Small(std::string_view text) {
    TextClipped(ui, ui.fonts.small, x, middle(), x + width, ui.theme.muted, text);
    Skip(kRunHeight);
  }
};

// Two values with as many decimals, so that they stand below and beside each other: four digits of
// the larger one, and two beside a power of ten, which would meet the other column.
std::vector<std::string> ShownValues(double a, double b) {
  constexpr double kTiny = 1e-3, kHuge = 1e5;
  const double largest = std::fmax(std::fabs(a), std::fabs(b));
  if (std::isnan(largest) || largest < kTiny || largest >= kHuge ||
      (a == std::round(a) && b == std::round(b))) {
    const auto one = [&](double value) {
      const double size = std::fabs(value);
      const bool is_out = (size > 0 && size < kTiny) || size >= kHuge;
      return is_out ? Scientific(value, 1) : Tabular(value);
    };
    return {one(a), one(b)};
  }
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 0, 4);
  const double least = std::min(kTiny, std::pow(10.0, -decimals));
  const auto one = [&](double value) {
    if (std::isnan(value) || value == 0) return Tabular(value);
    return std::fabs(value) < least ? Scientific(value, 1) : Fixed(value, decimals);
  };
  return {one(a), one(b)};
}

struct Compared {
  MetricInfo info;
  double a, b;
};

// What is apart is bold; a time never is, which the machine's other work makes differ.
TableRow RowOf(const Ui& ui, const Compared& row) {
  const bool is_apart =
      row.info.kind != MetricKind::kMachine && RelativeDifference(row.info, row.a, row.b) > kApart;
  return {.name = row.info.label,
          .unit = row.info.unit,
          .values = ShownValues(row.a, row.b),
          .font = is_apart ? ui.fonts.strong : ui.fonts.body};
}

TableRow TextsOf(const char* name, std::string a, std::string b) {
  std::string tip = "A: " + a + "\nB: " + b;
  return {
      .name = name, .values = {std::move(a), std::move(b)}, .tip = std::move(tip), .is_text = true};
}

std::string StatusOf(const Snapshot& snapshot, Slot slot) {
  const bool is_a = slot == Slot::kA;
  const Failure& failure = is_a ? snapshot.failure : snapshot.other.failure;
  const Fall& fall = is_a ? snapshot.fall : snapshot.other.fall;
  if (failure.failed) return "failed " + Fixed(failure.t, 2) + " s";
  return fall.fallen ? "fell " + Fixed(fall.t, 2) + " s" : "whole";
}

void Head(CompareTable* table, const Snapshot& snapshot) {
  const Ui& ui = table->ui;
  const double since = snapshot.figures.since_t;
  const bool thrown = snapshot.figures.since_throw;
  const double until = snapshot.figures.until_t;
  std::string what = thrown      ? "Since the throw at " + Fixed(since, 2) + " s"
                     : since > 0 ? "In step, from " + Fixed(since, 2) + " s on"
                                 : "Same start, in step";
  if (!std::isnan(until)) {
    const bool is_push = until < since + kThrowShown_s;
    what = "Throw at " + Fixed(since, 2) + (is_push ? " to push at " : " to ") + Fixed(until, 2) +
           " s";
  }
  // Beside the letters of the columns, or on a line of its own.
  const float room = table->right_of(Slot::kA) - ui.px(34) - table->x;
  TextClipped(ui, ui.fonts.small, table->x, table->middle(), table->x + table->width,
              ui.theme.muted, what);
  if (TextWidth(ui.fonts.small, what) > room) table->Skip(kRunHeight);
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const bool is_a = slot == Slot::kA;
    const float right = table->right_of(slot);
    const float letter = TextWidth(ui.fonts.strong, is_a ? "A" : "B");
    TextMiddle(ui, ui.fonts.strong, right, table->middle(), ui.theme.text, is_a ? "A" : "B",
               Align::kRight);
    DrawSwatch(ui, is_a ? Swatch::kDot : Swatch::kRing, right - letter - ui.px(12), table->middle(),
               ui.theme.series[is_a ? 0 : 1]);
  }
  table->Skip(kRunHeight);
  table->Rule(6, 6);
}

// Turning has one unit in the window, that of its plot.
Compared InShownUnit(Compared row) {
  if (row.info.kind != MetricKind::kTurning) return row;
  row.info.unit = "°";
  const double least = 1e-4 * std::fmax(row.a, row.b);  // what does not show beside the other is 0
  for (double* value : {&row.a, &row.b}) *value = *value < least ? 0 : kDegrees * *value;
  row.info.floor *= kDegrees;
  return row;
}

// In its group, or behind the line of those that tell nothing of the motion: rows alike, exactness
// and the machine's times.
bool IsFolded(const Compared& row) {
  if (Leads(row.info)) return false;
  const double difference = RelativeDifference(row.info, row.a, row.b);
  return !IsOfMotion(row.info.kind) ||
         (std::isnan(row.a) == std::isnan(row.b) && !(difference > kAlike));
}

// The metrics of both runs; NaN of one that failed or fell.
std::vector<Compared> ReadRows(const ActiveScene& scene) {
  const Snapshot& snapshot = *scene.snapshot;
  const std::vector<MetricInfo>& a = scene.session.metrics(Slot::kA);
  const std::vector<MetricInfo>& b = scene.session.metrics(Slot::kB);
  const bool whole_a = IsWhole(snapshot, Slot::kA), whole_b = IsWhole(snapshot, Slot::kB);
  std::vector<Compared> rows;
  for (MetricInfo info : MergeMetrics(a, b)) {
    const double value_a = whole_a ? ValueOf(info, a, snapshot.figures) : kNaN;
    const double value_b = whole_b ? ValueOf(info, b, snapshot.other.figures) : kNaN;
    if (info.mark_s && std::isnan(value_a) && std::isnan(value_b)) continue;  // not reached
    if (info.mark_s && snapshot.figures.since_throw) {
      info.label = "V " + FormatValue(*info.mark_s) + " s after the throw";
    }
    rows.push_back(InShownUnit({info, value_a, value_b}));
  }
  return rows;
}

// The gains in which two runs of one law differ.
std::vector<Compared> DifferentGains(const ActiveScene& scene) {
  std::vector<Compared> rows;
  const LawInfo& law = scene.law(Slot::kA);
  if (law.type != scene.law(Slot::kB).type) return rows;
  const auto& gains_a = scene.slots.front().tuning.current().gains;
  const auto& gains_b = scene.slots.back().tuning.current().gains;
  for (std::size_t i = 0; i < gains_a.size(); ++i) {
    if (SameGain(gains_a[i], gains_b[i])) continue;
    const MetricInfo gain{
        .key = "",
        .label = std::string(law.parameters[i].symbol),
        .unit = GainUnit(scene.slots.front().units[i], scene.session.scene().control_model),
        .doc = ""};
    rows.push_back({gain, LargestEntry(gains_a[i]), LargestEntry(gains_b[i])});
  }
  return rows;
}

// The settings in which the two runs differ.
std::vector<TableRow> Differences(const Ui& ui, const ActiveScene& scene,
                                  const std::vector<Compared>& gains) {
  const LawInfo &a = scene.law(Slot::kA), &b = scene.law(Slot::kB);
  if (a.type != b.type) return {TextsOf("law", std::string(a.type), std::string(b.type))};
  std::vector<TableRow> rows;
  const std::string C_a = ToString(scene.slots.front().tuning.current().factorization);
  const std::string C_b = ToString(scene.slots.back().tuning.current().factorization);
  if (C_a != C_b && a.uses_factorization) rows.push_back(TextsOf("C", C_a, C_b));
  for (const Compared& gain : gains) rows.push_back(RowOf(ui, gain));
  return rows;
}

// Below how far s has turned: what else than torsion turns it.
void TellTurning(CompareTable* table, const ActiveScene& scene, double turning) {
  constexpr double kTurns = 0.01;  // rad
  const Figures& figures = scene.snapshot->figures;
  const std::string causes =
      TellCausesOfTurning(scene, figures.since_t, EndOfFigures(*scene.snapshot));
  if (!(turning > kTurns) || causes.empty()) return;
  Column indented{table->ui, table->x + table->ui.px(12), table->y, table->width};
  indented.width -= table->ui.px(12);
  indented.Text(causes, 4);
  table->y = indented.y;
}

// Below the tracking error that is measured: the one that is predicted without a run. Why there is
// none is in its tooltip.
void DrawPredicted(CompareTable* table, const WindowState& state) {
  const Ui& ui = table->ui;
  const auto& [a, b] = PredictedErrors(state);
  const Forecast& forecast = state.forecast.result();
  const std::string& why_not =
      forecast[0].why_not.empty() ? forecast[1].why_not : forecast[0].why_not;
  DrawTableRow(table, table->columns,
               {.name = "predicted",
                .values = ShownValues(a, b),
                .tip = why_not.empty() ? "The same, predicted along the reference from the start "
                                         "of these figures on, without a run: see civita advise"
                                       : "No prediction: " + why_not,
                .indent = ui.px(12),
                .is_muted = true});
}

void DrawRow(CompareTable* table, const WindowState& state, const Compared& row) {
  const MetricInfo& info = row.info;
  const Term* term = FindTermOfMetric(info.key);
  TableRow shown = RowOf(table->ui, row);
  shown.tip = info.label + ": " + (term ? Explain(term->name) : ShownText(info.doc));
  DrawTableRow(table, table->columns, shown);
  const ActiveScene& scene = *state.scene;
  if (info.key == "error_rms" && !scene.session.is_replay()) DrawPredicted(table, state);
  if (info.key == "twist_rad") TellTurning(table, scene, std::fmax(row.a, row.b) / kDegrees);
}

void GroupTitle(CompareTable* table, std::string_view title) {
  table->Skip(6);
  table->Small(title);
}

// The rows of a group; nothing without any.
void DrawGroup(CompareTable* table, const WindowState& state, const std::vector<Compared>& rows,
               MetricKind kind) {
  bool has_title = false;
  for (const Compared& row : rows) {
    if (row.info.kind != kind || IsFolded(row)) continue;
    if (!std::exchange(has_title, true)) GroupTitle(table, HeadingOf(kind));
    DrawRow(table, state, row);
  }
}

// The rows that do not differ, of exactness and of the machine, behind a line that opens them.
void DrawAlike(CompareTable* table, WindowState* state, const std::vector<Compared>& rows) {
  const auto count = std::ranges::count_if(rows, IsFolded);
  if (count == 0) return;
  table->Skip(6);
  const std::string text = std::to_string(count) + (count == 1 ? " row" : " rows") +
                           " more: alike, exactness of V, times";
  if (!table->Fold("alike", text, &state->shows_alike)) return;
  for (const Compared& row : rows) {
    if (IsFolded(row)) DrawRow(table, *state, row);
  }
}

// The figures of the selected stretch of time, in place of those of the run.
std::vector<Compared> ReadSpan(WindowState* state) {
  ActiveScene& scene = *state->scene;
  UpdateSpanFigures(scene.traces, state->selected_span->from, state->selected_span->to,
                    &scene.span);
  const auto& [a, b] = scene.span.runs;
  const auto unit = [&](const char* signal) {
    const auto* found = scene.session.signals().Find(signal);
    return found == nullptr ? std::string() : found->info.unit;
  };
  std::vector<Compared> rows;
  const auto add = [&](const char* label, const std::string& of, double value_a, double value_b) {
    rows.push_back({{.key = "", .label = label, .unit = of, .doc = ""}, value_a, value_b});
  };
  const auto norm = [&](const std::string& name, const char* signal, const LineFigures& of_a,
                        const LineFigures& of_b) {
    add((name + ", RMS").c_str(), unit(signal), of_a.rms, of_b.rms);
    add((name + ", peak").c_str(), unit(signal), of_a.peak, of_b.peak);
    add((name + ", mean").c_str(), unit(signal), of_a.mean, of_b.mean);
  };
  norm("tracking error", "/e", a.error, b.error);
  norm("s", "/s", a.s, b.s);
  norm("torque", "/tau", a.torque, b.torque);
  add("turning", "°", kDegrees * a.turning, kDegrees * b.turning);
  add("decay rate of V", "1/s", a.decay_rate, b.decay_rate);
  return rows;
}

void DrawSpan(WindowState* state, const std::vector<Compared>& rows, CompareTable* table) {
  const Ui& ui = table->ui;
  const auto& span = *state->selected_span;
  GroupTitle(table, "Selected: " + Fixed(span.from, 3) + " to " + Fixed(span.to, 3) + " s");
  const Rect close{table->x + table->width - ui.px(22), table->y - ui.px(kRunHeight), ui.px(22),
                   ui.px(22)};
  if (IconButton(ui, "whole run", Icon::kClose, close, "Back to the whole run")) {
    state->selected_span.reset();
    return;
  }
  for (const Compared& row : rows) {
    TableRow shown = RowOf(ui, row);
    shown.tip = row.info.label;
    DrawTableRow(table, table->columns, shown);
  }
}

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
  const auto shown = [](double x) { return std::isfinite(x) ? Short(x, 3) : std::string("–"); };
  return {shown(run.error.rms), shown(kDegrees * run.turning), shown(run.decay_rate)};
}

// The button that keeps run A in the plots, and the figures of the kept runs beside A's and B's.
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

}  // namespace

void DrawComparePanel(WindowState* state, Column* column) {
  UpdateForecast(state);
  const ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  const Ui& ui = state->ui;
  if (Button(ui, "throw off", TipOf(ThrowOff, "Throw both off"), column->Box(34),
             ButtonKind::kPrimary)) {
    ThrowOff(state);
  }
  column->Skip(48);
  const std::vector<Compared> rows = state->selected_span ? ReadSpan(state) : ReadRows(scene);
  const std::vector<Compared> gains = DifferentGains(scene);
  std::vector<TableRow> differences = Differences(ui, scene, gains);
  const bool differs = !differences.empty();
  if (!IsWhole(snapshot, Slot::kA) || !IsWhole(snapshot, Slot::kB)) {
    differences.push_back(
        TextsOf("status", StatusOf(snapshot, Slot::kA), StatusOf(snapshot, Slot::kB)));
  }
  std::vector<TableRow> all = differences;
  for (const Compared& row : rows) all.push_back(RowOf(ui, row));
  CompareTable table{*column, FitTwo(ui, all, column->width, kWidest)};
  Head(&table, snapshot);
  if (!differs) table.Small("Nothing differs: change B in the Tune tab");
  for (const TableRow& row : differences) DrawTableRow(&table, table.columns, row);
  if (state->selected_span) {
    DrawSpan(state, rows, &table);
  } else {
    for (const MetricKind kind : kMetricKinds) {
      if (IsOfMotion(kind)) DrawGroup(&table, *state, rows, kind);
    }
    DrawAlike(&table, state, rows);
  }
  column->y = table.y + ui.px(14);
  DrawKeptRuns(state, column);
}

}  // namespace civita
