#include <cmath>
#include <string>

#include "app/window/panels/panels.h"
#include "app/window/units.h"

namespace civita {
namespace {

constexpr float kRow = 22;         // logical pixels
constexpr float kColumn = 66;      // of a run's numbers
constexpr double kStriking = 0.2;  // a difference of more than a fifth is set bold
constexpr int kDigits = 4;         // of a figure

// The table grows downwards.
struct Table {
  const Ui& ui;
  ImDrawList* draw;
  float x, y, width;

  float right_of(Slot slot) const { return x + width - (slot == Slot::kA ? ui.px(kColumn) : 0); }
  float middle() const { return y + 0.5f * ui.px(kRow); }
};

std::string FigureText(double value) {
  if (std::isnan(value)) return "–";
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e5)) return Scientific(value);
  const int whole = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  return Fixed(value, std::max(0, kDigits - whole));
}

bool IsStriking(double a, double b) {
  const double larger = std::fmax(std::fabs(a), std::fabs(b));
  return larger > 0 && std::fabs(a - b) > kStriking * larger;
}

void Name(const Table& table, std::string_view name, std::string_view unit) {
  const Ui& ui = table.ui;
  const float limit = table.right_of(Slot::kA) - ui.px(52);
  const float end = TextClipped(ui, table.draw, ui.fonts.body, table.x, table.middle(), limit,
                                ToImU32(ui.theme.text), name);
  TextClipped(ui, table.draw, ui.fonts.small, end + ui.px(6), table.middle(), limit,
              ToImU32(ui.theme.muted), unit);
}

void TextRow(Table* table, std::string_view name, const std::string& a, const std::string& b) {
  const Ui& ui = table->ui;
  Name(*table, name, {});
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    TextMiddle(ui, table->draw, ui.fonts.body, table->right_of(slot), table->middle(),
               ToImU32(ui.theme.text), slot == Slot::kA ? a : b, Align::kRight);
  }
  table->y += ui.px(kRow);
}

void Row(Table* table, std::string_view name, std::string_view unit, double a, double b) {
  const Ui& ui = table->ui;
  Name(*table, name, unit);
  const ImFont* font = IsStriking(a, b) ? ui.fonts.strong : ui.fonts.body;
  for (const Slot slot : {Slot::kA, Slot::kB}) {
    TextMiddle(ui, table->draw, font, table->right_of(slot), table->middle(),
               ToImU32(ui.theme.text), FigureText(slot == Slot::kA ? a : b), Align::kRight);
  }
  table->y += ui.px(kRow);
}

void Rule(Table* table) {
  table->y += table->ui.px(6);
  DrawRule(table->ui, table->draw, table->x, table->x + table->width, table->y);
  table->y += table->ui.px(6);
}

void Head(Table* table, const Snapshot& snapshot) {
  const Ui& ui = table->ui;
  const double since = snapshot.figures.since_t;
  const std::string what =
      since > 0 ? "In step, from " + Fixed(since, 2) + " s on" : "Same start, in step";
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
  table->y += ui.px(kRow);
}

// What the two runs are set to differently.
void Differences(Table* table, const ActiveScene& scene) {
  const Controller& a = scene.controller(Slot::kA);
  const Controller& b = scene.controller(Slot::kB);
  const Tuning& tuning_a = scene.slots.front().tuning.current();
  const Tuning& tuning_b = scene.slots.back().tuning.current();
  if (a.type() != b.type()) {
    TextRow(table, "law", std::string(a.type()), std::string(b.type()));
    return;
  }
  const std::string C_a = tuning_a.factorization.ToString();
  const std::string C_b = tuning_b.factorization.ToString();
  bool any = C_a != C_b && FindControllerType(a.type()).uses_factorization;
  if (any) TextRow(table, "C", C_a, C_b);
  for (std::size_t i = 0; i < tuning_a.gains.size(); ++i) {
    if (tuning_a.gains[i] == tuning_b.gains[i]) continue;
    any = true;
    Row(table, a.parameters()[i].symbol, GainUnit(a.unit(static_cast<int>(i)), a.model()),
        tuning_a.gains[i].maxCoeff(), tuning_b.gains[i].maxCoeff());
  }
  if (any) return;
  const Ui& ui = table->ui;
  TextClipped(ui, table->draw, ui.fonts.small, table->x, table->middle(), table->x + table->width,
              ToImU32(ui.theme.muted), "Nothing differs: change B in the Tune tab");
  table->y += ui.px(kRow);
}

}  // namespace

float DrawComparePanel(WindowState* state, float x, float y, float width) {
  const ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  const Figures& a = snapshot.figures;
  const Figures& b = snapshot.other.figures;
  const JointUnits units = UnitsOf(scene.session.scene().plant);
  const StorageUnits storage = StorageUnitsOf(scene.controller(Slot::kA).type());
  Table table{state->ui, ImGui::GetWindowDrawList(), x, y, width};
  Head(&table, snapshot);
  Rule(&table);
  Differences(&table, scene);
  Rule(&table);
  Row(&table, "Error RMS", units.error, 1000 * a.error_rms, 1000 * b.error_rms);
  Row(&table, "Error peak", units.error, 1000 * a.error_peak, 1000 * b.error_peak);
  Row(&table, "Path / reference", {}, a.path_ratio, b.path_ratio);
  Row(&table, "Twist of s", "rad", a.twist, b.twist);
  Row(&table, "Ideal turning", "rad", a.ideal_turning, b.ideal_turning);
  Row(&table, "Torque RMS", units.torque, a.torque_rms, b.torque_rms);
  Row(&table, "Torque rate", std::string(units.torque) + "/s", a.torque_rate, b.torque_rate);
  Row(&table, "Above 20 Hz", "%", 100 * a.high_frequency_share, 100 * b.high_frequency_share);
  Row(&table, "Energy", "J", a.energy, b.energy);
  const std::size_t marks = std::min(a.V_at.size(), b.V_at.size());
  for (std::size_t i = 0; i < marks; ++i) {
    Row(&table, "V at " + Short(a.V_at[i].first) + " s", storage.storage, a.V_at[i].second,
        b.V_at[i].second);
  }
  Row(&table, "Step p50", "µs", snapshot.step_p50_us, snapshot.other.step_p50_us);
  Row(&table, "Step p99", "µs", snapshot.step_p99_us, snapshot.other.step_p99_us);
  return table.y - y;
}

}  // namespace civita
