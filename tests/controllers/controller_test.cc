#include "civita/controllers/controller.h"

#include <limits>
#include <set>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/controllers/closed_loop.h"
#include "tests/core/error_of.h"
#include "tests/oracles/compare.h"

namespace civita {
namespace controller_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Eigen::VectorXd Numbers(std::initializer_list<double> numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.begin(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

/// Three hinges in series.
Model ThreeHinges() {
  ModelBuilder builder;
  int body = ModelBuilder::kWorld;
  for (int i = 0; i < 3; ++i) {
    const MassProperties mass{1, Eigen::Vector3d(0.1, 0.2, 0.3), Eigen::Matrix3d::Identity()};
    body = builder.AddBody("link" + std::to_string(i), body,
                           {Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.1, 0, 0.5)}, mass);
    builder.AddJoint(body, JointType::kHinge,
                     {.name = "joint" + std::to_string(i), .axis = Eigen::Vector3d::Unit(i)});
  }
  return builder.Build();
}

class EveryLaw : public testing::TestWithParam<std::string> {
 protected:
  const LawInfo& type() const { return FindLaw(GetParam()); }
};

TEST_P(EveryLaw, RowIsComplete) {
  EXPECT_FALSE(type().title.empty());
  EXPECT_THAT(std::string(type().law), HasSubstr("τ = "));
  EXPECT_FALSE(type().parameters.empty());
  std::set<std::string_view> keys;
  for (const ParameterInfo& p : type().parameters) {
    SCOPED_TRACE(std::string(p.key));
    EXPECT_TRUE(keys.insert(p.key).second);
    for (const std::string_view text :
         {p.key, p.symbol, p.name, p.unit, p.diagonal_unit, p.description}) {
      EXPECT_FALSE(text.empty());
    }
    if (p.shape == GainShape::kSkew) {
      EXPECT_EQ(p.min, 0);
      EXPECT_EQ(p.default_value, 0);
      continue;
    }
    EXPECT_GT(p.min, 0);
    EXPECT_LT(p.min, p.default_value);
    EXPECT_LT(p.default_value, p.max);
  }
}

TEST_P(EveryLaw, MakesItsOwnKind) {
  const Model model = ThreeHinges();
  const auto controller = MakeController(GetParam(), model);
  EXPECT_EQ(controller->info().type, GetParam());
  EXPECT_EQ(controller->model().id(), model.id());
  ASSERT_EQ(controller->parameters().size(), type().parameters.size());
  for (size_t i = 0; i < type().parameters.size(); ++i) {
    const int index = static_cast<int>(i);
    const GainShape shape = type().parameters[i].shape;
    const int size = shape == GainShape::kScalar ? 1 : shape == GainShape::kSkew ? 0 : 3;
    EXPECT_EQ(controller->gain(index),
              Eigen::VectorXd::Constant(size, type().parameters[i].default_value));
    EXPECT_EQ(controller->unit(index), type().parameters[i].unit);
    EXPECT_EQ(MakeController(GetParam(), model, GainForm::kDiagonal)->unit(index),
              type().parameters[i].diagonal_unit);
  }
}

TEST_P(EveryLaw, TakesGains) {
  const Model model = ThreeHinges();
  const auto controller = MakeController(GetParam(), model);
  const std::string_view key = type().parameters[1].key;
  controller->set_gain(key, Numbers({7}));
  EXPECT_EQ(controller->gain(1), Eigen::Vector3d::Constant(7));
  controller->set_gain(key, Numbers({1, 2, 3}));
  EXPECT_EQ(controller->gain(1), Eigen::Vector3d(1, 2, 3));
  controller->set_gain(key, Numbers({0}));
  EXPECT_EQ(controller->gain(1), Eigen::Vector3d::Zero());
  EXPECT_EQ(controller->gain(0), Eigen::Vector3d::Constant(type().parameters[0].default_value));
}

TEST_P(EveryLaw, StandsStillOnItsReference) {
  // At rest on a constant reference every law gives exactly the torque that holds the mechanism.
  ControlCase c = MakeControlCase(3, true);
  c.reference = {c.q, Eigen::VectorXd::Zero(c.model.nv()), Eigen::VectorXd::Zero(c.model.nv())};
  c.v.setZero();
  const StepResult r = RunStep(c, MakeController(GetParam(), c.model).get());
  EXPECT_LE(r.vdot.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(r.storage.V, 0, 1e-20);
}

TEST_P(EveryLaw, TracksOnTheManifold) {
  // From a large error, with a moving reference for laws with feedforward.
  for (const unsigned seed : {4u, 9u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ControlCase c = MakeControlCase(seed);
    ASSERT_TRUE(HasRotation(c.model));
    const bool moving = GetParam() != "pd_gravity";
    if (!moving) c.reference.v.setZero();
    c.reference.vdot.setZero();
    const auto controller = MakeController(GetParam(), c.model);
    controller->set_gain(controller->parameters()[1].key, Numbers({20}));
    // An energy, of the order of V at this start.
    if (GetParam() == "adaptive") controller->set_gain("gamma", Numbers({1000}));
    controller->ResetState({0, c.q, c.v}, c.reference);
    ControlOutput output(*controller);
    Eigen::VectorXd rate = controller->state();
    const double dt = 1e-3;
    for (int step = 0; step < 4000; ++step) {
      ASSERT_EQ(controller->CalcControl({0, c.q, c.v}, c.reference, output), Status::kOk);
      controller->CalcStateRate(output.tau, output, rate);
      controller->set_state(controller->state() + dt * rate);
      c.v += dt * Accelerate(c.model, c.q, c.v, output.tau);
      c.q = SlowIntegrate(c.spec, c.q, c.v, dt);
      c.reference.q = SlowIntegrate(c.spec, c.reference.q, c.reference.v, dt);
    }
    EXPECT_LE(output.e.cwiseAbs().maxCoeff(), 5e-3);
  }
}

TEST_P(EveryLaw, NotFiniteGivesNoTorque) {
  const Model model = ThreeHinges();
  const auto controller = MakeController(GetParam(), model);
  const ReferenceState reference{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(),
                                 Eigen::Vector3d::Zero()};
  ControlOutput output(*controller);
  const Eigen::VectorXd zero = Eigen::Vector3d::Zero();
  EXPECT_EQ(controller->CalcControl({0, zero, zero}, reference, output), Status::kOk);
  EXPECT_NE(output.tau, zero);
  for (const double bad : {kNan, kInfinity}) {
    EXPECT_EQ(controller->CalcControl({0, Eigen::Vector3d(0, bad, 0), zero}, reference, output),
              Status::kNotFinite);
    EXPECT_EQ(output.tau, zero);
    EXPECT_EQ(controller->CalcControl({0, zero, Eigen::Vector3d(bad, 0, 0)}, reference, output),
              Status::kNotFinite);
  }
  EXPECT_EQ(controller->CalcControl({0, zero, zero}, reference, output), Status::kOk);
}

TEST_P(EveryLaw, TimesItsParts) {
  const Model model = ThreeHinges();
  const auto controller = MakeController(GetParam(), model);
  ControlOutput output(*controller);
  output.kinematics_s = output.matrices_s = output.law_s = -1;
  const Eigen::VectorXd zero = Eigen::Vector3d::Zero();
  EXPECT_TRUE(controller->CalcControl({0, zero, zero}, {zero, zero, zero}, output));
  for (const double time : {output.kinematics_s, output.matrices_s, output.law_s}) {
    EXPECT_GE(time, 0);
    EXPECT_LT(time, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw,
                         testing::Values("slotine_li", "adaptive", "reference_dynamics",
                                         "pd_gravity", "computed_torque"),
                         [](const auto& param) { return param.param; });

TEST(ControllerTest, TestsCoverTheTable) {
  // Laws of the task space and of legged robots have their own tests.
  EXPECT_EQ(
      std::ranges::count_if(
          Laws(), [](const LawInfo* law) { return !law->MovesFrame({}) && !law->needs_legs; }),
      5);
}

std::string GainErrorOf(std::string_view key, const Eigen::VectorXd& value) {
  const Model model = ThreeHinges();
  const auto controller = MakeController("slotine_li", model);
  controller->set_gain("K_D", Numbers({4}));
  try {
    controller->set_gain(key, value);
  } catch (const UserError& error) {
    EXPECT_EQ(controller->gain(1), Eigen::Vector3d::Constant(4));
    return error.what();
  }
  return "";
}

TEST(ControllerTest, BadGainsAreRefused) {
  EXPECT_EQ(GainErrorOf("K_D", Numbers({-3})), "gains.K_D: negative gain -3");
  EXPECT_EQ(GainErrorOf("K_D", Numbers({1, -0.5, 2})),
            "gains.K_D: negative gain -0.5 (number 2 of 3)");
  EXPECT_THAT(GainErrorOf("K_D", Numbers({kNan})), HasSubstr("gains.K_D: not a finite number"));
  EXPECT_THAT(GainErrorOf("Lambda", Numbers({1, 2, kInfinity})),
              AllOf(HasSubstr("not a finite number: inf"), HasSubstr("number 3 of 3")));
  EXPECT_EQ(GainErrorOf("K_D", Numbers({1, 2})),
            "gains.K_D: 2 numbers given; valid: 1 or 3, one for each velocity coordinate");
  EXPECT_THAT(GainErrorOf("K_D", Eigen::VectorXd()), HasSubstr("0 numbers given"));
  EXPECT_EQ(GainErrorOf("lamda", Numbers({1})),
            "unknown gain 'lamda' (did you mean 'Lambda'?); valid: Lambda, K_D, G");
}

TEST(ControllerTest, AnAdaptationGainIsPositive) {
  const Model model = ThreeHinges();
  for (const char* type : {"adaptive", "slotine_li"}) {
    const auto controller = MakeController(type, model);
    for (const ParameterInfo& parameter : controller->parameters()) {
      const auto set = [&] { controller->set_gain(parameter.key, Numbers({0})); };
      if (parameter.key == "gamma") {
        EXPECT_EQ(ErrorOf(set), "gains.gamma: must be positive, not 0");
        EXPECT_EQ(controller->gain(2), Numbers({parameter.default_value}));
      } else {
        EXPECT_EQ(ErrorOf(set), "") << parameter.key;
      }
    }
    EXPECT_THROW((void)controller->gain(17), ContractError);
    EXPECT_THROW((void)controller->unit(-1), ContractError);
  }
}

TEST(ControllerTest, OptionsOutOfRangeAreRefused) {
  const Model model = ThreeHinges();
  const auto refusal = [&](const ControllerOptions& options) {
    return ErrorOf([&] { (void)FindLaw("adaptive").make(model, options); });
  };
  const auto own = [&](const char* key, const OptionValue& value) {
    ControllerOptions options;
    options.q_start = model.DefaultPosition();
    options.own = {{key, value}};
    return refusal(options);
  };
  EXPECT_EQ(own("deadzone_J", 0.25), "");
  EXPECT_EQ(own("deadzone_J", kNan), "controller.deadzone_J: must be a finite number ≥ 0, not nan");
  EXPECT_EQ(own("deadzone_J", -2.0), "controller.deadzone_J: must be a finite number ≥ 0, not -2");
  EXPECT_THAT(own("metric", std::string("eucledian")), HasSubstr("did you mean 'euclidean'?"));
  const auto observer = [&](const Eigen::VectorXd& K_I, const Eigen::VectorXd& threshold) {
    ControllerOptions options;
    options.q_start = model.DefaultPosition();
    options.observer = {K_I, threshold};
    return refusal(options);
  };
  EXPECT_EQ(observer(Numbers({2, 0, 3}), Numbers({1, 1, 0})), "");
  EXPECT_EQ(observer(Numbers({2, -8, 3}), {}), "observer.gain: negative gain -8 (number 2 of 3)");
  EXPECT_THAT(observer(Numbers({2, 1, kNan}), {}), HasSubstr("observer.gain: not a finite number"));
  EXPECT_THAT(observer(Numbers({2, 1, 3}), Numbers({kNan, 1, 1})),
              HasSubstr("observer.threshold: not a finite number"));
}

TEST(ControllerTest, UnknownTypesListTheTypes) {
  try {
    FindLaw("slotine-li");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(
        error.what(),
        AllOf(StartsWith("unknown controller 'slotine-li'"), HasSubstr("did you mean 'slotine_li'"),
              HasSubstr("slotine_li, adaptive, reference_dynamics, task_space, whole_body, "
                        "adaptive_whole_body, "
                        "pd_gravity, computed_torque")));
  }
}

TEST(ControllerTest, FactorizationTakesEffectAtOnce) {
  const ControlCase c = MakeControlCase(2);
  const auto controller = MakeController("slotine_li", c.model);
  ControlOutput before(*controller), after(*controller);
  EXPECT_TRUE(controller->CalcControl({0, c.q, c.v}, c.reference, before));
  const Eigen::MatrixXd C = controller->C();
  controller->set_factorization(Factorization::Torsion(1));
  EXPECT_TRUE(controller->CalcControl({0, c.q, c.v}, c.reference, after));
  EXPECT_LE(RelativeError(controller->C(),
                          CalcCoreDynamics(c.model, c.q, c.v, Factorization::Torsion(1)).C),
            1e-15);
  EXPECT_GT(RelativeError(controller->C(), C), 1e-3);
  EXPECT_GT(RelativeError(after.tau, before.tau), 1e-4);
  // Only C v_r changes.
  const Eigen::VectorXd v_r = c.v - after.s;
  EXPECT_LE(RelativeError(after.tau - before.tau, (controller->C() - C) * v_r), 1e-12);
}

TEST(ControllerTest, FactorizationsOfOtherModelsAreRefused) {
  const Model model = ThreeHinges();
  const auto controller = MakeController("slotine_li", model);
  Factorization joint;
  joint.joint_injections = {{.beta = 1, .S = Eigen::Matrix3Xd::Zero(3, 4), .file = {}}};
  EXPECT_THROW(controller->set_factorization(joint), ContractError);
  Factorization body;
  body.body_injections.emplace_back().body = 3;
  EXPECT_THROW(controller->set_factorization(body), ContractError);
  EXPECT_EQ(ToString(controller->factorization()), "christoffel");
}

TEST(ControllerTest, MassFormScalesBaselineGainsAtTheStart) {
  ControlCase c = MakeControlCase(6);
  c.reference.v.setZero();
  c.reference.vdot.setZero();
  const Eigen::VectorXd diagonal =
      CalcCoreDynamics(c.model, c.model.DefaultPosition(), c.v).H.diagonal();
  const auto mass = MakeController("pd_gravity", c.model);
  const auto joint = MakeController("pd_gravity", c.model, GainForm::kDiagonal);
  joint->set_gain("K_P", diagonal * mass->gain(0)[0]);
  joint->set_gain("K_D", diagonal * mass->gain(1)[0]);
  ControlOutput a(*mass), b(*joint);
  EXPECT_TRUE(mass->CalcControl({0, c.q, c.v}, c.reference, a));
  EXPECT_TRUE(joint->CalcControl({0, c.q, c.v}, c.reference, b));
  EXPECT_LE(RelativeError(a.tau, b.tau), 1e-13);
}

TEST(ControllerTest, PdGravityNeedsAStartInMassForm) {
  const Model model = ThreeHinges();
  EXPECT_THROW(FindLaw("pd_gravity").make(model, {}), ContractError);
}

}  // namespace controller_test
}  // namespace civita
