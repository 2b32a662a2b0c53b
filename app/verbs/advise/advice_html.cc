#include "app/verbs/advise/advice_html.h"

#include "app/report/html.h"
#include "civita/study/advise/advice_text.h"

namespace civita {
namespace {

std::string Section(const char* title, const std::vector<AdviceSentence>& sentences) {
  if (sentences.empty()) return "";
  std::string html = "<h2>" + std::string(title) + "</h2>\n<ul>\n", formula;
  for (const AdviceSentence& sentence : sentences) {
    html += "<li>" + EscapeXml(sentence.text);
    if (!sentence.formula.empty() && sentence.formula != formula) {
      html += " <span class=\"muted\">" + EscapeXml(sentence.formula) + "</span>";
    }
    formula = sentence.formula;
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string FormatAdviceHtml(const Advice& advice, const std::string& command) {
  const AdviceText text = DescribeAdvice(advice);
  std::string html = "<p class=\"lead\">" + EscapeXml(text.verdict) + ".</p>\n";
  html += Section("Assumptions", text.assumptions);
  html += Section("Tracking error, RMS against the torsion-free C", text.errors);
  if (const Table errors = ErrorsTable(advice); !errors.rows.empty()) {
    html += ToHtml(errors) +
            "<p class=\"muted\">In bold what changes by more than 1 % somewhere.</p>\n";
  }
  html += Section("Costs", text.costs) + Section("Instead", text.instead);
  if (!advice.settings.empty()) html += ToHtml(SettingsTable(advice));
  html += "<h2>Again</h2>\n<pre>" + EscapeXml(command) + "</pre>\n";
  return HtmlPage(advice.title + ", advice", html);
}

}  // namespace civita
