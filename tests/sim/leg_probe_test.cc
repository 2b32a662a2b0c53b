#include "civita/sim/leg_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "civita/sim/leg_statistics.h"
#include "civita/sim/recorder.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace leg_probe_test {

using testing::HasSubstr;

constexpr double kGravity = 9.81;

/// A sledge of 6 kg on three point feet. Its only actuator drives a rotor of negligible mass, so
/// that the law does not act on the base.
std::string WriteSledge(const TemporaryFolder& folder, const std::string& ground,
                        const std::string& center) {
  return folder.Write("sledge.xml", R"(
<mujoco>
  <option timestep="0.001" cone="elliptic"/>
  <default><geom friction="0.5" contype="0" conaffinity="1"/></default>
  <worldbody>
    )" + ground + R"(
    <body name="base" pos="0 0 0.3">
      <freejoint/>
      <inertial mass="6" pos=")" + center +
                                        R"(" diaginertia="0.1 0.1 0.1"/>
      <body name="rotor">
        <joint name="spin" axis="0 0 1"/>
        <inertial mass="1e-6" pos="0 0 0" diaginertia="1e-6 1e-6 1e-6"/>
      </body>
      <body name="left" pos="-0.2 0.15 -0.28">
        <geom type="sphere" size="0.02" mass="0"/><site name="l"/>
      </body>
      <body name="right" pos="-0.2 -0.15 -0.28">
        <geom type="sphere" size="0.02" mass="0"/><site name="r"/>
      </body>
      <body name="front" pos="0.3 0 -0.28">
        <geom type="sphere" size="0.02" mass="0"/><site name="f"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="spin"/></actuator>
</mujoco>)");
}

constexpr const char* kFlat = R"(<geom type="plane" size="1 1 1" contype="1"/>)";

Simulation Sledge(const TemporaryFolder& folder, const std::string& ground,
                  std::vector<std::string> overrides = {}, const char* center = "0.05 0.02 0") {
  overrides.insert(overrides.end(), {"legs.feet=[l, r, f]", "reference.type=hold",
                                     "controller.type=pd_gravity", "control.rate_hz=1000"});
  return MakeSimulation(WriteSledge(folder, ground, center), overrides);
}

// By the lever rule of a triangle.
TEST(LegProbeTest, FeetCarryTheWeightByTheLeverRule) {
  const TemporaryFolder folder;
  Simulation simulation = Sledge(folder, kFlat);
  ASSERT_EQ(simulation.RunFor(2000), 2000);
  const Eigen::Vector3d& force = simulation.record().legs.foot_force;
  const double weight = 6.000001 * kGravity;
  const double front = weight * (0.05 + 0.2) / 0.5;
  const double difference = weight * 0.02 / 0.15;  // left less right
  EXPECT_NEAR(force.sum(), weight, 1e-4 * weight);
  EXPECT_NEAR(force[2], front, 5e-3 * weight);
  EXPECT_NEAR(force[0] - force[1], difference, 5e-3 * weight);
  EXPECT_NEAR(simulation.record().legs.foot_position(0, 2), 0.3, 1e-3);
  EXPECT_NEAR(simulation.record().legs.foot_position(1, 1), -0.15, 1e-3);
}

// From 1 m/s to rest: v²/(2 μ g) on every foot. The centre of mass is low and between the feet.
TEST(LegProbeTest, FeetSlideByTheLawOfFriction) {
  const TemporaryFolder folder;
  Simulation simulation =
      Sledge(folder, kFlat, {"initial.v=[0.8, 0.6, 0, 0, 0, 0, 0]"}, "-0.033333333 0 -0.27");
  MetricSet metrics(simulation);
  double slid = 0;  // by the base's velocity, on the feet in contact
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(simulation.Step());
    if (i == 0) {
      EXPECT_NEAR(simulation.record().legs.foot_slip.mean(), 1, 0.02);
    }
    const StepRecord& record = simulation.record();
    const auto loaded = static_cast<double>((record.legs.foot_force.array() > 1).count());
    slid += simulation.control_dt() * loaded * record.v.head<2>().norm();
    metrics.Add(record);
  }
  const double way = 1 / (2 * 0.5 * kGravity);
  EXPECT_NEAR(metrics.value("slip_m"), slid, 0.03 * slid);
  EXPECT_NEAR(metrics.value("feet_moved_m"), 3 * way, 0.1 * way);
  EXPECT_NEAR(metrics.value("forward_m_s") / metrics.value("sideways_m_s"), 8.0 / 6, 0.02);
  EXPECT_NEAR(metrics.value("forward_m_s"), 0.8 * way / 0.5, 0.1);
  EXPECT_EQ(metrics.value("foot_steps"), 0);
}

// As their reference rests above its place before they land.
TEST(LegProbeTest, FeetOfATrotHardlySlide) {
  Simulation simulation(LoadScene(ReadConfig("quadruped_trot", {"pushes=[]"})));
  MetricSet metrics(simulation);
  for (int i = 0; i < 4000; ++i) {
    ASSERT_TRUE(simulation.Step());
    metrics.Add(simulation.record());
  }
  EXPECT_GT(metrics.value("feet_moved_m"), 10);
  EXPECT_LT(metrics.value("slip_m"), 0.02 * metrics.value("feet_moved_m"));
}

