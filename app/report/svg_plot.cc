#include "app/report/svg_plot.h"

#include <algorithm>
#include <array>

#include "app/report/html.h"
#include "app/style/axis.h"
#include "base/number_text.h"
#include "base/text.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

constexpr Theme kTheme = kLightTheme;
constexpr double kTextSize = 12, kTitleSize = 13;
// margins of a plot around its frame
constexpr double kLeft = 62, kRight = 18, kTop = 42, kTopUntitled = 22, kBottom = 46;
constexpr double kLegendRow = 24;
constexpr double kLabelGap = 15;       // minimum distance between two lines' names
constexpr double kMaxDecades = 18;     // maximum shown on a logarithmic axis
constexpr double kFewDecades = 2.5;    // up to which ticks at 2 and 5 are added
constexpr double kSmallestStep = 0.3;  // minimum px between two points of a line

using internal::General;

/// Of a length in px.
std::string Px(double x) { return internal::WithDecimals(x, 1); }

/// Appends the parts, one after the other.
template <typename... Parts>
void Append(std::string* text, const Parts&... parts) {
  ((*text += parts), ...);
}

/// Approximate width of a text in px, to reserve room; fonts differ.
double PixelWidth(const std::string& text) {
  return 0.56 * kTextSize * static_cast<double>(internal::TextWidth(text));
}

void AppendText(double x, double y, const char* attributes, const std::string& text,
                std::string* out) {
  Append(out, "<text x=\"", Px(x), "\" y=\"", Px(y), "\" ", attributes, ">", EscapeXml(text),
         "</text>\n");
}

void AppendLine(double x1, double y1, double x2, double y2, Rgb color, std::string* out) {
  Append(out, "<path d=\"M", Px(x1), " ", Px(y1), "L", Px(x2), " ", Px(y2), "\" stroke=\"",
         Hex(color), "\"/>\n");
}

struct Tick {
  double at;  ///< value in the axis' measure
  std::string label;
};

/// Layout of an axis. Its measure is the value, or its decimal logarithm.
struct Scale {
  bool log = false;
  double lo = 0, hi = 1;
  std::vector<Tick> ticks;
  std::string factor;  ///< common factor of the labels: "×10⁻³"

  /// The value in the axis' measure; NaN if it has none.
  double Measure(double value) const {
    if (!log) return value;
    return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
  }
  double Fraction(double value) const { return (Measure(value) - lo) / (hi - lo); }
};

void AddLinearTicks(const AxisLimits& limits, Scale* scale) {
  const int exponent = CommonExponent(limits);
  const double unit = std::pow(10.0, exponent);
  if (exponent != 0) scale->factor = "×" + PowerOfTen(exponent);
  for (const double tick : TicksIn(limits.lo, limits.hi, limits.step)) {
    scale->ticks.push_back({tick, Fixed(tick / unit, DecimalsOf(limits.step / unit))});
  }
}

/// Ticks at decades, at every second or third one if there are many; at 1·2·5 if there are few.
void AddLogTicks(Scale* scale) {
  const double decades = scale->hi - scale->lo;
  const bool few = decades <= kFewDecades;
  const int stride = static_cast<int>(std::ceil(decades / 8));
  const int first = static_cast<int>(std::ceil(scale->lo - 1e-9 - (few ? 1 : 0)));
  for (int e = first; e <= scale->hi + 1e-9; e += few ? 1 : stride) {
    for (const int mantissa : few ? std::vector<int>{1, 2, 5} : std::vector<int>{1}) {
      const double at = e + std::log10(mantissa);
      if (at < scale->lo - 1e-9 || at > scale->hi + 1e-9) continue;
      const bool plain = few && e >= -3 && e <= 3;
      const std::string power = mantissa == 1 ? PowerOfTen(e) : "";
      scale->ticks.push_back({at, plain ? Fixed(std::pow(10.0, at), std::max(0, -e)) : power});
    }
  }
}

