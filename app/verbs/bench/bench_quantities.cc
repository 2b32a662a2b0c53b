#include "app/verbs/bench/bench_quantities.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "app/interrupt.h"
#include "app/verbs/bench/count/counted_kernels.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {
namespace {

constexpr std::array kQuantities = {
    BatchQuantity{"C+H",
                  [](BatchTask& at) {
                    at.dynamics.CalcCoriolisMatrices(at.Now(at.Q), at.Now(at.V),
                                                     {.C = at.C, .H = at.H});
                  }},
    BatchQuantity{"H", [](BatchTask& at) { at.dynamics.CalcMassMatrices(at.Now(at.Q), at.H); }},
    BatchQuantity{
        "H inverse",
        [](BatchTask& at) { (void)at.dynamics.CalcInverseMassMatrices(at.Now(at.Q), at.D); }},
    BatchQuantity{
        "Gamma", [](BatchTask& at) { at.dynamics.CalcChristoffelSymbols(at.Now(at.Q), at.Gamma); }},
    BatchQuantity{"RNEA",
                  [](BatchTask& at) {
                    at.dynamics.CalcInverseDynamics(at.Now(at.Q), at.Now(at.V), at.Now(at.Vdot),
                                                    at.tau);
                  }},
    BatchQuantity{"passivity RNEA",
                  [](BatchTask& at) {
                    at.dynamics.CalcPassivityInverseDynamics(
                        0, at.Now(at.Q), at.Now(at.V), at.Now(at.V_r), at.Now(at.Vdot_r), at.tau);
                  }},
    BatchQuantity{"forward dynamics",
                  [](BatchTask& at) {
                    at.dynamics.CalcForwardDynamics(at.Now(at.Q), at.Now(at.V), at.Now(at.Vdot),
                                                    at.tau);
                  }},
    BatchQuantity{"RNEA derivatives",
                  [](BatchTask& at) {
                    at.dynamics.CalcInverseDynamicsDerivatives(at.Now(at.Q), at.Now(at.V),
                                                               at.Now(at.Vdot), at.D, at.C, at.H);
                  }},
    BatchQuantity{"forward dynamics derivatives",
                  [](BatchTask& at) {
                    (void)at.dynamics.CalcForwardDynamicsDerivatives(
                        at.Now(at.Q), at.Now(at.V), at.Now(at.Vdot), at.D, at.C, at.H);
                  }},
};

template <typename T>
const BenchQuantity<T>& Find(std::string_view name) {
  const auto& all = kBenchQuantities<T>;
  const auto found = std::ranges::find(all, name, &BenchQuantity<T>::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const BenchQuantity<T>& quantity : all) names.emplace_back(quantity.name);
  throw UserError(UnknownName("quantity", std::string(name), names));
}

}  // namespace

std::span<const BenchQuantity<double>> BenchQuantities() { return kBenchQuantities<double>; }

const BenchQuantity<double>& FindBenchQuantity(std::string_view name) { return Find<double>(name); }

BatchTask::BatchTask(const Model& model, int threads)
    : dynamics(model, threads),
      states(threads > 1 ? static_cast<int>(kBenchStates) : dynamics.lanes()),
      C(model.nv(), model.nv() * states),
      H(model.nv(), model.nv() * states),
      D(model.nv(), model.nv() * states),
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

void BatchQuantity::Run(BatchTask& task) const {
  task.at = (task.at + task.states) % static_cast<Eigen::Index>(kBenchStates);
  calc(task);
}

double CountFlops(const BenchQuantity<Counted>& quantity, const Model& model) {
  BenchTask<Counted> task(model);
  Counted::operations = {};
  quantity.Run(task);
  return static_cast<double>(Counted::operations.flops());
}

OperationCounts CountOperations(const Model& model, std::string_view quantity) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const BenchQuantity<Counted>& of = Find<Counted>(quantity);
  if (of.calc == nullptr || InterruptGuard::raised()) return {kNone, kNone, kNone};
  return {CountFlops(of, model), static_cast<double>(CountKernelFlops(quantity, model)),
          static_cast<double>(CountBatchKernelFlops(quantity, model))};
}

}  // namespace civita
