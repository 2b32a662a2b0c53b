
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/plot_choices.h"
#include "app/window/plot/plot_content.h"

namespace civita {
namespace {

constexpr float kDragThreshold = 5;

// What a plot shows: its term, or its signal's definition.
std::string ExplainPlot(const PlotChoice& choice) {
  const std::string term = Explain(choice.title);
  return term.empty() ? choice.doc : term;
}

// An entry of the list at a plot's title: another plot's title for the plot, or a list of what is
// added to it or goes below it.
struct TitleEntry {
  ListItem item;
  std::string title;
  std::optional<WindowState::TitleList> opens = {};
};

// What is done with the plot itself.
void AddDeeds(const PlotChoice& choice, std::vector<TitleEntry>* entries) {
  using enum WindowState::TitleList;
  constexpr std::string_view kHeading = "This plot";
  if (choice.is_spectrum) {
    entries->push_back({{"Over time", "", kHeading}, TitleOfSpectrum(choice.title)});
  } else if (choice.over) {
    entries->push_back({{"Over time", "", kHeading}, choice.over->of});
  } else if (!choice.is_path()) {
    entries->push_back({{"Spectrum", "", kHeading}, SpectrumTitle(choice.title)});
    if (choice.is_of_one) return;
    entries->push_back({{"Add a signal …"}, {}, kAdd});
    entries->push_back({{"Over another signal …"}, {}, kOver});
  }
}

// The numbers of lists, of which a plot of its own is made when it is chosen.
void AddListNumbers(const std::vector<PlotChoice>& choices, std::vector<TitleEntry>* entries) {
  std::string_view heading = "Numbers of lists";
  for (const PlotChoice& choice : choices) {
    if (!choice.title.starts_with('/') || choice.lines.size() < 2) continue;
    const std::string list = choice.title.substr(0, choice.title.find(" …"));
    for (const PlotChoice::Line& line : choice.lines) {
      const std::string number = line.name.substr(line.name.rfind(' ') + 1);
      if (number.find_first_not_of("0123456789") != number.npos) continue;
      const std::string title =
          list.substr(0, list == choice.title ? list.npos : list.rfind('/')) + "/" + number;
      const bool is_there =
          std::ranges::any_of(*entries, [&](auto& each) { return each.title == title; });
      if (is_there) continue;
      entries->push_back({{{}, choice.unit, std::exchange(heading, {}), choice.doc}, title});
    }
  }
}

// Draws the list that a click on a plot's title has opened.
void DrawTitleList(WindowState* state, const PlacedPlot& plot, Hit hit, const Rect& title) {
  using enum WindowState::TitleList;
  const PlotChoice& choice = *plot.choice;
  const std::vector<PlotChoice>& choices = state->scene->plot_choices;
  if (hit.clicked) state->title_list = kContent;
  if (state->reopened_title == static_cast<int>(plot.index)) {
    hit.clicked = true;
    state->reopened_title = -1;
  }
  if (!hit.clicked && !IsListOpen("signals")) return;
  std::vector<TitleEntry> entries;
  int selected = -1;
  if (state->title_list == kContent) {
    AddDeeds(choice, &entries);
  }
  const std::size_t deeds = entries.size();
  for (const ListItem& item : PlotListItems(choices)) {
    entries.push_back({item, std::string(item.label)});
  }
  if (deeds > 0) entries[deeds].item.heading = "All plots";
  if (state->title_list != kContent) AddListNumbers(choices, &entries);
  std::vector<ListItem> items;
  for (TitleEntry& entry : entries) {
    if (entry.item.label.empty()) entry.item.label = entry.title;
    items.push_back(entry.item);
  }
  if (!ListBelow(state->ui, "signals", hit, items, &selected, title, &state->list_filter)) return;
  const TitleEntry& chosen = entries[static_cast<std::size_t>(selected)];
  if (chosen.opens) {
    state->title_list = *chosen.opens;
    state->reopened_title = static_cast<int>(plot.index);
  } else if (state->title_list == kAdd) {
    state->composing = {plot.index, SumTitle(choice.title, chosen.title)};
  } else if (state->title_list == kOver) {
    state->composing = {plot.index, OverTitle(choice.title, chosen.title)};
  } else {
    state->composing = {plot.index, chosen.title};
  }
}

// Draws the title as a button: a click opens the choice of content, a drag moves the plot.
void DrawPlotTitle(WindowState* state, const PlacedPlot& plot) {
  const Ui& ui = state->ui;
  const PlotChoice& choice = *plot.choice;
  const Rect& frame = plot.frame;
  const float width =
      TextWidth(ui.fonts.strong, choice.title) + ui.px(6) + TextWidth(ui.fonts.small, choice.unit);
  const Rect title{frame.x + ui.px(10), frame.y + ui.px(4), width + ui.px(12), ui.px(24)};
  Hit hit = HitBox("signal", title, Reach::kKeys);
  const Rect button{title.x, title.y, title.w + ui.px(16), title.h};
  if (hit.hovered) {
    StrokeRect(ui, button, ui.theme.border, ui.px(6));
    DrawIcon(ui, Icon::kChevronDown, title.right() + ui.px(6), title.middle_y(), ui.theme.muted,
             13);
  }
  DelayedTooltip(ui, hit, ExplainPlot(choice));
  if (hit.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, ui.px(kDragThreshold))) {
    state->dragged_plot = static_cast<int>(plot.index);
  }
  if (state->dragged_plot >= 0) hit.clicked = false;
  DrawTitleList(state, plot, hit, title);
}

// Draws the plot's buttons while the pointer is on its title's row, beside the legend if there is
// room, so that its entries can be reached. Returns whether the plot is to be removed.
bool DrawPlotButtons(WindowState* state, const PlacedPlot& plot) {
  const Ui& ui = state->ui;
  const Rect row{plot.frame.x, plot.frame.y, plot.frame.w, ui.px(kPlotTitle)};
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) ||
      !row.contains(ImGui::GetIO().MousePos)) {
    return false;
  }
  ShownPlot& shown = state->plots.plots()[plot.index];
  const float size = ui.px(22), width = 2 * size;
  const Rect& room = shown.state.title_room();
  const bool has_room = !plot.is_folded && room.w >= width;
  const float right = has_room ? room.right() : row.right() - ui.px(8);
  Rect place{right - width, row.y + ui.px(5), size, size};
  FillRect(ui, {place.x - ui.px(6), place.y, width + ui.px(8), size}, ui.theme.surface);
  const auto button = [&](const char* id, Icon icon, std::string_view tip) {
    const bool clicked = IconButton(ui, id, icon, place, tip);
    place.x += size;
    return clicked;
  };
  if (button("fold", plot.is_folded ? Icon::kChevronDown : Icon::kChevronUp,
             plot.is_folded ? "Show" : "Hide")) {
    shown.is_folded = !plot.is_folded;
  }
  return button("remove", Icon::kClose, "Remove");
}

