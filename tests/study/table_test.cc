#include "civita/study/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "civita/error.h"

namespace civita {
namespace table_test {

using testing::HasSubstr;

Table Results() {
  Table table;
  table.names.title = "figure";
  table.columns = {{.title = "christoffel"}, {.title = "t:1"}, {.title = "note", .is_text = true}};
  table.rows.push_back(
      {.heading = "Motion",
       .name = "error",
       .unit = "rad",
       .doc = "RMS",
       .cells = {{.estimate = {0.123456, NAN}}, {.estimate = {2, 0.05}}, {.text = "a|b"}},
       .is_apart = true,
       .bar = Table::Bar{0.5, 0.25, 1}});
  table.rows.push_back({.heading = "Machine",
                        .name = "q̇",
                        .cells = {{}, {.estimate = {-1e-9, NAN}}, {.is_empty = true}}});
  table.bars = "share";
  table.summary = "t:1 errs more.";
  return table;
}

TEST(Table, OfATerminalHasALineOfTitlesForEachHeading) {
  EXPECT_EQ(ToTerminal(Results()),
            "  Motion      christoffel       t:1  note\n"
            "  error, rad       0.1235  2 ± 0.05  a|b\n"
            "  Machine     christoffel       t:1  note\n"
            "  q̇                     –    -1e-09\n");
}

TEST(Table, ColumnsThatDoNotFitATerminalStandBelow) {
  EXPECT_EQ(ToTerminal(Results(), 35),
            "  Motion      christoffel       t:1\n"
            "  error, rad       0.1235  2 ± 0.05\n"
            "  Machine     christoffel       t:1\n"
            "  q̇                     –    -1e-09\n"
            "\n"
            "  Motion      note\n"
            "  error, rad  a|b\n"
            "  Machine     note\n"
            "  q̇\n");
  EXPECT_EQ(ToTerminal(Results(), 0).find("christoffel  "), std::string::npos) << "one at a time";
}

TEST(Table, EqualValuesHaveNoSpread) {
  for (const double half : {0.0, 1e-17, 5e-14, double{NAN}}) {
    EXPECT_EQ(FormatEstimate({0.25, half}), "0.25") << half;
    EXPECT_EQ(TypesetEstimate({0.25, half}), TypesetEstimate({0.25, NAN})) << half;
  }
  EXPECT_EQ(FormatEstimate({0, 0}), "0");
  EXPECT_EQ(FormatEstimate({-0.25, 1e-9}), "-0.25 ± 1e-09");
  EXPECT_EQ(FormatEstimate({1e200, HUGE_VAL}), "1e+200") << "its square is no number";
}

TEST(Table, WithoutTitlesAndCellsIsItsNames) {
  Table table;
  table.AddRow("arm7", {});
  EXPECT_EQ(ToTerminal(table), "  arm7\n");
  EXPECT_EQ(ToTerminal(Table{}), "");
}

TEST(Table, ALongTextShiftsTheRestOfItsLineAlone) {
  Table table;
  table.columns = {{.is_text = true}, {.is_text = true}};
  table.AddRow("a", {"short", "x"});
  table.AddRow("b", {std::string(40, 'y'), "x"});
  EXPECT_EQ(ToTerminal(table), "  a  short  x\n  b  " + std::string(40, 'y') + "  x\n");
}

TEST(Table, OfMarkdownEscapesWhatWouldEndACell) {
  EXPECT_EQ(ToMarkdown(Results(), "##"),
            "## Motion\n\n"
            "| figure | christoffel | t:1 | note |\n|---|--:|--:|---|\n"
            "| error, rad | 0.1235 | 2 ± 0.05 | a\\|b |\n"
            "\n## Machine\n\n"
            "| figure | christoffel | t:1 | note |\n|---|--:|--:|---|\n"
            "| q̇ | – | -1e-09 | |\n");
  Table table;
  table.names = {.title = "key", .is_text = true, .is_code = true};
  table.columns = {{.title = "n"}};
  table.AddRow("a.*", {"1"});
  table.AddRow("b", {"<i>"});
  EXPECT_EQ(ToMarkdown(table, "###", true),
            "| key   |    n |\n|-------|-----:|\n| `a.*` |    1 |\n| `b`   | \\<i> |\n");
}

TEST(Table, OfCsvIsExact) {
  Table table = Results();
  table.rows[0].name = "a \"b\", c";
  EXPECT_EQ(ToCsv(table),
            "figure,christoffel,t:1,note\n\"a \"\"b\"\", c\",0.123456,2,a|b\nq̇,nan,-1e-09,\n");
}

TEST(Table, IsReadBackFromItsJson) {
  const Table table = ReadTable(ToJson(Results()), "table.json");
  EXPECT_EQ(ToJson(table), ToJson(Results()));
  EXPECT_EQ(ToTerminal(table), ToTerminal(Results()));
  EXPECT_TRUE(table.rows[0].is_apart);
  EXPECT_EQ(table.rows[0].bar->low, 0.25);
  EXPECT_TRUE(std::isnan(table.rows[1].cells[0].estimate.mean));
}

TEST(Table, ABrokenFileSaysItsName) {
  for (const char* text : {"", "[]", "{\"names\": 3", "{\"columns\": []}", "{\"rows\": 1e999}"}) {
    try {
      ReadTable(text, "out/table.json");
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("out/table.json: is no table")) << text;
    }
  }
  std::string json = ToJson(Results());
  json.replace(json.find("\"a|b\""), 5, "\"a\", \"b\"");
  EXPECT_THROW(ReadTable(json, "table.json"), UserError);
}

}  // namespace table_test
}  // namespace civita
