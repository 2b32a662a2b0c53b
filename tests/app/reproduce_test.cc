#include "app/verbs/reproduce/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "app/program.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/error.h"
#include "tests/app/child_program.h"
#include "tests/app/eval_shell.h"

namespace civita {
namespace reproduce_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

/// Runs a reproduction to its end in this process. @returns its output.
template <typename F>
std::string Finish(F&& run, const std::filesystem::path& out, int expected_code) {
  Reproduction reproduction("sample", out);
  run(&reproduction);
  testing::internal::CaptureStdout();
  EXPECT_EQ(reproduction.Finish(), expected_code);
  return testing::internal::GetCapturedStdout();
}

TEST(Reproduction, EachIsInterruptedAtItsBegin) {
  for (const ReproductionInfo& info : Reproductions()) {
    Reproduction reproduction(info.name, "", info.source);
    std::raise(SIGTERM);
    info.run(&reproduction);
    testing::internal::CaptureStdout();
    EXPECT_EQ(reproduction.Finish(), kExitInterrupted) << info.name;
    testing::internal::GetCapturedStdout();
  }
}

TEST(Reproduction, PassesOnlyWhenAllAgree) {
  const auto run = [](double ours) {
    return [ours](Reproduction* r) {
      r->ExpectNear("a, m", 2, ours, 0.1);
      r->ExpectAtMost("b", std::nullopt, ours, 2.1);
      r->ExpectAtLeast("c", 1, ours, 1.9);
    };
  };
  const std::string passed = Finish(run(2.05), {}, kExitDone);
  EXPECT_THAT(passed, AllOf(HasSubstr("a, m"), HasSubstr("2.05"), HasSubstr("± 0.1"),
                            HasSubstr("≤ 2.1"), HasSubstr("≥ 1.9"), Not(HasSubstr("FAIL"))));
  EXPECT_THAT(Finish(run(2.2), {}, kExitFailed), AllOf(HasSubstr("FAIL"), HasSubstr("failed")));
  EXPECT_THAT(Finish(run(1.8), {}, kExitFailed), HasSubstr("FAIL"));
  EXPECT_THAT(Finish(run(NAN), {}, kExitFailed), Not(HasSubstr("pass")));
  Finish([](Reproduction*) {}, {}, kExitFailed);  // a reproduction without comparison fails
  const auto between = [](double ours) {
    return [ours](Reproduction* r) { r->ExpectBetween("d", ours, 1, 2); };
  };
  EXPECT_THAT(Finish(between(1), {}, kExitDone), HasSubstr("1 … 2"));
  for (const double outside : {0.999, 2.001, std::nan("")})
    Finish(between(outside), {}, kExitFailed);
}

TEST(Reproduction, NamesTheSourceOfEachExpectedNumber) {
  const TemporaryFolder folder;
  Reproduction reproduction("sample", folder.path(), "[EW], table 1");
  reproduction.Record("a", 18, 1);
  reproduction.ExpectNear("b", {2, "true value"}, 2, 0.1);
  reproduction.ExpectAtMost("c", std::nullopt, 0.5, 1);
  testing::internal::CaptureStdout();
  EXPECT_EQ(reproduction.Finish(), kExitDone);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("expected  source         ours"),
                    HasSubstr("a        18  [EW], table 1     1"),
                    HasSubstr("b         2  true value        2"),
                    HasSubstr("c                            0.5")));
  const auto json = nlohmann::json::parse(ReadAll(folder.path() / "sample.json"))["comparisons"];
  EXPECT_EQ(json[0]["source"], "[EW], table 1");
  EXPECT_EQ(json[1]["source"], "true value");
  EXPECT_TRUE(json[2]["source"].is_null());
}

