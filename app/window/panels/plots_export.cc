#include <algorithm>
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

// Times up to the clock: what a rewind took back is not exported.
double EndOf(const WindowState& state) {
  return std::min(state.time_axis.t1(), state.scene->snapshot->t);
}

// The contents of the unfolded plots that the scene has, without the lines that the user hid.
std::vector<PlotContent> ShownContents(const WindowState& state, const Theme& theme) {
  std::vector<PlotContent> contents;
  for (const ShownPlot& plot : state.plots.plots()) {
    const PlotChoice* choice = FindChoice(state.scene->plot_choices, plot.title);
    if (choice == nullptr || plot.is_folded) continue;
    const ActiveScene& scene = *state.scene;
    const PathView view =
        FindPathView(scene.log, scene.traces, *choice, plot.axes, scene.snapshot->t);
    PlotContent& content = contents.emplace_back(scene.traces, *choice, theme, view, state.ghosts);
    content.spectrum = SpectraOver(state);
    content.spectrum.to = std::min(content.spectrum.to, scene.snapshot->t);
    std::vector<PlotLine> lines;
    for (std::size_t i = 0; i < content.lines.size(); ++i) {
      if (plot.state.shown(content.lines[i], i)) lines.push_back(content.lines[i]);
    }
    content.lines = std::move(lines);
  }
  return contents;
}

/// A file of an export; without text there is nothing to write.
struct ExportedFile {
  const char* name;
  std::string text;
};

std::string NameOf(const PlotSpec& spec, const PlotLine& line, std::string_view name,
                   std::string_view unit) {
  const std::string ghost = line.is_named() ? "" : " of " + std::string(line.ghost);
  return ExportText(std::string(spec.title) + " " + std::string(name) + ghost + " (" +
                    std::string(unit) + ")");
}

ExportedFile LinesCsv(const WindowState& state, const std::vector<PlotContent>& contents) {
  std::vector<PlotLine> lines;
  std::vector<std::string> names;
  for (const PlotContent& content : contents) {
    const PlotSpec spec = content.spec();
    if (spec.spectrum != nullptr) continue;
    const auto add = [&](const PlotLine& line, std::string_view name, std::string_view unit) {
      lines.push_back(line);
      names.push_back(NameOf(spec, line, name, unit));
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
  if (lines.empty()) return {"signals", ""};
  std::ostringstream text;
  WritePlotCsv(text, lines, state.time_axis.t0(), EndOf(state));
  return {"signals", text.str()};
}

ExportedFile SpectraCsv(const std::vector<PlotContent>& contents) {
  std::vector<NamedSpectrum> spectra;
  for (const PlotContent& content : contents) {
    const PlotSpec spec = content.spec();
    if (spec.spectrum == nullptr) continue;
    for (const PlotLine& line : content.lines) {
      spectra.push_back(
          {NameOf(spec, line, line.name, spec.unit), SpectrumOf(line, *spec.spectrum)});
    }
  }
  if (spectra.empty()) return {"spectra", ""};
  std::ostringstream text;
  WriteSpectraCsv(text, spectra);
  return {"spectra", text.str()};
}

// A row for each line: its plot and name, unit, and the figures of the selected stretch.
std::string FiguresTable(const WindowState& state) {
  const auto& span = *state.selected_span;
  std::string text = "signal\tunit\tRMS\tpeak\tmean, " + internal::General(span.from, 9) + " to " +
                     internal::General(span.to, 9) + " s\n";
  for (const PlotContent& content : ShownContents(state, state.ui.theme)) {
    const PlotSpec spec = content.spec();
    if (spec.path != nullptr || spec.spectrum != nullptr) continue;
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
ExportedFile LinesSvg(const WindowState& state) {
  std::vector<PlotSpec> specs;
  const std::vector<PlotContent> contents = ShownContents(state, kLightTheme);
  for (const PlotContent& content : contents) specs.push_back(content.spec());
  return {"signals", FormatPlotsSvg(specs, state.time_axis.t0(), EndOf(state))};
}

// Spectra, over frequencies, are a table of their own.
std::vector<ExportedFile> ExportedFiles(const WindowState& state, PlotFormat format) {
  if (format == PlotFormat::kSvg) return {LinesSvg(state)};
  const std::vector<PlotContent> contents = ShownContents(state, state.ui.theme);
  return {SpectraCsv(contents), LinesCsv(state, contents)};
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
  const char* extension = format == PlotFormat::kSvg ? "svg" : "csv";
  try {
    bool is_empty = true;
    for (const auto& [name, text] : ExportedFiles(*state, format)) {
      if (text.empty()) continue;
      is_empty = false;
      const std::string path = TimestampedName(name, extension, state->recordings);
      WriteWhole(path, text);
      TellSaved(state, path);
    }
    if (is_empty) ShowToast(state, "No plot is shown");
  } catch (const Error& error) {
    ShowToast(state, error.what(), true);
  }
}

}  // namespace civita