/// The decimal logarithm of the nearest 1·2·5 at or beyond a power of ten `x`.
double RoundLog(double x, bool up) {
  const double decade = std::floor(x + 1e-9);
  double best = up ? decade + 1 : decade;
  for (const double mantissa : {0.0, std::log10(2.0), std::log10(5.0)}) {
    const double at = decade + mantissa;
    if (up && at >= x - 1e-9) best = std::min(best, at);
    if (!up && at <= x + 1e-9) best = std::max(best, at);
  }
  return best;
}

/// `tight`: without margin around the data. With `x_scale`, of the points that it shows.
Scale LayOutAxis(const SvgAxis& axis, const std::vector<SvgSeries>& series,
                 std::vector<double> SvgSeries::*values, bool tight, double length,
                 const Scale* x_scale = nullptr) {
  Scale scale;
  scale.log = axis.log;
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  for (const SvgSeries& one : series) {
    for (std::size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i) {
      const double at = scale.Measure((one.*values)[i]);
      const double across = x_scale != nullptr ? x_scale->Fraction(one.x[i]) : 0;
      if (!std::isfinite(at) || !(across >= -1e-9 && across <= 1 + 1e-9)) continue;
      lo = std::min(lo, at);
      hi = std::max(hi, at);
    }
  }
  if (!axis.log) {
    tight = tight && lo < hi;
    const AxisLimits limits =
        LinearLimits(lo, hi, std::isnan(axis.lo) && tight ? lo : axis.lo,
                     std::isnan(axis.hi) && tight ? hi : axis.hi, length / 40);
    scale.lo = limits.lo;
    scale.hi = limits.hi;
    AddLinearTicks(limits, &scale);
    return scale;
  }
  if (!(lo <= hi)) lo = -1, hi = 0;
  const bool few = hi - lo <= kFewDecades - 0.5;
  scale.hi = std::isnan(axis.hi) ? (few ? RoundLog(hi, true) : std::ceil(hi)) : std::log10(axis.hi);
  scale.lo =
      std::isnan(axis.lo) ? (few ? RoundLog(lo, false) : std::floor(lo)) : std::log10(axis.lo);
  scale.lo = std::max(scale.lo, scale.hi - kMaxDecades);
  if (scale.hi - scale.lo < 0.3) scale.hi = scale.lo + 0.31;
  AddLogTicks(&scale);
  return scale;
}

/// A plot's frame on the page and its axes.
struct Frame {
  double x, y, width, height;
  Scale x_scale, y_scale;

  double X(double value) const { return x + width * x_scale.Fraction(value); }
  double Y(double value) const { return y + height * (1 - y_scale.Fraction(value)); }
};

/// Widens the axis with room to spare, so that both directions have the same scale.
void Equalize(Frame* frame) {
  const auto widen = [](Scale* scale, double range) {
    const double middle = 0.5 * (scale->lo + scale->hi);
    scale->lo = middle - 0.5 * range;
    scale->hi = middle + 0.5 * range;
  };
  const double per_px = 1.04 * std::max((frame->x_scale.hi - frame->x_scale.lo) / frame->width,
                                        (frame->y_scale.hi - frame->y_scale.lo) / frame->height);
  widen(&frame->x_scale, per_px * frame->width);
  widen(&frame->y_scale, per_px * frame->height);
}

Rgb ColorOf(const SvgPlot& plot, std::size_t index) {
  return plot.series[index].color.value_or(kTheme.series[index % kTheme.series.size()]);
}

const char* DashesOf(SvgSeries::Style style) {
  if (style == SvgSeries::Style::kDashed) return " stroke-dasharray=\"6 4\"";
  if (style == SvgSeries::Style::kDotted) return " stroke-dasharray=\"1.5 3.5\"";
  return "";
}

