#include "civita/controllers/legs/whole_body.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "tests/controllers/closed_loop.h"
#include "tests/controllers/legs/legged_robot.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"

namespace civita {
namespace whole_body_test {

struct Step {
  Measurement measured;
  ReferenceState reference;
  ControlOutput output;
  Eigen::VectorXd contact;  ///< Σ Jᵀ[moment; force]
};

std::unique_ptr<WholeBody> MakeLaw(const LeggedRobot& robot, const Factorization& factorization,
                                   bool adaptive = false) {
  ControllerOptions options;
  options.legs = robot.legs;
  options.q_start = robot.q;
  options.factorization = factorization;
  return std::make_unique<WholeBody>(robot.model, options, adaptive);
}

ReferenceState Posture(const LeggedRobot& robot) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(robot.model.nv());
  return {robot.q, zero, zero};
}

/// The law at a state near the standing one.
Step RunOnce(const LeggedRobot& robot, WholeBody* law, double size, unsigned seed) {
  std::mt19937 random(seed);
  Eigen::VectorXd q(robot.q.size());
  IntegratePosition(robot.model, robot.q, Near(robot, 0.05 * size, &random), 1, q);
  const auto feet = static_cast<Eigen::Index>(robot.legs->feet.size());
  Step step{{0, robot.q, Eigen::VectorXd::Zero(robot.model.nv()), Eigen::VectorXd::Ones(feet)},
            Posture(robot),
            ControlOutput(*law),
            Eigen::VectorXd::Zero(robot.model.nv())};
  law->ResetState(step.measured, step.reference);
  step.measured.q = q;
  step.measured.v = Near(robot, 0.2 * size, &random);
  EXPECT_EQ(law->CalcControl(step.measured, step.reference, step.output), Status::kOk);
  step.contact = law->contact_forces().joint_forces();
  return step;
}

class WholeBodyTest : public testing::TestWithParam<int> {
 protected:
  LeggedRobot robot = GetParam() == 6 ? MakeBiped() : MakeQuadruped(GetParam());
};

/// The joint force that tracking requires at the law's v̇_r, K_D = 20 H.
Eigen::VectorXd Wanted(const CoreDynamics& d, const Step& step) {
  const Eigen::VectorXd& s = step.output.s;
  return d.H * step.output.sdot_ref + d.C * (step.measured.v - s) + d.g - 20 * d.H * s;
}

// τ and the contact forces together equal the tracking force; the part of the wrench that the feet
// could not supply is taken out of the accelerations of the trunk alone.
TEST_P(WholeBodyTest, TorqueAndContactsAreWhatTrackingTakes) {
  for (const Factorization& factorization : AdmissibleFactorizations(robot.model)) {
    SCOPED_TRACE(ToString(factorization));
    const auto law = MakeLaw(robot, factorization);
    const Step step = RunOnce(robot, law.get(), 0.05, 3);
    const CoreDynamics d =
        CalcCoreDynamics(robot.model, step.measured.q, step.measured.v, factorization);
    ASSERT_LE(step.output.signals[WholeBody::kShift], 1e-9);
    const LegKinematics& now = law->kinematics();
    Eigen::Matrix<double, 6, 1> unmet = law->contact_forces().unmet();
    EXPECT_GT(unmet.norm(), 1e-4);
    const Eigen::Vector3d F = unmet.head<3>();
    unmet.tail<3>() =
        now.R_base.transpose() * (unmet.tail<3>() + (now.c - now.p_base).cross(F)).eval();
    LegTasks tasks(robot.model, *robot.legs, robot.q);
    tasks.Update(now, false, true);
    const Eigen::MatrixXd response = tasks.CalcTrunkResponse(d.H);
    Eigen::VectorXd given_up = Eigen::VectorXd::Zero(robot.model.nv());
    tasks.AddTrunkResponse(d.H, linear::Solve(response, unmet), given_up);
    const Eigen::VectorXd given = step.output.tau + step.contact;
    EXPECT_LE((given - Wanted(d, step) - given_up).norm(), 1e-9 * given.norm());
    EXPECT_GT(step.output.tau.norm(), 1);
    EXPECT_TRUE(step.output.tau.head<6>().isZero(0));
  }
}

// V̇ = −P for every C with Ḣ = C + Cᵀ when the contacts give the commanded forces, except for the
// power /law/injected.
TEST_P(WholeBodyTest, DissipatesWhatItPromises) {
  for (const Factorization& factorization : AdmissibleFactorizations(robot.model)) {
    SCOPED_TRACE(ToString(factorization));
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto law = MakeLaw(robot, factorization);
      const Step step = RunOnce(robot, law.get(), 1 + seed, seed);
      const Eigen::VectorXd &q = step.measured.q, &v = step.measured.v;
      const CoreDynamics d = CalcCoreDynamics(robot.model, q, v, factorization);
      const Eigen::VectorXd vdot =
          linear::SolvePositive(d.H, step.output.tau + step.contact - d.bias);
      const StorageState storage =
          law->CalcStorage({robot.model, q, v, vdot, d.H, d.Hdot}, step.output);
      ASSERT_GT(storage.V, 0);
      const double injected = step.output.signals[WholeBody::kInjected];
      EXPECT_GT(std::abs(injected), 1e-6);
      EXPECT_NEAR(storage.Vdot, -storage.P + injected, 1e-9 * (1 + storage.P));
      EXPECT_NEAR(storage.P, 20 * step.output.s.dot(d.H * step.output.s), 1e-9 * storage.P);
    }
  }
}

