#include "app/verbs/bench/bench_quantities.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <mutex>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "app/child_process.h"
#include "app/terminal.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {
namespace {

constexpr std::array kQuantities = {
    BatchQuantity{"C+H",
                  [](BatchTask& at) {
                    const Eigen::Index s = at.Next();
                    at.dynamics.CalcCoriolisMatrices(at.Q.middleCols(s, at.states),
                                                     at.V.middleCols(s, at.states), at.C, at.H);
                  }},
    BatchQuantity{"H",
                  [](BatchTask& at) {
                    at.dynamics.CalcMassMatrices(at.Q.middleCols(at.Next(), at.states), at.H);
                  }},
    BatchQuantity{"Gamma",
                  [](BatchTask& at) {
                    at.dynamics.CalcChristoffelSymbols(at.Q.middleCols(at.Next(), at.states),
                                                       at.Gamma);
                  }},
    BatchQuantity{"RNEA",
                  [](BatchTask& at) {
                    const Eigen::Index s = at.Next();
                    at.dynamics.CalcInverseDynamics(at.Q.middleCols(s, at.states),
                                                    at.V.middleCols(s, at.states),
                                                    at.Vdot.middleCols(s, at.states), at.tau);
                  }},
    BatchQuantity{"passivity RNEA",
                  [](BatchTask& at) {
                    const Eigen::Index s = at.Next();
                    at.dynamics.CalcPassivityInverseDynamics(
                        0, at.Q.middleCols(s, at.states), at.V.middleCols(s, at.states),
                        at.V_r.middleCols(s, at.states), at.Vdot_r.middleCols(s, at.states),
                        at.tau);
                  }},
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr OperationCounts kNotCounted = {kNone, kNone, kNone};

std::filesystem::path Counter() { return BesideThisProgram("civita_count_operations"); }

/// Parses its lines: the three counts, then the quantity, whose name may contain spaces.
std::map<std::string, OperationCounts> Count(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), Counter());
  ChildProcess child(std::move(arguments));
  std::map<std::string, OperationCounts> counts;
  for (std::string line; child.ReadLine(&line);) {
    std::istringstream in(line);
    OperationCounts count;
    std::string quantity;
    in >> count.plain >> count.kernel >> count.batch_kernel >> std::ws;
    std::getline(in, quantity);
    counts[quantity] = count;
  }
  child.Finish();
  return counts;
}

std::map<std::string, OperationCounts> NoCounts() {
  std::map<std::string, OperationCounts> none;
  for (const BenchQuantity<double>& quantity : BenchQuantities()) {
    none[std::string(quantity.name)] = kNotCounted;
  }
  return none;
}

}  // namespace

std::span<const BenchQuantity<double>> BenchQuantities() { return kBenchQuantities<double>; }

const BenchQuantity<double>& FindBenchQuantity(std::string_view name) {
  const auto& all = kBenchQuantities<double>;
  const auto found = std::ranges::find(all, name, &BenchQuantity<double>::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const BenchQuantity<double>& quantity : all) names.emplace_back(quantity.name);
  throw UserError(UnknownName("quantity", std::string(name), names));
}

BatchTask::BatchTask(const Model& model, int threads)
    : dynamics(model, threads),
      states(threads > 1 ? static_cast<int>(kBenchStates) : dynamics.lanes()),
      C(model.nv(), model.nv() * states),
      H(model.nv(), model.nv() * states),
      Gamma(ChristoffelIndex(model.nv(), 0, 0, model.nv()), states),
      tau(model.nv(), states) {
  Q.resize(model.nq(), kBenchStates);
  for (Eigen::MatrixXd* each : {&V, &Vdot, &V_r, &Vdot_r}) each->resize(model.nv(), kBenchStates);
  const std::vector<BenchState<double>> ring = RandomBenchStates(model);
  for (std::size_t s = 0; s < ring.size(); ++s) {
    const auto column = static_cast<Eigen::Index>(s);
    Q.col(column) = ring[s].q;
    V.col(column) = ring[s].v;
    Vdot.col(column) = ring[s].vdot;
    V_r.col(column) = ring[s].v_r;
    Vdot_r.col(column) = ring[s].vdot_r;
  }
}

std::span<const BatchQuantity> BatchQuantities() { return kQuantities; }

std::map<std::string, OperationCounts> CountOperations(const std::string& model) {
  std::map<std::string, OperationCounts> counts = NoCounts();
  if (!HasOperationCounter()) return counts;
  for (const auto& [quantity, count] : Count({model})) counts[quantity] = count;
  return counts;
}

OperationCounts CountOperations(const std::string& model, const std::string& quantity) {
  if (!HasOperationCounter()) return kNotCounted;
  const std::map<std::string, OperationCounts> counts = Count({model, quantity});
  const auto found = counts.find(quantity);
  return found == counts.end() ? kNotCounted : found->second;
}

std::string WhyNoOperationCounts() {
  std::error_code ignored;
  if (std::filesystem::exists(Counter(), ignored)) return "";
  return "operations are counted by " + Counter().string() +
         ", which is not there: cmake --build BUILD_DIR --target civita_count_operations";
}

bool HasOperationCounter() {
  const std::string why = WhyNoOperationCounts();
  static std::once_flag told;
  if (!why.empty()) std::call_once(told, [&] { PrintNote("operations are left out: " + why); });
  return why.empty();
}

}  // namespace civita
