#include "app/verbs/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "civita/sim/trials/compare_runs.h"
#include "civita/study/compare/comparison_sentence.h"
#include "tests/app/child_program.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace compare_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

VariantComparison TwoVariants() {
  VariantComparison c;
  c.scene = c.title = "made <up>";
  c.command = "civita compare";
  c.duration_s = 2;
  c.metrics = {{"twist_rad", "twist", "rad", "turning"},
               {"energy_J", "energy", "J", "work"},
               {"V_at", "V(0.1 s)", "J", "storage", 0.1}};
  c.variants = {
      {"christoffel", {{"controller.factorization", "christoffel"}}, "a: 1\n", {}, {}, {}},
      {"t:1", {{"controller.factorization", "t:1"}}, "a: 2\n", {}, {}, {}}};
  c.variants[0].runs = {{0, 0, true, "done", {1e-7, 10, 3}}};
  c.variants[1].runs = {{0, 0, true, "done", {5.8, 10.001, NAN}}};
  return c;
}

ComparedRun FailedRun(const std::vector<double>& values) {
  return {0, 0, false, "failed: blew up", values, RunEnd::kFailed, 0.004};
}

TEST(Comparison, SaysWhatIsApartAndWhatIsAlike) {
  const VariantComparison c = TwoVariants();
  EXPECT_NEAR(RelativeSpread(c, 0), 1, 1e-6);
  EXPECT_TRUE(std::isnan(RelativeSpread(c, 2)));
  EXPECT_NEAR(RelativeSpread(c, 1), 1e-4, 1e-6);
  EXPECT_THAT(FormatHtml(c), HasSubstr("<tr class=\"apart\">"));
  EXPECT_THAT(FormatTable(c), HasSubstr("twist, rad"));
  EXPECT_THAT(FormatCsv(c), HasSubstr("variant,seed,start,passed,verdict,status,t_end_s,twist_rad,"
                                      "energy_J,V_at_0.1"));
}

TEST(Comparison, AFailedRunStandsInTheTableAndCountsForNothing) {
  VariantComparison c = TwoVariants();
  c.variants[1].runs = {FailedRun({0.01, 0.5, NAN})};
  EXPECT_TRUE(std::isnan(EstimateMetric(c.variants[1], 1).mean));
  EXPECT_THAT(FormatTable(c), HasSubstr("failed at 0.004 s"));
  EXPECT_THAT(FormatTable(c), Not(HasSubstr("0.5")));
  EXPECT_THAT(FormatHtml(c), HasSubstr("<td>failed at 0.004 s</td>"));
  EXPECT_THAT(FormatCsv(c), HasSubstr("t:1,0,0,0,failed: blew up,failed,0.004,nan,nan,nan"));
  EXPECT_EQ(Summarize(c), "t:1 failed: blew up. " + std::string(kNoConclusion));
  const auto json = nlohmann::json::parse(FormatJson(c));
  EXPECT_EQ(json["variants"][1]["status"], "failed at 0.004 s");
  EXPECT_TRUE(json["variants"][1]["metrics"]["energy_J"].is_null());
}

TEST(Comparison, MeansAndIntervalsAreOfTheWholeRuns) {
  VariantComparison c = TwoVariants();
  c.variants[0].runs = {{0, 0, true, "done", {1, 10, 3}}, {1, 0, true, "done", {1, 10, 3}}};
  c.variants[1].runs = {{0, 0, true, "done", {5.9, 20, 3}},
                        {1, 0, true, "done", {6.1, 20, 3}},
                        FailedRun({1e-9, 1e-9, NAN}),
                        {3, 0, false, "fell at t = 1 s", {900, 900, 3}, RunEnd::kFell, 1}};
  EXPECT_DOUBLE_EQ(EstimateMetric(c.variants[1], 0).mean, 6);
  EXPECT_NEAR(EstimateMetric(c.variants[1], 0).half, 1.27062, 1e-4);
  EXPECT_EQ(c.variants[1].status(), "2 of 4 whole");
  EXPECT_THAT(Summarize(c), testing::StartsWith("t:1 failed: blew up (2 of 4 runs failed or fell, "
                                                "and do not count). With t:1, s turns by 344°"));
}

