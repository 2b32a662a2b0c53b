#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/window/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/plot_content.h"
#include "app/window/terms.h"

namespace civita {
namespace {

constexpr std::array<double, 3> kSpans = {2, 10, 60};
constexpr std::array<std::string_view, 3> kSpanLabels = {"2 s", "10 s", "60 s"};
constexpr std::array<ListItem, 3> kFormats = {{{"CSV", "the numbers", "Export what is shown"},
                                               {"SVG", "for a paper"},
                                               {"PNG", "as on the screen"}}};
constexpr float kFoldedHeight = 32, kLeastHeight = 84;  // of a plot, logical px
constexpr float kLabels = 16;                           // of the times below the last plots
constexpr float kPathShare = 1.5f;                      // height of a plot of paths over others
constexpr float kDragThreshold = 5;

// A plot's place in the card.
struct Placed {
  std::size_t index;  // in PlotList
  const PlotChoice* choice;
  Rect frame;
  bool is_folded = false, has_labels = false;
};

// The plots that the scene has, column by column from the left, filled row by row.
std::vector<Placed> PlacePlots(const WindowState& state, const Rect& area, int columns) {
  const Ui& ui = state.ui;
  std::vector<Placed> placed;
  const std::vector<ShownPlot>& plots = state.plots.plots();
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const PlotChoice* choice = FindChoice(state.scene->plot_choices, plots[i].title);
    if (choice != nullptr) placed.push_back({i, choice, {}, plots[i].is_folded});
  }
  const auto count = static_cast<std::size_t>(columns);
  const float width = std::floor(area.w / static_cast<float>(columns));
  for (std::size_t column = 0; column < count; ++column) {
    float shares = 0, room = area.h;
    Placed* last_open = nullptr;
    for (std::size_t i = column; i < placed.size(); i += count) {
      Placed& plot = placed[i];
      if (plot.is_folded) {
        room -= ui.px(kFoldedHeight);
        continue;
      }
      const bool is_path = plot.choice->is_path();
      plot.has_labels = is_path;
      if (is_path) room -= ui.px(kLabels);
      if (!is_path) last_open = &plot;
      shares += is_path ? kPathShare : 1;
    }
    if (last_open != nullptr) {
      last_open->has_labels = true;
      room -= ui.px(kLabels);
    }
    const float height = std::max(ui.px(kLeastHeight), std::floor(room / std::max(1.0f, shares)));
    float y = area.y;
    for (std::size_t i = column; i < placed.size(); i += count) {
      Placed& plot = placed[i];
      float own = plot.is_folded           ? ui.px(kFoldedHeight)
                  : plot.choice->is_path() ? std::floor(kPathShare * height)
                                           : height;
      if (plot.has_labels) own += ui.px(kLabels);
      plot.frame = {area.x + static_cast<float>(column) * width, y, width, own};
      y += own;
    }
  }
  return placed;
}

std::vector<ListItem> ListItems(const std::vector<PlotChoice>& choices) {
  std::vector<ListItem> items;
  std::string_view heading;
  for (const PlotChoice& choice : choices) {
    items.push_back({choice.title, choice.unit, {}, choice.doc});
    if (choice.heading != heading) items.back().heading = choice.heading;
    heading = choice.heading;
  }
  return items;
}

// What a plot shows: its term, or its signal's definition.
std::string ExplainPlot(const PlotChoice& choice) {
  const std::string term = Explain(choice.title);
  return term.empty() ? choice.doc : term;
}

// Draws the title as a button: a click opens the choice of content, a drag moves the plot.
void DrawPlotTitle(WindowState* state, const Placed& plot) {
  const Ui& ui = state->ui;
  const PlotChoice& choice = *plot.choice;
  const Rect& frame = plot.frame;
  const float width =
      TextWidth(ui.fonts.strong, choice.title) + ui.px(6) + TextWidth(ui.fonts.small, choice.unit);
  const Rect title{frame.x + ui.px(10), frame.y + ui.px(4), width + ui.px(12), ui.px(24)};
  Hit hit = HitBox("signal", title);
  const Rect button{title.x, title.y, title.w + ui.px(16), title.h};
  if (hit.hovered) {
    StrokeRect(ui, ImGui::GetWindowDrawList(), button, ToImU32(ui.theme.border), ui.px(6));
    DrawIcon(ui, ImGui::GetWindowDrawList(), Icon::kChevronDown, title.right() + ui.px(6),
             title.middle_y(), ToImU32(ui.theme.muted), 13);
  }
  DelayedTooltip(ui, hit, ExplainPlot(choice));
  if (hit.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, ui.px(kDragThreshold))) {
    state->dragged_plot = static_cast<int>(plot.index);
  }
  if (state->dragged_plot >= 0) hit.clicked = false;
  const std::vector<PlotChoice>& choices = state->scene->plot_choices;
  int selected = static_cast<int>(&choice - choices.data());
  if (ListBelow(ui, "signals", hit, ListItems(choices), &selected, title, &state->list_filter)) {
    state->plots.Replace(plot.index, choices[static_cast<std::size_t>(selected)].title);
  }
}