/// `named`: in a group that bears the series' name.
void AppendSeries(const SvgSeries& series, Rgb color, const Frame& frame, bool named,
                  std::string* out) {
  std::string path, points;
  bool pen_down = false;
  double last_x = 0, last_y = 0;
  const std::size_t size = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < size; ++i) {
    const double x = frame.X(series.x[i]), y = frame.Y(series.y[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) {
      pen_down = false;
      continue;
    }
    const bool last = i + 1 == size || !std::isfinite(frame.X(series.x[i + 1])) ||
                      !std::isfinite(frame.Y(series.y[i + 1]));
    if (pen_down && !last && std::hypot(x - last_x, y - last_y) < kSmallestStep) continue;
    const std::string at_x = internal::WithDecimals(x, 2), at_y = internal::WithDecimals(y, 2);
    Append(&path, pen_down ? "L" : "M", at_x, " ", at_y);
    if (series.style == SvgSeries::Style::kPoints) {
      Append(&points, "<circle cx=\"", at_x, "\" cy=\"", at_y, "\" r=\"3\" fill=\"", Hex(color),
             "\"/>\n");
    }
    pen_down = true;
    last_x = x;
    last_y = y;
  }
  if (path.empty()) return;
  if (named) *out += "<g class=\"s\" data-name=\"" + EscapeXml(series.label) + "\">\n";
  Append(out, "<path stroke=\"", Hex(color), "\" stroke-width=\"", General(series.width),
         "\" stroke-linecap=\"round\"", DashesOf(series.style), " d=\"");
  *out += path + "\"/>\n" + points;
  if (named) *out += "</g>\n";
}

/// `grouped`: the ticks in a group of their own, which the reports' script replaces.
void AppendAxes(const SvgPlot& plot, const Frame& frame, bool grouped, std::string* out) {
  const double bottom = frame.y + frame.height, right = frame.x + frame.width;
  if (grouped) *out += "<g class=\"ticks\">\n";
  for (const Tick& tick : frame.x_scale.ticks) {
    const double fraction = (tick.at - frame.x_scale.lo) / (frame.x_scale.hi - frame.x_scale.lo);
    const double x = frame.x + frame.width * fraction;
    AppendLine(x, frame.y, x, bottom, kTheme.grid, out);
    AppendText(x, bottom + 16, "class=\"m\"", tick.label, out);
  }
  for (const Tick& tick : frame.y_scale.ticks) {
    const double fraction = (tick.at - frame.y_scale.lo) / (frame.y_scale.hi - frame.y_scale.lo);
    const double y = bottom - frame.height * fraction;
    const bool zero = !frame.y_scale.log && tick.at == 0;
    AppendLine(frame.x, y, right, y, zero ? kTheme.axis : kTheme.grid, out);
    AppendText(frame.x - 7, y + 4, "class=\"e\"", tick.label, out);
  }
  const std::string &factor_x = frame.x_scale.factor, &factor_y = frame.y_scale.factor;
  if (!factor_x.empty()) AppendText(right, bottom + 32, "class=\"e\"", factor_x, out);
  if (!factor_y.empty()) AppendText(frame.x, frame.y - 10, "class=\"e\"", factor_y, out);
  if (grouped) *out += "</g>\n";
  Append(out, "<path d=\"M", Px(frame.x), " ", Px(frame.y), "V", Px(bottom), "H", Px(right),
         "\" stroke=\"", Hex(kTheme.strong), "\"/>\n");
  AppendText(frame.x + frame.width / 2, bottom + 36, "class=\"m\"", plot.x.label, out);
  Append(out, "<text class=\"m\" transform=\"translate(", Px(frame.x - 46), " ",
         Px(frame.y + frame.height / 2), ") rotate(-90)\">");
  *out += EscapeXml(plot.y.label) + "</text>\n";
}

