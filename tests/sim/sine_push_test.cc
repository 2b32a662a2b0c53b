// Forces on bodies and joints that go as a sine: what they do to the motion.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace sine_push_test {

using Eigen::VectorXd;

using Sets = std::vector<std::string>;

Sets Join(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// One slide of 2 kg, held by Slotine–Li's law at rest.
std::string WriteSlide(const TemporaryFolder& folder) {
  folder.Write("m.xml", R"(<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>
    <body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/></body>
    </worldbody></mujoco>)");
  return folder.Write("c.yaml",
                      "model: m.xml\nreference: {type: hold}\ncontrol: {mode: every_stage}\n"
                      "gains: {Lambda: 3, K_D: 4}\n");
}

/// Amplitude of the position's answer, after transients, and its phase against the force's.
struct Answer {
  double gain = 0, phase = 0;
};

Answer MeasureAnswer(const std::string& config, double frequency_hz, const Sets& push) {
  Simulation simulation = MakeSimulation(config, push);
  const double omega = 2 * std::numbers::pi * frequency_hz, dt = simulation.control_dt();
  const auto periods = [&](double t) { return std::ceil(t * frequency_hz) / frequency_hz; };
  const long skip = std::lround(periods(8) / dt), count = std::lround(periods(2) / dt);
  simulation.RunFor(skip);
  double in = 0, out = 0;
  for (long i = 0; i < count; ++i) {
    const double t = simulation.time(), x = simulation.data()->qpos[0];
    in += 2 * x * std::sin(omega * t) / static_cast<double>(count);
    out += 2 * x * std::cos(omega * t) / static_cast<double>(count);
    EXPECT_TRUE(simulation.Step());
  }
  return {std::hypot(in, out), std::atan2(out, in)};
}

/// m ë + (K_D m + Λ m) ė + K_D Λ m e = F sin ωt.
TEST(SinePush, IsAnsweredAsTheLinearEquationSays) {
  const TemporaryFolder folder;
  const std::string config = WriteSlide(folder);
  for (const double f : {0.5, 2.0}) {
    const std::string frequency = "pushes.0.frequency_hz=" + std::to_string(f);
    const double w = 2 * std::numbers::pi * f;
    const double real = 2 * (12 - w * w), imaginary = 2 * 7 * w;
    for (const Sets& push : {Sets{"pushes.0.body=cart", "pushes.0.force_N=[5,0,0]"},
                             Sets{"pushes.0.joint=rail", "pushes.0.joint_force=[5]"}}) {
      const Answer answer =
          MeasureAnswer(config, f, Join(push, {"pushes.0.shape=sine", frequency}));
      EXPECT_NEAR(answer.gain, 5 / std::hypot(real, imaginary), 1e-3 * answer.gain);
      EXPECT_NEAR(answer.phase, -std::atan2(imaginary, real), 2e-3);
      const Answer shifted = MeasureAnswer(
          config, f, Join(push, {"pushes.0.shape=sine", frequency, "pushes.0.phase_rad=0.4"}));
      EXPECT_NEAR(shifted.phase - answer.phase, 0.4, 2e-3);
    }
  }
}

TEST(SinePush, LastsAsLongAsItIsToldTo) {
  const TemporaryFolder folder;
  const std::string config = WriteSlide(folder);
  const Sets push = {"pushes.0.joint=rail", "pushes.0.joint_force=[5]", "pushes.0.shape=sine",
                     "pushes.0.frequency_hz=1", "pushes.0.start_s=0.2"};
  Simulation simulation = MakeSimulation(config, Join(push, {"pushes.0.duration_s=0.1"}));
  simulation.RunFor(200);
  EXPECT_EQ(simulation.data()->qpos[0], 0);
  simulation.RunFor(150);
  EXPECT_NE(simulation.data()->qpos[0], 0);
  Simulation goes_on = MakeSimulation(config, push);
  goes_on.RunFor(350);
  EXPECT_NE(goes_on.data()->qpos[0], simulation.data()->qpos[0]);
}

/// V(t) − V(0) + ∫P dt − ∫P_ext dt of a ball joint, a hinge and a slide under pushes on each.
TEST(SinePush, OnJointsIsInTheEnergyBalance) {
  const TemporaryFolder folder;
  const std::string model = WriteBallArm(folder);
  for (const std::string mode : {"every_stage", "held"}) {
    SCOPED_TRACE(mode);
    const auto balance = [&](const Sets& pushes) {
      Simulation simulation = MakeSimulation(
          model, Join({"control.mode=" + mode, "initial.v_error=[0.1,0.2,-0.1,0.3,0.1]"}, pushes));
      simulation.RunFor(500);
      EXPECT_FALSE(simulation.failure().failed) << simulation.failure().reason;
      return std::pair(simulation.record().energy_balance, simulation.record().V);
    };
    const Sets pushes = {
        "pushes.0.joint=shoulder",  "pushes.0.joint_force=[1,-2,3]", "pushes.0.shape=sine",
        "pushes.0.frequency_hz=2",  "pushes.1.joint=elbow",          "pushes.1.joint_force=[0.5]",
        "pushes.1.start_s=0.05",    "pushes.1.duration_s=0.3",       "pushes.2.joint=reach",
        "pushes.2.joint_force=[4]", "pushes.2.shape=half_sine"};
    const auto [error, V] = balance(pushes);
    const auto [quiet_error, quiet_V] = balance({});
    EXPECT_GT(std::abs(V - quiet_V), 1e-3);
    EXPECT_LE(std::abs(error), mode == "held" ? 2e-2 : 1e-8) << quiet_error;
  }
}

}  // namespace sine_push_test
}  // namespace civita