// Draws the buttons that fold and remove the plot while the pointer is on its title's row. Returns
// whether it is to be removed.
bool DrawPlotButtons(WindowState* state, const Placed& plot) {
  const Ui& ui = state->ui;
  const Rect row{plot.frame.x, plot.frame.y, plot.frame.w, ui.px(kFoldedHeight)};
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) ||
      !row.contains(ImGui::GetIO().MousePos)) {
    return false;
  }
  const float size = ui.px(22);
  Rect place{row.right() - ui.px(8) - 2 * size, row.y + ui.px(5), size, size};
  FillRect(ImGui::GetWindowDrawList(), {place.x - ui.px(6), place.y, 2 * size + ui.px(8), size},
           ToImU32(ui.theme.surface));
  if (IconButton(ui, "fold", plot.is_folded ? Icon::kChevronDown : Icon::kChevronUp, place,
                 plot.is_folded ? "Show" : "Hide")) {
    state->plots.plots()[plot.index].is_folded = !plot.is_folded;
  }
  place.x += size;
  return IconButton(ui, "remove", Icon::kClose, place, "Remove");
}

// Draws where the dragged plot would go, and puts it there on release.
void HandleMove(WindowState* state, const std::vector<Placed>& placed) {
  if (state->dragged_plot < 0) return;
  const Ui& ui = state->ui;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<std::size_t> to;
  for (const Placed& plot : placed) {
    if (!plot.frame.contains(mouse)) continue;
    const bool below = mouse.y > plot.frame.middle_y();
    to = plot.index + (below ? 1 : 0);
    const float y = below ? plot.frame.bottom() : plot.frame.y;
    FillRect(ImGui::GetWindowDrawList(),
             {plot.frame.x + ui.px(4), y - ui.px(1), plot.frame.w - ui.px(8), ui.px(3)},
             ToImU32(ui.theme.accent), ui.px(1.5f));
  }
  if (ImGui::GetIO().MouseDown[0]) return;
  const auto from = static_cast<std::size_t>(std::exchange(state->dragged_plot, -1));
  if (to) state->plots.Move(from, *to);
}

// The menu of ready arrangements and of the number of columns.
void DrawArrangement(WindowState* state, const Hit& hit, const Rect& r, int columns) {
  const std::vector<PlotPreset> presets = PlotPresets(state->plots.family());
  std::vector<ListItem> items;
  for (const PlotPreset& preset : presets) items.push_back({preset.name});
  items.front().heading = "Plots";
  items.push_back({"One", {}, "Columns"});
  items.push_back({"Two"});
  const int first_column = static_cast<int>(presets.size());
  int selected = first_column + columns - 1;
  if (!ListBelow(state->ui, "arrangement", hit, items, &selected, r)) return;
  if (selected < first_column) {
    state->plots.Show(presets[static_cast<std::size_t>(selected)]);
  } else {
    state->plot_columns = selected - first_column + 1;
  }
}

// The list of what is not yet shown.
void DrawAdd(WindowState* state, const Hit& hit, const Rect& r) {
  const std::vector<PlotChoice>& choices = state->scene->plot_choices;
  int selected = -1;
  if (!ListBelow(state->ui, "add", hit, ListItems(choices), &selected, r, &state->list_filter)) {
    return;
  }
  const std::string& title = choices[static_cast<std::size_t>(selected)].title;
  if (!state->plots.Add(title)) {
    ShowToast(state, title + " is shown already, or no more plots fit", true);
  }
}

// An icon that opens a list. Returns its place.
Rect IconPlace(const Ui& ui, float* right, float middle) {
  *right -= ui.px(30);
  const Rect r{*right, middle - ui.px(15), ui.px(30), ui.px(30)};
  *right -= ui.px(3);
  return r;
}

Hit ListButton(const Ui& ui, const char* id, Icon icon, const Rect& r, std::string_view tip) {
  const bool clicked = IconButton(ui, id, icon, r, tip);
  return {.clicked = clicked};
}

void DrawHeader(WindowState* state, const Rect& r, bool is_wide, int columns) {
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
  Rect place = IconPlace(ui, &right, middle);
  Hit hit = ListButton(ui, "export", Icon::kExport, place, "Export what is shown");
  int format = -1;
  if (ListBelow(ui, "formats", hit, kFormats, &format, place)) {
    ExportPlots(state, static_cast<PlotFormat>(format));
  }
  place = IconPlace(ui, &right, middle);
  hit = ListButton(ui, "arrange", Icon::kRows, place, "Arrangement");
  DrawArrangement(state, hit, place, columns);
  place = IconPlace(ui, &right, middle);
  hit = ListButton(ui, "add plot", Icon::kPlus, place, "Add a plot of any signal");
  DrawAdd(state, hit, place);
  if (button("hold", Icon::kPause, axis.held() ? "Go on" : "Hold the plots", axis.held())) {
    axis.Hold(!axis.held());
  }
  if (!axis.following() && button("follow", Icon::kFollow, "Follow the newest sample", false)) {
    axis.Follow();
  }
  const float width = ui.px(132);
  right -= ui.px(4) + width;
  int selected = -1;
  for (int i = 0; i < static_cast<int>(kSpans.size()); ++i) {
    if (axis.following() && axis.span() == kSpans[static_cast<std::size_t>(i)]) selected = i;
  }
  const float title = r.x + ui.px(kCardPadding);
  if (right >= title && Segmented(ui, "span", kSpanLabels, &selected,
                                  {right, middle - ui.px(14), width, ui.px(28)})) {
    axis.SetSpan(kSpans[static_cast<std::size_t>(selected)]);
  }
  if (right > title + TextWidth(ui.fonts.strong, "Signals")) {
    SectionLabel(ui, title, middle, "Signals");
  }
  DrawRule(ui, ImGui::GetWindowDrawList(), r.x + ui.hairline(), r.right() - ui.hairline(),
           r.bottom());
}

