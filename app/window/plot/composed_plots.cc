#include <algorithm>
#include <optional>
#include <utility>

#include "app/window/plot/plot_choices.h"
#include "app/window/plot/plot_content.h"

namespace civita {
namespace {

constexpr std::string_view kSpectrum = "Spectrum of ", kPlus = " + ", kOver = " over ";
constexpr char kHeading[] = "Put together";

struct Composition {
  std::optional<PlotChoice> plot;
  std::string refusal;
};

Composition Decline(std::string why) { return {std::nullopt, std::move(why)}; }

// A line's name beside those of other plots.
std::string FullName(const PlotChoice& plot, const PlotChoice::Line& line) {
  return plot.lines.size() == 1 ? plot.title : plot.title + " " + line.name;
}

Composition ComposeSpectrum(const PlotChoice& of) {
  if (of.has_own_axis()) return Decline("A spectrum is that of a plot over time");
  PlotChoice plot = of;
  plot.unit = of.unit.empty() ? "/√Hz" : of.unit + "/√Hz";
  for (PlotChoice::Coordinate& each : plot.coordinates) each.unit += "/√Hz";
  if (of.is_of_one) plot.unit.clear();
  plot.doc = "Amplitude density of " + of.title +
             " over the shown or the selected time: Hann windows of 1 s";
  plot.style.log = true;
  plot.is_spectrum = true;
  plot.marks_saturation = plot.tells_causes = false;
  return {std::move(plot), {}};
}

Composition ComposeSum(const PlotChoice& a, const PlotChoice& b) {
  if (a.has_own_axis() || b.has_own_axis() || a.is_of_one || b.is_of_one) {
    return Decline("Only plots over time go together");
  }
  if (a.unit != b.unit) {
    const auto unit = [](const PlotChoice& plot) {
      return plot.title + (plot.unit.empty() ? " has no unit" : " is in " + plot.unit);
    };
    return Decline("An axis has one unit: " + unit(a) + ", " + unit(b));
  }
  if (a.lines.size() + b.lines.size() > static_cast<std::size_t>(kMaxLines)) {
    return Decline("A plot has at most " + std::to_string(kMaxLines) + " lines");
  }
  PlotChoice plot = a;
  plot.lines.clear();
  for (const PlotChoice* part : {&a, &b}) {
    for (PlotChoice::Line line : part->lines) {
      const bool is_full = part->title.find(kPlus) != part->title.npos;  // a sum
      if (!is_full) line.name = FullName(*part, line);
      line.color = plot.lines.size();
      plot.lines.push_back(std::move(line));
    }
  }
  plot.doc = a.doc == b.doc ? a.doc : a.doc + "; " + b.doc;
  plot.legend_title.clear();
  plot.style.from_zero = a.style.from_zero && b.style.from_zero;
  plot.style.log = a.style.log && b.style.log;
  return {std::move(plot), {}};
}

Composition ComposeOver(const PlotChoice& y, const PlotChoice& x) {
  if (x.has_own_axis() || y.has_own_axis() || x.is_of_one || y.is_of_one) {
    return Decline("Only plots over time go over each other");
  }
  if (x.lines.size() != 1 && x.lines.size() != y.lines.size()) {
    return Decline(y.title + " has " + std::to_string(y.lines.size()) + " lines, " + x.title + " " +
                   std::to_string(x.lines.size()));
  }
  PlotChoice plot = y;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    plot.lines[i].channel_x = x.lines[x.lines.size() == 1 ? 0 : i].channel;
  }
  plot.over = {x.title, x.unit, ScaleOf(x.style.shown), y.title};
  plot.doc = y.doc + "; along the axis: " + x.doc;
  plot.style.log = false;
  plot.marks_saturation = plot.tells_causes = false;
  return {std::move(plot), {}};
}

// The lines of one number of a list.
std::optional<PlotChoice> FindNumber(std::string_view title, const std::vector<PlotChoice>& all) {
  const std::size_t at = title.rfind('/');
  if (at == title.npos || at == 0) return {};
  const std::string_view list = title.substr(0, at), number = title.substr(at + 1);
  const auto is_of_number = [number](const PlotChoice::Line& line) {
    return line.name == number || (line.name.size() > 2 && line.name.substr(2) == number);
  };
  for (const PlotChoice& choice : all) {
    const bool is_list = choice.title == list ||
                         (choice.title.starts_with(list) && choice.title[list.size()] == '/');
    if (!is_list || choice.lines.size() < 2) continue;
    PlotChoice plot = choice;
    std::erase_if(plot.lines, [&](const auto& line) { return !is_of_number(line); });
    if (plot.lines.empty()) continue;
    for (PlotChoice::Line& line : plot.lines) {
      line.name = line.name == number ? title : line.name.substr(0, 1);  // A or B
      line.color = static_cast<std::size_t>(&line - plot.lines.data());
    }
    plot.legend_title.clear();
    return plot;
  }
  return {};
}

const PlotChoice* Find(std::string_view title, std::vector<PlotChoice>* choices,
                       std::string* refusal) {
  *refusal = AddComposed(title, choices);
  return FindChoice(*choices, title);
}

}  // namespace

std::string SpectrumTitle(std::string_view title) { return std::string(kSpectrum).append(title); }
std::string TitleOfSpectrum(std::string_view title) {
  return std::string(title.substr(std::min(title.size(), kSpectrum.size())));
}
std::string SumTitle(std::string_view title, std::string_view added) {
  return std::string(title).append(kPlus).append(added);
}
std::string OverTitle(std::string_view title, std::string_view abscissa) {
  return std::string(title).append(kOver).append(abscissa);
}

std::string AddComposed(std::string_view title, std::vector<PlotChoice>* choices) {
  if (FindChoice(*choices, title) != nullptr) return {};
  Composition made;
  const auto compose = [&](std::string_view operation,
                           Composition (*of)(const PlotChoice&, const PlotChoice&)) {
    const std::size_t at = title.rfind(operation);
    if (at == title.npos) return false;
    const std::string_view parts[] = {title.substr(0, at), title.substr(at + operation.size())};
    if (Find(parts[0], choices, &made.refusal) == nullptr) return true;
    if (Find(parts[1], choices, &made.refusal) == nullptr) return true;
    // Both are there, where they stay.
    made = of(*FindChoice(*choices, parts[0]), *FindChoice(*choices, parts[1]));
    return true;
  };
  if (title.starts_with(kSpectrum)) {
    const PlotChoice* of = Find(title.substr(kSpectrum.size()), choices, &made.refusal);
    if (of != nullptr) made = ComposeSpectrum(*of);
  } else if (!compose(kOver, ComposeOver) && !compose(kPlus, ComposeSum)) {
    made.plot = FindNumber(title, *choices);
  }
  if (!made.plot) return made.refusal;
  made.plot->title = title;
  made.plot->heading = kHeading;
  choices->push_back(std::move(*made.plot));
  return {};
}

}  // namespace civita