TEST(Comparison, SumsUpTheVariantsThatAreWhole) {
  VariantComparison c = TwoVariants();
  c.variants.push_back(c.variants[1]);
  c.variants.back().name = "t:9";
  c.variants[0].runs = {FailedRun({0, 0, NAN})};
  EXPECT_THAT(Summarize(c), testing::StartsWith("christoffel failed: blew up. "));
  EXPECT_THAT(Summarize(c), Not(HasSubstr("with christoffel")));
  c.variants[2].runs = {FailedRun({0, 0, NAN})};
  EXPECT_EQ(Summarize(c),
            "christoffel failed: blew up. t:9 failed: blew up. " + std::string(kNoConclusion));
}

TEST(Comparison, DrawsNoConclusionFromWhatFellFreely) {
  VariantComparison c = TwoVariants();
  c.variants[1].runs = {
      {0, 0, true, "fell freely: nothing holds the base", {5.8, 20, NAN}, RunEnd::kFell, 0.045}};
  EXPECT_TRUE(std::isnan(RelativeSpread(c, 0)));
  EXPECT_TRUE(c.variants[1].passed());
  EXPECT_THAT(FormatTable(c), HasSubstr("t:1 fell freely"));
  EXPECT_THAT(Summarize(c), HasSubstr("tell nothing of its law"));
  EXPECT_THAT(FormatHtml(c), HasSubstr("<p class=\"failed\">t:1 fell freely"));
}

TEST(Comparison, RoundingIsNoDifference) {
  VariantComparison c = TwoVariants();
  c.metrics[0].floor = 1e-9;
  c.variants[0].runs[0].values[0] = 0;
  c.variants[1].runs[0].values[0] = 2.48e-17;
  EXPECT_EQ(RelativeSpread(c, 0), 0);
  EXPECT_THAT(FormatHtml(c), Not(HasSubstr("<tr class=\"apart\">")));
}

TEST(Comparison, HtmlIsWholeAndEscaped) {
  const std::string html = FormatHtml(TwoVariants());
  EXPECT_THAT(html, HasSubstr("made &lt;up&gt;"));
  EXPECT_THAT(html, HasSubstr("<p class=\"lead\">With t:1, s turns by 332°"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"apart\"><td title=\"turning\">twist"));
  EXPECT_THAT(html, HasSubstr("<td>1·10⁻⁷</td><td>5.8</td>")) << "numbers as in the window";
  EXPECT_THAT(html, HasSubstr("<tr><td title=\"work\">energy"));
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("src=")), Not(HasSubstr("href=")))) << "nothing is fetched";
}

TEST(Comparison, HtmlShowsTheTransientAndTellsMixedUnits) {
  VariantComparison c = TwoVariants();
  EXPECT_THAT(FormatHtml(c), Not(HasSubstr("slides together")));
  c.metrics[1].unit = "rad, m";
  for (ComparedVariant& variant : c.variants) {
    for (int k = 0; k <= 1000; ++k) {
      const double t = 0.01 * k;
      variant.traces.t.push_back(t);
      variant.traces.error.push_back(std::exp(-t));  // 3 % at 3.5 s
      variant.traces.V.push_back(std::exp(-2 * t));
    }
  }
  EXPECT_THAT(FormatHtml(c), AllOf(HasSubstr("slides together"), HasSubstr("data-x=\"0 4 0\"")));
  EXPECT_THAT(FormatPlots(c), HasSubstr(">10<")) << "the file has the whole run";
  for (ComparedVariant& variant : c.variants) variant.traces.error.assign(1001, 0.1);
  EXPECT_THAT(FormatHtml(c), HasSubstr("data-x=\"0 10 0\"")) << "no end of it";
}

TEST(Comparison, SummarizesTheFirstAndTheFarthest) {
  VariantComparison c = TwoVariants();
  c.variants.push_back(c.variants[1]);
  c.variants.back().name = "t:9";
  c.variants.back().runs[0].values[0] = 9;
  EXPECT_THAT(Summarize(c),
              testing::StartsWith("Of 3 variants, t:9 differs most from christoffel. With t:9"));
}

