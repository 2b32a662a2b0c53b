#include <sstream>
#include <string>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/export.h"
#include "app/window/plot/plot_content.h"
#include "base/number_text.h"
#include "civita/sim/output_file.h"

namespace civita {
namespace {

// The contents of the unfolded plots that the scene has, without the lines that the user hid.
std::vector<PlotContent> ShownContents(const WindowState& state, const Theme& theme) {
  std::vector<PlotContent> contents;
  for (const ShownPlot& plot : state.plots.plots()) {
    const PlotChoice* choice = FindChoice(state.scene->plot_choices, plot.title);
    if (choice == nullptr || plot.is_folded || choice->is_spectrum) continue;
    const ActiveScene& scene = *state.scene;
    PathView view;
    if (!choice->coordinates.empty() || choice->over) {
      ShownPlot shown = plot;
      view = FindShownView(scene.log, scene.traces, *choice, scene.snapshot->t, &shown);
    }
    PlotContent& content = contents.emplace_back(scene.traces, *choice, theme, view);
    std::vector<PlotLine> lines;
    for (std::size_t i = 0; i < content.lines.size(); ++i) {
      if (plot.state.shown(static_cast<int>(i))) lines.push_back(content.lines[i]);
    }
    content.lines = std::move(lines);
  }
  return contents;
}

// Times up to the clock: what a rewind took back is not exported.
double EndOf(const WindowState& state) {
  return std::min(state.time_axis.t1(), state.scene->snapshot->t);
}

void WriteCsv(const WindowState& state, std::ostream& out) {
  const std::vector<PlotContent> contents = ShownContents(state, state.ui.theme);
  std::vector<PlotLine> lines;
  std::vector<std::string> names;
  for (const PlotContent& content : contents) {
    const PlotSpec spec = content.spec();
    const auto add = [&](const PlotLine& line, std::string_view name, std::string_view unit) {
      lines.push_back(line);
      names.push_back(ExportText(std::string(spec.title) + " " + std::string(name) + " (" +
                                 std::string(unit) + ")"));
    };
    for (const PlotLine& line : content.lines) {
      if (spec.path == nullptr) {
        add(line, line.name, spec.unit);
        continue;
      }
      PlotLine x = line;
      x.channel = line.channel_x;
      x.scale = line.scale_x;
      const std::string run = std::string(line.name) + " ";
      add(x, run + std::string(spec.path->name_x), spec.path->unit_x);
      add(line, run + std::string(spec.path->name_y), spec.path->unit_y);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].name = names[i];
  WritePlotCsv(out, lines, state.time_axis.t0(), EndOf(state));
}

// A row for each line: its plot and name, unit, and the figures of the selected stretch.
std::string FiguresTable(const WindowState& state) {
  const auto& span = *state.selected_span;
  std::string text = "signal\tunit\tRMS\tpeak\tmean, " + internal::General(span.from, 9) + " to " +
                     internal::General(span.to, 9) + " s\n";
  for (const PlotContent& content : ShownContents(state, state.ui.theme)) {
    const PlotSpec spec = content.spec();
    if (spec.path != nullptr) continue;
    for (const PlotLine& line : content.lines) {
      const TraceBuffer& trace = *line.trace;
      const LineFigures figures = CalcLineFigures(
          trace, line.channel, line.scale, trace.LowerBound(span.from), trace.LowerBound(span.to));
      const bool has_coordinate = spec.coordinate != nullptr;
      text += std::string(spec.title) + " " + std::string(line.name) +
              (has_coordinate ? " " + std::string(spec.coordinate->name_y) : "") + "\t" +
              std::string(has_coordinate ? spec.coordinate->unit_y : spec.unit);
      for (const double x : {figures.rms, figures.peak, figures.mean}) {
        text += "\t" + internal::General(x, 6);
      }
      text += "\n";
    }
  }
  return text;
}

// On paper: the light theme's colours.
void WriteSvg(const WindowState& state, std::ostream& out) {
  std::vector<PlotSpec> specs;
  const std::vector<PlotContent> contents = ShownContents(state, kLightTheme);
  for (const PlotContent& content : contents) specs.push_back(content.spec());
  out << FormatPlotsSvg(specs, state.time_axis.t0(), EndOf(state), state.plot_columns);
}

}  // namespace

void CopySpanFigures(WindowState* state) {
  if (!state->selected_span) {
    ShowToast(state, "Select a stretch of time first: a drag with shift in a plot");
    return;
  }
  ImGui::SetClipboardText(ExportText(FiguresTable(*state)).c_str());
  ShowToast(state, "Copied the figures of all plots");
}

void ExportPlots(WindowState* state, PlotFormat format) {
  if (format == PlotFormat::kPng) {
    state->requests.plots_picture = true;
    return;
  }
  const bool is_svg = format == PlotFormat::kSvg;
  const std::string path = TimestampedName("signals", is_svg ? "svg" : "csv", state->recordings);
  std::ostringstream text;
  (is_svg ? WriteSvg : WriteCsv)(*state, text);
  try {
    WriteWhole(path, text.str());
    TellSaved(state, path);
  } catch (const Error& error) {
    ShowToast(state, error.what(), true);
  }
}

}  // namespace civita