/// A time outside its bounds is not reproduced, with its reason, and no failure.
TEST(Reproduction, SaysWhatIsNotReproducedAndWhy) {
  const auto run = [](double ours) {
    return [ours](Reproduction* r) {
      r->ExpectAtMost("a", std::nullopt, 0, 1);
      r->ExpectTimes("b", Expected(1.8, "[EW], table 1"), ours, 1.1, HUGE_VAL, "zeros count");
    };
  };
  const std::string known = Finish(run(1.0), {}, kExitDone);
  EXPECT_THAT(known, AllOf(HasSubstr("≥ 1.1      not reproduced\n"), HasSubstr("b: zeros count\n"),
                           HasSubstr("passed, but 1 not reproduced\n")));
  EXPECT_THAT(Finish(run(1.2), {}, kExitDone), AllOf(HasSubstr("pass"), Not(HasSubstr("zeros"))));
  EXPECT_THAT(Finish(run(NAN), {}, kExitFailed), HasSubstr("FAIL"));
}

TEST(Reproduction, ThatIsSkippedHasAnExitCodeOfItsOwn) {
  EXPECT_THAT(Finish([](Reproduction* r) { r->Skip("no library"); }, {}, kExitSkipped),
              HasSubstr("skipped: no library"));
}

TEST(Reproduction, WritesItsVerdictAndFiles) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder.path() / "a" / "b";
  const auto run = [](Reproduction* r) {
    r->ExpectNear("a", 1, NAN, 0.1);
    r->WriteCsv("_rows.csv", {"t", "x"}, std::vector<std::vector<double>>{{0, 1}, {0.5, -2}});
    r->WriteText(".svg", "<svg/>");
  };
  Finish(run, out, kExitFailed);
  EXPECT_EQ(ReadAll(out / "sample_rows.csv"), "t,x\n0,1\n0.5,-2\n");
  EXPECT_EQ(ReadAll(out / "sample.svg"), "<svg/>");
  const auto json = nlohmann::json::parse(ReadAll(out / "sample.json"));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["comparisons"][0]["expected"], 1);
  EXPECT_TRUE(json["comparisons"][0]["ours"].is_null());
  EXPECT_EQ(json["comparisons"][0]["verdict"], "FAIL");
  EXPECT_EQ(json["files"], nlohmann::json({"sample_rows.csv", "sample.svg", "sample.json"}));
  Finish(run, out, kExitFailed);  // replaces the earlier files
  EXPECT_THROW(Reproduction("sample", out / "sample.svg"), UserError);
}

TEST(Reproduction, KeepsItsFilesWhenInterrupted) {
  const TemporaryFolder folder;
  const auto run = [](Reproduction* r) {
    r->ExpectNear("a", 1, 1, 0);
    EXPECT_FALSE(r->ShouldStop("half done"));
    std::raise(SIGINT);
    EXPECT_TRUE(r->ShouldStop("half done"));
    r->WriteText(".svg", "<svg/>");
  };
  EXPECT_THAT(Finish(run, folder.path(), kExitInterrupted), HasSubstr("interrupted"));
  const auto json = nlohmann::json::parse(ReadAll(folder.path() / "sample.json"));
  EXPECT_EQ(json["verdict"], "interrupted");
  EXPECT_EQ(json["comparisons"].size(), 1u);
  EXPECT_EQ(ReadAll(folder.path() / "sample.svg"), "<svg/>");
}

