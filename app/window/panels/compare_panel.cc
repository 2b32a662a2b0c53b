#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/units.h"
#include "civita/factorization_text.h"
#include "civita/sim/metrics.h"
#include "civita/study/compare/comparison_sentence.h"

namespace civita {
namespace {

constexpr float kRunHeight = 22;  // logical pixels
constexpr float kGap = 10;        // between two columns of values
constexpr float kWidest = 0.26f;  // of the table: a column

// A table that grows downwards.
struct CompareTable {
  const Ui& ui;
  ImDrawList* draw;
  float x, y, width;
  float value_width = 0;  // of the widest value

  float right_of(Slot slot) const {
    return x + width - (slot == Slot::kA ? value_width + ui.px(kGap) : 0);
  }
  float left_of_values() const { return right_of(Slot::kA) - value_width - ui.px(kGap); }
  void Widen(const ImFont* font, std::string_view value) {
    value_width = std::max(value_width, TextWidth(font, value));
  }
  float middle() const { return y + 0.5f * ui.px(kRunHeight); }
};

void Name(const CompareTable& table, std::string_view name, std::string_view unit) {
  const Ui& ui = table.ui;
  const float limit = table.left_of_values();
  // A name can be guessed from its beginning, a unit cannot.
  const float unit_width = unit.empty() ? 0 : ui.px(6) + TextWidth(ui.fonts.small, unit);
  const float name_limit = limit - unit_width;
  const bool fits = table.x + TextWidth(ui.fonts.body, name) <= name_limit;
  const float end = TextClipped(ui, table.draw, fits ? ui.fonts.body : ui.fonts.small, table.x,
                                table.middle(), name_limit, ToImU32(ui.theme.text), name);
  TextMiddle(ui, table.draw, ui.fonts.small, end + ui.px(6), table.middle(),
             ToImU32(ui.theme.muted), unit);
}

void TextRow(CompareTable* table, std::string_view name, const std::string& a,
             const std::string& b) {
  const Ui& ui = table->ui;
  Name(*table, name, {});
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const std::string& text = slot == Slot::kA ? a : b;
    const float right = table->right_of(slot);
    const float left = right - std::min(table->value_width, TextWidth(ui.fonts.body, text));
    TextClipped(ui, table->draw, ui.fonts.body, left, table->middle(), right + ui.px(1),
                ToImU32(ui.theme.text), text);
  }
  table->y += ui.px(kRunHeight);
}

// Four digits; two beside a power of ten, which would meet the other column.
std::string ShownValue(double value) {
  const double size = std::fabs(value);
  return (size > 0 && size < 1e-3) || size >= 1e5 ? Scientific(value, 1) : Tabular(value);
}

// What is apart is bold; a time never is, which the machine's other work makes differ.
const ImFont* FontOf(const Ui& ui, const MetricInfo& info, double a, double b) {
  const bool is_apart =
      info.kind != MetricKind::kMachine && RelativeDifference(info, a, b) > kApart;
  return is_apart ? ui.fonts.strong : ui.fonts.body;
}

void Row(CompareTable* table, const MetricInfo& info, double a, double b) {
  const Ui& ui = table->ui;
  const ImFont* font = FontOf(ui, info, a, b);
  Name(*table, info.label, info.unit);
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    TextMiddle(ui, table->draw, font, table->right_of(slot), table->middle(),
               ToImU32(ui.theme.text), ShownValue(slot == Slot::kA ? a : b), Align::kRight);
  }
  table->y += ui.px(kRunHeight);
}

double ValueOf(const MetricInfo& info, const std::vector<MetricInfo>& metrics,
               const Figures& figures) {
  const std::size_t metric = FindMetric(metrics, info);
  return metric < figures.values.size() ? figures.values[metric] : kNaN;
}

// Of a run that failed or fell the figures do not count.
bool IsWhole(const Snapshot& snapshot, Slot slot) {
  const bool is_a = slot == Slot::kA;
  const Failure& failure = is_a ? snapshot.failure : snapshot.other.failure;
  const Fall& fall = is_a ? snapshot.fall : snapshot.other.fall;
  return !failure.failed && !fall.fallen;
}