/// Two variants of which t:1 has 1.2 times the error, predicted to have `predicted` times.
VariantComparison WithPrediction(double predicted) {
  VariantComparison c = TwoVariants();
  c.metrics[1] = {"error_rms", "tracking error, RMS", "rad", "error"};
  c.metrics.push_back({"saturated_steps", "steps at a torque limit", "", "limits"});
  c.variants[0].runs[0].values = {1e-7, 0.5, 3, 0};
  c.variants[1].runs[0].values = {5.8, 0.6, NAN, 0};
  c.variants[0].predicted.emplace_back().error_rms = 0.49;
  c.variants[1].predicted.emplace_back().error_rms = 0.49 * predicted;
  return c;
}

// V and s of two laws are not the same quantities.
TEST(Comparison, LeavesOutWhatIsTheLawsOwnWhereLawsDiffer) {
  VariantComparison c = TwoVariants();
  for (MetricInfo& info : c.metrics) {
    if (info.key == "twist_rad") info.kind = MetricKind::kTurning;
  }
  c.variants[0].runs[0].values = {0.1, 10, 3};
  c.variants[1].runs[0].values = {5.8, 20, 6};
  c.variants[0].law = c.variants[1].law = "slotine_li";
  EXPECT_THAT(Summarize(c), AllOf(HasSubstr("s turns"), HasSubstr("V differs")));
  c.variants[0].law = "slotine_li";
  c.variants[1].law = "pd_gravity";
  EXPECT_THAT(Summarize(c), AllOf(Not(HasSubstr("s turns")), Not(HasSubstr("V differs"))));
  EXPECT_THAT(Summarize(c), HasSubstr("energy"));
}

TEST(Comparison, PutsThePredictionBesideTheRun) {
  const VariantComparison c = WithPrediction(1.19);
  EXPECT_THAT(FormatTable(c), HasSubstr("tracking error, RMS, predicted, rad"));
  EXPECT_THAT(FormatHtml(c), HasSubstr("tracking error, RMS, predicted"));
  EXPECT_THAT(Summarize(c), HasSubstr("Without a run, the error with t:1 is predicted to be 19 % "
                                      "higher, as it is."));
  const auto json = nlohmann::json::parse(FormatJson(c));
  EXPECT_EQ(json["variants"][0]["predicted"]["error_rms"], 0.49);
}

TEST(Comparison, SaysWhereAPredictionMissesAndWhy) {
  VariantComparison c = WithPrediction(1.05);
  EXPECT_THAT(Summarize(c), HasSubstr("predicted to be 5 % higher, and is 20 % higher: more than 5 "
                                      "% off, for no reason that was measured"));
  c.variants[1].predicted[0].is_mean = true;
  EXPECT_THAT(Summarize(c), HasSubstr("likely as it is a mean over noise"));
  c.variants[1].predicted[0].left_out = {"torque limits", "dry friction"};
  EXPECT_THAT(Summarize(c), HasSubstr("likely as it leaves out dry friction."));
  c.variants[1].runs[0].values[3] = 7;
  EXPECT_THAT(Summarize(c), HasSubstr("likely as torque limits were reached."));
  c.variants[1].predicted[0].error_rms = NAN;
  c.variants[1].predicted[0].why_not = "a law without s";
  EXPECT_THAT(Summarize(c), Not(HasSubstr("predicted")));
  const auto json = nlohmann::json::parse(FormatJson(c));
  EXPECT_TRUE(json["variants"][1]["predicted"]["error_rms"].is_null());
  EXPECT_EQ(json["variants"][1]["predicted"]["why_not"], "a law without s");
}

