// Motions whose torques are known give back the parameters that they were made with, and intervals
// that hold what they say.

#include "civita/study/identify/identify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "civita/controllers/pseudo_inertia.h"
#include "civita/error.h"
#include "civita/factorization.h"
#include "civita/kinematics.h"
#include "civita/passivity_rnea.h"
#include "civita/scenes/motion/reference.h"
#include "civita/study/model/load_model.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace identify_test {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kDry = 0.3;  // N·m, of every hinge

/// A scene's robot on the Fourier series of a seed, with torques by inverse dynamics. Noise of v
/// changes the sign of dry friction near rest, which biases: it is there in motions without noise.
MotionSamples MakeMotion(const Model& model, int seed, double seconds, const VectorXd& amplitude,
                         double step = 0.01, double dry = kDry) {
  const VectorXd q_home = model.DefaultPosition();
  const auto reference = MakeExcitation(model, q_home, amplitude, 0.1, 5, seed);
  const auto count = static_cast<Index>(std::lround(seconds / step)) + 1;
  MotionSamples motion{.name = "motion " + std::to_string(seed)};
  motion.t = VectorXd::LinSpaced(count, 0, seconds);
  motion.q.resize(model.nq(), count);
  motion.v.resize(model.nv(), count);
  motion.tau.resize(model.nv(), count);
  ReferenceState state{VectorXd(model.nq()), VectorXd(model.nv()), VectorXd(model.nv())};
  Workspace<double> workspace(model);
  VectorXd tau(model.nv());
  for (Index k = 0; k < count; ++k) {
    reference->Sample(motion.t[k], state);
    UpdateKinematics<double>(model, state.q, state.v, workspace);
    CalcPassivityInverseDynamics<double>(model, Factorization::Christoffel(), state.v, state.vdot,
                                         workspace, tau);
    for (const Model::NamedJoint& joint : model.joints()) {
      if (joint.type != JointType::kHinge) continue;
      const double v = state.v[joint.iv];
      tau[joint.iv] += model.damping()[joint.iv] * v + dry * (v > 0 ? 1 : v < 0 ? -1 : 0);
    }
    motion.q.col(k) = state.q;
    motion.v.col(k) = state.v;
    motion.tau.col(k) = tau;
  }
  return motion;
}

struct Case {
  Model model;
  VectorXd amplitude;
};
Case Arm() {
  const Model model = LoadModel("arm7").model;
  return {model, VectorXd::Constant(model.nv(), 0.6)};
}
Case FreeArm() {
  const Model model = LoadModel("space_arm").model;
  return {model, VectorXd::Constant(model.nv(), 0.6)};
}

MotionSamples Noisy(const Model& model, const MotionSamples& motion, int seed) {
  const auto level = [&](double sigma) { return VectorXd::Constant(model.nv(), sigma); };
  return WithNoise(model, motion, {level(1e-4), level(1e-3), level(0.05)}, seed);
}

/// The base parameters of what the motions were made with.
VectorXd Truth(const Identification& found, double dry = kDry) {
  VectorXd all(static_cast<Index>(found.parameters.size()));
  for (Index c = 0; c < all.size(); ++c) {
    const IdentifiedParameter& parameter = found.parameters[static_cast<size_t>(c)];
    all[c] = parameter.kind == IdentifiedParameter::Kind::kDry ? dry : parameter.model;
  }
  return found.B * all;
}

/// Of how many base parameters the interval has the truth, without dry friction.
int Covered(const Identification& found) {
  return static_cast<int>(
      ((found.values - Truth(found, 0)).array().abs() <= found.half_widths.array()).count());
}

class Identified : public testing::TestWithParam<Case (*)()> {};