std::string StatusOf(const Snapshot& snapshot, Slot slot) {
  const bool is_a = slot == Slot::kA;
  const Failure& failure = is_a ? snapshot.failure : snapshot.other.failure;
  const Fall& fall = is_a ? snapshot.fall : snapshot.other.fall;
  if (failure.failed) return "failed " + Fixed(failure.t, 2) + " s";
  return fall.fallen ? "fell " + Fixed(fall.t, 2) + " s" : "whole";
}

void Rule(CompareTable* table) {
  table->y += table->ui.px(6);
  DrawRule(table->ui, table->draw, table->x, table->x + table->width, table->y);
  table->y += table->ui.px(6);
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
  TextClipped(ui, table->draw, ui.fonts.small, table->x, table->middle(),
              table->right_of(Slot::kA) - ui.px(34), ToImU32(ui.theme.muted), what);
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    const bool is_a = slot == Slot::kA;
    const float right = table->right_of(slot);
    const float letter = TextWidth(ui.fonts.strong, is_a ? "A" : "B");
    TextMiddle(ui, table->draw, ui.fonts.strong, right, table->middle(), ToImU32(ui.theme.text),
               is_a ? "A" : "B", Align::kRight);
    DrawSwatch(ui, table->draw, is_a ? Swatch::kDot : Swatch::kRing, right - letter - ui.px(12),
               table->middle(), ToImU32(ui.theme.series[is_a ? 0 : 1]));
  }
  table->y += ui.px(kRunHeight);
}

struct Compared {
  MetricInfo info;
  double a, b;
};

// Until when the figures are measured, s.
double EndOf(const Figures& figures) {
  return std::isnan(figures.until_t) ? std::numeric_limits<double>::infinity() : figures.until_t;
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
    rows.push_back({info, value_a, value_b});
  }
  return rows;
}

// As wide as what stands in them, so that numbers do not run into each other; long names of C are
// cut.
void SetColumns(const ActiveScene& scene, const std::vector<Compared>& rows, CompareTable* table) {
  const Ui& ui = table->ui;
  for (const Compared& row : rows) {
    const ImFont* font = FontOf(ui, row.info, row.a, row.b);
    for (const double value : {row.a, row.b}) table->Widen(font, ShownValue(value));
  }
  const LawInfo &law_a = scene.law(Slot::kA), &law_b = scene.law(Slot::kB);
  const Snapshot& snapshot = *scene.snapshot;
  const bool all_whole = IsWhole(snapshot, Slot::kA) && IsWhole(snapshot, Slot::kB);
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    if (!all_whole) table->Widen(ui.fonts.body, StatusOf(snapshot, slot));
    const auto& tuned = slot == Slot::kA ? scene.slots.front() : scene.slots.back();
    if (law_a.type != law_b.type) {
      table->Widen(ui.fonts.body, scene.law(slot).type);
    } else if (law_a.uses_factorization) {
      table->Widen(ui.fonts.body, ToString(tuned.tuning.current().factorization));
    }
  }
  table->value_width = std::min(table->value_width, kWidest * table->width);
}

// The settings in which the two runs differ.
void Differences(CompareTable* table, const ActiveScene& scene) {
  const LawInfo& a = scene.law(Slot::kA);
  const LawInfo& b = scene.law(Slot::kB);
  const Tuning& tuning_a = scene.slots.front().tuning.current();
  const Tuning& tuning_b = scene.slots.back().tuning.current();
  if (a.type != b.type) {
    TextRow(table, "law", std::string(a.type), std::string(b.type));
    return;
  }
  const std::string C_a = ToString(tuning_a.factorization);
  const std::string C_b = ToString(tuning_b.factorization);
  bool any = C_a != C_b && a.uses_factorization;
  if (any) TextRow(table, "C", C_a, C_b);
  for (std::size_t i = 0; i < tuning_a.gains.size(); ++i) {
    if (SameGain(tuning_a.gains[i], tuning_b.gains[i])) continue;
    any = true;
    const MetricInfo gain{
        .key = "",
        .label = std::string(a.parameters[i].symbol),
        .unit = GainUnit(scene.slots.front().units[i], scene.session.scene().control_model),
        .doc = ""};
    Row(table, gain, LargestEntry(tuning_a.gains[i]), LargestEntry(tuning_b.gains[i]));
  }
  if (any) return;
  const Ui& ui = table->ui;
  TextClipped(ui, table->draw, ui.fonts.small, table->x, table->middle(), table->x + table->width,
              ToImU32(ui.theme.muted), "Nothing differs: change B in the Tune tab");
  table->y += ui.px(kRunHeight);
}

}  // namespace