TEST(Comparison, SaysBelowTheTableWhyThereIsNoPrediction) {
  VariantComparison c = WithPrediction(1.05);
  EXPECT_EQ(AbsentPrediction(c), "");
  c.variants[1].predicted[0] = {};
  c.variants[1].predicted[0].why_not = "a law without s";
  for (const std::string& text : {FormatTable(c), FormatHtml(c)}) {
    EXPECT_THAT(text, HasSubstr("No prediction of the tracking error of t:1 (a law without s)."));
  }
  c.variants[0].predicted[0] = c.variants[1].predicted[0];
  EXPECT_EQ(AbsentPrediction(c), "No prediction of the tracking error: a law without s.");
  for (ComparedVariant& variant : c.variants) variant.predicted.clear();
  EXPECT_EQ(AbsentPrediction(c), "") << "none was tried";
  c.why_no_prediction = "it takes too long";
  EXPECT_EQ(AbsentPrediction(c), "No prediction of the tracking error: it takes too long.");
  for (ComparedVariant& variant : c.variants) variant.runs[0].values[1] = NAN;
  EXPECT_EQ(AbsentPrediction(c), "") << "there is no error either";
}

TEST(Comparison, JsonKeepsItsSchema) {
  const auto json = nlohmann::json::parse(FormatJson(TwoVariants()));
  EXPECT_EQ(json["scene"], "made <up>");
  EXPECT_EQ(json["summary"], Summarize(TwoVariants()));
  ASSERT_EQ(json["variants"].size(), 2u);
  const auto& first = json["variants"][0];
  EXPECT_EQ(first["name"], "christoffel");
  EXPECT_EQ(first["settings"]["controller.factorization"], "christoffel");
  EXPECT_EQ(first["metrics"]["twist_rad"], 1e-7);
  EXPECT_EQ(first["metrics"]["V_at"]["0.1"], 3);
  EXPECT_TRUE(json["variants"][1]["metrics"]["V_at"]["0.1"].is_null());
  EXPECT_EQ(json["variants"][1]["passed"], true);
}

std::vector<std::unique_ptr<Scene>> LoadTwo(const std::string& a, const std::string& b) {
  std::vector<std::unique_ptr<Scene>> scenes;
  for (const std::string& factorization : {a, b}) {
    scenes.push_back(LoadScene(ReadConfig(
        "arm7_twist", {"duration_s=0.25", "controller.factorization=" + factorization})));
  }
  return scenes;
}

TEST(CompareRuns, AreWhatTheRunsAloneAre) {
  const auto always = [](double) { return true; };
  const auto scenes = [] { return LoadTwo("t:1", "t:1"); };
  const std::vector<MetricInfo> metrics = CompareMetrics(*scenes().front());
  std::vector<RunCurves> traces(2);
  const std::vector<ComparedRun> runs = RunInStep(scenes(), always, &traces);
  ASSERT_EQ(runs.size(), 2u);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].kind == MetricInfo::Kind::kMachine) continue;
    const bool both_absent = std::isnan(runs[0].values[i]) && std::isnan(runs[1].values[i]);
    EXPECT_TRUE(both_absent || runs[0].values[i] == runs[1].values[i]) << metrics[i].key;
  }
  ASSERT_EQ(traces[0].t.size(), 251u);
  Simulation simulation(std::move(scenes().front()));
  simulation.RunFor(251);
  EXPECT_EQ(traces[0].V.back(), simulation.record().V);
  EXPECT_EQ(traces[0].error.back(), simulation.record().e.norm());
}

TEST(CompareRuns, StopTogetherAndBlowUpAlone) {
  std::vector<RunCurves> traces(2);
  const auto stop = [](double t) { return t < 0.15; };
  std::vector<ComparedRun> runs = RunInStep(LoadTwo("christoffel", "t:1"), stop, &traces);
  EXPECT_EQ(traces[0].t.size(), traces[1].t.size());
  EXPECT_LT(traces[0].t.size(), 251u);
  EXPECT_THAT(runs[0].verdict, HasSubstr("interrupted"));

  traces.assign(2, {});
  runs = RunInStep(
      LoadTwo("christoffel", "t:1e6"), [](double) { return true; }, &traces);
  EXPECT_TRUE(runs[0].passed);
  EXPECT_EQ(traces[0].t.size(), 251u);
  EXPECT_FALSE(runs[1].passed);
  EXPECT_THAT(runs[1].verdict, HasSubstr("at t = "));
  EXPECT_TRUE(runs[0].is_whole());
  EXPECT_FALSE(runs[1].is_whole());
  EXPECT_EQ(runs[1].end_s, static_cast<double>(traces[1].t.size()) * 1e-3);
}

