
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "app/report/html.h"
#include "app/style/theme.h"
#include "civita/study/table.h"

namespace civita {
namespace html_figure_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i) {
    found.push_back((*i)[1]);
  }
  return found;
}

SvgPlot PlotOf(const char* title, std::vector<const char*> names) {
  SvgPlot plot{.title = title, .x = {.label = "time, s"}, .y = {.label = "J"}};
  for (const char* name : names) plot.series.push_back({name, {0, 1, 2}, {0, 1, 100}});
  return plot;
}

TEST(HtmlTable, FoldsRowsAlikeAndKeepsTheHeadingOfTheirGroup) {
  Table table{.columns = {{.title = "a"}, {.title = "b"}}};
  table.AddRow("status", {"done", "done"});
  table.AddRow("path", {"2", "2"});
  table.AddRow("torque", {"3", "3"});
  table.AddRow("energy", {"1", "4"});
  table.rows[0].heading = "Motion";
  table.rows[1].is_alike = table.rows[2].is_alike = true;
  table.rows[2].heading = "Effort";
  table.rows[3].is_apart = true;
  const std::string html = ToHtml(table);
  const char* row = "<tr[^>]*><t[dh]>([^<]*)<";
  EXPECT_THAT(Matches(html, row),
              ElementsAre("Motion", "status", "Effort", "energy", "Alike", "path", "torque"));
  EXPECT_THAT(Matches(html, "<summary>([^<]*)<"), ElementsAre("Alike: path; torque"));
  table.rows[1].is_alike = table.rows[2].is_alike = false;
  EXPECT_THAT(ToHtml(table), Not(HasSubstr("<details>")));
}

TEST(HtmlFigure, HasOneLegendOrOneForEachPlot) {
  SvgFigure figure{.plots = {PlotOf("V < 1", {"a", "b"}), PlotOf("twist", {"a", "<c>"})}};
  const char* key = "class=\"key\" aria-pressed=\"true\" data-name=\"([^\"]*)\"";
  EXPECT_THAT(Matches(FormatHtmlFigure(figure), key), ElementsAre("a", "b", "a", "&lt;c&gt;"));
  figure.legend = true;
  const std::string html = FormatHtmlFigure(figure);
  EXPECT_THAT(Matches(html, key), ElementsAre("a", "b", "&lt;c&gt;"));
  EXPECT_THAT(Matches(html, "<h3>([^/]*)</h3>"), ElementsAre("V &lt; 1", "twist"));
  EXPECT_THAT(Matches(html, "class=\"s\" data-name=\"([^\"]*)\""),
              ElementsAre("b", "a", "&lt;c&gt;", "a"))
      << "what a key hides, the first on top";
}

/// The limits across of a plot whose data go on, and up of what they show.
TEST(HtmlFigure, KeepsDataBeyondTheAxis) {
  SvgFigure figure{.plots = {PlotOf("V", {"a"})}};
  const auto limits = [&](const char* axis) {
    const std::string pattern = std::string("data-") + axis + "=\"\\S+ (\\S+) 0\"";
    return std::stod(Matches(FormatHtmlFigure(figure), pattern.c_str()).at(0));
  };
  EXPECT_EQ(limits("x"), 2);
  EXPECT_GE(limits("y"), 100);
  figure.plots[0].x.hi = 1;
  EXPECT_EQ(limits("x"), 1);
  EXPECT_LT(limits("y"), 2);
  const auto paths = Matches(FormatHtmlFigure(figure), "d=\"(M[^\"]*L[^\"]*L[^\"]*)\"");
  EXPECT_EQ(paths.size(), 1u) << "all three points";
}

TEST(HtmlFigure, LeavesPicturesWithoutScales) {
  SvgPlot picture = PlotOf("path", {"a"});
  picture.picture = true;
  const std::string html = FormatHtmlFigure({.plots = {picture}});
  EXPECT_THAT(html, Not(HasSubstr("data-x")));
  EXPECT_THAT(html, HasSubstr("class=\"wide\"")) << "a plot alone";
}

TEST(HtmlPage, IsWholeInLightDarkAndPrint) {
  const std::string html = HtmlPage("a < b", FormatHtmlFigure({.plots = {PlotOf("V", {"a"})}}));
  for (const char* part : {"<h1>a &lt; b</h1>", "prefers-color-scheme: dark", "@media print",
                           "name=\"viewport\"", "<script>"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  for (const char* fetched : {"src=", "href=", "@import", "url(", "fetch(", "import("}) {
    EXPECT_THAT(html, Not(HasSubstr(fetched)));
  }
  EXPECT_EQ(Matches(html, "(</script>)").size(), 1u) << "the script does not end itself";
  char dark[64];  // the first line's colour
  std::snprintf(dark, sizeof dark, "[stroke=\"#%06X\"] { stroke: #%06X; }", kLightTheme.series[0],
                kDarkTheme.series[0]);
  EXPECT_THAT(html, HasSubstr(dark));
}

}  // namespace html_figure_test
}  // namespace civita