// A click goes to that time, but only while paused, so that an accidental click does not stop a
// run. A double click fits the plot, thus undoes the click with which it began.
void HandleEvents(WindowState* state, const PlotEvents& events) {
  const Snapshot& snapshot = *state->scene->snapshot;
  if (events.double_clicked && snapshot.state != RunState::kRunning) {
    RewindTo(state, state->scene->clicked_from);
  }
  if (!events.clicked) return;
  state->scene->clicked_from = snapshot.t;
  if (snapshot.state == RunState::kRunning) {
    ShowToast(state, "Pause to go to a moment by clicking on a plot");
  } else if (events.clicked_time >= snapshot.oldest_saved_t) {
    RewindTo(state, events.clicked_time);
  }
}

void DrawFolded(const Ui& ui, const Placed& plot) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float x = plot.frame.x + ui.px(kCardPadding), y = plot.frame.y + ui.px(15);
  TextMiddle(ui, draw, ui.fonts.strong, x, y, ToImU32(ui.theme.muted), plot.choice->title);
}

void DrawPlaced(WindowState* state, const Placed& plot, const Rect& card) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float hair = ui.hairline();
  const Rect& frame = plot.frame;
  if (frame.y > card.y) DrawRule(ui, draw, frame.x + hair, frame.right() - hair, frame.y);
  if (frame.x > card.x) DrawVerticalRule(ui, draw, frame.x, frame.y + hair, frame.bottom());
  // The title's items come first, since of two items the first one gets the mouse, but on top.
  draw->ChannelsSplit(2);
  draw->ChannelsSetCurrent(1);
  ImGui::PushID(plot.choice->title.c_str());
  DrawPlotTitle(state, plot);
  const bool removed = DrawPlotButtons(state, plot);
  ImGui::PopID();
  draw->ChannelsSetCurrent(0);
  if (plot.is_folded) {
    DrawFolded(ui, plot);
  } else {
    ShownPlot& shown = state->plots.plots()[plot.index];
    PathView view;
    if (plot.choice->is_path()) {
      view = FindPathView(state->scene->log, state->scene->traces, *plot.choice, shown.axes,
                          state->scene->snapshot->t);
      draw->ChannelsSetCurrent(1);
      DrawPathAxes(ui, PlotArea(ui, frame, true), *plot.choice, view, &shown.axes,
                   &state->list_filter);
      draw->ChannelsSetCurrent(0);
    }
    PlotContent content(state->scene->traces, *plot.choice, ui.theme, view);
    content.marks = MakeMarks(state->scene->log, state->scene->traces, *plot.choice);
    PlotSpec spec = content.spec();
    spec.aside = &state->scene->traces.aside();
    spec.time_labels = plot.has_labels;
    HandleEvents(state, DrawPlot(ui, frame, spec, &state->time_axis, &shown.state));
  }
  draw->ChannelsMerge();
  if (removed) state->plots.Remove(plot.index);
}

}  // namespace

void DrawPlotsCard(WindowState* state, const Rect& r, int columns, bool is_wide) {
  const Ui& ui = state->ui;
  DrawCard(ui, ImGui::GetWindowDrawList(), r);
  state->plots_area = r;
  state->plots.SetFamily(FamilyOf(state->scene->session));
  if (state->plot_columns > 0) columns = state->plot_columns;
  const float header = ui.px(kCardHeader);
  DrawHeader(state, {r.x, r.y, r.w, header}, is_wide, columns);
  if (r.h < header + ui.px(60)) return;
  const TraceBuffer& buffer = state->scene->traces.buffer();
  const Snapshot& snapshot = *state->scene->snapshot;
  state->time_axis.shown =
      snapshot.t < snapshot.newest_t ? snapshot.t : std::numeric_limits<double>::quiet_NaN();
  state->time_axis.Update(buffer.first_time(), state->scene->traces.last_time());
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
    TextMiddle(ui, ImGui::GetWindowDrawList(), ui.fonts.body, area.middle_x(), area.middle_y(),
               ToImU32(ui.theme.muted), "Add a plot with +", Align::kCenter);
  }
  const std::size_t count = state->plots.plots().size();
  for (const Placed& plot : placed) {
    DrawPlaced(state, plot, area);
    if (state->plots.plots().size() != count) break;  // one was removed: the places are old
  }
  HandleMove(state, placed);
  if (scrolls) EndScroll(bottom);
}

}  // namespace civita
