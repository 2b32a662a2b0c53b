// `civita bench`: its mechanisms, its counting numbers, its output. Times are compared with limits
// only as ratios and slopes, by `civita reproduce`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/program.h"
#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/bench_quantities.h"
#include "app/verbs/bench/bench_report.h"
#include "app/verbs/bench/count/counted.h"
#include "app/verbs/bench/count/counted_kernels.h"
#include "app/verbs/reproduce/scaling.h"
#include "civita/scenes/scene.h"
#include "tests/app/child_program.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/peers/peers.h"
#include "tests/peers/peers_record.h"
#include "tests/sanitizers.h"

namespace civita {
namespace bench_test {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

TEST(BenchModels, HaveTheShapesOfTheirNames) {
  const auto nv = [](const char* name) { return Build(MakeBenchModel(name).value()).nv(); };
  EXPECT_EQ(nv("chain20"), 20);
  EXPECT_EQ(nv("tree20"), 20);
  EXPECT_EQ(nv("biped20"), 26);
  EXPECT_EQ(nv("quadruped7"), 13);
  EXPECT_EQ(Build(MakeBenchModel("chain20").value()).max_depth(), 20);
  EXPECT_EQ(Build(MakeBenchModel("tree20").value()).max_depth(), 5);
  EXPECT_EQ(Build(MakeBenchModel("biped20").value()).max_depth(), 16);
  EXPECT_EQ(Build(MakeBenchModel("quadruped20").value()).max_depth(), 11);
  for (const char* bad : {"", "chain", "chain0", "chain301", "chain-3", "chain3x", "arm7"}) {
    EXPECT_FALSE(MakeBenchModel(bad).has_value()) << bad;
  }
}

TEST(BenchModels, AreDepthFirstPhysicalAndAlwaysTheSame) {
  for (const char* name : {"chain20", "tree40", "biped9", "quadruped20"}) {
    const BenchModel model = MakeBenchModel(name).value(), again = MakeBenchModel(name).value();
    std::vector<int> path;  // to the previous body
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const BenchBody& body = model.bodies[b];
      while (!path.empty() && path.back() != body.parent) path.pop_back();
      EXPECT_EQ(path.empty(), body.parent < 0) << name << ", body " << b;
      path.push_back(static_cast<int>(b));
      EXPECT_EQ(body.mass.inertia, again.bodies[b].mass.inertia);
      EXPECT_EQ(body.axis, again.bodies[b].axis);
      EXPECT_LT(body.axis.cwiseAbs().maxCoeff(), 0.9999);  // not along an axis of the frame
      const Eigen::Vector3d moments = linear::SymmetricEigenvalues(body.mass.inertia);
      EXPECT_GT(moments[0], 0);
      EXPECT_GT(moments[0] + moments[1], moments[2]);
    }
  }
  EXPECT_DOUBLE_EQ(MakeBenchModel("chain2")->bodies[1].mass.mass,
                   MakeBenchModel("chain20")->bodies[1].mass.mass);
}

TEST(Counted, CountsEveryOperation) {
  Counted::operations = {};
  const Counted a = 2, b = 3;
  Counted c = a * b + a - b / a;
  c += sqrt(b) * -a;
  c -= sin(a) + cos(b);
  EXPECT_NEAR(c.value, 6 + 2 - 1.5 - 2 * std::sqrt(3) - std::sin(2) - std::cos(3), 1e-15);
  EXPECT_EQ(Counted::operations.additions, 5);
  EXPECT_EQ(Counted::operations.multiplications, 2);
  EXPECT_EQ(Counted::operations.divisions, 1);
  EXPECT_EQ(Counted::operations.roots, 1);
  EXPECT_EQ(Counted::operations.sines, 2);
  EXPECT_EQ(Counted::operations.flops(), 9 + 2 * Operations::kSineFlops);

  Counted::operations = {};
  const Motion<Counted> x{{1, 2, 3}, {4, 5, 6}};
  const Force<Counted> F{{1, 1, 1}, {2, 2, 2}};
  EXPECT_EQ(Dot(x, F).value, 36);
  EXPECT_EQ(Counted::operations.additions, 5);
  EXPECT_EQ(Counted::operations.multiplications, 6);
}

template <typename T>
auto AsColumn(const std::vector<T>& x) {
  return Eigen::Map<const VectorX<T>>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// Nothing remains of the last call's result: NaN, or empty.
template <typename T>
void Forget(BenchTask<T>& task) {
  const T none(std::numeric_limits<double>::quiet_NaN());
  for (MatrixX<T>* each : {&task.C, &task.H, &task.D, &task.Y}) each->fill(none);
  for (MatrixX<T>& each : task.six_rows) each.fill(none);
  task.three_rows.fill(none);
  task.YTs.fill(none);
  task.six.fill(none);
  task.tau.fill(none);
  for (auto* each : {&task.point, &task.feet}) each->lambda.fill(NAN);
  task.Gamma.clear();
  task.packed.clear();
}

TEST(BenchQuantities, CountWhatTheyCompute) {
  const InterruptGuard guard;  // an earlier test's signal interrupts nothing
  const Model model = Build(MakeBenchModel("biped5").value());
  BenchTask<double> task(model);
  BenchTask<Counted> counted(model);
  const auto values = [](const auto& x) {
    return x.unaryExpr([](const Counted& y) { return y.value; }).eval();
  };
  for (std::size_t i = 0; i < BenchQuantities().size(); ++i) {
    const BenchQuantity<double>& quantity = BenchQuantities()[i];
    const BenchQuantity<Counted>& counting = kBenchQuantities<Counted>[i];
    SCOPED_TRACE(std::string(quantity.name));
    EXPECT_EQ(counting.name, quantity.name);
    Forget(task);
    Forget(counted);
    quantity.Run(task);
    if (counting.calc != nullptr) counting.Run(counted);
    std::size_t written = 0;
    double size = 0;
    const auto compare = [&](const auto& ours, const auto& plain) {
      if (ours.size() == 0 || std::isnan(ours.data()[0])) return;  // not of this row
      written += static_cast<std::size_t>(ours.size());
      size += ours.norm();
      if (counting.calc == nullptr) return;
      ASSERT_EQ(plain.size(), ours.size());
      EXPECT_LT((plain - ours).norm(), 1e-12 * ours.norm() + 1e-300);
    };
    compare(task.C, values(counted.C));
    compare(task.H, values(counted.H));
    compare(task.D, values(counted.D));
    compare(task.Y, values(counted.Y));
    for (std::size_t k = 0; k < task.six_rows.size(); ++k) {
      compare(task.six_rows[k], values(counted.six_rows[k]));
    }
    compare(task.three_rows, values(counted.three_rows));
    compare(task.YTs, values(counted.YTs));
    compare(task.six, values(counted.six));
    compare(task.tau, values(counted.tau));
    compare(task.point.lambda, counted.point.lambda);
    compare(task.feet.lambda, counted.feet.lambda);
    compare(AsColumn(task.Gamma), values(AsColumn(counted.Gamma)));
    compare(AsColumn(task.packed), values(AsColumn(counted.packed)));
    EXPECT_EQ(written, quantity.output(model));
    EXPECT_GT(size, 0);
    EXPECT_GT(quantity.output(model), 0u);
    EXPECT_EQ(&FindBenchQuantity(quantity.name), &quantity);
    const OperationCounts told = CountOperations(model, quantity.name);
    EXPECT_EQ(std::isnan(told.plain), counting.calc == nullptr);
    if (counting.calc == nullptr) continue;
    EXPECT_EQ(told.plain, CountFlops(counting, model));
    EXPECT_EQ(told.kernel, static_cast<double>(CountKernelFlops(quantity.name, model)));
    EXPECT_EQ(told.batch_kernel, static_cast<double>(CountBatchKernelFlops(quantity.name, model)));
  }
  // Recursive algorithms take equally many operations for every further body of a chain.
  const auto flops = [](const char* name) {
    return CountOperations(Build(MakeBenchModel(name).value()), "RNEA").plain;
  };
  EXPECT_GT(flops("chain2"), flops("chain1"));
  EXPECT_EQ(flops("chain4") - flops("chain3"), flops("chain3") - flops("chain2"));
}

TEST(CountedKernels, DoTheSameForEveryFurtherJoint) {
  const auto flops = [](const char* quantity, const char* model) {
    const Model of = Build(MakeBenchModel(model).value());
    return std::pair(CountKernelFlops(quantity, of), CountBatchKernelFlops(quantity, of));
  };
  for (const char* quantity : {"RNEA", "passivity RNEA"}) {
    const auto few = flops(quantity, "chain4"), more = flops(quantity, "chain8"),
               most = flops(quantity, "chain12");
    EXPECT_GT(few.second, 0);
    EXPECT_EQ(more.first - few.first, most.first - more.first);
    EXPECT_EQ(more.second - few.second, most.second - more.second);
    EXPECT_GE(few.first, few.second);  // unused lanes and columns count
  }
  // Each further pair of joints of a chain takes 42 operations for C and H, in pairs of four
  // lanes.
  EXPECT_GT(flops("C+H", "chain20").second, 42 * 19 * 20 / 2);
  EXPECT_GT(flops("Gamma packed", "chain5").first, flops("H", "chain5").first);
  EXPECT_EQ(flops("impulse", "chain5"), std::pair(std::int64_t{0}, std::int64_t{0}));
}

TEST(BatchQuantities, AreThoseOfOneState) {
  const Model model = Build(MakeBenchModel("tree6").value());
  BatchTask task(model);
  EXPECT_EQ(kBenchStates % static_cast<std::size_t>(task.states), 0u);
  for (const BatchQuantity& batch : BatchQuantities()) {
    SCOPED_TRACE(std::string(batch.name));
    const BenchQuantity<double>& quantity = FindBenchQuantity(batch.name);
    for (Eigen::MatrixXd* each : {&task.C, &task.H, &task.D, &task.Gamma, &task.tau}) {
      each->setConstant(NAN);
    }
    batch.Run(task);
    const int nv = model.nv();
    for (int state = 0; state < task.states; ++state) {
      BenchTask<double> one(model);
      Forget(one);
      one.at = static_cast<std::size_t>(task.at) + static_cast<std::size_t>(state) +
               (kBenchStates - 1);  // the next call takes another one
      quantity.Run(one);
      std::size_t written = 0;
      const auto compare = [&](const auto& of_batch, const auto& of_one) {
        if (of_one.size() == 0 || std::isnan(of_one.data()[0])) return;  // not of this row
        written += static_cast<std::size_t>(of_one.size());
        EXPECT_GT(of_one.norm(), 0);
        EXPECT_LT(RelativeError(of_batch, of_one), 1e-12) << "state " << state;
      };
      compare(task.C.middleCols(nv * state, nv), one.C);
      compare(task.H.middleCols(nv * state, nv), one.H);
      compare(task.D.middleCols(nv * state, nv), one.D);
      compare(task.Gamma.col(state), AsColumn(one.Gamma));
      compare(task.tau.col(state), one.tau);
      EXPECT_EQ(written, quantity.output(model));
    }
  }
}

TEST(Scaling, FitsPowersOfTheSize) {
  ScalingSeries series{"chain", "C+H", {}};
  for (const int n : ScalingSizes()) {
    const double t = n < kSlopeFrom ? 1 : 1e-9 * n * n;
    series.points.push_back({n, {t, t, t}, std::pow(n, 1.5)});
  }
  EXPECT_NEAR(series.TimeSlope(kSlopeFrom), 2, 1e-12);
  EXPECT_NEAR(series.FlopSlope(kSlopeFrom), 1.5, 1e-12);
  EXPECT_LT(series.TimeSlope(0), 0);
  int asked = 0;
  EXPECT_EQ(MeasureScaling("tree", "RNEA", 1e-4, [&](int) { return ++asked < 3; }).points.size(),
            2u);
}

TEST(Peers, MujocoHasOurNumbers) {
  for (const char* name : {"tree7", "quadruped6"}) {
    std::vector<PeerResult> results;
    TimeMujoco(MakeBenchModel(name).value(), 1e-3, [&](PeerResult result) {
      results.push_back(std::move(result));
      return true;
    });
    ASSERT_EQ(results.size(), 3u);
    for (const PeerResult& result : results) {
      EXPECT_LE(result.error, kPeerTolerance) << result.quantity;
      EXPECT_GT(result.ratio(), 0);
      const PeerResult read = ParsePeerResult(ToJsonLine(result));
      EXPECT_EQ(ToJsonLine(read), ToJsonLine(result));
    }
  }
}

TEST(Peers, OtherNumbersAreNoComparison) {
  PeerResult result;
  result.error = 0.5 * kPeerTolerance;
  EXPECT_NO_THROW(CheckAgreement(result));
  for (const double error : {2 * kPeerTolerance, HUGE_VAL, std::nan("")}) {
    result.error = error;
    EXPECT_THROW(CheckAgreement(result), std::runtime_error) << error;
  }
  EXPECT_EQ(PeerError(Eigen::Vector2d(1, 2), Eigen::Vector2d(1, 4)), 0.5);
}

TEST(Peers, PinocchioHasOurNumbers) {
  std::map<std::string, std::set<std::string>> quantities;  // by code and model
  const auto take = [&](const PeerResult& result) {
    EXPECT_LE(result.error, kPeerTolerance) << result.model << ", " << result.quantity;
    EXPECT_GT(result.ratio(), 0);
    quantities[result.code + ", " + result.model].insert(result.quantity);
    return true;
  };
  if (!TimePinocchio({"tree7", "quadruped12", "chain2"}, "", 1e-3, take)) {
    GTEST_SKIP() << "scripts/peers builds what compares with Pinocchio";
  }
  EXPECT_EQ(quantities["x86-64, quadruped12"].size(), 22u);
  EXPECT_EQ(quantities["x86-64, tree7"].size(), 20u);  // without feet
  // A point of two hinges cannot be held by three independent rows.
  EXPECT_EQ(quantities["x86-64, chain2"].size(), 18u);
  for (const auto& [name, of_name] : quantities) {
    if (name.starts_with("x86-64-v3")) {
      EXPECT_EQ(of_name, quantities["x86-64" + name.substr(9)]);
    }
  }
}

TEST(Peers, TheFasterCodeIsInTheTables) {
  const auto result = [](const char* code, double time) {
    return PeerResult{.model = "chain3",
                      .quantity = "RNEA",
                      .peer = "pinocchio",
                      .call = "rnea",
                      .code = code,
                      .times = {time, time, time},
                      .civita = {1e-6, 1e-6, 1e-6}};
  };
  BenchReport report;
  report.rows.resize(2);
  for (BenchRow& row : report.rows) {
    row.model = "chain3";
    row.times = {1e-6, 1e-6, 1e-6};
  }
  report.rows[0].quantity = "RNEA";
  report.rows[1].quantity = "C w derivatives";
  BenchRecord record = MakeRecord(report);
  AddPeers(report, {result("x86-64", 7e-6), result("x86-64-v3", 5e-6)}, &record);
  const std::string text = ToMarkdown(record);
  EXPECT_THAT(text, HasSubstr("| RNEA | 1.000 (5.0×) |\n| C w derivatives | 1.000 |\n"));
  EXPECT_THAT(text, HasSubstr("| RNEA | pinocchio | rnea | x86-64-v3 |"));
  EXPECT_THAT(text, Not(HasSubstr("Slower")));
  EXPECT_THAT(ToTerminal(record.times), HasSubstr("5.00     5.0×"));
  const nlohmann::ordered_json peer = record.json["results"][0]["peers"]["pinocchio"];
  EXPECT_EQ(peer["code"], "x86-64-v3");
  EXPECT_NEAR(peer["min_us_by_call"]["rnea, x86-64"], 7, 1e-9);
  EXPECT_NEAR(peer["min_us_by_call"]["rnea, x86-64-v3"], 5, 1e-9);
  // What a peer is faster at stands first.
  AddPeers(report, {result("x86-64", 0.9e-6)}, &record);
  EXPECT_THAT(ToMarkdown(record),
              HasSubstr("## Times\n\nSlower than a peer: RNEA of chain3 (0.90×).\n"));
}

TEST(Bench, WritesItsRecord) {
  ChildProgram program({"bench", "--models", "chain3,biped4,planar_2r", "--seconds", "0.001",
                        "--json", "bench.json", "--out", "out"},
                       ChildProgram::Display::kNone, CIVITA_PEERS_PROGRAM);
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, kExitDone) << result.err;
  const std::string text = ReadAll(program.folder() / "bench.json");
  EXPECT_EQ(text, ReadAll(program.folder() / "out" / "benchmarks.json"));
  const json record = json::parse(text);
  for (const char* key :
       {"cpu", "cores", "os", "compiler", "flags", "civita", "source", "instruction_set"}) {
    EXPECT_TRUE(record["machine"].contains(key)) << key;
  }
  EXPECT_GT(record["machine"]["peak_gflops"], 0.1);
  std::set<std::string> rows;
  for (const json& row : record["results"]) {
    const std::string name = row["model"].get<std::string>() + " " +
                             row["quantity"].get<std::string>() + " " + row["batch"].dump() + " " +
                             row["threads"].dump();
    SCOPED_TRACE(name);
    EXPECT_TRUE(rows.insert(name).second);
    EXPECT_GT(row["min_us"], 0);
    EXPECT_LE(row["min_us"], row["median_us"]);
    EXPECT_LE(row["median_us"], row["p99_us"]);
    const auto quantity = row["quantity"].get<std::string>();
    const bool is_counted =
        !quantity.starts_with("constrained dynamics") && !quantity.starts_with("impulse");
    for (const char* count : {"flops", "kernel_flops", "share_of_peak"}) {
      EXPECT_EQ(row[count].is_null(), !is_counted) << count;
      if (is_counted) {
        EXPECT_GT(row[count], 0) << count;
      }
    }
    EXPECT_GT(row["share_of_writing"], 0);
    const bool compared =
        row["model"] != "planar_2r" && row["quantity"] == "H" && row["batch"] == 1;
    if (compared) {
      EXPECT_GT(row["peers"]["mujoco"]["ratio"], 0);
      EXPECT_GT(row["peers"]["mujoco"]["min_us"], 0);
      EXPECT_GT(row["peers"]["mujoco"]["median_us"], 0);
    }
  }
  const std::size_t batches = std::thread::hardware_concurrency() > 1 ? 2 : 1;
  const std::size_t of_feet = 2;  // which chain3 and planar_2r do not have
  EXPECT_EQ(rows.size(),
            3 * (BenchQuantities().size() + batches * BatchQuantities().size()) - 2 * of_feet);
  EXPECT_THAT(
      ReadAll(program.folder() / "out" / "benchmarks.md"),
      AllOf(HasSubstr("| | chain3 |"), HasSubstr("| passivity RNEA |"), HasSubstr("| cpu |"),
            testing::ContainsRegex("\\| H \\| [0-9.]+ \\([0-9.]+×\\) \\|")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("chain3"), HasSubstr("Gamma packed")));
}

TEST(Bench, KeepsWhatIsDoneWhenInterrupted) {
  ChildProgram program({"bench", "--seconds", "0.3", "--json", "bench.json"});
  std::this_thread::sleep_for(std::chrono::seconds(2));
  program.Interrupt();
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitInterrupted) << result.err;
  EXPECT_THAT(result.err, HasSubstr("what was measured is kept"));
  const json record = json::parse(ReadAll(program.folder() / "bench.json"));
  EXPECT_LT(record["results"].size(), 4 * BenchQuantities().size());
}

