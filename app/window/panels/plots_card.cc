#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/plot_choices.h"

namespace civita {
namespace {

constexpr std::array<double, 3> kSpans = {2, 10, 60};
constexpr std::array<std::string_view, 3> kSpanLabels = {"2 s", "10 s", "60 s"};
constexpr std::array<ListItem, 3> kFormats = {{{"CSV", "the numbers", "Export what is shown"},
                                               {"SVG", "for a paper"},
                                               {"PNG", "as on the screen"}}};
constexpr float kLeastPlotHeight = 84;  // of a plot, logical px
constexpr float kLabels = 16;           // of the times below the last plots
constexpr float kPathShare = 1.5f;      // height of a plot of paths over others

using Placed = PlacedPlot;

// The plots that the scene has, column by column from the left, filled row by row.
std::vector<Placed> PlacePlots(const WindowState& state, const Rect& area, int columns) {
  const Ui& ui = state.ui;
  std::vector<Placed> placed;
  const std::vector<ShownPlot>& plots = state.plots.plots();
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const PlotChoice* choice = FindChoice(state.scene->plot_choices, plots[i].title);
    if (choice == nullptr) continue;
    placed.push_back({i, choice, {}, plots[i].is_folded});
  }
  const auto count = static_cast<std::size_t>(columns);
  const float width = std::floor(area.w / static_cast<float>(columns));
  for (std::size_t column = 0; column < count; ++column) {
    float shares = 0, room = area.h;
    Placed* last_open = nullptr;
    for (std::size_t i = column; i < placed.size(); i += count) {
      Placed& plot = placed[i];
      if (plot.is_folded) {
        room -= ui.px(kPlotTitle);
        continue;
      }
      const bool has_own_axis = plot.choice->has_own_axis();
      plot.has_labels = has_own_axis;
      if (has_own_axis) room -= ui.px(kLabels);
      if (!has_own_axis) last_open = &plot;
      shares += plot.choice->is_path() ? kPathShare : 1;
    }
    if (last_open != nullptr) {
      last_open->has_labels = true;
      room -= ui.px(kLabels);
    }
    const float height =
        std::max(ui.px(kLeastPlotHeight), std::floor(room / std::max(1.0f, shares)));
    float y = area.y;
    for (std::size_t i = column; i < placed.size(); i += count) {
      Placed& plot = placed[i];
      float own = plot.is_folded           ? ui.px(kPlotTitle)
                  : plot.choice->is_path() ? std::floor(kPathShare * height)
                                           : height;
      if (plot.has_labels) own += ui.px(kLabels);
      plot.frame = {area.x + static_cast<float>(column) * width, y, width, own};
      y += own;
    }
  }
  return placed;
}

// The cursor in all plots is where the pointer is now, not where it was in the frame before.
void MoveCursor(const Ui& ui, const std::vector<Placed>& placed, TimeAxis* axis) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  for (const Placed& plot : placed) {
    if (plot.is_folded || plot.choice->has_own_axis()) continue;
    const Rect area = PlotArea(ui, plot.frame, plot.has_labels);
    if (area.contains(pointer)) axis->MoveCursor(CursorShare(area, pointer.x));
  }
}

// Whether a plot that is dropped at this point of another one joins it.
bool IsInMiddle(const Placed& plot, ImVec2 mouse) {
  const float share = (mouse.y - plot.frame.y) / plot.frame.h;
  return !plot.is_folded && share > 0.3f && share < 0.7f;
}

// Draws where the dragged plot would go, and puts it there on release; in the middle of another
// plot its lines join those.
void HandleMove(WindowState* state, const std::vector<Placed>& placed) {
  if (state->dragged_plot < 0) return;
  const Ui& ui = state->ui;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<std::size_t> to, into;
  for (const Placed& plot : placed) {
    if (!plot.frame.contains(mouse)) continue;
    if (IsInMiddle(plot, mouse) && static_cast<int>(plot.index) != state->dragged_plot) {
      into = plot.index;
      const Rect around{plot.frame.x + ui.px(4), plot.frame.y + ui.px(2), plot.frame.w - ui.px(8),
                        plot.frame.h - ui.px(4)};
      FillRect(ui, around, {ui.theme.accent, ui.theme.tint_alpha}, ui.px(6));
      StrokeRect(ui, around, ui.theme.accent, ui.px(6));
      continue;
    }
    const bool below = mouse.y > plot.frame.middle_y();
    to = plot.index + (below ? 1 : 0);
    const float y = below ? plot.frame.bottom() : plot.frame.y;
    FillRect(ui, {plot.frame.x + ui.px(4), y - ui.px(1), plot.frame.w - ui.px(8), ui.px(3)},
             ui.theme.accent, ui.px(1.5f));
  }
  if (ImGui::GetIO().MouseDown[0]) return;
  const auto from = static_cast<std::size_t>(std::exchange(state->dragged_plot, -1));
  if (into) {
    const std::vector<ShownPlot>& plots = state->plots.plots();
    state->composing = {*into, SumTitle(plots[*into].title, plots[from].title), from};
  } else if (to) {
    state->plots.Move(from, *to);
  }
}

// A button and the list that it opens. @returns which entry was chosen; −1: none.
int ListButton(const Ui& ui, const char* id, Icon icon, std::string_view tip,
               std::span<const ListItem> items, const Rect& r, std::string* filter = nullptr) {
  const Hit hit{.clicked = IconButton(ui, id, icon, r, tip)};
  int chosen = -1;
  ListBelow(ui, (std::string(id) + " list").c_str(), hit, items, &chosen, r, filter);
  return chosen;
}

