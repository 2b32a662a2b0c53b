// Batches of closed chains beside single states, to the bit, and at singular states.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <utility>

#include "civita/batch_cluster_dynamics.h"
#include "civita/cluster_derivatives.h"
#include "civita/cluster_dynamics.h"
#include "civita/error.h"
#include "civita/manifold.h"
#include "tests/core/error_of.h"
#include "tests/oracles/dense_chain.h"
#include "tests/oracles/random_chain_laws.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace closed_chain_batch_laws_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kStates = 23;

/// A factorization with a function of q, of which each thread needs a copy.
Factorization Wavy(const Case& c) { return AllFactorizations(c, 1)[6]; }

class ClosedChainBatchLaws : public RandomChainLaws {
 protected:
  ClosedChainBatchLaws() {
    Q_.resize(tree().nq(), kStates);
    for (int s = 0; s < kStates; ++s) {
      VectorXd q(tree().nq());
      IntegratePosition<double>(tree(), model().closed_start(), RandomVector(nv(), &random_), 1e-3,
                                q);
      Q_.col(s) = q;
    }
    for (MatrixXd* X : {&W_, &X_, &Y_}) {
      X->resize(nw(), kStates);
      for (int s = 0; s < kStates; ++s) X->col(s) = RandomVector(nw(), &random_);
    }
  }

  MatrixXd Q_, W_, X_, Y_;
};