// With a trunk heavier than the model's, the part of V due to the estimates compensates; not where
// the feet give less than is asked, for then the estimates are held.
TEST(AdaptiveWholeBody, DissipatesWhatItPromisesWhateverTheTrunkWeighs) {
  const LeggedRobot believed = MakeQuadruped(5), real = MakeQuadruped(5, 11);
  struct Case {
    bool adaptive;
    double size;
  };
  for (const auto& [adaptive, size] : {Case{true, 0.01}, Case{true, 1}, Case{false, 0.01}}) {
    for (const Factorization& factorization : AdmissibleFactorizations(real.model)) {
      SCOPED_TRACE(ToString(factorization) + ", " + std::to_string(size));
      const auto law = MakeLaw(believed, factorization, adaptive);
      const Step step = RunOnce(believed, law.get(), size, 7);
      ASSERT_EQ(step.output.signals[WholeBody::kShift] > 0, size == 1);
      const Eigen::VectorXd &q = step.measured.q, &v = step.measured.v, &s = step.output.s;
      const CoreDynamics model = CalcCoreDynamics(believed.model, q, v, factorization);
      const CoreDynamics plant = CalcCoreDynamics(real.model, q, v, factorization);
      const Eigen::VectorXd applied = step.output.tau + step.contact;
      const Eigen::VectorXd vdot = linear::SolvePositive(plant.H, applied - plant.bias);
      const StorageState storage =
          law->CalcStorage({real.model, q, v, vdot, plant.H, plant.Hdot}, step.output);
      const double missing = storage.Vdot + storage.P - s.dot(applied - Wanted(model, step));
      EXPECT_EQ(storage.V_estimation > 0.01, adaptive);
      if (adaptive && size < 1) {
        EXPECT_LE(std::abs(missing), 1e-9 * (1 + storage.P));
      } else {
        EXPECT_GT(std::abs(missing), 1e-3 * storage.P);
      }
    }
  }
}

TEST_P(WholeBodyTest, LegsThatAreNotDescribedAreRefused) {
  const auto with = [&](auto&& change) {
    ControllerOptions options;
    options.q_start = robot.q;
    LegOptions legs = *robot.legs;
    change(legs);
    options.legs = std::make_shared<const LegOptions>(legs);
    WholeBody(robot.model, options, false);
  };
  EXPECT_NO_THROW(with([](LegOptions&) {}));
  EXPECT_THROW(with([](LegOptions& legs) { legs.tau_max.resize(0); }), ContractError);
  EXPECT_THROW(with([](LegOptions& legs) { legs.tau_max[7] = NAN; }), ContractError);
  EXPECT_THROW(with([](LegOptions& legs) { legs.feet.back().points.clear(); }), ContractError);
  EXPECT_THROW(with([](LegOptions& legs) { legs.feet[1].frame.body = 400; }), ContractError);
  EXPECT_THROW(with([](LegOptions& legs) { legs.friction = 0; }), ContractError);
  EXPECT_THROW(with([](LegOptions& legs) { legs.dt = NAN; }), ContractError);
}

TEST_P(WholeBodyTest, StandsStillWithItsWeightOnItsFeet) {
  const auto law = MakeLaw(robot, {});
  const Step step = RunOnce(robot, law.get(), 0, 1);
  double f_z = 0;
  for (size_t i = 0; i < robot.legs->feet.size(); ++i) {
    f_z += law->contact_forces().foot_wrench(i)[5];
  }
  const double weight = 9.81 * law->kinematics().mass;
  EXPECT_NEAR(f_z, weight, 1e-4 * weight);
  EXPECT_EQ(step.output.signals[WholeBody::kStepping], 0);
}

