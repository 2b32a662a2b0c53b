// The tracking error that is predicted, beside that of a run.

#include "civita/study/advise/predicted_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/simulation.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/advice_text.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace predicted_error_test {

using ::testing::HasSubstr;

using Sets = std::vector<std::string>;

Sets Join(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::unique_ptr<Scene> Load(const std::string& scene, const Sets& sets) {
  return LoadScene(ReadConfig(scene, sets));
}

double Measure(const std::string& scene, const Sets& sets) {
  Simulation simulation(Load(scene, sets));
  MetricSet metrics(simulation, {"error_rms"});
  const long steps = std::lround(simulation.scene().config.duration_s / simulation.control_dt());
  for (long i = 0; i <= steps; ++i) {
    simulation.Evaluate();
    metrics.Add(simulation.record());
    if (i == steps) break;
    EXPECT_TRUE(simulation.Step()) << simulation.failure().reason;
  }
  return metrics.value("error_rms");
}

/// Checks the error of two C to `absolute`, and their ratio to `ratio`.
void ExpectPredicted(const std::string& scene, const Sets& sets, double absolute, double ratio) {
  SCOPED_TRACE(scene + " " + sets.back());
  double measured[2], predicted[2];
  const char* C[] = {"christoffel", "t:-3"};
  for (int i = 0; i < 2; ++i) {
    const Sets all = Join(sets, {std::string("controller.factorization=") + C[i]});
    measured[i] = Measure(scene, all);
    const PredictedError prediction = PredictError(*Load(scene, all));
    EXPECT_EQ(prediction.why_not, "");
    predicted[i] = prediction.error_rms;
    EXPECT_NEAR(predicted[i] / measured[i], 1, absolute) << C[i] << " " << measured[i];
  }
  EXPECT_NEAR((predicted[1] / predicted[0]) / (measured[1] / measured[0]), 1, ratio)
      << measured[1] / measured[0];
}

const Sets kExact = {"control.mode=every_stage", "physics.contacts=false", "reference.fade_s=0",
                     "duration_s=1.5"};
const Sets kOnReference = {"initial.v_error=[0,0,0,0,0,0,0]"};

TEST(PredictedError, OfAStartOffTheReference) {
  ExpectPredicted("ball_arm", kExact, 0.01, 0.005);
  ExpectPredicted("arm7_twist", kExact, 0.01, 0.005);
}

// Steps of the ideal motion are wrong by more than these errors.
TEST(PredictedError, OfAStartThatIsNearTheReference) {
  ExpectPredicted("arm7_twist", Join(kExact, {"initial.v_error=[2e-6,0,-1e-6,0,1e-6,3e-6,0]"}),
                  0.01, 0.005);
}

TEST(PredictedError, OfJointsThatAreDamped) {
  const Sets damped = {"controller.factorization=plain", "pushes=[]", "duration_s=1.5"};
  ExpectPredicted("arm7", Join(kExact, damped), 0.01, 0.005);
}

// A damper's force is no multiple of s where it is no multiple of v.
TEST(PredictedError, OfADamperThatIsNotLinear) {
  const TemporaryFolder folder;
  std::string model = "<mujoco><option gravity='0 0 -9.81'/><worldbody>";
  for (const char* axis : {"0 0 1", "0 1 0", "1 0 0.3"}) {
    model += "<body pos='0 0 0.3'><joint axis='" + std::string(axis) +
             "' damping='0.1 0.5 0.3'/><geom type='capsule' size='0.03' mass='1' "
             "fromto='0 0 0 0.2 0 0.3'/>";
  }
  folder.Write("arm.xml", model + "</body></body></body></worldbody></mujoco>");
  const std::string scene =
      folder.Write("arm.yaml",
                   "model: arm.xml\ngains: {Lambda: 5, K_D: 10}\n"
                   "reference: {type: sinusoid, amplitude: 0.5, frequency_hz: [0.5, 0.7, 0.9]}\n"
                   "initial: {v_error: [3, -2, 2]}\n");
  ExpectPredicted(scene, Join(kExact, {"physics.timestep_s=0.0005"}), 0.01, 0.005);
}

TEST(PredictedError, OfAWrongModelAndAThrowTogether) {
  ExpectPredicted("arm7_twist", Join(kExact, {"plant.mass_scale=1.15"}), 0.05, 0.03);
}

TEST(PredictedError, OfPushes) {
  const Sets push = {
      "pushes=[{body: hand, start_s: 0.3, duration_s: 0.02, force_N: [150, 80, -60]}, "
      "{body: hand, start_s: 0.8, duration_s: 0.1, impulse_Ns: [-2, 3, 1], shape: "
      "half_sine}]"};
  ExpectPredicted("arm7_twist", Join(Join(kExact, kOnReference), push), 0.05, 0.02);
}

TEST(PredictedError, OfSinesOnABodyAndOnAJoint) {
  for (const std::string on :
       {"body: hand, force_N: [0, 3, 0]", "body: hand, point_m: [0.4, 0, 0.2], force_N: [0, 3, 0]",
        "joint: joint2, joint_force: [1]"}) {
    const Sets push = {"pushes=[{" + on + ", shape: sine, frequency_hz: 2}]"};
    ExpectPredicted("arm7_twist", Join(Join(kExact, kOnReference), push), 0.02, 0.01);
  }
}

TEST(PredictedError, OfATorqueThatIsHeldAndLate) {
  const Sets held = {"control.mode=held", "physics.contacts=false", "reference.fade_s=0",
                     "duration_s=2", "control.rate_hz=250"};
  for (const char* timestep : {"physics.timestep_s=0.001", "physics.timestep_s=0.0005"}) {
    ExpectPredicted("arm7_twist", Join(Join(held, kOnReference), {timestep}), 0.03, 0.02);
  }
  // One step of the plant for each of the law: its own drift makes most of the error.
  const Sets fast = {"control.rate_hz=1000", "physics.timestep_s=0.001"};
  ExpectPredicted("arm7_twist", Join(Join(held, kOnReference), fast), 0.03, 0.02);
  // The run's first late torque is none at all, which a long run forgets.
  const Sets late = {"duration_s=10", "control.delay_s=0.004", "physics.timestep_s=0.001"};
  ExpectPredicted("arm7_twist", Join(Join(held, kOnReference), late), 0.1, 0.02);
}

TEST(PredictedError, OfALateTorqueThatOvercomesDamping) {
  const Sets held = {"control.mode=held", "physics.contacts=false", "reference.fade_s=0",
                     "duration_s=4",      "control.rate_hz=100",    "physics.timestep_s=0.001"};
  const Sets start = {"initial.v_error_prior=energy", "initial.v_error_size=1e-6", "pushes=[]",
                      "controller.factorization=plain"};
  ExpectPredicted("arm7", Join(held, start), 0.03, 0.02);
}

/// A scene of an arm of three hinges about these axes, each with these attributes.
std::string WriteArm(const TemporaryFolder& folder, const std::string& joints,
                     const std::string& motors = "", double tip_kg = 0.6) {
  std::string model =
      "<mujoco><compiler angle='radian'/><option timestep='0.001'/><default><geom "
      "contype='0' conaffinity='0'/></default><worldbody>";
  const char* const axes[] = {"0 0 1", "0 1 0", "1 0 0.4"};
  for (int i = 0; i < 3; ++i) {
    model += "<body name='b" + std::to_string(i) + "' pos='0.1 0 0.25'><joint name='j" +
             std::to_string(i) + "' axis='" + axes[i] + "' " + joints +
             "/><geom type='capsule' size='0.03' mass='" + std::to_string(i == 2 ? tip_kg : 1.5) +
             "' fromto='0 0 0 0.15 0.05 0.25'/>";
  }
  model += "</body></body></body></worldbody>";
  if (!motors.empty()) model += "<actuator>" + motors + "</actuator>";
  folder.Write("arm.xml", model + "</mujoco>");
  return folder.Write("arm.yaml",
                      "model: arm.xml\ngains: {Lambda: 6, K_D: 12}\n"
                      "reference: {type: sinusoid, amplitude: [0.5, 0.4, 0.6], "
                      "frequency_hz: [0.6, 0.8, 0.7], fade_s: 0}\n"
                      "duration_s: 3\ninitial: {v_error: [0, 0, 0]}\n");
}

const Sets kEachPeriod = {"control.mode=held", "control.rate_hz=1000"};

// MuJoCo takes joint damping at the step's end, after the acceleration that the torque makes.
TEST(PredictedError, OfAHeldTorqueWithDampedJoints) {
  const TemporaryFolder folder;
  const std::string arm = WriteArm(folder, "damping='0.7'");
  for (const char* timestep : {"physics.timestep_s=0.001", "physics.timestep_s=0.00025"}) {
    ExpectPredicted(arm, Join(kEachPeriod, {timestep}), 0.03, 0.02);
  }
}

TEST(PredictedError, OfALateTorqueThatOvercomesSprings) {
  const TemporaryFolder folder;
  const std::string arm = WriteArm(folder, "stiffness='30' springref='0.3'");
  ExpectPredicted(arm, Join(kEachPeriod, {"control.actuation_delay_s=0.003", "duration_s=6"}), 0.06,
                  0.03);
}

/// Why there is no prediction.
std::string WhyNot(const std::string& scene, const Sets& sets) {
  const PredictedError predicted = PredictError(*Load(scene, sets));
  EXPECT_EQ(predicted.why_not.empty(), std::isfinite(predicted.error_rms)) << predicted.why_not;
  return predicted.why_not;
}

const Sets kThrown = {"initial.v_error=[0.3,-0.2,0.3]", "control.mode=held"};

TEST(PredictedError, IsNoneOfDirectionsThatNoMotorReaches) {
  const TemporaryFolder folder;
  EXPECT_EQ(WhyNot(WriteArm(folder, "", "<motor joint='j0'/><motor joint='j1'/>"), kThrown),
            "motors leave 1 direction undriven: errors there have no equations");
  const std::string all = "<motor joint='j0'/><motor joint='j1'/><motor joint='j2'/>";
  EXPECT_EQ(WhyNot(WriteArm(folder, "", all), kThrown), "");
  // A base that nothing holds, of which the only joint has a motor.
  folder.Write("free.xml",
               "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.1' mass='3'/>"
               "<body><joint name='j' axis='0 1 0'/><geom size='.05' pos='.2 0 0' mass='1'/></body>"
               "</body></worldbody><actuator><motor joint='j'/></actuator></mujoco>");
  const auto free = Load((folder.path() / "free.xml").string(), {});
  EXPECT_THAT(PredictError(*free).why_not, HasSubstr("motors leave 6 directions undriven"));
  EXPECT_THROW(Advise(*free), UserError);
  // A joint that follows another has no motor and needs none.
  EXPECT_EQ(Advise(*Load("geared_arm", {})).left_out.empty(), false);
}

TEST(PredictedError, IsNoneWhereErrorsGrow) {
  const TemporaryFolder folder;
  const std::string arm = WriteArm(folder, "");
  const Sets late = Join(kThrown, {"control.rate_hz=250", "control.actuation_delay_s=0.02"});
  const Sets torsion = Join(late, {"controller.factorization=t:80"});
  EXPECT_EQ(WhyNot(arm, late), "");
  EXPECT_EQ(WhyNot(arm, torsion), "with this C errors grow at this rate and delay");
  EXPECT_LT(Advise(*Load(arm, torsion)).largest_factor, 1);
  EXPECT_EQ(WhyNot(arm, Join(torsion, {"gains.K_D=300"})),
            "errors grow at this rate and delay whatever C is");
  // A law that acts at every instant is integrated by steps that do not follow all rates.
  const Sets fast = {"control.mode=every_stage", "gains.K_D=3500", "controller.factorization=t:1"};
  EXPECT_THAT(WhyNot(arm, fast), HasSubstr("whatever C is"));
  EXPECT_THAT(DescribeAdvice(Advise(*Load(arm, fast))).verdict, HasSubstr("Errors grow"));
  EXPECT_EQ(WhyNot(arm, Join(fast, {"physics.timestep_s=0.0005"})), "");
}

// The law sees v through a difference over a period and a low pass of first order.
TEST(PredictedError, OfAVelocityFilter) {
  const TemporaryFolder folder;
  const std::string arm = WriteArm(folder, "");
  ExpectPredicted(arm, Join(kThrown, {"control.velocity_filter_hz=40"}), 0.02, 0.01);
  ExpectPredicted(arm,
                  Join(kThrown, {"control.velocity_filter_hz=60", "control.rate_hz=500",
                                 "physics.timestep_s=0.0005"}),
                  0.02, 0.01);
}

// It brakes errors, and flips at other times than what the law feeds forward.
TEST(PredictedError, OfDryFriction) {
  const TemporaryFolder folder;
  ExpectPredicted(WriteArm(folder, "frictionloss='0.1'"), kThrown, 0.05, 0.03);
  ExpectPredicted(WriteArm(folder, "frictionloss='0.1'", "", 0.05),
                  Join(kThrown, {"control.rate_hz=500", "control.actuation_delay_s=0.004"}), 0.05,
                  0.05);
}

TEST(PredictedError, OfAWrongModelThatIsHeldAndLate) {
  const TemporaryFolder folder;
  const Sets late = {"control.rate_hz=500", "control.actuation_delay_s=0.004"};
  for (const char* wrong : {"plant.mass_scale=1.2", "plant.mass_error=0.3"}) {
    ExpectPredicted(WriteArm(folder, ""), Join(Join(kThrown, late), {wrong}), 0.02, 0.01);
  }
}

// The metric counts a joint that follows another one with a constant ratio, too.
TEST(PredictedError, OfCoupledFingers) {
  const TemporaryFolder folder;
  folder.Write("hand.xml", R"(<mujoco><option timestep="0.001"/>
    <default><geom contype="0" conaffinity="0" type="capsule" size=".03"/></default><worldbody>
    <body><joint name="a" axis="0 0 1"/><geom fromto="0 0 0 .2 .05 .2" mass="2"/>
    <body pos=".2 0 .2"><joint name="b" axis="0 1 0"/><geom fromto="0 0 0 .2 .05 .1" mass="1"/>
    <body pos=".2 0 .1"><joint name="c" axis="1 0 0"/><geom fromto="0 0 0 .1 .1 .1" mass=".6"/>
    <body pos=".1 .1 .1"><joint name="f" axis="0 1 0"/><geom fromto="0 0 0 .1 0 .1" mass=".3"/>
    </body><body pos=".1 0 .1"><joint name="g" axis="0 1 0"/><geom fromto="0 0 0 -.1 0 .1"
    mass=".3"/></body></body></body></body></worldbody>
    <equality><joint joint1="g" joint2="f" polycoef="0 -1.5 0 0 0"/></equality></mujoco>)");
  const std::string scene =
      folder.Write("hand.yaml",
                   "model: hand.xml\ngains: {Lambda: 6, K_D: 12}\nduration_s: 2\n"
                   "reference: {type: sinusoid, amplitude: 0.4, frequency_hz: 0.7, fade_s: 0}\n"
                   "initial: {v_error_prior: joint, v_error_size: 0.2}\n");
  ExpectPredicted(scene, {"control.mode=every_stage"}, 0.03, 0.03);
  ExpectPredicted(scene, {"control.mode=held", "control.rate_hz=500"}, 0.05, 0.05);
}

TEST(PredictedError, IsNoneOfWhatTheEquationsLack) {
  const TemporaryFolder folder;
  std::string arm = WriteArm(folder, "frictionloss='0.2'", "", 0.01);
  EXPECT_THAT(WhyNot(arm, {"control.mode=held"}),
              HasSubstr("makes an error of 1 times the predicted one"));
  arm = WriteArm(folder, "range='-0.45 0.45' limited='true'");
  EXPECT_THAT(WhyNot(arm, kThrown), HasSubstr("the reference goes beyond joint limits: j0 by"));
  EXPECT_EQ(WhyNot(WriteArm(folder, "range='-2 2' limited='true'"), kThrown), "");
}

TEST(PredictedError, NamesASpeedLimitThatItLeavesOut) {
  const TemporaryFolder folder;
  const auto limited = Load(WriteArm(folder, ""), Join(kThrown, {"plant.speed_limit=3"}));
  EXPECT_THAT(PredictError(*limited).left_out, testing::Contains("the drives' speed limit"));
}

// What is left out is what the scene has, not what its config mentions.
TEST(PredictedError, LeavesOutTheStopsAndContactsThatThereAre) {
  using ::testing::Contains;
  using ::testing::Not;
  const TemporaryFolder folder;
  const auto left_out = [&](const std::string& joints, const char* contacts) {
    return FindLeftOut(*Load(WriteArm(folder, joints), Join(kThrown, {contacts})));
  };
  const std::string stops = "range='-2 2' limited='true'";
  EXPECT_THAT(left_out(stops, "physics.contacts=false"), Contains(kJointLimits));
  EXPECT_THAT(left_out(stops, "physics.contacts=false"), Not(Contains(kContacts)));
  EXPECT_THAT(left_out("", "physics.contacts=true"), Contains(kContacts));
  EXPECT_THAT(left_out("", "physics.contacts=true"), Not(Contains(kJointLimits)));
}

TEST(PredictedError, FollowsNoiseFromTheStretchesOfTheAdvice) {
  const Advice advice = Advise(*Load("arm7_twist", {"duration_s=4"}));
  const std::vector<double> starts = FindDecayStarts(0, 4, advice.decay_s);
  ASSERT_EQ(advice.starts.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(advice.starts[i].from_s, starts[i]);
  for (const double start : FindDecayStarts(1, 3, 0.5)) {
    EXPECT_GE(start, 1);
    EXPECT_LE(start, 2.5);
  }
  EXPECT_EQ(FindDecayStarts(1, 3, 2), std::vector<double>{1});
}

TEST(PredictedError, OfNoiseOfMeasuredVelocities) {
  const Sets noisy = {"control.mode=held", "physics.contacts=false", "reference.fade_s=0",
                      "duration_s=20", "noise.joint_velocity=0.5"};
  ExpectPredicted("arm7_twist", Join(noisy, kOnReference), 0.1, 0.08);
}

/// Of every tree, from the state at a time of a run on.
TEST(PredictedError, OfEachTreeFromAnyTimeOnAndUntilAnyTime) {
  constexpr double kFrom = 0.2;
  for (const char* C : {"christoffel", "t:5"}) {
    const Sets sets = {std::string("controller.factorization=") + C};
    Simulation simulation(Load("torsion_gallery", sets));
    const double dt = simulation.control_dt();
    while (simulation.time() < kFrom - 0.5 * dt) ASSERT_TRUE(simulation.Step());
    simulation.Evaluate();
    const auto scene = Load("torsion_gallery", sets);
    scene->q_start = simulation.record().q;
    scene->v_start = simulation.record().v;
    const PredictedError predicted = PredictError(*scene, kFrom);
    ASSERT_EQ(predicted.why_not, "");
    ASSERT_GE(predicted.parts.size(), 4u);  // all and three trees
    MetricSet metrics(simulation, {"error_rms", "error_rms_cost", "error_rms_gain"});
    for (const double until : {0.3, 0.7, 2.0}) {
      while (simulation.time() < until - 0.5 * dt) {
        simulation.Evaluate();
        metrics.Add(simulation.record());
        ASSERT_TRUE(simulation.Step());
      }
      for (std::size_t part = 0; part < predicted.parts.size(); ++part) {
        const std::string& name = predicted.parts[part].name;
        const double measured = metrics.value(name == "all" ? "error_rms" : "error_rms_" + name);
        if (std::isnan(measured)) continue;
        EXPECT_NEAR(predicted.RmsUntil(part, until) / measured, 1, 0.02)
            << C << " " << name << " " << until;
      }
    }
    EXPECT_TRUE(std::isnan(predicted.RmsUntil(0, kFrom)));
    EXPECT_TRUE(std::isnan(predicted.RmsUntil(0, scene->config.duration_s + 1)));
  }
}

TEST(PredictedError, SaysWhereThereIsNone) {
  EXPECT_THAT(PredictError(*Load("arm7", {"controller.type=computed_torque"})).why_not,
              HasSubstr("does not use C"));
  EXPECT_THAT(PredictError(*Load("quadruped_push", {})).why_not, HasSubstr("stands on feet"));
  const PredictedError closed = PredictError(*Load("four_bar", {}));
  EXPECT_THAT(closed.why_not, HasSubstr("closed loops"));
  EXPECT_TRUE(std::isnan(closed.error_rms));
}

TEST(PredictedError, TakesLessThanASecondForEightFloatingRobots) {
  const auto scene = Load("quadruped_float", {});
  EXPECT_LT(8 * EstimatePredictionTime(*scene), 1);
  EXPECT_GT(EstimatePredictionTime(*scene), EstimatePredictionTime(*Load("planar_2r", {})));
}

}  // namespace predicted_error_test
}  // namespace civita
