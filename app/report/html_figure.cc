#include "app/report/html_figure.h"

#include "app/report/escape_xml.h"

namespace civita {
namespace {

constexpr double kWidth = 420;  ///< of a plot in a grid, px before scaling
constexpr double kAxesHeight = 240;
constexpr double kWideWidth = 720;  ///< of a plot alone

std::string Legend(std::span<const SvgPlot> plots) {
  std::string html = "<div class=\"legend\">";
  for (const SvgKey& key : KeysOf(plots)) {
    html += "<button type=\"button\" class=\"key\" aria-pressed=\"true\" data-name=\"" +
            EscapeXml(key.label) + "\">" + FormatSwatch(key) + EscapeXml(key.label) + "</button>";
  }
  return html + "</div>\n";
}

}  // namespace

std::string FormatHtmlFigure(const SvgFigure& figure) {
  const bool wide = figure.plots.size() == 1;
  const double width = wide ? kWideWidth : kWidth;
  std::string html = "<figure>\n";
  if (figure.legend) html += Legend(figure.plots);
  html += "<div class=\"plots\">\n";
  for (const SvgPlot& plot : figure.plots) {
    const double tall = figure.height / figure.width;
    const double height = plot.picture || wide ? width * tall : kAxesHeight;
    html += std::string("<section") + (wide ? " class=\"wide\"" : "") + ">\n<h3>" +
            EscapeXml(plot.title) + "</h3>\n";
    if (!figure.legend) html += Legend({&plot, 1});
    html += FormatInlineSvg(plot, width, height) + "</section>\n";
  }
  return html + "</div>\n</figure>\n";
}

}  // namespace civita