// A click goes to that time, but only while paused, so that an accidental click does not stop a
// run. A double click fits the plot, thus undoes the click with which it began.
void HandleEvents(WindowState* state, const PlotEvents& events) {
  const Snapshot& snapshot = *state->scene->snapshot;
  if (events.selected && events.selected_to > events.selected_from) {
    state->selected_span = {events.selected_from, events.selected_to};
  } else if (events.selected) {
    state->selected_span.reset();
  }
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

void DrawFolded(const Ui& ui, const PlacedPlot& plot) {
  const float x = plot.frame.x + ui.px(kCardPadding), y = plot.frame.y + ui.px(15);
  TextMiddle(ui, ui.fonts.strong, x, y, ui.theme.muted, plot.choice->title);
}

// Draws the names of the axes of a plot of paths, and the lists that a click on them opens.
void DrawPathAxes(const Ui& ui, const Rect& frame, const PlotChoice& choice, const PlotPath& path,
                  PathAxes* axes, std::string* filter) {
  std::vector<ListItem> items = {
      {choice.is_of_one ? "Most of it" : "Largest motion", "since the throw"}};
  for (const PlotChoice::Coordinate& each : choice.coordinates) {
    items.push_back({each.name, each.unit});
  }
  ImGui::PushID(choice.title.c_str());
  for (const bool is_x : {true, false}) {
    if (is_x && choice.is_of_one) continue;
    const PathAxisLabel label(ui, frame, choice.title, path, is_x);
    const Rect& r = label.rect;
    const Hit hit = HitBox(is_x ? "x" : "y", r);
    if (hit.hovered) FillRect(ui, r, ui.theme.hover, ui.px(4));
    TextMiddle(ui, ui.fonts.small, r.x + ui.px(5), r.middle_y(), ui.theme.text, label.name);
    TextMiddle(ui, ui.fonts.small, label.unit_x, r.middle_y(), ui.theme.muted, label.unit);
    const std::string_view name = is_x ? path.name_x : path.name_y;
    DelayedTooltip(ui, hit,
                   (label.name == name ? "" : std::string(name) + "\n") +
                       (choice.is_of_one ? "Coordinate of the terms"
                        : is_x           ? "Coordinate along this axis"
                                         : "Coordinate up this axis"));
    int* axis = is_x ? &axes->x : &axes->y;
    int selected = *axis + 1;
    if (ListBelow(ui, is_x ? "xs" : "ys", hit, items, &selected, r, filter)) {
      *axis = selected - 1;
      int* other = is_x ? &axes->y : &axes->x;
      if (!choice.is_of_one && *axis >= 0 && *other == *axis) *other = -1;
    }
  }
  ImGui::PopID();
}

// Makes the composed plots that are shown and not yet there, and the one that was asked for.
void ComposePlots(WindowState* state) {
  std::vector<PlotChoice>* choices = &state->scene->plot_choices;
  if (const auto wanted = std::exchange(state->composing, std::nullopt)) {
    const std::string refusal = AddComposed(wanted->title, choices);
    if (!refusal.empty()) {
      ShowToast(state, refusal, true);
    } else if (wanted->index < state->plots.plots().size()) {
      state->plots.Replace(wanted->index, wanted->title);
      if (wanted->taken) state->plots.Remove(*wanted->taken);
    }
  }
  for (const ShownPlot& plot : state->plots.plots()) AddComposed(plot.title, choices);
}

}  // namespace