TEST(Bench, RefusesBadInputInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"bench", "--models", "chian20"}, "valid: chainN, treeN, bipedN, quadrupedN"},
      {{"bench", "--models", "chain1000"}, "N from 1 to 300"},
      {{"bench", "--models", "/none.xml"}, "/none.xml"},
      {{"bench", "--models"}, "--models"},
      {{"bench", "--seconds", "0"}, "--seconds"},
      {{"bench", "--out", ""}, "--out"},
      {{"bench", "--out", "/proc/none"}, "--out /proc/none"},
      {{"bench", "--json", "/none/b.json"}, "/none/b.json"},
      {{"bench", "chain20"}, "chain20"},
  };
  for (const auto& [arguments, message] : cases) {
    const ChildResult result = ChildProgram(arguments).Wait();
    EXPECT_EQ(result.code, kExitBadInput) << message;
    EXPECT_THAT(result.err, AllOf(HasSubstr(message), MatchesRegex("civita: [^\n]+\n")));
  }
}

TEST(Bench, ReproducesTable1AndFigure3) {
#ifdef CIVITA_ADDRESS_SANITIZER
  GTEST_SKIP() << "the times of an instrumented program say nothing of the algorithms";
#endif
  for (const std::string name : {"table1", "fig3"}) {
    ChildProgram program({"reproduce", name, "--out", "out"});
    const ChildResult result = program.Wait();
    EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
    const std::filesystem::path out = program.folder() / "out";
    const json verdict = json::parse(ReadAll(out / (name + ".json")));
    EXPECT_TRUE(verdict["verdict"].get<std::string>().starts_with("passed")) << result.out;
    for (const json& row : verdict["comparisons"]) {  // what else computes moves times alone
      if (row["verdict"] != "not reproduced") continue;
      EXPECT_THAT(row["quantity"].get<std::string>(), HasSubstr("time"));
      EXPECT_THAT(row["remark"].get<std::string>(), Not(IsEmpty()));
    }
    for (const json& file : verdict["files"]) {
      EXPECT_FALSE(ReadAll(out / file.get<std::string>()).empty()) << file;
    }
  }
}

}  // namespace bench_test
}  // namespace civita