TEST_P(Identified, ExactlyWithoutNoise) {
  const Case c = GetParam()();
  for (const double dry : {0.0, kDry}) {
    const MotionSamples motion = MakeMotion(c.model, 1, 12, c.amplitude, 0.002, dry);
    const Identification found = Identify(c.model, {&motion, 1});
    const VectorXd truth = Truth(found, dry);
    const double largest = truth.cwiseAbs().maxCoeff();
    EXPECT_LT((found.values - truth).cwiseAbs().maxCoeff(), 1e-6 * largest);
    EXPECT_LT((found.physical_values - truth).cwiseAbs().maxCoeff(), 1e-3 * largest);
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Identified, testing::Values(Arm, FreeArm));

TEST(Identify, IntervalsHoldTheTruthAsOftenAsTheySay) {
  if (Seeds(20) < 20) GTEST_SKIP() << "a share of few runs says nothing";
  const Case c = Arm();
  int covered = 0, all = 0;
  for (int run = 1; run <= 20; ++run) {
    const MotionSamples motion =
        Noisy(c.model, MakeMotion(c.model, run, 20, c.amplitude, 0.01, 0), run);
    const Identification found = Identify(c.model, {&motion, 1});
    covered += Covered(found);
    all += static_cast<int>(found.values.size());
    EXPECT_LT(found.largest_bias, 0.25) << "run " << run;
  }
  EXPECT_GT(covered, 0.90 * all);
  EXPECT_LT(covered, 0.99 * all);
}

TEST(Identify, FreeBaseToo) {
  if (Seeds(20) < 20) GTEST_SKIP() << "slow where few seeds are wanted";
  const Case c = FreeArm();
  int covered = 0, all = 0;
  for (int run = 1; run <= 3; ++run) {
    const MotionSamples motion =
        Noisy(c.model, MakeMotion(c.model, run, 20, c.amplitude, 0.01, 0), run);
    const Identification found = Identify(c.model, {&motion, 1}, {}, {.window = 0.8});
    covered += Covered(found);
    all += static_cast<int>(found.values.size());
    EXPECT_LT(found.largest_bias, 0.25) << "run " << run;
  }
  EXPECT_GT(covered, 0.88 * all);
}

TEST(Identify, TorquesOfAMotionThatWasNotFittedAreForetold) {
  if (Seeds(20) < 20) GTEST_SKIP() << "slow where few seeds are wanted";
  const Case c = Arm();
  std::vector<MotionSamples> motions;
  for (int run = 1; run <= 5; ++run)
    motions.push_back(Noisy(c.model, MakeMotion(c.model, run, 20, c.amplitude, 0.01, 0), run));
  const Identification found =
      Identify(c.model, std::span(motions).first(4), std::span(motions).last(1));
  EXPECT_LT(found.held_out.norm(), 1.1 * 0.05 * std::sqrt(7));
  EXPECT_NEAR(found.torque_noise.norm(), 0.05 * std::sqrt(7), 0.05 * 0.05 * std::sqrt(7));
}

TEST(Identify, CorrelatedTorquesWidenTheIntervals) {
  const Case c = Arm();
  MotionSamples motion = MakeMotion(c.model, 1, 20, c.amplitude, 0.01, 0);
  Random random(1, Random::Stream::kSensors);
  VectorXd e = VectorXd::Zero(c.model.nv());
  for (Index k = 0; k < motion.t.size(); ++k) {
    for (double& x : e) x = 0.99 * x + 0.02 * random.Normal();
    motion.tau.col(k) += e;
  }
  const Identification found = Identify(c.model, {&motion, 1});
  EXPECT_GT(found.lags, MomentumWindows::kOverlap);
  EXPECT_GT(Covered(found), 0.88 * static_cast<double>(found.values.size()));
}

TEST(Identify, NamesWhatIsNotDetermined) {
  const Case c = Arm();
  VectorXd amplitude = c.amplitude;
  amplitude[6] = 0;
  const MotionSamples motion = MakeMotion(c.model, 1, 12, amplitude);
  const Identification found = Identify(c.model, {&motion, 1});
  EXPECT_THAT(found.without_effect, testing::Contains("link1.m"));
  EXPECT_THAT(found.undetermined, testing::Contains("joint7.viscous"));
  EXPECT_TRUE(std::isinf(CalcExcitation(c.model, {&motion, 1})));
  const MotionSamples all = MakeMotion(c.model, 1, 12, c.amplitude);
  EXPECT_LT(CalcExcitation(c.model, {&all, 1}), 100);
}

TEST(Identify, BodiesThatFitExist) {
  // Little data and much noise: what is unconstrained need not exist.
  const Case c = Arm();
  const MotionSamples motion =
      WithNoise(c.model, MakeMotion(c.model, 1, 4, c.amplitude),
                {VectorXd::Zero(7), VectorXd::Zero(7), VectorXd::Constant(7, 2)}, 1);
  const Identification found = Identify(c.model, {&motion, 1}, {}, {.window = 0.1});
  const Index bodies = static_cast<Index>(BodyFrames(c.model).size());
  for (Index b = 0; b < bodies; ++b) {
    EXPECT_EQ(WhyNotPhysical(found.physical.segment<kNumBodyParameters>(b * kNumBodyParameters)),
              "");
  }
  EXPECT_NO_THROW(WithModelParameters(c.model, found.physical.head(kNumBodyParameters * bodies)));
}

TEST(Identify, RefusesWhatIsNoMotionOfTheModel) {
  const Case c = Arm();
  MotionSamples motion = MakeMotion(c.model, 1, 2, c.amplitude);
  motion.t[7] = motion.t[6];
  EXPECT_THROW(Identify(c.model, {&motion, 1}), UserError);
  motion = MakeMotion(c.model, 1, 2, c.amplitude);
  motion.v(2, 5) = NAN;
  EXPECT_THROW(Identify(c.model, {&motion, 1}), UserError);
  motion = MakeMotion(c.model, 1, 2, c.amplitude);
  motion.tau.conservativeResize(6, Eigen::NoChange);
  EXPECT_THROW(Identify(c.model, {&motion, 1}), UserError);
  motion = MakeMotion(c.model, 1, 0.3, c.amplitude);
  EXPECT_THROW(Identify(c.model, {&motion, 1}), UserError);
}

}  // namespace identify_test
}  // namespace civita
