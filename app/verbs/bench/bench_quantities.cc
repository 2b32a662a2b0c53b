#include "app/verbs/bench/bench_quantities.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "app/interrupt.h"
#include "app/verbs/bench/count/count_flops.h"
#include "app/verbs/bench/count/counted_kernels.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {
namespace {

constexpr std::array kQuantities = {
    BatchQuantity{"C+H",
                  [](BatchTask& at) {
                    const Eigen::Index s = at.Next();
                    at.dynamics.CalcCoriolisMatrices(at.Q.middleCols(s, at.states),
                                                     at.V.middleCols(s, at.states),
                                                     {.C = at.C, .H = at.H});
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

OperationCounts Count(const BenchQuantity<Counted>& quantity, const Model& model) {
  if (quantity.call == nullptr || InterruptGuard::raised()) return {kNone, kNone, kNone};
  return {CountFlops(quantity, model), static_cast<double>(CountKernelFlops(quantity.name, model)),
          static_cast<double>(CountBatchKernelFlops(quantity.name, model))};
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

std::map<std::string, OperationCounts> CountOperations(const Model& model) {
  std::map<std::string, OperationCounts> counts;
  for (const BenchQuantity<Counted>& quantity : kBenchQuantities<Counted>) {
    counts[std::string(quantity.name)] = Count(quantity, model);
  }
  return counts;
}

OperationCounts CountOperations(const Model& model, const std::string& quantity) {
  const auto& all = kBenchQuantities<Counted>;
  const auto found = std::ranges::find(all, quantity, &BenchQuantity<Counted>::name);
  return Count(*found, model);
}

}  // namespace civita
