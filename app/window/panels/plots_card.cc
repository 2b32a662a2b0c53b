#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "app/window/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/export.h"
#include "app/window/terms.h"

namespace civita {
namespace {

constexpr std::array<const char*, kPlots> kPlotIds = {"plot 0", "plot 1", "plot 2", "plot 3"};
constexpr std::array<double, 3> kSpans = {2, 10, 60};
constexpr std::array<std::string_view, 3> kSpanLabels = {"2 s", "10 s", "60 s"};

// Content of a plot; owns the lines, of which the spec only holds views.
struct PlotContent {
  PlotSpec spec;
  std::vector<PlotLine> lines;
  std::vector<PlotBand> bands;
};

PlotContent MakeContent(const WindowState& state, const PlotChoice& choice) {
  const TraceBuffer& trace = state.scene->traces.buffer();
  const auto& colors = state.ui.theme.series;
  const double scale = ScaleOf(choice.style.shown);
  PlotContent content;
  for (const PlotChoice::Line& line : choice.lines) {
    content.lines.push_back({.trace = &trace,
                             .channel = line.channel,
                             .name = line.name,
                             .color = colors[line.color % colors.size()],
                             .width = line.width,
                             .alpha = line.alpha,
                             .scale = scale});
  }
  if (const std::optional<PlotChoice::Band>& band = choice.band) {
    content.bands.push_back({.trace = &trace,
                             .low = band->low,
                             .high = band->high,
                             .color = colors[0],
                             .scale = scale,
                             .owner = band->owner});
  }
  PlotSpec& spec = content.spec;
  spec.title = choice.title;
  spec.unit = choice.unit;
  spec.legend_title = choice.legend_title;
  spec.log = choice.style.log;
  if (choice.style.from_zero) spec.fixed_lo = 0;
  spec.decimals = choice.style.decimals;
  spec.sign = choice.style.has_plus ? Sign::kAlways : Sign::kNegativeOnly;
  return content;
}

// Index of a plot's content among the scene's choices.
std::size_t Shown(const WindowState& state, std::size_t plot) {
  const std::vector<PlotChoice>& choices = state.scene->plot_choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].title == state.plotted[plot]) return i;
  }
  return 0;
}

// Each kind of scene begins with its own plots, which also replace content that a scene does not
// have.
void ChoosePlots(WindowState* state) {
  const ActiveScene& scene = *state->scene;
  const bool legs = scene.session.scene().legs != nullptr;
  const bool is_other_kind = std::exchange(state->plotted_is_for_legs, legs) != legs;
  const std::array<std::string_view, kPlots> first = FirstPlots(legs);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_there = scene.plot_choices[Shown(*state, i)].title == state->plotted[i];
    if (is_there && !is_other_kind) continue;
    state->plotted[i] = first[i];
    state->plots[i] = {};
  }
}

std::vector<ListItem> ListItems(const std::vector<PlotChoice>& choices) {
  std::vector<ListItem> items;
  std::string_view heading;
  for (const PlotChoice& choice : choices) {
    items.push_back({choice.title, choice.unit});
    if (choice.heading != heading) items.back().heading = choice.heading;
    heading = choice.heading;
  }
  return items;
}

// A plot's term, or what the signals' table says of a signal.
std::string ExplainPlot(const ActiveScene& scene, const std::string& title) {
  if (std::string text = Explain(title); !text.empty()) return text;
  const Signal* signal = scene.session.signals().Find(title);
  return signal == nullptr ? "" : ShownText(signal->info.doc);
}

// Draws the title as a button that opens the choice of content.
void DrawPlotChoice(WindowState* state, int plot, const Rect& frame, const PlotSpec& spec) {
  const Ui& ui = state->ui;
  const float width =
      TextWidth(ui.fonts.strong, spec.title) + ui.px(6) + TextWidth(ui.fonts.small, spec.unit);
  const Rect title{frame.x + ui.px(10), frame.y + ui.px(5), width + ui.px(12), ui.px(24)};
  ImGui::PushID(plot);
  const Hit hit = HitBox("signal", title);
  if (hit.hovered) {
    const Rect button{title.x, title.y, title.w + ui.px(16), title.h};
    StrokeRect(ui, ImGui::GetWindowDrawList(), button, ToImU32(ui.theme.border), ui.px(6));
    DrawIcon(ui, ImGui::GetWindowDrawList(), Icon::kChevronDown, title.right() + ui.px(6),
             title.middle_y(), ToImU32(ui.theme.muted), 13);
  }
  const auto index = static_cast<std::size_t>(plot);
  const std::vector<PlotChoice>& choices = state->scene->plot_choices;
  DelayedTooltip(ui, hit, ExplainPlot(*state->scene, std::string(spec.title)));
  int selected = static_cast<int>(Shown(*state, index));
  if (ListBelow(ui, "signals", hit, ListItems(choices), &selected, title)) {
    state->plotted[index] = choices[static_cast<std::size_t>(selected)].title;
    state->plots[index] = {};
  }
  ImGui::PopID();
}

std::vector<PlotMark> MakeMarks(const ActiveScene& scene, bool with_saturation) {
  std::vector<PlotMark> marks;
  for (const RunLog::EventMark& mark : scene.log.marks()) {
    marks.push_back({.kind = mark.kind, .t = mark.t, .text = mark.text});
  }
  if (!with_saturation) return marks;
  for (const Traces::Saturation& saturation : scene.traces.saturations()) {
    marks.push_back({.kind = PlotMark::Kind::kSaturation,
                     .t = saturation.from,
                     .t_end = saturation.to,
                     .text = "torque limit"});
  }
  return marks;
}