void PreparePlots(WindowState* state) {
  const ActiveScene& scene = *state->scene;
  const Snapshot& snapshot = *scene.snapshot;
  state->plots.SetFamily(FamilyOf(scene.session));
  ComposePlots(state);
  state->time_axis.shown =
      snapshot.t < snapshot.newest_t ? snapshot.t : std::numeric_limits<double>::quiet_NaN();
  state->time_axis.Update(scene.traces.buffer().first_time(), scene.traces.last_time());
}

std::vector<ListItem> PlotListItems(const std::vector<PlotChoice>& choices) {
  std::vector<ListItem> items;
  std::string_view heading;
  for (const PlotChoice& choice : choices) {
    items.push_back({choice.title, choice.unit, {}, choice.doc});
    if (choice.heading != heading) items.back().heading = choice.heading;
    heading = choice.heading;
  }
  return items;
}

void DrawShownPlot(WindowState* state, const PlacedPlot& plot) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect& frame = plot.frame;
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
    const bool has_axes = !plot.choice->coordinates.empty();
    const PathView view = FindPathView(state->scene->log, state->scene->traces, *plot.choice,
                                       shown.axes, state->scene->snapshot->t);
    PlotContent content(state->scene->traces, *plot.choice, ui.theme, view, state->ghosts);
    if (plot.choice->is_spectrum) content.spectrum = SpectraOver(*state);
    if (has_axes) {
      draw->ChannelsSetCurrent(1);
      DrawPathAxes(ui, frame, *plot.choice, content.path, &shown.axes, &state->list_filter);
      draw->ChannelsSetCurrent(0);
    }
    content.marks = MakeMarks(state->scene->log, state->scene->traces, *plot.choice);
    if (plot.choice->tells_causes) {
      const double t = state->scene->snapshot->t, thrown = state->scene->log.LastThrow(t);
      content.note = TellCausesOfTurning(*state->scene, std::isnan(thrown) ? 0 : thrown, t);
    }
    PlotSpec spec = content.spec();
    spec.aside = &state->scene->traces.aside();
    spec.time_labels = plot.has_labels;
    if (const auto& span = state->selected_span) {
      spec.selected_from = span->from;
      spec.selected_to = span->to;
    }
    HandleEvents(state, DrawPlot(ui, frame, spec, &state->time_axis, &shown.state));
  }
  draw->ChannelsMerge();
  if (removed) state->plots.Remove(plot.index);
}

SpectrumOver SpectraOver(const WindowState& state) {
  if (const auto& span = state.selected_span) return {span->from, span->to};
  return {state.time_axis.t0(), state.time_axis.t1()};
}

}  // namespace civita
