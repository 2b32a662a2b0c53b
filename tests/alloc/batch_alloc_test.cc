#include <gtest/gtest.h>

#include "civita/batch_dynamics.h"
#include "tests/alloc/malloc_counter.h"
#include "tests/oracles/random_case.h"

namespace civita {
namespace batch_alloc_test {

TEST(BatchDynamics, AllocatesNothing) {
  constexpr int kStates = 50;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Case c = MakeCase(seed);
    const Eigen::Index n = c.model.nv();
    const Eigen::MatrixXd Q = c.q.replicate(1, kStates), V = c.v.replicate(1, kStates);
    Eigen::MatrixXd H(n, n * kStates), C(n, n * kStates), D(n, n * kStates), tau(n, kStates);
    Eigen::MatrixXd Gamma(n * n * n, kStates);
    for (const std::string& name : InstructionSets()) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(name + " on " + std::to_string(threads));
        BatchDynamics dynamics(c.model, threads, name);

        const MallocCounter counter;
        dynamics.CalcMassMatrices(Q, H);
        dynamics.CalcCoriolisMatrices(Q, V, {.C = C, .H = H});
        dynamics.CalcInverseDynamics(Q, V, V, tau);
        dynamics.CalcPassivityInverseDynamics(0.3, Q, V, V, V, tau);
        dynamics.CalcForwardDynamics(Q, V, V, tau);
        dynamics.CalcChristoffelSymbols(Q, Gamma);
        (void)dynamics.CalcForwardDynamicsDerivatives(Q, V, V, H, C, D);
        dynamics.CalcInverseDynamicsDerivatives(Q, V, V, H, C, D);
        (void)dynamics.CalcInverseMassMatrices(Q, H);
        EXPECT_EQ(counter.count(), 0);
      }
    }
  }
}

}  // namespace batch_alloc_test
}  // namespace civita