std::string DescribeDifference(const ActiveScene& scene) {
  const Snapshot& snapshot = *scene.snapshot;
  const std::vector<MetricInfo>& a = scene.session.metrics(Slot::kA);
  const std::vector<MetricInfo>& b = scene.session.metrics(Slot::kB);
  std::vector<MetricInfo> metrics = MergeMetrics(a, b);
  const auto side = [&](Slot slot) {
    const bool is_a = slot == Slot::kA;
    ComparedSide compared{.name = (is_a ? "A (" : "B (") + RunName(scene, slot) + ")",
                          .values = {}};
    for (const MetricInfo& info : metrics) {
      compared.values.push_back(is_a ? ValueOf(info, a, snapshot.figures)
                                     : ValueOf(info, b, snapshot.other.figures));
    }
    const Failure& failure = is_a ? snapshot.failure : snapshot.other.failure;
    const Fall& fall = is_a ? snapshot.fall : snapshot.other.fall;
    compared.turned_by =
        CausesOfTurning(scene, slot, snapshot.figures.since_t, EndOf(snapshot.figures));
    compared.is_whole = IsWhole(snapshot, slot);
    if (fall.fallen) compared.fate = Describe(fall);
    if (failure.failed) compared.fate = "stopped at " + Fixed(failure.t, 3) + " s";
    return compared;
  };
  const ComparedSide side_a = side(Slot::kA), side_b = side(Slot::kB);
  if (snapshot.figures.since_throw) {  // marks count from it, the sentence's times from the start
    for (MetricInfo& info : metrics) {
      if (info.mark_s && *info.mark_s > 0) *info.mark_s += snapshot.figures.since_t;
    }
  }
  const std::string words = CompareInWords(metrics, side_a, side_b);
  return words.empty() ? "Nothing differs so far" : words;
}

namespace {

// Below how far s has turned: what else than torsion turns it.
void TellTurning(CompareTable* table, const ActiveScene& scene, double twist) {
  constexpr double kTurns = 0.01;  // rad
  const Figures& figures = scene.snapshot->figures;
  const std::string causes = TellCausesOfTurning(scene, figures.since_t, EndOf(figures));
  if (!(twist > kTurns) || causes.empty()) return;
  const Ui& ui = table->ui;
  table->y += TextWrapped(table->draw, ui.fonts.small, table->x + ui.px(12), table->y,
                          table->width - ui.px(12), ToImU32(ui.theme.muted), causes) +
              ui.px(4);
}

}  // namespace

void DrawComparePanel(WindowState* state, Column* column) {
  const ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  const float x = column->x, width = column->width;
  CompareTable table{state->ui, ImGui::GetWindowDrawList(), x, column->y, width};
  if (Button(state->ui, "throw off", TipOf(ThrowOff, "Throw both off"),
             {x, table.y, width, state->ui.px(34)}, ButtonKind::kPrimary)) {
    ThrowOff(state);
  }
  table.y += state->ui.px(44);
  const std::vector<Compared> rows = ReadRows(scene);
  SetColumns(scene, rows, &table);
  Head(&table, snapshot);
  Rule(&table);
  Differences(&table, scene);
  Rule(&table);
  if (!IsWhole(snapshot, Slot::kA) || !IsWhole(snapshot, Slot::kB)) {
    TextRow(&table, "status", StatusOf(snapshot, Slot::kA), StatusOf(snapshot, Slot::kB));
  }
  for (const Compared& row : rows) {
    const MetricInfo& info = row.info;
    const Hit hit = HitBox(info.label.c_str(), {x, table.y, width, state->ui.px(kRunHeight)});
    const Term* term = FindTermOfMetric(info.key);
    DelayedTooltip(state->ui, hit,
                   info.label + ": " + (term ? Explain(term->name) : ShownText(info.doc)));
    Row(&table, info, row.a, row.b);
    if (info.key == "twist_rad") TellTurning(&table, scene, std::fmax(row.a, row.b));
  }
  Rule(&table);
  table.y += TextWrapped(table.draw, state->ui.fonts.body, x, table.y, width,
                         ToImU32(state->ui.theme.text), DescribeDifference(scene));
  column->y = table.y + state->ui.px(14);
}

}  // namespace civita