// A control step has no effect on the next one with the same state.
TEST_P(WholeBodyTest, StateIsAllThatItRemembers) {
  const auto law = MakeLaw(robot, {});
  Step step = RunOnce(robot, law.get(), 1, 5);
  step.reference.body.walk = true;
  Eigen::VectorXd rate = law->state(), next = rate;
  const auto advance = [&] {
    ASSERT_EQ(law->CalcControl(step.measured, step.reference, step.output), Status::kOk);
    law->CalcStateRate(step.output.tau, step.output, rate);
    law->CalcNextState(0.001, rate, next);
    law->CalcNextState(0.001, rate, rate);
    EXPECT_EQ(rate, next) << "it may lie on the rate";
    law->set_state(next);
  };
  for (int k = 0; k < 30; ++k) advance();
  EXPECT_NE(law->leg_state().stepping, law->leg_state().shifting);
  LegState unpacked;
  unpacked.Unpack(law->state().head(LegState::size()));
  EXPECT_EQ(unpacked, law->leg_state());
  EXPECT_NE(unpacked, LegState());
  const int feet = static_cast<int>(robot.legs->feet.size());
  EXPECT_TRUE(LegState::IsState(law->state(), feet));
  // Flags, indices and counts alone can be wrong; all of them are looked at.
  int checked = 0;
  for (Eigen::Index i = 0; i < LegState::size(); ++i) {
    Eigen::VectorXd forged = law->state();
    forged[i] += 0.5;
    if (LegState::IsState(forged, feet)) continue;
    ++checked;
    for (const double value : {-7.0, 1e300, static_cast<double>(NAN)}) {
      forged[i] = value;
      EXPECT_FALSE(LegState::IsState(forged, feet)) << i << ": " << value;
    }
  }
  EXPECT_EQ(checked, 10 + LegState::kMaxFeet);
  const Eigen::VectorXd saved = law->state();
  for (int k = 0; k < 10; ++k) advance();
  const Eigen::VectorXd tau = step.output.tau, x = law->state();
  law->set_state(saved);
  for (int k = 0; k < 10; ++k) advance();
  EXPECT_EQ(step.output.tau, tau);
  EXPECT_EQ(law->state(), x);
}

// A push beyond what its feet can hold makes it step.
// What counts as contact grows with the weight, and lengths with the height at home.
TEST(WholeBody, ItsUnitsAreWeightAndHeight) {
  for (const double trunk_mass : {2.0, 8.0, 80.0}) {
    const LeggedRobot robot = MakeQuadruped(3, trunk_mass);
    ControllerOptions options;
    options.legs = robot.legs;
    options.q_start = robot.q;
    const WholeBody law(robot.model, options, false);
    LegKinematics now(robot.model, *robot.legs);
    Workspace<double> workspace(robot.model);
    UpdateKinematics(robot.model, robot.q, Eigen::VectorXd::Zero(robot.model.nv()), workspace);
    UpdateLegKinematics(robot.model, *robot.legs, workspace, now);
    EXPECT_NEAR(law.gait().home_height(), now.c.z() - now.feet[0].p.z(), 1e-3);
    const Eigen::Vector4d forces = 9.81 * now.mass * Eigen::Vector4d(0, 0.005, 0.006, 0.25);
    for (const size_t foot : {0, 1, 2, 3}) {
      EXPECT_EQ(law.gait().IsInAir(forces, foot), foot < 2) << trunk_mass;
    }
    EXPECT_FALSE(law.gait().IsInAir(Eigen::VectorXd(), 0)) << "without sensors";
  }
}

TEST_P(WholeBodyTest, StepsWhenItsDcmLeavesTheSupport) {
  const auto law = MakeLaw(robot, {});
  Step step = RunOnce(robot, law.get(), 0, 1);
  step.measured.v[1] = 0.05;
  EXPECT_TRUE(law->CalcControl(step.measured, step.reference, step.output));
  EXPECT_EQ(step.output.signals[WholeBody::kStepping], 0);
  step.measured.v[1] = 1.5;
  EXPECT_TRUE(law->CalcControl(step.measured, step.reference, step.output));
  EXPECT_EQ(step.output.signals[WholeBody::kStepping], 1);
  EXPECT_LT(step.output.signals[WholeBody::kDcmMargin], 0);
}

INSTANTIATE_TEST_SUITE_P(Robots, WholeBodyTest, testing::Values(3, 5, 6));

TEST(WholeBody, NeedsAFreeBase) {
  const ControlCase c = MakeControlCase(1);
  ControllerOptions options;
  options.legs = MakeQuadruped().legs;
  options.q_start = c.q;
  EXPECT_THROW(WholeBody(c.model, options, false), UserError);
}

}  // namespace whole_body_test
}  // namespace civita
