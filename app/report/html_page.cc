#include "app/report/html_page.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/report/escape_xml.h"
#include "app/report/report_script.h"
#include "app/style/theme.h"
#include "civita/build_info.h"

namespace civita {
namespace {

constexpr const char* kStyle = R"(
* { box-sizing: border-box; }
body { font: 15px/1.5 Inter, Helvetica, Arial, sans-serif; color: var(--text);
       background: var(--background); margin: 0; }
main { max-width: 1500px; margin: 24px auto; padding: 8px 32px 32px; background: var(--surface);
       border-radius: 10px; }
h1 { font-size: 24px; line-height: 1.25; margin-bottom: 8px; }
h2 { font-size: 17px; margin: 32px 0 8px; } h3 { font-size: 13px; margin: 0 0 2px; }
.lead { font-size: 18px; line-height: 1.45; max-width: 46em; margin: 12px 0; }
p, ul { max-width: 60em; }
a { color: var(--accent); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 3px 0 3px 18px; text-align: right; border-bottom: 1px solid var(--border);
         vertical-align: baseline; white-space: nowrap; }
th { font-weight: 600; }
th:first-child, td:first-child, .words { text-align: left; white-space: normal; }
th:first-child, td:first-child { padding-left: 0; }
.apart { font-weight: 600; } .muted { color: var(--muted); font-weight: 400; }
.failed { color: var(--error); } .ok { color: var(--ok); }
pre { background: var(--raised); padding: 12px; border-radius: 6px; overflow-x: auto;
      font-size: 13px; }
.beside { display: grid; grid-template-columns: minmax(0, max-content) minmax(0, 1fr); gap: 0 40px;
          align-items: start; }
figure { margin: 8px 0 24px; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr));
         gap: 20px 24px; }
section { position: relative; min-width: 0; max-width: 620px; }
section.wide { grid-column: 1 / -1; max-width: 860px; }
section > svg { display: block; width: 100%; height: auto; touch-action: pan-y; }
svg text { font: 12px Inter, Helvetica, Arial, sans-serif; fill: var(--text); }
svg .m { text-anchor: middle; } svg .e { text-anchor: end; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 0 0 4px; }
button { font: inherit; font-size: 13px; color: inherit; background: none; border: 0; padding: 1px 0;
         cursor: pointer; }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.key[aria-pressed="false"] { opacity: 0.4; text-decoration: line-through; }
.swatch { margin-right: 6px; vertical-align: middle; }
.hint { font-size: 13px; margin: 0 0 8px; } .hint button { color: var(--accent); }
.area { fill: transparent; cursor: crosshair; } .band { fill: var(--accent); opacity: 0.14; }
.cursor { stroke: var(--muted); stroke-dasharray: 2 2; }
output { position: absolute; top: 34px; display: none; flex-direction: column; padding: 5px 9px;
         font-size: 12px; line-height: 1.45; font-variant-numeric: tabular-nums; color: var(--text);
         background: var(--raised); border: 1px solid var(--border); border-radius: 6px;
         pointer-events: none; z-index: 1; white-space: nowrap; }
@media (max-width: 1000px) { .beside { display: block; } }
@media (max-width: 640px) {
  main { margin: 0; padding: 4px 16px 24px; border-radius: 0; }
  .lead { font-size: 16px; }
  th, td { padding-left: 12px; }
}
@media print {
  body { background: none; font-size: 10pt; } main { margin: 0; padding: 0; max-width: none; }
  .beside { display: block; } .hint { display: none; }
  .plots { grid-template-columns: 1fr 1fr; }
  section, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  a { color: inherit; text-decoration: none; }
}
)";

/// Its colours as CSS variables.
std::string Variables(const Theme& theme) {
  const std::array<std::pair<const char*, Rgb>, 9> colors = {{{"background", theme.background},
                                                              {"surface", theme.surface},
                                                              {"raised", theme.raised},
                                                              {"border", theme.border},
                                                              {"text", theme.text},
                                                              {"muted", theme.muted},
                                                              {"accent", theme.accent},
                                                              {"error", theme.error},
                                                              {"ok", theme.ok}}};
  std::string css = ":root { color-scheme: " + std::string(theme.dark ? "dark" : "light") + ";";
  for (const auto& [name, color] : colors) {
    std::array<char, 40> text;
    std::snprintf(text.data(), text.size(), " --%s: #%06X;", name, color);
    css += text.data();
  }
  return css + " }\n";
}

/// Figures are drawn in the light theme's colours: rules that put the dark theme's in their place.
std::string DarkFigures() {
  const Theme &light = kLightTheme, &dark = kDarkTheme;
  std::vector<std::pair<Rgb, Rgb>> colors = {
      {light.text, dark.text},  {light.muted, dark.muted},   {light.grid, dark.grid},
      {light.axis, dark.axis},  {light.strong, dark.strong}, {light.reference, dark.reference},
      {light.error, dark.error}};
  for (std::size_t i = 0; i < light.series.size(); ++i) {
    colors.emplace_back(light.series[i], dark.series[i]);
  }
  std::string css;
  for (const auto& [from, to] : colors) {
    for (const char* what : {"stroke", "fill"}) {
      std::array<char, 64> text;
      std::snprintf(text.data(), text.size(), "[%s=\"#%06X\"] { %s: #%06X; }\n", what, from, what,
                    to);
      css += text.data();
    }
  }
  return css;
}

}  // namespace

std::string HtmlPage(std::string_view title, std::string_view body) {
  const std::string escaped = EscapeXml(title);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      escaped + "</title>\n<style>\n" + Variables(kLightTheme) +
      "@media screen and (prefers-color-scheme: dark) {\n" + Variables(kDarkTheme) + DarkFigures() +
      "}" + kStyle + "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped + "</h1>\n";
  html += body;
  html += "<p class=\"muted\">civita " + EscapeXml(VersionText()) + "</p>\n";
  return html + "</main>\n<script>" + kReportScript + "</script>\n</body>\n</html>\n";
}

}  // namespace civita