// Exports the content of the plots as a CSV to the program's working directory.
void ExportVisible(WindowState* state) {
  const std::string path = TimestampedName("signals", "csv");
  std::vector<PlotLine> lines;
  std::vector<std::string> names;
  for (std::size_t plot = 0; plot < kPlots; ++plot) {
    const PlotContent content =
        MakeContent(*state, state->scene->plot_choices[Shown(*state, plot)]);
    for (const PlotLine& line : content.lines) {
      lines.push_back(line);
      names.push_back(ExportText(std::string(content.spec.title) + " " + std::string(line.name) +
                                 " (" + std::string(content.spec.unit) + ")"));
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].name = names[i];
  std::ofstream file(path);
  WritePlotCsv(file, lines, state->time_axis.t0(), state->time_axis.t1());
  file.close();
  if (file) {
    ShowToast(state, "Saved " + path);
  } else {
    ShowToast(state, "Cannot write " + std::filesystem::absolute(path).string(), true);
  }
}

void DrawHeader(WindowState* state, const Rect& r, bool is_wide) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = r.middle_y();
  SectionLabel(ui, r.x + ui.px(kCardPadding), middle, "Signals");
  float right = r.right() - ui.px(10);
  const auto button = [&](const char* id, Icon icon, std::string_view tip, bool on) {
    right -= ui.px(30);
    const bool clicked = IconButton(ui, id, icon, {right, middle - ui.px(15), ui.px(30), ui.px(30)},
                                    tip, {.on = on});
    right -= ui.px(4);
    return clicked;
  };
  TimeAxis& axis = state->time_axis;
  if (!is_wide &&
      button("collapse", state->panels.plots_collapsed ? Icon::kChevronUp : Icon::kChevronDown,
             state->panels.plots_collapsed ? "Show the plots" : "Hide the plots", false)) {
    state->panels.plots_collapsed = !state->panels.plots_collapsed;
  }
  if (button("export", Icon::kExport, "Export what is shown as CSV", false)) ExportVisible(state);
  if (button("hold", Icon::kPause, axis.held() ? "Go on" : "Hold the plots", axis.held())) {
    axis.Hold(!axis.held());
  }
  if (!axis.following() && button("follow", Icon::kFollow, "Follow the newest sample", false)) {
    axis.Follow();
  }
  const float width = ui.px(150);
  right -= ui.px(4) + width;
  if (right < r.x + ui.px(100)) return;
  int selected = -1;
  for (int i = 0; i < static_cast<int>(kSpans.size()); ++i) {
    if (axis.following() && axis.span() == kSpans[static_cast<std::size_t>(i)]) selected = i;
  }
  if (Segmented(ui, "span", kSpanLabels, &selected,
                {right, middle - ui.px(14), width, ui.px(28)})) {
    axis.SetSpan(kSpans[static_cast<std::size_t>(selected)]);
  }
  DrawRule(ui, draw, r.x + ui.hairline(), r.right() - ui.hairline(), r.bottom());
}

// A click rewinds to that time, but only while paused, so that an accidental click does not
// discard a run.
void HandleEvents(WindowState* state, const PlotEvents& events) {
  if (!events.clicked) return;
  const Snapshot& snapshot = *state->scene->snapshot;
  if (snapshot.state == RunState::kRunning) {
    ShowToast(state, "Pause to go back to a moment by clicking on a plot");
  } else if (events.clicked_time >= snapshot.oldest_saved_t && events.clicked_time < snapshot.t) {
    RewindTo(state, events.clicked_time);
  }
}

}  // namespace

void DrawPlotsCard(WindowState* state, const Rect& r, int columns, bool is_wide) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  DrawCard(ui, draw, r);
  const float header = ui.px(kCardHeader), hair = ui.hairline();
  ChoosePlots(state);
  DrawHeader(state, {r.x, r.y, r.w, header}, is_wide);
  const float labels = ui.px(16);  // the last row has the time labels
  if (r.h < header + ui.px(60)) return;
  const TraceBuffer& buffer = state->scene->traces.buffer();
  state->time_axis.Update(buffer.first_time(), buffer.last_time());
  const int rows = (kPlots + columns - 1) / columns;
  const float width = std::floor(r.w / static_cast<float>(columns));
  const float height = std::floor((r.h - header - labels - ui.px(4)) / static_cast<float>(rows));
  for (int plot = 0; plot < kPlots; ++plot) {
    const int column = plot % columns, row = plot / columns;
    const bool last_row = row == rows - 1;
    const Rect frame{r.x + static_cast<float>(column) * width,
                     r.y + header + static_cast<float>(row) * height, width,
                     height + (last_row ? labels : 0)};
    if (row > 0) DrawRule(ui, draw, frame.x + hair, frame.right() - hair, frame.y);
    if (column > 0) DrawVerticalRule(ui, draw, frame.x, frame.y + hair, frame.bottom() + ui.px(3));
    const PlotChoice& choice =
        state->scene->plot_choices[Shown(*state, static_cast<std::size_t>(plot))];
    PlotContent content = MakeContent(*state, choice);
    const std::vector<PlotMark> marks = MakeMarks(*state->scene, choice.marks_saturation);
    content.spec.id = kPlotIds[static_cast<std::size_t>(plot)];
    content.spec.lines = content.lines;
    content.spec.bands = content.bands;
    content.spec.marks = marks;
    content.spec.time_labels = last_row;
    HandleEvents(state, DrawPlot(ui, frame, content.spec, &state->time_axis,
                                 &state->plots[static_cast<std::size_t>(plot)]));
    DrawPlotChoice(state, plot, frame, content.spec);
  }
}

}  // namespace civita
