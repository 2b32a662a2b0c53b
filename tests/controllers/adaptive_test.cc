// Checks the proof of the adaptive law numerically, and the effect of its metrics on the
// estimates.

#include "civita/controllers/adaptive.h"

#include <Eigen/Geometry>

#include "civita/controllers/pseudo_inertia.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/controllers/closed_loop.h"
#include "tests/oracles/compare.h"

namespace civita {
namespace adaptive_test {

using testing::HasSubstr;

constexpr double kRounding = 1e-10;
constexpr AdaptMetric kMetrics[] = {AdaptMetric::kLogDet, AdaptMetric::kEuclidean};

/// The mechanism with inertias that are wrong by up to a half, independently for each body.
Model WrongModel(const TreeSpec& spec, unsigned seed) {
  TreeSpec wrong = spec;
  std::mt19937 random(seed + 77);
  for (TreeSpec::Body& body : wrong.bodies) {
    const Eigen::VectorXd x = RandomVector(5, &random);
    body.mass.mass *= std::exp(0.3 * std::tanh(x[0]));
    body.mass.inertia *= std::exp(0.3 * std::tanh(x[1]));
    body.mass.com += 0.03 * x.tail<3>();
  }
  return BuildTree(wrong);
}

std::unique_ptr<Adaptive> MakeAdaptive(const Model& model, const AdaptOptions& adapt,
                                       GainForm gain_form = GainForm::kMass,
                                       const Factorization& factorization = {}) {
  ControllerOptions options;
  options.factorization = factorization;
  options.gain_form = gain_form;
  options.own = {{"metric", adapt.metric == AdaptMetric::kEuclidean ? "euclidean" : "log_det"},
                 {"adapt_bodies", adapt.bodies},
                 {"deadzone_J", adapt.deadzone}};
  return std::make_unique<Adaptive>(model, options);
}

Eigen::VectorXd StateRate(const StepResult& r, Controller* controller) {
  Eigen::VectorXd rate = controller->state();
  controller->CalcStateRate(r.output.tau, r.output, rate);
  return rate;
}

BodyParameters TrueParameters(const Model& model, int frame) {
  return CalcFrameParameters(model, model.frames()[static_cast<size_t>(frame)]);
}

/// Calls f(case, law with a wrong model) for mechanisms with all joints, passive forces and both
/// gain forms, for every admissible factorization.
template <typename F>
void ForEachWrong(AdaptMetric metric, unsigned seeds, F&& f) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ControlCase c = MakeControlCase(seed, true);
    const Model wrong = WrongModel(c.spec, seed);
    for (const Factorization& factorization : AdmissibleFactorizations(c.model)) {
      for (const GainForm gain_form : {GainForm::kMass, GainForm::kDiagonal}) {
        SCOPED_TRACE(ToString(factorization));
        f(c, MakeAdaptive(wrong, {.metric = metric, .bodies = {}}, gain_form, factorization).get());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

class EveryMetric : public testing::TestWithParam<AdaptMetric> {};

TEST_P(EveryMetric, DissipatesWhatItPromisesWhateverTheEstimates) {
  ForEachWrong(GetParam(), 12, [](const ControlCase& c, Adaptive* law) {
    const StepResult r = RunStep(c, law);
    const Eigen::VectorXd before = law->state();
    ASSERT_GT(r.storage.P, 0);
    ASSERT_GT(r.storage.V_estimation, 1e-3);
    ASSERT_GT(r.storage.V, r.storage.V_estimation);
    ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P), kRounding * r.scale);
    // Also away from the initial estimate.
    law->set_state(before + 0.05 * StateRate(r, law) / (1 + StateRate(r, law).norm()));
    const StepResult later = RunStep(c, law);
    ASSERT_NE(later.storage.V_estimation, r.storage.V_estimation);
    ASSERT_LE(std::abs(later.storage.Vdot + later.storage.P), kRounding * later.scale);
  });
}

TEST_P(EveryMetric, VdotIsTheRateOfV) {
  ForEachWrong(GetParam(), 4, [](const ControlCase& c, Adaptive* law) {
    const StepResult r = RunStep(c, law);
    ASSERT_LE(std::abs(r.storage.Vdot - DifferentiateStorage(c, r, law)), 1e-6 * r.scale);
  });
}

TEST_P(EveryMetric, WithoutAdaptationTheModelErrorStays) {
  // In a deadzone that is never left the neglected term has either sign.
  const ControlCase c = MakeControlCase(5);
  const Model wrong = WrongModel(c.spec, 5);
  const auto law = MakeAdaptive(wrong, {.metric = GetParam(), .bodies = {}, .deadzone = 1e6});
  const StepResult r = RunStep(c, law.get());
  EXPECT_GT(std::abs(r.storage.Vdot + r.storage.P), 1e-3);
  EXPECT_EQ(StateRate(r, law.get()).norm(), 0);
}

TEST_P(EveryMetric, TheDeadzoneFadesAdaptationOut) {
  const ControlCase c = MakeControlCase(5);
  const Model wrong = WrongModel(c.spec, 5);
  const auto law = MakeAdaptive(wrong, {.metric = GetParam(), .bodies = {}});
  const StepResult r = RunStep(c, law.get());
  const double E = 0.5 * r.output.s.dot(law->H() * r.output.s);
  const auto quarter = MakeAdaptive(wrong, {.metric = GetParam(), .bodies = {}, .deadzone = E / 4});
  const StepResult q = RunStep(c, quarter.get());
  EXPECT_LE(RelativeError(StateRate(q, quarter.get()), 0.5 * StateRate(r, law.get())), 1e-14);
  // V̇ = −P + (1 − ϱ) π̃ᵀYᵀs, where ϱ = 0 while nothing adapts.
  const auto asleep = MakeAdaptive(wrong, {.metric = GetParam(), .bodies = {}, .deadzone = 2 * E});
  const StepResult a = RunStep(c, asleep.get());
  EXPECT_NEAR(q.storage.Vdot + q.storage.P, 0.5 * (a.storage.Vdot + a.storage.P),
              kRounding * r.scale);
  EXPECT_GT(std::abs(a.storage.Vdot + a.storage.P), 1e-3);
}

TEST_P(EveryMetric, FeedsTheEstimatesForward) {
  // With the true inertias as the initial estimate the law is Slotine–Li's with the true model,
  // and so it is when wrong initial estimates have reached them.
  for (unsigned seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ControlCase c = MakeControlCase(seed, true);
    const Model wrong = WrongModel(c.spec, seed);
    const auto slotine_li = MakeController("slotine_li", c.model, GainForm::kDiagonal);
    const auto right =
        MakeAdaptive(c.model, {.metric = GetParam(), .bodies = {}}, GainForm::kDiagonal);
    const auto learnt =
        MakeAdaptive(wrong, {.metric = GetParam(), .bodies = {}}, GainForm::kDiagonal);
    const Eigen::VectorXd expected = RunStep(c, slotine_li.get()).output.tau;
    EXPECT_LE(RelativeError(RunStep(c, right.get()).output.tau, expected), 1e-13);
    // Most of τ are passive forces, which no estimate concerns.
    EXPECT_GT(RelativeError(RunStep(c, learnt.get()).output.tau, expected), 1e-4);
    ASSERT_EQ(right->frames(), learnt->frames());
    learnt->set_state(right->state());
    const StepResult r = RunStep(c, learnt.get());
    EXPECT_LE(RelativeError(r.output.tau, expected), 1e-12);
    EXPECT_LE(std::abs(r.storage.V_estimation), GetParam() == AdaptMetric::kLogDet ? 1e-20 : 1e-25);
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, EveryMetric, testing::ValuesIn(kMetrics), [](const auto& param) {
  return param.param == AdaptMetric::kLogDet ? "log_det" : "euclidean";
});

TEST(AdaptiveTest, TheRateIsThatOfThePseudoInertia) {
  // d/dt(U Uᵀ) = −γ⁻¹ Ĵ L Ĵ, by differences of the ten numbers.
  const ControlCase c = MakeControlCase(3);
  const Model wrong = WrongModel(c.spec, 3);
  const auto law = MakeAdaptive(wrong, {});
  law->set_gain("gamma", Eigen::VectorXd::Constant(1, 4));
  std::mt19937 random(8);
  const Eigen::VectorXd x =
      law->state() + 0.1 * RandomVector(static_cast<int>(law->state().size()), &random);
  law->set_state(x);
  const StepResult r = RunStep(c, law.get());
  const Eigen::VectorXd rate = StateRate(r, law.get());
  Workspace<double> workspace(wrong);
  UpdateKinematics(wrong, c.q, c.v, workspace);
  Eigen::MatrixXd Y(wrong.nv(), 10 * static_cast<Eigen::Index>(wrong.frames().size()));
  Eigen::VectorXd y_0(wrong.nv());
  CalcRegressor<double>(wrong, {}, wrong.frames(), c.v - r.output.s, r.output.sdot_ref, workspace,
                        Y, y_0);
  const double h = 1e-4 / rate.norm();
  for (size_t i = 0; i < law->frames().size(); ++i) {
    const auto J = [&](double t) {
      law->set_state(x + t * rate);
      return CalcPseudoInertia(law->estimate(static_cast<int>(i)));
    };
    const BodyParameters b = Y.middleCols<10>(10 * law->frames()[i]).transpose() * r.output.s;
    const Eigen::Matrix4d expected = -0.25 * J(0) * CalcPseudoInertiaDual(b) * J(0);
    EXPECT_LE((((J(h) - J(-h)) / (2 * h) - expected)).norm(), 1e-6 * expected.norm());
  }
}

TEST(AdaptiveTest, MetricsAgreeWhileErrorsAreSmall) {
  const ControlCase c = MakeControlCase(4);
  TreeSpec near = c.spec;
  for (TreeSpec::Body& body : near.bodies) body.mass.mass *= 1 + 1e-4;
  const Model wrong = BuildTree(near);
  const auto a = MakeAdaptive(wrong, {.metric = AdaptMetric::kLogDet, .bodies = {}});
  const auto b = MakeAdaptive(wrong, {.metric = AdaptMetric::kEuclidean, .bodies = {}});
  const double V_a = RunStep(c, a.get()).storage.V_estimation;
  const double V_b = RunStep(c, b.get()).storage.V_estimation;
  EXPECT_GT(V_a, 1e-9);
  EXPECT_NEAR(V_a / V_b, 1, 1e-3);
}

TEST(AdaptiveTest, NoStepIsTooLargeForLogDet) {
  const ControlCase c = MakeControlCase(2);
  const auto law = MakeAdaptive(c.model, {});
  const StepResult r = RunStep(c, law.get());
  const Eigen::VectorXd rate = StateRate(r, law.get());
  const Eigen::VectorXd x = law->state();
  for (const double t : {-10.0, -1.0, 1.0, 10.0}) {
    law->set_state(x + t * rate / rate.norm());
    for (size_t i = 0; i < law->frames().size(); ++i) {
      Eigen::Matrix4d U;
      EXPECT_TRUE(CalcUpperFactor(CalcPseudoInertia(law->estimate(static_cast<int>(i))), &U));
    }
  }
}

TEST(AdaptiveTest, NamedBodiesAloneAdapt) {
  const ControlCase c = MakeControlCase(6);
  const auto all = MakeAdaptive(c.model, {});
  const int frame = all->frames().back();
  const std::string& name = c.model.frames()[static_cast<size_t>(frame)].name;
  const auto one = MakeAdaptive(c.model, {.bodies = {name}});
  EXPECT_EQ(one->frames(), std::vector<int>{frame});
  EXPECT_EQ(one->state().size(), 10);
  EXPECT_EQ(one->num_signals(), 5);
  EXPECT_EQ(one->FindSignal("/law/pi_hat/" + name + "/m"), 0);
  EXPECT_EQ(one->FindSignal("/law/pi_hat/" + name + "/h"), 1);
  EXPECT_EQ(one->FindSignal("/law/pi_hat/min_eigenvalue"), 4);
  ControlOutput output(*one);
  EXPECT_TRUE(one->CalcControl({0, c.q, c.v}, c.reference, output));
  const BodyParameters pi = TrueParameters(c.model, frame);
  EXPECT_LE(RelativeError(output.signals.head<4>(), pi.head<4>()), 1e-13);
  EXPECT_LE(RelativeError(one->estimate(0), pi), 1e-13);
}

/// World – base (welded) – arm (hinge) – tool (fixed to the arm) – rod (hinge, zero thickness).
Model ArmWithTool() {
  ModelBuilder builder;
  const MassProperties mass{1, Eigen::Vector3d(0, 0, 0.1), 0.01 * Eigen::Matrix3d::Identity()};
  MassProperties rod = mass;
  rod.inertia = Eigen::Vector3d(0.01, 0.01, 0).asDiagonal();
  const Pose up{Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, 0, 0.3)};
  const int base = builder.AddBody("base", ModelBuilder::kWorld, {}, mass);
  const int arm = builder.AddBody("arm", base, up, mass);
  builder.AddJoint(arm, JointType::kHinge, {.name = "shoulder", .axis = {0, 1, 0}});
  const int tool = builder.AddBody("tool", arm, up, mass);
  const int last = builder.AddBody("rod", tool, up, rod);
  builder.AddJoint(last, JointType::kHinge, {.name = "wrist", .axis = {1, 0, 0}});
  return builder.Build();
}

TEST(AdaptiveTest, FramesOfOneBodyShareOneEstimate) {
  const Model model = ArmWithTool();
  const auto all = MakeAdaptive(model, {});
  // The rod, whose pseudo-inertia is not positive definite, does not adapt.
  ASSERT_EQ(all->frames().size(), 1u);
  EXPECT_EQ(model.frames()[static_cast<size_t>(all->frames()[0])].name, "arm");
  EXPECT_NEAR(all->estimate(0)[0], 2, 1e-12);
  // Expressed in the tool's frame, the arm's mass is below its origin.
  const auto tool = MakeAdaptive(model, {.bodies = {"tool"}});
  EXPECT_NEAR(tool->estimate(0)[0], 2, 1e-12);
  EXPECT_NEAR(tool->estimate(0)[3], 1 * 0.1 + 1 * (0.1 - 0.3), 1e-12);
}

std::string RefusalOf(const std::vector<std::string>& bodies) {
  const Model model = ArmWithTool();
  try {
    MakeAdaptive(model, {.bodies = bodies});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(AdaptiveTest, BodiesThatCannotAdaptAreRefused) {
  EXPECT_EQ(RefusalOf({"base"}), "controller.adapt_bodies: body base does not move");
  EXPECT_EQ(RefusalOf({"arm", "arm"}), "controller.adapt_bodies: body arm is named twice");
  EXPECT_EQ(
      RefusalOf({"arm", "tool"}),
      "controller.adapt_bodies: body tool is fixed to body arm, so that their inertias cannot "
      "be told apart: name one of them");
  EXPECT_THAT(RefusalOf({"rod"}),
              HasSubstr("the initial estimate of body rod is not physical: its principal moments"));
  EXPECT_THAT(RefusalOf({"tol"}), HasSubstr("unknown body 'tol' (did you mean 'tool'?)"));
}

TEST(PseudoInertiaTest, HoldsTheParameters) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const BodyParameters pi = RandomVector(10, &random), b = RandomVector(10, &random);
    const Eigen::Matrix4d J = CalcPseudoInertia(pi);
    EXPECT_LE(RelativeError(CalcBodyParameters(J), pi), 1e-14);
    EXPECT_NEAR((J * CalcPseudoInertiaDual(b)).trace(), pi.dot(b), 1e-12);
  }
  // Point masses: Σ m_i [p; 1][p; 1]ᵀ.
  BodyParameters sum = BodyParameters::Zero();
  Eigen::Matrix4d J = Eigen::Matrix4d::Zero();
  for (int i = 0; i < 5; ++i) {
    const Eigen::Vector3d p = RandomVector(3, &random);
    sum += CalcBodyParameters(MassProperties{0.5, p, Eigen::Matrix3d::Zero()});
    J += 0.5 * p.homogeneous() * p.homogeneous().transpose();
  }
  EXPECT_LE(RelativeError(CalcPseudoInertia(sum), J), 1e-13);
}

TEST(PseudoInertiaTest, FactorsFromTheLastColumn) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::Matrix4d A;
    for (int i = 0; i < 4; ++i) A.col(i) = RandomVector(4, &random);
    const Eigen::Matrix4d J = A * A.transpose();
    Eigen::Matrix4d U = Eigen::Matrix4d::Zero();
    ASSERT_TRUE(CalcUpperFactor(J, &U));
    EXPECT_TRUE(U.isUpperTriangular(0));
    EXPECT_GT(U.diagonal().minCoeff(), 0);
    EXPECT_LE(RelativeError(U * U.transpose(), J), 1e-13);
    Eigen::Matrix4d untouched = U;
    EXPECT_FALSE(CalcUpperFactor(-J, &untouched));
    EXPECT_EQ(untouched, U);
  }
}

TEST(PseudoInertiaTest, SaysWhatIsNotPhysical) {
  const auto why = [](double mass, const Eigen::Vector3d& moments) {
    return WhyNotPhysical(CalcBodyParameters(
        MassProperties{mass, Eigen::Vector3d(0.3, 0.2, 0.1), moments.asDiagonal()}));
  };
  EXPECT_EQ(why(1, {1, 2, 2.9}), "");
  EXPECT_EQ(why(-1, {1, 2, 2.9}), "its mass is -1 kg");
  EXPECT_EQ(why(0, {0, 0, 0}), "its mass is 0 kg");
  EXPECT_THAT(why(1, {2, 1, 3.5}),
              HasSubstr("its principal moments of inertia are 1, 2 and 3.5 kg·m²"));
  EXPECT_NE(why(1, {1, 2, 3}), "");
}

}  // namespace adaptive_test
}  // namespace civita