TEST(LegProbeTest, HeightIsAboveWhatIsBelowTheBase) {
  const TemporaryFolder folder;
  const std::string block =
      R"(<geom type="box" size="1 1 0.1" pos="5 0 0" contype="1"/>
         <geom type="box" size="1 1 2" pos="5 0 0"/>)";  // the second one collides with nothing
  const std::string slope = R"(<geom type="plane" size="1 1 1" contype="1" euler="0 -30 0"/>)";
  const Simulation over_block =
      Sledge(folder, kFlat + block, {"initial.q=[5, 0, 0.6, 1, 0, 0, 0, 0]"});
  EXPECT_NEAR(over_block.record().legs.base_height, 0.5, 1e-12);
  EXPECT_NEAR(over_block.nominal_height(), 0.3, 1e-12);
  const Simulation beside = Sledge(folder, kFlat + block, {"initial.q=[3, 0, 0.6, 1, 0, 0, 0, 0]"});
  EXPECT_NEAR(beside.record().legs.base_height, 0.6, 1e-12);
  const Simulation far_up = Sledge(folder, slope, {"initial.q=[50, 0, 30, 1, 0, 0, 0, 0]"});
  EXPECT_NEAR(far_up.record().legs.base_height, 30 - 50 * std::tan(std::numbers::pi / 6), 1e-9);
}

TEST(LegProbeTest, TiltIsTheAngleFromUprightWhateverTheHeading) {
  const TemporaryFolder folder;
  const double c = std::cos(0.2), s = std::sin(0.2);
  const Eigen::Quaterniond yaw(Eigen::AngleAxisd(2.1, Eigen::Vector3d::UnitZ()));
  const Eigen::Quaterniond q = yaw * Eigen::Quaterniond(c, 0, s, 0);
  std::string initial = "initial.q=[0, 0, 1";
  for (const double x : {q.w(), q.x(), q.y(), q.z()}) initial += ", " + std::to_string(x);
  const Simulation simulation = Sledge(folder, kFlat, {initial + ", 0]"});
  EXPECT_NEAR(simulation.record().legs.tilt, 0.4, 1e-5);
}

TEST(FallWatchTest, NotesTheFirstFallAndHow) {
  FallWatch watch(0.5);
  watch.Add(0, 0.31, 1.0);
  EXPECT_FALSE(watch.fall().fallen);
  watch.Add(1.5, 0.29, 0.1);
  watch.Add(1.6, 0.4, 2);
  EXPECT_TRUE(watch.fall().fallen);
  EXPECT_EQ(Describe(watch.fall()), "fell at t = 1.5 s: the base at 0.29 m, below 60 % of 0.5 m");
  EXPECT_TRUE(std::isnan(watch.fall().up_t));
  watch.Add(0.5, 0.5, 0.1);
  watch.Add(0.6, 0.5, 0.1);
  EXPECT_EQ(watch.fall().up_t, 0.5) << "up again";
  EXPECT_TRUE(watch.fall().fallen);
  watch.Add(0.7, 0.1, 0.1);
  EXPECT_TRUE(std::isnan(watch.fall().up_t));
  FallWatch tilted(0.5);
  tilted.Add(0.25, 0.5, 1.1);
  EXPECT_EQ(Describe(tilted.fall()), "fell at t = 0.25 s: the base tilted by 63°, beyond 60°");
}

RunSummary RunQuadruped(const std::vector<std::string>& overrides, long steps) {
  Simulation simulation = MakeSimulation("quadruped", overrides);
  Recorder recorder(simulation, {});
  for (long i = 0; i < steps && simulation.Step(); ++i) recorder.Add(simulation.record());
  return recorder.Finish(simulation, 1, false);
}

TEST(FallTest, ARobotDroppedOnItsSideHasFallen) {
  Simulation simulation = MakeSimulation("quadruped");
  std::string q = "initial.q=[0, 0, 0.5, 0.70710678, 0.70710678, 0, 0";
  for (Eigen::Index i = 7; i < simulation.scene().q_start.size(); ++i) {
    q += ", " + std::to_string(simulation.scene().q_start[i]);
  }
  const RunSummary summary = RunQuadruped({q + "]"}, 300);
  EXPECT_FALSE(summary.passed);
  EXPECT_EQ(summary.steps, 300) << "a fall ends nothing";
  EXPECT_EQ(summary.verdict, "fell at t = 0 s: the base tilted by 90°, beyond 60°");
}

// Legs without torque fold; the time is compared with the base's own height.
TEST(FallTest, ARobotThatFoldsHasFallen) {
  const std::vector<std::string> limp = {"controller.type=pd_gravity", "gains.K_P=0",
                                         "gains.K_D=0"};
  Simulation simulation = MakeSimulation("quadruped", limp);
  double t = -1;
  while (simulation.Step() && t < 0 && simulation.time() < 2) {
    if (simulation.record().q[2] < 0.6 * simulation.nominal_height()) t = simulation.record().t;
  }
  ASSERT_GT(t, 0);
  EXPECT_EQ(simulation.fall().t, t);
  Simulation::Saved saved;
  simulation.Save(&saved);
  simulation.Reset();
  EXPECT_FALSE(simulation.fall().fallen);
  simulation.Restore(saved);
  EXPECT_EQ(simulation.fall().t, t) << "known again where it was";
  const RunSummary summary = RunQuadruped(limp, 1500);
  ASSERT_TRUE(summary.fall && summary.fall->fallen);
  EXPECT_NEAR(summary.fall->t, t, 0.0011);
  EXPECT_EQ(summary.value("fall_s"), summary.fall->t);
  EXPECT_THAT(summary.verdict, HasSubstr("below 60 % of"));
}

}  // namespace leg_probe_test
}  // namespace civita