TEST(CompareRuns, StartsAreRandomButTheSeeds) {
  const auto start = [](int seed, int number) {
    const auto scene = LoadScene(ReadConfig("arm7"));
    MoveStart(seed, number, scene.get());
    return scene->q_start;
  };
  const Eigen::VectorXd own = start(1, 0);
  EXPECT_EQ(own, start(2, 0));
  EXPECT_EQ(start(1, 3), start(1, 3));
  EXPECT_NE(start(1, 3), start(2, 3));
  EXPECT_NE(start(1, 3), start(1, 4));
  EXPECT_LE((start(1, 3) - own).cwiseAbs().maxCoeff(), kSpread_q);
}

TEST(CompareProgram, WritesItsFiles) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "deep" / "out").string();
  ChildProgram program({"compare", "arm7_twist", "--vary", "factorization=christoffel,t:1",
                        "--duration", "0.3", "--initial-states", "2", "--out", out});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("christoffel"), HasSubstr("turning, rad"), HasSubstr("±")));
  const auto json = nlohmann::json::parse(ReadAll(out + "/compare.json"));
  EXPECT_EQ(json["variants"][1]["runs"].size(), 2u);
  EXPECT_GT(json["variants"][1]["metrics"]["twist_rad"], 0.1);
  EXPECT_LT(json["variants"][0]["metrics"]["twist_rad"], 1e-5);
  EXPECT_LE(json["variants"][0]["intervals"]["error_rms"][0],
            json["variants"][0]["metrics"]["error_rms"]);
  for (const char* file : {"compare.csv", "plots.svg", "report.html", "1_christoffel.yaml",
                           "1_christoffel.csv", "2_t_1.yaml", "2_t_1.csv"}) {
    EXPECT_NE(ReadAll(out + "/" + file), "") << file;
  }
}

TEST(CompareProgram, EachSeedIsTheRunOfThatSeed) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  // Unknown masses are drawn while the scene is built.
  const std::vector<std::string> scene = {
      "point_mass", "--set", "plant.mass_error=0.3", "--duration", "0.1", "--out", out};
  std::vector<std::string> compare = {"compare", "--vary", "K_D=1,2", "--seeds", "3"};
  compare.insert(compare.begin() + 1, scene.begin(), scene.end());
  const ChildResult compared = ChildProgram(compare).Wait();
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(compared.err, "") << "the seed matters";
  const auto runs = nlohmann::json::parse(ReadAll(out + "/compare.json"))["variants"][1]["runs"];
  ASSERT_EQ(runs.size(), 3u);
  for (int seed = 0; seed < 3; ++seed) {
    const std::string alone = (folder.path() / std::to_string(seed)).string();
    std::vector<std::string> run = {"run",         "--headless", "--set",
                                    "gains.K_D=2", "--seed",     std::to_string(seed)};
    run.insert(run.begin() + 1, scene.begin(), scene.end());
    run[std::distance(run.begin(), std::find(run.begin(), run.end(), out))] = alone;
    const ChildResult result = ChildProgram(run).Wait();
    ASSERT_EQ(result.code, 0) << result.err;
    const auto summary = nlohmann::json::parse(ReadAll(alone + "/run.json"))["summary"];
    const auto& metrics = runs[static_cast<std::size_t>(seed)]["metrics"];
    EXPECT_EQ(runs[static_cast<std::size_t>(seed)]["seed"], seed);
    for (const char* key : {"error_rms", "error_peak", "torque_rms", "energy_J"}) {
      EXPECT_EQ(metrics[key], summary[key]) << key << " of seed " << seed;
      if (seed > 0) {
        EXPECT_NE(metrics[key], runs[0]["metrics"][key]) << key;
      }
    }
  }
}

