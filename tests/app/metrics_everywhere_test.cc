// A metric has the same value in all outputs, and one line of the table adds it to all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "app/verbs/compare/compare.h"
#include "app/verbs/run/run_table.h"
#include "base/number_text.h"
#include "civita/sim/output_file.h"
#include "civita/sim/recorder.h"
#include "civita/sim/session.h"
#include "study/typeset_number.h"
#include "tests/app/child_program.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace metrics_everywhere_test {

using Json = nlohmann::json;
using testing::HasSubstr;

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double NumberIn(const Json& json) { return json.is_null() ? NAN : json.get<double>(); }

/// One run of a scene in every kind of output, from the same start.
struct EveryWay {
  RunSummary summary;
  std::string table;                   ///< of a headless run
  Json run;                            ///< "summary" of run.json
  VariantComparison comparison;        ///< of the run with itself
  std::vector<MetricInfo> live_infos;  ///< of the window
  std::vector<double> live;
};

void RunAlone(const std::function<std::unique_ptr<Scene>()>& load, long steps, EveryWay* out) {
  const TemporaryFolder folder;
  const std::filesystem::path files = folder.path() / "run";
  Simulation simulation(load());
  Recorder recorder(simulation, files);
  for (long k = 0; k < steps; ++k) {
    ASSERT_TRUE(simulation.Step());
    recorder.Add(simulation.record());
  }
  out->summary = recorder.Finish(simulation, 1, false);
  out->table = FormatSummary(simulation, out->summary, "");
  out->run = Json::parse(ReadAll(files / "run.json"))["summary"];
}

void Compare(const std::function<std::unique_ptr<Scene>()>& load, EveryWay* out) {
  std::vector<std::unique_ptr<Scene>> scenes;
  for (int i = 0; i < 2; ++i) scenes.push_back(load());
  out->comparison.scene = out->comparison.title = scenes.front()->config.name;
  out->comparison.metrics = CompareMetrics(*scenes.front());
  std::vector<RunCurves> curves(2);
  std::vector<ComparedRun> runs = RunInStep(
      std::move(scenes), [](double) { return true; }, &curves);
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(i);
    out->comparison.variants.push_back(
        {i == 0 ? "one" : "other", {}, "", {}, {runs[k]}, curves[k]});
  }
}

