#include "app/report/html_page.h"

#include "app/report/escape_xml.h"
#include "civita/build_info.h"

namespace civita {
namespace {

constexpr const char* kStyle = R"(
body { font: 15px/1.5 Inter, Helvetica, Arial, sans-serif; color: #161B22; background: #E9ECF0;
       margin: 0; }
main { max-width: 1180px; margin: 24px auto; padding: 8px 32px 32px; background: #FFFFFF;
       border-radius: 10px; }
h1 { font-size: 24px; } h2 { font-size: 17px; margin-top: 32px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 14px 3px 0; text-align: right; border-bottom: 1px solid #DDE1E7; }
th:first-child, td:first-child, td.words { text-align: left; }
.apart { font-weight: 600; } .muted { color: #535D6C; font-weight: 400; } .failed { color: #B3261E; }
pre { background: #F1F3F6; padding: 12px; border-radius: 6px; overflow-x: auto; font-size: 13px; }
svg { max-width: 100%; height: auto; }
)";

}  // namespace

std::string HtmlPage(std::string_view title, std::string_view body) {
  const std::string escaped = EscapeXml(title);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + escaped +
      "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped +
      "</h1>\n";
  html += body;
  html += "<p class=\"muted\">civita " +
          EscapeXml(std::string(kVersion) + " (" + std::string(kGitDescribe) + ")") + "</p>\n";
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace civita
