// The terms of a law's torque, beside MuJoCo's numbers and the laws of torsion.
#include "civita/sim/torque_terms.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/sim/signals.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace torque_terms_test {

Simulation Split(const std::string& scene, const std::vector<std::string>& overrides = {}) {
  Simulation simulation = MakeSimulation(scene, overrides);
  simulation.SplitTorques();
  return simulation;
}

Eigen::VectorXd ReferenceVelocity(const StepRecord& record) { return record.v - record.s; }

class TorqueTermsOfModes : public testing::TestWithParam<const char*> {};

TEST_P(TorqueTermsOfModes, AreThoseOfMujocosModel) {
  const std::string mode = std::string("control.mode=") + GetParam();
  Simulation simulation = Split("arm7_twist", {mode, "controller.factorization=t:5"});
  simulation.RunFor(40);
  const StepRecord& record = simulation.record();
  const mjModel* m = simulation.mj();
  mjData* d = mj_makeData(m);
  Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = record.q;
  mj_forward(m, d);  // at rest
  const Eigen::Map<const Eigen::VectorXd> g(d->qfrc_bias, m->nv);
  EXPECT_LT((record.terms.gravity - g).norm(), 1e-9 * g.norm());
  Eigen::MatrixXd H(m->nv, m->nv);
  mj_fullM(m, d, H.data());  // symmetric
  // K_D = k H: the torque has no other term.
  const double k = simulation.controller().gain(1)[0];
  const Eigen::VectorXd damping = -k * H * record.s;
  EXPECT_GT(damping.norm(), 0.1);
  EXPECT_LT((record.terms.feedback - damping).norm(), 1e-9 * damping.norm());
  mj_deleteData(d);
}

TEST_P(TorqueTermsOfModes, SumUpToTheTorque) {
  Simulation simulation = Split(
      "arm7_twist", {std::string("control.mode=") + GetParam(), "controller.factorization=t:5"});
  simulation.RunFor(10);
  const TorqueTerms& terms = simulation.record().terms;
  const Eigen::VectorXd sum = terms.inertial + terms.coriolis + terms.gravity + terms.feedback;
  EXPECT_LT((sum - simulation.record().tau).norm(), 1e-12 * sum.norm());
}

INSTANTIATE_TEST_SUITE_P(Both, TorqueTermsOfModes, testing::Values("held", "every_stage"));

// Torsion does no work on v_r, grows with t, and is −K s, as K v = 0.
TEST(TorqueTerms, TorsionHasItsLaws) {
  Simulation five = Split("arm7_twist", {"controller.factorization=t:5"});
  Simulation ten = Split("arm7_twist", {"controller.factorization=t:10"});
  for (Simulation* each : {&five, &ten}) each->Evaluate();
  ASSERT_EQ(five.record().q, ten.record().q);
  for (Simulation* each : {&five, &ten}) each->RunFor(1);
  const StepRecord& record = five.record();
  const Eigen::VectorXd& torsion = record.terms.torsion;
  const Eigen::VectorXd v_r = ReferenceVelocity(record);
  ASSERT_GT(torsion.norm(), 1e-3);
  EXPECT_LT(std::abs(torsion.dot(v_r)), 1e-10 * torsion.norm() * v_r.norm());
  // v = v_r + s, sᵀK s = 0: the power of torsion on s is that on v.
  EXPECT_LT(std::abs(torsion.dot(record.s)), 1e-10 * torsion.norm() * record.v.norm());
  EXPECT_LT((ten.record().terms.torsion - 2 * torsion).norm(), 1e-9 * torsion.norm());
}

TEST(TorqueTerms, HasNoTorsionWithoutIt) {
  Simulation simulation = Split("arm7_twist", {"controller.factorization=christoffel"});
  simulation.RunFor(5);
  EXPECT_TRUE(simulation.record().terms.torsion.isZero(0));
  EXPECT_GT(simulation.record().terms.coriolis.norm(), 0);
}

TEST(TorqueTerms, ChangeNoBitOfARun) {
  Simulation with = Split("arm7_twist", {"controller.factorization=t:5"});
  Simulation without = MakeSimulation("arm7_twist", {"controller.factorization=t:5"});
  with.RunFor(50);
  without.RunFor(50);
  EXPECT_EQ(with.record().q, without.record().q);
  EXPECT_EQ(with.record().tau, without.record().tau);
  EXPECT_TRUE(without.record().terms.coriolis.isZero(0));
}

TEST(TorqueTerms, AreSignalsWhereTheyAreAskedFor) {
  const Simulation arm = MakeSimulation("arm7");
  EXPECT_EQ(SignalTable(arm.scene()).Find("/terms/K_v_r"), nullptr) << "no files have them";
  const SignalTable table(arm.scene(), true);
  const Signal* torsion = table.Find("/terms/K_v_r");
  ASSERT_NE(torsion, nullptr);
  EXPECT_EQ(torsion->info.size(), 7);
  EXPECT_EQ(torsion->info.unit, "N·m");
  EXPECT_LT(torsion->column, table.timings_begin());
  const Simulation legs = MakeSimulation("quadruped");
  EXPECT_EQ(SignalTable(legs.scene(), true).Find("/terms/K_v_r"), nullptr);
  const Simulation pd = MakeSimulation("arm7", {"controller.type=pd_gravity"});
  EXPECT_EQ(SignalTable(pd.scene(), true).Find("/terms/K_v_r"), nullptr);
}

}  // namespace torque_terms_test
}  // namespace civita