TEST(ReproductionReport, HoldsEveryVerdictTableAndFigure) {
  using Outcome = Comparison::Outcome;
  const std::vector<ReproductionResult> results = {
      {"pointmass",
       "passed",
       {{"of < it: a < b", Expected{1e-7, "true value"}, 12345, "± 1e-06", Outcome::kPass}},
       {"pointmass.svg", "x.csv"},
       {{{.plots = {{.title = "first"}}}, "shows & tells"}}},
      {"fig2",
       "failed",
       {{"c", std::nullopt, 7, "≤ 1", Outcome::kFail, "c & d"},
        {"d", Expected{2, "[EW]"}, 3, "", Outcome::kShown}},
       {}},
      {"symbolic", "skipped: no GiNaC", {}, {}}};
  const auto json = nlohmann::json::parse(FormatAllJson(results));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["skipped"], 1);
  EXPECT_EQ(json["reproductions"][1]["comparisons"][0]["ours"], 7);
  EXPECT_EQ(nlohmann::json::parse(FormatAllJson({results.data(), 1}))["verdict"], "passed");
  const std::vector<ReproductionResult> some = {results[0], results[2]};
  EXPECT_EQ(nlohmann::json::parse(FormatAllJson(some))["verdict"], "incomplete");
  const std::string html = FormatAllHtml(results);
  EXPECT_THAT(
      html,
      AllOf(HasSubstr("1 passed, 1 failed, 1 skipped"), HasSubstr("<h3>first</h3>"),
            HasSubstr("<p>shows &amp; tells</p>"),
            HasSubstr("<p class=\"lead\">1 of 2 numbers, computed anew, agree"),
            HasSubstr("Not within them: fig2 (1). Skipped, as this build lacks a library or "
                      "program: symbolic."),
            HasSubstr("<tr><th>of &lt; it</th><th>expected</th>"),
            HasSubstr("<tr><td>a &lt; b</td><td>1·10⁻⁷</td><td class=\"words\">true value</td>"
                      "<td>12\u2009345</td><td class=\"words\">± 1·10⁻⁶</td>"
                      "<td class=\"words ok\">pass</td>"),
            HasSubstr("<p class=\"muted\">c: c &amp; d.</p>"),
            HasSubstr("<td>0 of 1</td><td class=\"failed\">failed</td>"),
            HasSubstr("skipped: no GiNaC"), HasSubstr("[WES], figures 4 to 7")));
}

TEST(Reproduce, NamesAreUniqueAndSaid) {
  const ChildResult help = ChildProgram({"reproduce", "--help"}).Wait();
  EXPECT_EQ(help.code, kExitDone);
  std::set<std::string_view> names = {"all"};
  for (const ReproductionInfo& info : Reproductions()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_THAT(help.out,
                AllOf(HasSubstr(std::string(info.name)), HasSubstr(std::string(info.line))));
  }
}

TEST(Reproduce, RefusesBadInputInOneLine) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"reproduce"}, "name is required"},
      {{"reproduce", "conections"}, "(did you mean 'connections'?); valid: "},
      {{"reproduce", "connections", "more"}, "more"},
      {{"reproduce", "connections", "--out", ""}, "--out"},
      {{"reproduce", "connections", "--out", "/proc/none"}, "--out /proc/none"},
  };
  for (const auto& [arguments, message] : cases) {
    const ChildResult result = ChildProgram(arguments).Wait();
    EXPECT_EQ(result.code, kExitBadInput) << message;
    EXPECT_EQ(result.out.find("pass"), std::string::npos) << message;
    EXPECT_THAT(result.err, AllOf(HasSubstr(message), MatchesRegex("civita: [^\n]+\n")));
  }
}

TEST(Reproduce, Connections) {
  ChildProgram program({"reproduce", "connections", "--out", "out"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("[WES], section I, figures 1 to 3"), HasSubstr("passed"),
                                Not(HasSubstr("FAIL"))));
  const std::filesystem::path out = program.folder() / "out";
  const auto json = nlohmann::json::parse(ReadAll(out / "connections.json"));
  EXPECT_EQ(json["verdict"], "passed");
  EXPECT_EQ(json["comparisons"].size(), 4u * 7 + 2 + 12 + 2 * 14 + 6 + 11);
  for (const auto& file : json["files"]) {
    EXPECT_FALSE(ReadAll(out / file.get<std::string>()).empty()) << file;
  }
  EXPECT_THAT(ReadAll(out / "connections_metric_same.csv"), testing::StartsWith("t,x,y,z,w0_x,"));
  const std::string svg = ReadAll(out / "connections.svg");
  EXPECT_THAT(svg, AllOf(HasSubstr("Metric-compatible, same geodesics"), HasSubstr("</svg>"),
                         Not(HasSubstr("nan"))));
}

}  // namespace reproduce_test
}  // namespace civita