/// Writes each line's name at the height of its last point, shifted where names would overlap.
void AppendNames(const SvgPlot& plot, const Frame& frame, std::string* out) {
  struct Name {
    std::size_t index;
    double y;
  };
  std::vector<Name> names;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const SvgSeries& series = plot.series[i];
    if (series.label.empty()) continue;
    double y = frame.y;
    for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      const double at = frame.Y(series.y[k]);
      if (std::isfinite(at) && std::isfinite(frame.X(series.x[k]))) y = at;
    }
    names.push_back({i, std::clamp(y, frame.y, frame.y + frame.height)});
  }
  std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
  double lowest = frame.y + frame.height;
  // from the bottom up, so that all names stay inside
  for (std::size_t i = names.size(); i-- > 0;) {
    names[i].y = std::min(names[i].y, lowest);
    lowest = names[i].y - kLabelGap;
  }
  double highest = frame.y;
  for (Name& name : names) {
    name.y = std::max(name.y, highest);
    highest = name.y + kLabelGap;
    const std::string style = "style=\"fill:" + Hex(ColorOf(plot, name.index)) + "\"";
    AppendText(frame.x + frame.width + 8, name.y + 4, style.c_str(), plot.series[name.index].label,
               out);
  }
}

/// Where a plot is drawn and what of it.
struct Place {
  double x = 0, y = 0, width = 0, height = 0;
  bool title = true;
  bool names = true;         ///< of the lines, at their ends
  bool interactive = false;  ///< with the data that the reports' script reads
};

/// The frame and its scales as the reports' script reads them.
std::string DescribeFrame(const Frame& frame) {
  const auto scale = [](const char* name, const Scale& of) {
    std::string text;
    Append(&text, " data-", name, "=\"", General(of.lo, 9), " ", General(of.hi, 9),
           of.log ? " 1\"" : " 0\"");
    return text;
  };
  std::string text;
  Append(&text, " data-frame=\"", Px(frame.x), " ", Px(frame.y), " ", Px(frame.width), " ",
         Px(frame.height), "\"");
  return text + scale("x", frame.x_scale) + scale("y", frame.y_scale);
}

void AppendPlot(const SvgPlot& plot, const Place& place, std::string* out) {
  double right = kRight;
  for (const SvgSeries& series : plot.series) {
    if (place.names) right = std::max(right, PixelWidth(series.label) + 16);
  }
  const double left = plot.picture ? kRight : kLeft, bottom = plot.picture ? kRight : kBottom;
  const double top = place.title ? kTop : kTopUntitled;
  Frame frame{place.x + left,
              place.y + top,
              place.width - left - right,
              place.height - top - bottom,
              {},
              {}};
  frame.x_scale = LayOutAxis(plot.x, plot.series, &SvgSeries::x, true, frame.width / 1.5);
  frame.y_scale =
      LayOutAxis(plot.y, plot.series, &SvgSeries::y, plot.picture, frame.height, &frame.x_scale);
  if (plot.picture) Equalize(&frame);
  if (place.interactive) {
    *out += "<g class=\"plot\" data-across=\"" + EscapeXml(plot.x.label) + "\"" +
            (plot.picture ? "" : DescribeFrame(frame)) + ">\n";
  }
  if (!plot.picture) AppendAxes(plot, frame, place.interactive, out);
  if (place.title) AppendText(frame.x, place.y + 18, "class=\"t\"", plot.title, out);
  // a viewport of its own, which clips
  const double x = frame.x - 4, y = frame.y - 4, width = frame.width + 8, height = frame.height + 8;
  Append(out, "<svg x=\"", Px(x), "\" y=\"", Px(y), "\" width=\"", Px(width), "\" height=\"",
         Px(height), "\" viewBox=\"", Px(x), " ", Px(y), " ", Px(width), " ", Px(height), "\">\n");
  for (std::size_t i = plot.series.size(); i-- > 0;) {
    AppendSeries(plot.series[i], ColorOf(plot, i), frame, place.interactive, out);
  }
  *out += "</svg>\n";
  for (const SvgNote& note : plot.notes) {
    AppendText(frame.X(note.x) + (note.right ? 8 : 0), frame.Y(note.y) + 4,
               note.right ? "" : "class=\"m\"", note.text, out);
  }
  if (place.names) AppendNames(plot, frame, out);
  if (place.interactive) *out += "</g>\n";
}