TEST_P(ClosedChainBatchLaws, AreThoseOfSingleStatesToTheBit) {
  const int n = model().nw();
  const Factorization factorization = Wavy(chain_.tree);
  for (const int threads : {1, 3}) {
    BatchClusterDynamics batch(model(), factorization, threads);
    EXPECT_EQ(batch.threads(), threads);
    MatrixXd H(n, n * kStates), H_only(H), C(H), by_q(H), by_w(H), by_tau(H);
    MatrixXd tau(n, kStates), passive(tau), Wdot(tau);
    EXPECT_TRUE(batch.CalcMassMatrices(Q_, H_only).ok());
    EXPECT_TRUE(batch.CalcCoriolisMatrices(Q_, W_, {.C = C, .H = H}).ok());
    EXPECT_TRUE(batch.CalcInverseDynamics(Q_, W_, X_, tau).ok());
    EXPECT_TRUE(batch.CalcPassivityInverseDynamics(Q_, W_, X_, Y_, passive).ok());
    EXPECT_TRUE(batch.CalcForwardDynamics(Q_, W_, X_, Wdot).ok());
    EXPECT_TRUE(batch.CalcForwardDynamicsDerivatives(Q_, W_, Wdot, by_q, by_w, by_tau).ok());
    ClusterWorkspace<double> at(model());
    MatrixXd one(n, n), two(n, n), three(n, n);
    VectorXd x(n);
    for (int s = 0; s < kStates; ++s) {
      ASSERT_TRUE(UpdateKinematics<double>(model(), Q_.col(s), W_.col(s), at).ok());
      CalcCoriolisMatrix<double>(model(), factorization, at, {.C = one, .H = two});
      EXPECT_EQ(C.middleCols(n * s, n), one);
      EXPECT_EQ(H.middleCols(n * s, n), two);
      EXPECT_EQ(H_only.middleCols(n * s, n), two);
      CalcInverseDynamics<double>(model(), X_.col(s), at, x);
      EXPECT_EQ(tau.col(s), x);
      CalcPassivityInverseDynamics<double>(model(), factorization, X_.col(s), Y_.col(s), at, x);
      EXPECT_EQ(passive.col(s), x);
      ASSERT_TRUE(CalcForwardDynamics<double>(model(), X_.col(s), at, x));
      EXPECT_EQ(Wdot.col(s), x);
      ASSERT_TRUE(CalcForwardDynamicsDerivatives<double>(model(), x, at, one, two, three));
      EXPECT_EQ(by_q.middleCols(n * s, n), one);
      EXPECT_EQ(by_w.middleCols(n * s, n), two);
      EXPECT_EQ(by_tau.middleCols(n * s, n), three);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClosedChainBatchLaws, testing::Range(0u, Seeds(10)));

/// A planar four-bar: crank 1 m, coupler 2 m, follower 1.2 m on anchors 2.5 m apart. With the crank
/// at acos(−0.598) coupler and follower lie on a line, and the crank can turn no further.
ClusterModel FourBar() {
  ModelBuilder builder;
  const MassProperties mass{1, Eigen::Vector3d(0.5, 0, 0), 0.1 * Eigen::Matrix3d::Identity()};
  const auto at = [](double x) {
    return Pose{Eigen::Matrix3d::Identity(), Eigen::Vector3d(x, 0, 0)};
  };
  const int crank = builder.AddBody("crank", ModelBuilder::kWorld, at(0), mass);
  builder.AddJoint(crank, JointType::kHinge, {.name = "crank", .axis = {0, 0, 1}});
  const int coupler = builder.AddBody("coupler", crank, at(1), mass);
  builder.AddJoint(coupler, JointType::kHinge, {.name = "coupler", .axis = {0, 0, 1}});
  const int follower = builder.AddBody("follower", ModelBuilder::kWorld, at(2.5), mass);
  builder.AddJoint(follower, JointType::kHinge, {.name = "follower", .axis = {0, 0, 1}});
  Model tree = builder.Build();
  LoopClosures closures;
  const auto index = [&](const char* name) {
    return static_cast<int>(&tree.FindFrame(name) - tree.frames().data());
  };
  closures.frames.push_back({.name = "pin",
                             .a = {.frame = index("coupler"), .point = {2, 0, 0}},
                             .b = {.frame = index("follower"), .point = {1.2, 0, 0}}});
  return ClusterModel(std::move(tree), closures,
                      {.independent = {"crank"}, .start = Eigen::Vector3d(1, -1, 2)});
}

TEST(BatchClusterDynamics, NamesTheFirstSingularStateAndKeepsItsResults) {
  const ClusterModel model = FourBar();
  const double crank = std::acos(-0.598), rod = std::atan2(-std::sin(crank), 2.5 + 0.598);
  const Eigen::Vector3d straight(crank, rod - crank, rod + M_PI);
  MatrixXd Q = model.closed_start().replicate(1, 5), W = MatrixXd::Ones(1, 5);
  Q.col(3) = straight;
  Q.col(4) = straight;
  BatchClusterDynamics batch(model, {}, 2);
  MatrixXd Wdot = MatrixXd::Constant(1, 5, 7);
  const BatchClusterStatus status = batch.CalcForwardDynamics(Q, W, W, Wdot);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.state, 3);
  EXPECT_EQ(status.loops.code, ClusterStatus::Code::kSingular);
  EXPECT_GT(status.loops.condition, model.max_condition());
  EXPECT_NE(Describe(model, status.loops).find(" is singular here: its condition is "),
            std::string::npos);
  EXPECT_EQ(Wdot(0, 3), 7);
  EXPECT_EQ(Wdot(0, 4), 7);
  EXPECT_NE(Wdot(0, 0), 7);
  EXPECT_EQ(Wdot(0, 0), Wdot(0, 2));
}

TEST(BatchClusterDynamics, ThrowsWhatAFunctionOfTheConfigurationThrows) {
  const ClusterModel model = FourBar();
  std::atomic<bool> fails = true;
  const Coefficient beta("beta", [&](const VectorXd&) -> double {
    if (fails) throw UserError("no value here");
    return 0.4;
  });
  const Factorization factorization = Factorization::Christoffel().Inject(
      model.tree(), "coupler", Factorization::Part::kAngular, beta);
  const MatrixXd Q = model.closed_start().replicate(1, 40), W = MatrixXd::Ones(1, 40);
  MatrixXd C(1, 40), H(1, 40);
  for (const int threads : {1, 3}) {
    fails = true;
    BatchClusterDynamics batch(model, factorization, threads);
    EXPECT_EQ(ErrorOf([&] { (void)batch.CalcCoriolisMatrices(Q, W, {.C = C, .H = H}); }),
              "no value here");
    fails = false;
    EXPECT_TRUE(batch.CalcCoriolisMatrices(Q, W, {.C = C, .H = H}).ok());
  }
}

TEST(BatchClusterDynamics, RefusesWrongSizesAndSharedMemory) {
  const ClusterModel model = FourBar();
  BatchClusterDynamics batch(model);
  MatrixXd Q = model.closed_start().replicate(1, 5), W = MatrixXd::Ones(1, 5), H(1, 5);
  EXPECT_THROW((void)batch.CalcForwardDynamics(Q, W.leftCols(4), W, H), ContractError);
  EXPECT_THROW((void)batch.CalcForwardDynamics(Q, W, W, H.leftCols(4)), ContractError);
  EXPECT_THROW((void)batch.CalcForwardDynamics(Q, W, W, W), ContractError);
  EXPECT_THROW((void)batch.CalcCoriolisMatrices(Q, W, {.C = H, .H = H}), ContractError);
  EXPECT_THROW(BatchClusterDynamics(model, {}, 0), ContractError);
}

}  // namespace closed_chain_batch_laws_test
}  // namespace civita