// The place of the next icon from the right.
Rect IconPlace(const Ui& ui, float* right, float middle) {
  *right -= ui.px(30);
  const Rect r{*right, middle - ui.px(15), ui.px(30), ui.px(30)};
  *right -= ui.px(3);
  return r;
}

// The way back from plots that stay where they are, in words where there is room beyond `left`.
void DrawFollow(const Ui& ui, float left, float middle, float* right, TimeAxis* axis) {
  const float width = ui.px(66);
  if (*right - width - ui.px(11) >= left) {
    *right -= width;
    if (Button(ui, "follow", "Follow", {*right, middle - ui.px(14), width, ui.px(28)},
               ButtonKind::kPrimary)) {
      axis->Follow();
    }
    *right -= ui.px(7);
  } else if (IconButton(ui, "follow", Icon::kFollow, IconPlace(ui, right, middle),
                        "Follow the newest sample", {.on = true})) {
    axis->Follow();
  }
}

void DrawHeader(WindowState* state, const Rect& r, bool is_wide) {
  const Ui& ui = state->ui;
  const float middle = r.middle_y();
  float right = r.right() - ui.px(10);
  const auto button = [&](const char* id, Icon icon, std::string_view tip, bool on) {
    return IconButton(ui, id, icon, IconPlace(ui, &right, middle), tip, {.on = on});
  };
  TimeAxis& axis = state->time_axis;
  if (!is_wide &&
      button("collapse", state->panels.plots_collapsed ? Icon::kChevronUp : Icon::kChevronDown,
             state->panels.plots_collapsed ? "Show the plots" : "Hide the plots", false)) {
    state->panels.plots_collapsed = !state->panels.plots_collapsed;
  }
  const int format = ListButton(ui, "export", Icon::kExport, "Export what is shown", kFormats,
                                IconPlace(ui, &right, middle));
  if (format >= 0) ExportPlots(state, static_cast<PlotFormat>(format));
  const std::vector<PlotPreset> presets = PlotPresets(state->plots.family());
  std::vector<ListItem> names;
  for (const PlotPreset& preset : presets) names.push_back({preset.name});
  const int preset =
      ListButton(ui, "arrange", Icon::kRows, "Arrangement", names, IconPlace(ui, &right, middle));
  if (preset >= 0) state->plots.Show(presets[static_cast<std::size_t>(preset)]);
  const std::vector<PlotChoice>& choices = state->scene->plot_choices;
  const int added =
      ListButton(ui, "add plot", Icon::kPlus, "Add a plot of any signal", PlotListItems(choices),
                 IconPlace(ui, &right, middle), &state->list_filter);
  if (added >= 0) AddPlot(state, choices[static_cast<std::size_t>(added)].title);
  if (button("hold", Icon::kPause, axis.held() ? "Go on" : "Hold the plots", axis.held())) {
    axis.Hold(!axis.held());
  }
  const float title = r.x + ui.px(kCardPadding), width = ui.px(132);
  if (!axis.following()) DrawFollow(ui, title + width, middle, &right, &axis);
  right -= ui.px(4) + width;
  int selected = -1;
  for (int i = 0; i < static_cast<int>(kSpans.size()); ++i) {
    if (axis.following() && axis.span() == kSpans[static_cast<std::size_t>(i)]) selected = i;
  }
  if (right >= title && Segmented(ui, "span", kSpanLabels, &selected,
                                  {right, middle - ui.px(14), width, ui.px(28)})) {
    axis.SetSpan(kSpans[static_cast<std::size_t>(selected)]);
  }
  if (right > title + TextWidth(ui.fonts.strong, "Signals")) {
    SectionLabel(ui, title, middle, "Signals");
  }
  DrawRule(ui, r.x + ui.hairline(), r.right() - ui.hairline(), r.bottom());
}

}  // namespace

void AddPlot(WindowState* state, const std::string& title) {
  if (!state->plots.Add(title)) {
    ShowToast(state, title + " is shown already, or no more plots fit", true);
  }
}

void DrawPlotsCard(WindowState* state, const Rect& r, int columns, bool is_wide) {
  const Ui& ui = state->ui;
  DrawCard(ui, r);
  state->plots_area = r;
  const float header = ui.px(kCardHeader);
  DrawHeader(state, {r.x, r.y, r.w, header}, is_wide);
  if (r.h < header + ui.px(60)) return;
  Rect area{r.x, r.y + header, r.w, r.h - header - ui.px(4)};
  std::vector<Placed> placed = PlacePlots(*state, area, columns);
  float bottom = area.y;
  for (const Placed& plot : placed) bottom = std::max(bottom, plot.frame.bottom());
  const bool scrolls = bottom > area.bottom() + 1;
  if (scrolls) {
    const ImVec2 origin = BeginScroll(ui, "plots", area);
    bottom += origin.y - area.y;
    area = {origin.x, origin.y, area.w - ui.px(8), area.h};
    placed = PlacePlots(*state, area, columns);
  }
  const bool is_empty = placed.empty();
  if (is_empty) {
    TextMiddle(ui, ui.fonts.body, area.middle_x(), area.middle_y(), ui.theme.muted,
               "Add a plot with +", Align::kCenter);
  }
  MoveCursor(ui, placed, &state->time_axis);
  const std::size_t count = state->plots.plots().size();
  for (const Placed& plot : placed) {
    const Rect& frame = plot.frame;
    const float hair = ui.hairline();
    if (frame.y > area.y) DrawRule(ui, frame.x + hair, frame.right() - hair, frame.y);
    if (frame.x > area.x) DrawVerticalRule(ui, frame.x, frame.y + hair, frame.bottom());
    DrawShownPlot(state, plot);
    if (state->plots.plots().size() != count) break;  // one was removed: the places are old
  }
  HandleMove(state, placed);
  if (scrolls) EndScroll(bottom);
}

}  // namespace civita