std::string OpenSvg(double width, double height, const std::string& attributes) {
  std::string out;
  const std::string w = General(width), h = General(height);
  Append(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h,
         "\" viewBox=\"0 0 ", w, " ", h, "\" fill=\"none\"", attributes, ">\n");
  return out;
}

struct LegendEntry {
  SvgKey key;
  double x = 0;
  int row = 0;
};

/// In rows of the page's width.
std::vector<LegendEntry> LayOutLegend(const SvgFigure& figure, double page_width) {
  std::vector<LegendEntry> entries;
  double x = kRight;
  int row = 0;
  for (SvgKey& key : KeysOf(figure.plots)) {
    const double width = 28 + PixelWidth(key.label) + 22;
    if (x + width > page_width && x > kRight) {
      x = kRight;
      ++row;
    }
    entries.push_back({std::move(key), x, row});
    x += width;
  }
  return entries;
}

}  // namespace

std::string FormatSvg(const SvgFigure& figure) {
  const int count = static_cast<int>(figure.plots.size());
  const int columns = std::clamp(figure.columns, 1, std::max(1, count));
  const int rows = (count + columns - 1) / columns;
  const double width = columns * figure.width;
  std::vector<LegendEntry> legend;
  if (figure.legend) legend = LayOutLegend(figure, width);
  const double top = legend.empty() ? 0 : kLegendRow * (legend.back().row + 1) + 6;
  const double height = top + rows * figure.height;

  std::string out = OpenSvg(width, height, "");
  Append(&out, "<style>text{font:", General(kTextSize),
         "px Inter,Helvetica,Arial,sans-serif;fill:", Hex(kTheme.text), "}");
  Append(&out, ".t{font-size:", General(kTitleSize),
         "px;font-weight:600}.m{text-anchor:middle}.e{text-anchor:end}</style>\n");
  Append(&out, "<rect width=\"", General(width), "\" height=\"", General(height), "\" fill=\"",
         Hex(kTheme.surface), "\"/>\n");
  for (const LegendEntry& entry : legend) {
    const double y = 20 + kLegendRow * entry.row;
    Append(&out, "<path d=\"M", Px(entry.x), " ", Px(y - 4), "h20\" stroke=\"",
           Hex(entry.key.color), "\" stroke-width=\"2\"", DashesOf(entry.key.style), "/>\n");
    AppendText(entry.x + 28, y, "", entry.key.label, &out);
  }
  for (int i = 0; i < count; ++i) {
    const int column = i % columns, row = i / columns;
    AppendPlot(figure.plots[static_cast<std::size_t>(i)],
               {.x = column * figure.width,
                .y = top + row * figure.height,
                .width = figure.width,
                .height = figure.height,
                .names = !figure.legend},
               &out);
  }
  return out + "</svg>\n";
}

std::string FormatInlineSvg(const SvgPlot& plot, double width, double height) {
  std::string out =
      OpenSvg(width, height, " role=\"img\" aria-label=\"" + EscapeXml(plot.title) + "\"");
  AppendPlot(
      plot, {.width = width, .height = height, .title = false, .names = false, .interactive = true},
      &out);
  return out + "</svg>\n";
}

std::string FormatSwatch(const SvgKey& key) {
  std::string out = "<svg class=\"swatch\" width=\"22\" height=\"8\">";
  Append(&out, "<path d=\"M1 4h20\" stroke=\"", Hex(key.color), "\" stroke-width=\"2\"",
         DashesOf(key.style), "/></svg>");
  return out;
}

std::vector<SvgKey> KeysOf(std::span<const SvgPlot> plots) {
  std::vector<SvgKey> keys;
  for (const SvgPlot& plot : plots) {
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      const SvgSeries& series = plot.series[i];
      const bool known = std::ranges::find(keys, series.label, &SvgKey::label) != keys.end();
      if (series.label.empty() || known) continue;
      keys.push_back({series.label, ColorOf(plot, i), series.style});
    }
  }
  return keys;
}

}  // namespace civita