void RunLive(const std::function<std::unique_ptr<Scene>()>& load, long steps, EveryWay* out) {
  Session session(load(), true, {}, load());
  session.Post(command::StepOnce{steps});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(600);
  while (session.Latest().step < steps && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_EQ(session.Latest().step, steps);
  out->live_infos = session.metrics();
  out->live = session.Latest().figures.values;
  EXPECT_EQ(session.Latest().other.figures.values.size(), out->live.size());
}

EveryWay RunEveryWay(const std::string& scene, const std::vector<std::string>& overrides) {
  const auto load = [&] { return LoadScene(ReadConfig(scene, overrides)); };
  EveryWay out;
  const Simulation simulation(load());
  const long steps =
      std::lround(simulation.scene().config.duration_s / simulation.control_dt()) + 1;
  RunAlone(load, steps, &out);
  Compare(load, &out);
  RunLive(load, steps, &out);
  return out;
}

/// The metric's value in run.json, NaN for null, as docs/compare.md says.
double InRunJson(const EveryWay& run, const MetricInfo& info) {
  if (!info.mark_s) {
    const std::string place = info.json.empty() ? info.key : info.json;
    return NumberIn(run.run.at(Json::json_pointer("/" + place)));
  }
  for (const Json& entry : run.run.at(info.key)) {
    if (entry["t"] == *info.mark_s) return entry["V"];
  }
  return NAN;
}

double InCompareJson(const EveryWay& run, const MetricInfo& info) {
  const Json metrics = Json::parse(FormatJson(run.comparison))["variants"][0]["metrics"];
  if (!info.mark_s) return NumberIn(metrics.at(info.key));
  std::string mark;
  internal::AppendNumber(*info.mark_s, &mark);
  return NumberIn(metrics.at(info.key).at(mark));
}

void ExpectOneNumber(const EveryWay& run) {
  const std::string compared = FormatTable(run.comparison), report = FormatHtml(run.comparison);
  ASSERT_EQ(run.live_infos, run.summary.metrics);
  ASSERT_EQ(run.comparison.metrics, run.summary.metrics);
  int known = 0;
  for (std::size_t i = 0; i < run.summary.metrics.size(); ++i) {
    const MetricInfo& info = run.summary.metrics[i];
    SCOPED_TRACE(info.label);
    const double value = run.summary.values[i];
    EXPECT_TRUE(Same(InRunJson(run, info), value));
    EXPECT_THAT(report, HasSubstr(info.label));
    EXPECT_THAT(compared, HasSubstr(info.label));
    if (std::isnan(value)) continue;
    ++known;
    EXPECT_THAT(run.table, HasSubstr("  " + info.label));
    if (info.kind == MetricKind::kMachine) continue;
    const double in_comparison = run.comparison.variants[0].runs[0].values[i];
    EXPECT_EQ(in_comparison, value);
    EXPECT_EQ(InCompareJson(run, info), value);
    EXPECT_EQ(run.live[i], value);
    EXPECT_THAT(run.table, HasSubstr(FormatValue(value)));
    EXPECT_THAT(compared, HasSubstr(FormatValue(value)));
    EXPECT_THAT(report, HasSubstr("<td>" + Tabular(value) + "</td>"));
  }
  EXPECT_GE(known, 12);
}

TEST(MetricsEverywhere, AreOneNumber) {
  const std::string mark = "marks_s=[0.1, 0.25]";
  for (const char* scene : {"arm7", "four_bar", "point_mass", "quadruped"}) {
    SCOPED_TRACE(scene);
    ExpectOneNumber(RunEveryWay(scene, {mark, "duration_s=1.1"}));
  }
}

/// Maximum speed of a coordinate.
class LargestSpeed final : public Accumulator {
 public:
  explicit LargestSpeed(const MetricContext& /*context*/) {}
  void Add(const StepRecord& record) override {
    largest_ = std::max(largest_, record.v.cwiseAbs().maxCoeff());
  }
  double value() const { return largest_; }

 private:
  double largest_ = 0;
};

TEST(MetricsEverywhere, ALineOfTheTableShowsAMetric) {
  RegisterMetric({"largest_speed", "largest speed", "rad/s", "largest |v_i| <of the test>",
                  Reading<&LargestSpeed::value>::Of});
  const EveryWay run = RunEveryWay("planar_2r", {"duration_s=0.2", "marks_s=[0.1]"});
  ExpectOneNumber(run);
  Simulation simulation(LoadScene(ReadConfig("planar_2r")));
  double largest = 0;
  for (int k = 0; k <= 200; ++k) {
    ASSERT_TRUE(simulation.Step());
    largest = std::max(largest, simulation.record().v.cwiseAbs().maxCoeff());
  }
  EXPECT_EQ(run.summary.value("largest_speed"), largest);
  EXPECT_EQ(run.run["largest_speed"], largest);
  EXPECT_THAT(run.table, HasSubstr("largest speed  "));
  EXPECT_EQ(run.live.at(FindMetric(run.live_infos,
                                   {.key = "largest_speed", .label = "", .unit = "", .doc = ""})),
            largest);
  EXPECT_THAT(FormatTable(run.comparison), HasSubstr("largest speed, rad/s"));
  EXPECT_THAT(FormatCsv(run.comparison), HasSubstr(",largest_speed"));
  EXPECT_THAT(FormatHtml(run.comparison), HasSubstr("largest |v_i| &lt;of the test&gt;"));
}

}  // namespace metrics_everywhere_test
}  // namespace civita
