#include "app/verbs/bench/batch_quantities.h"

#include <array>

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

}  // namespace

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

}  // namespace civita
