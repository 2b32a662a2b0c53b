#include "app/window/plot/export.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "app/report/svg_plot.h"
#include "app/style/axis.h"
#include "app/style/theme.h"
#include "base/number_text.h"
#include "civita/study/table.h"

namespace civita {
namespace {

constexpr int64_t kMostParts = 800;  // of a line in an SVG, about two for each pixel

// The samples of a path, thinned so that a second keeps a hundred points at least.
SvgSeries MakePath(const PlotLine& line, double t0, double t1) {
  constexpr double kSeconds = 0.01;
  SvgSeries series{.label = ExportText(line.name), .color = line.color};
  const TraceBuffer& trace = *line.trace;
  double next = t0;
  for (int64_t at = trace.LowerBound(t0); at < trace.LowerBound(t1); ++at) {
    if (trace.time(at) < next) continue;
    next = trace.time(at) + kSeconds;
    series.x.push_back(line.scale_x * static_cast<double>(trace.value(at, line.channel_x)));
    series.y.push_back(line.scale * static_cast<double>(trace.value(at, line.channel)));
  }
  return series;
}

// Its lines on logarithmic axes, and the limit of high frequencies.
void AddSpectra(const PlotSpec& spec, SvgPlot* plot) {
  plot->x = {.label = "frequency, Hz", .log = true};
  double lo = HUGE_VAL, hi = 0;
  for (const PlotLine& line : spec.lines) {
    const Spectrum spectrum = SpectrumOf(line, *spec.spectrum);
    SvgSeries& series =
        plot->series.emplace_back(SvgSeries{.label = ExportText(line.name), .color = line.color});
    for (std::size_t k = 1; k < spectrum.density.size(); ++k) {
      const double density = spectrum.density[k];
      series.Add(spectrum.step_hz * static_cast<double>(k), density);
      if (density > 0) lo = std::min(lo, density);
      hi = std::max(hi, density);
    }
    if (!series.x.empty()) plot->x.hi = series.x.back();
  }
  if (!(hi > 0)) return;
  const AxisLimits limits = LogLimits(lo, hi, kSpectrumDecades, spec.log_floor);
  plot->y.lo = std::pow(10.0, limits.lo);
  plot->y.hi = std::pow(10.0, limits.hi);
  const double mark = spec.spectrum->mark_hz;
  SvgSeries limit{.label = internal::General(mark) + " Hz",
                  .style = SvgSeries::Style::kDotted,
                  .color = kLightTheme.muted,
                  .width = 1};
  limit.Add(mark, plot->y.lo);
  limit.Add(mark, plot->y.hi);
  plot->series.push_back(std::move(limit));
}

SvgSeries MakeSeries(const PlotLine& line, double t0, double t1) {
  SvgSeries series{.label = ExportText(line.name), .color = line.color};
  const TraceBuffer& trace = *line.trace;
  const int64_t begin = trace.LowerBound(t0), end = trace.LowerBound(t1);
  const int64_t part = std::max<int64_t>(1, (end - begin) / kMostParts);
  const auto add = [&](int64_t sample, float value) {
    series.x.push_back(trace.time(sample));
    series.y.push_back(line.scale * static_cast<double>(value));
  };
  for (int64_t at = begin; at < end; at += part) {
    const ValueRange range = trace.Range(line.channel, at, std::min(end, at + part));
    if (part == 1 || range.empty()) {
      add(at, trace.value(at, line.channel));
      continue;
    }
    // In the order that goes on from the last point.
    const bool falls =
        !series.y.empty() && series.y.back() > line.scale * static_cast<double>(range.hi);
    add(at, falls ? range.hi : range.lo);
    add(std::min(end - 1, at + part / 2), falls ? range.lo : range.hi);
  }
  return series;
}

}  // namespace

std::string FormatPlotsSvg(std::span<const PlotSpec> plots, double t0, double t1) {
  SvgFigure figure{.columns = 1, .width = 620, .height = 260};
  for (const PlotSpec& spec : plots) {
    SvgPlot plot{.title = ExportText(spec.title),
                 .x = {.label = "time, s", .lo = t0, .hi = t1},
                 .y = {.label = std::string(spec.unit), .log = spec.log, .lo = spec.fixed_lo}};
    if (spec.path != nullptr) {
      const auto label = [](std::string_view name, std::string_view unit) {
        return std::string(name) + ", " + std::string(unit);
      };
      plot.x = {.label = label(spec.path->name_x, spec.path->unit_x)};
      plot.y = {.label = label(spec.path->name_y, spec.path->unit_y)};
    }
    if (spec.spectrum != nullptr) AddSpectra(spec, &plot);
    for (const PlotLine& line : spec.lines) {
      if (spec.spectrum != nullptr) break;
      plot.series.push_back(spec.path != nullptr ? MakePath(line, std::max(t0, spec.path->from), t1)
                                                 : MakeSeries(line, t0, t1));
    }
    figure.plots.push_back(std::move(plot));
  }
  return FormatSvg(figure);
}

Spectrum SpectrumOf(const PlotLine& line, const SpectrumOver& over) {
  Spectrum spectrum = CalcSpectrum(*line.trace, line.channel, over.from, over.to);
  for (double& density : spectrum.density) density *= line.scale;
  return spectrum;
}

void WriteSpectraCsv(std::ostream& out, std::span<const NamedSpectrum> spectra) {
  out << "frequency (Hz)";
  double step_hz = 0;
  std::size_t count = 0;
  for (const auto& [name, spectrum] : spectra) {
    out << ',' << CsvCell(ExportText(name));
    if (spectrum.density.empty()) continue;
    count = std::max(count, spectrum.density.size());
    step_hz = spectrum.step_hz;
  }
  out << '\n';
  for (std::size_t k = 1; k < count; ++k) {
    out << internal::General(step_hz * static_cast<double>(k), 9);
    for (const auto& [name, spectrum] : spectra) {
      out << ',';
      if (k < spectrum.density.size()) out << internal::General(spectrum.density[k], 9);
    }
    out << '\n';
  }
}

void WritePlotCsv(std::ostream& out, std::span<const PlotLine> lines, double t0, double t1) {
  out << "t";
  for (const PlotLine& line : lines) out << ',' << CsvCell(ExportText(line.name));
  out << '\n';
  std::vector<int64_t> next;
  for (const PlotLine& line : lines) next.push_back(line.trace->LowerBound(t0));
  while (true) {
    double t = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < lines.size(); ++i) {
      const TraceBuffer& trace = *lines[i].trace;
      if (next[i] < trace.end_index()) t = std::min(t, trace.time(next[i]));
    }
    if (!(t <= t1)) return;
    out << internal::General(t, 9);
    for (size_t i = 0; i < lines.size(); ++i) {
      const TraceBuffer& trace = *lines[i].trace;
      out << ',';
      if (next[i] >= trace.end_index() || trace.time(next[i]) != t) continue;
      const double value = lines[i].scale * trace.value(next[i], lines[i].channel);
      out << (std::isfinite(value) ? internal::General(value, 9) : "nan");
      ++next[i];
    }
    out << '\n';
  }
}

}  // namespace civita