TEST(CompareProgram, StartsFromTheStatesOfAFile) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  const std::string states =
      folder.Write("s.json", R"({"states": [{"q": [0.3, -0.4], "v": [1, 2]}, {"q": [0.5, 0.6]}]})");
  const std::vector<std::string> command = {"compare",  "planar_2r",  "--vary",
                                            "K_D=5,10", "--duration", "0.1"};
  const auto run = [&command](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return ChildProgram(more).Wait();
  };
  const ChildResult both = run({"--states", states, "--out", out});
  EXPECT_EQ(both.code, 0) << both.err;
  const auto all = nlohmann::json::parse(ReadAll(out + "/compare.json"))["variants"][1]["runs"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1]["start"], 1);
  EXPECT_NE(all[0]["metrics"]["error_peak"], all[1]["metrics"]["error_peak"]);
  // The first initial state, given in the config.
  const std::string q = "initial.q=[0.3, -0.4]", v = "initial.v=[1, 2]";
  EXPECT_EQ(run({"--set", q, "--set", v, "--out", out}).code, 0);
  const auto one = nlohmann::json::parse(ReadAll(out + "/compare.json"))["variants"][1];
  EXPECT_EQ(all[0]["metrics"]["error_rms"], one["metrics"]["error_rms"]);
  EXPECT_EQ(all[0]["metrics"]["energy_J"], one["metrics"]["energy_J"]);

  const std::string none = folder.Write("n.json", R"({"states": []})");
  const std::string wrong = folder.Write("w.json", R"({"states": [{"q": [1]}]})");
  EXPECT_THAT(run({"--states", none}).err, HasSubstr("n.json: there are no states in it"));
  EXPECT_THAT(run({"--states", wrong}).err,
              HasSubstr("w.json: states[0].q: has 1 number, the model has nq = 2"));
  EXPECT_EQ(run({"--states", states, "--initial-states", "2"}).code, 2);
}

TEST(CompareProgram, ARobotThatNothingHoldsFallsFreely) {
  const TemporaryFolder folder;
  const std::string robot = folder.Write("leaf.xml", R"(<mujoco><worldbody>
    <body name="leaf" pos="0 0 1"><freejoint name="air"/><geom size="0.1" mass="1"/>
      <body><joint name="stalk" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0" mass="0.2"/></body>
    </body></worldbody><actuator><motor joint="stalk"/></actuator></mujoco>)");
  ChildProgram run({"run", robot, "--headless", "--duration", "0.3"});
  const ChildResult one = run.Wait();
  EXPECT_EQ(one.code, 0);
  EXPECT_THAT(one.out.substr(0, one.out.find('\n')), HasSubstr("fell freely"));
  EXPECT_THAT(one.err, HasSubstr("stay passive: air"));
  EXPECT_THAT(one.err, HasSubstr("falls freely: there is no floor"));
  ChildProgram compare({"compare", robot, "--vary", "K_D=5,10", "--duration", "0.3"});
  const ChildResult both = compare.Wait();
  EXPECT_EQ(both.code, 0);
  EXPECT_THAT(both.out, HasSubstr("K_D=10 fell freely"));
  EXPECT_THAT(both.out, HasSubstr("tell nothing of its law"));
  EXPECT_THAT(both.out, Not(HasSubstr("Alike")));
}

TEST(CompareProgram, FailedVariantsAreReportedAndBadInputIsRefused) {
  ChildProgram failing(
      {"compare", "arm7_twist", "--vary", "factorization=christoffel,t:1e6", "--duration", "0.2"});
  const ChildResult failed = failing.Wait();
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.out, HasSubstr("t:1e6 failed: "));
  EXPECT_THAT(failed.out, HasSubstr("failed at 0"));
  EXPECT_THAT(failed.out,
              AllOf(HasSubstr(kNoConclusion), Not(HasSubstr("s turns")), Not(HasSubstr("matter"))));
  ChildProgram refusing({"compare", "arm7_twist", "--vary", "K_D=1,-1"});
  const ChildResult refused = refusing.Wait();
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--vary gains.K_D"));
}

}  // namespace compare_test
}  // namespace civita
