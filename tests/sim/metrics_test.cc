// Each metric on a signal whose value is known.

#include "civita/sim/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "civita/coriolis.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/sim/error_turning.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/simulation.h"
#include "tests/oracles/linear.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace metrics_test {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kDt = 0.001;
constexpr double kPi = std::numbers::pi;

TEST(TorqueMetrics, RateOfARampIsItsSlope) {
  TorqueMetrics metrics(2, kDt);
  for (int k = 0; k < 50; ++k) metrics.Add(Vector2d(3 * kDt * k, -4 * kDt * k), Vector2d(0, 0));
  EXPECT_NEAR(metrics.rate(), 5, 1e-9);
  EXPECT_TRUE(std::isnan(metrics.high_frequency_share())) << "shorter than a second";
  TorqueMetrics single(1, kDt);
  single.Add(VectorXd::Ones(1), VectorXd::Ones(1));
  EXPECT_TRUE(std::isnan(single.rate()));
}

TEST(TorqueMetrics, RateOfASineIsItsAmplitudeTimesItsFrequency) {
  TorqueMetrics metrics(1, kDt);
  for (int k = 0; k <= 1000; ++k) {
    metrics.Add(VectorXd::Constant(1, 2 * std::sin(2 * kPi * 3 * k * kDt)), VectorXd::Zero(1));
  }
  EXPECT_NEAR(metrics.rate(), 2 * 2 * kPi * 3 / std::sqrt(2), 1e-3);
}

TEST(TorqueMetrics, EnergyCountsBraking) {
  TorqueMetrics metrics(2, kDt);
  for (int k = 0; k <= 2000; ++k) {
    metrics.Add(Vector2d(2, -3), Vector2d(std::sin(kPi * k * kDt), 1));
  }
  EXPECT_NEAR(metrics.energy(), 2 * (4 / kPi) + 3 * 2, 1e-5);
}

/// Amplitudes a at 5 Hz and b at 50 Hz: the share is b²/(a² + b²), whatever the constant.
double ShareOf(double a, double b, double low_hz, double high_hz, double seconds) {
  TorqueMetrics metrics(2, kDt);
  for (int k = 0; k < seconds / kDt; ++k) {
    const double t = k * kDt;
    metrics.Add(Vector2d(100 + a * std::sin(2 * kPi * low_hz * t),
                         -7 + b * std::cos(2 * kPi * high_hz * t)),
                Vector2d::Zero());
  }
  return metrics.high_frequency_share();
}

TEST(TorqueMetrics, HighFrequencyShareOfTwoTones) {
  EXPECT_NEAR(ShareOf(2, 1, 5, 50, 1), 0.2, 1e-9);
  EXPECT_NEAR(ShareOf(2, 1, 5, 50, 3.7), 0.2, 1e-9);
  EXPECT_NEAR(ShareOf(1, 1, 5, 17, 2), 0, 1e-12);
  EXPECT_NEAR(ShareOf(1, 1, 24, 400, 2), 1, 1e-12);
  // The bin of 20 Hz itself counts as low; one third of a Hann window's main lobe there is above.
  EXPECT_NEAR(ShareOf(0, 1, 5, 20, 2), 1.0 / 6, 1e-9);
}

// A pendulum that is held at its lower end falls against its stop, if it has one.
TEST(StepMetrics, CountsStepsAtAStop) {
  const TemporaryFolder folder;
  const auto count = [&](const std::string& stop) {
    folder.Write("pendulum.xml",
                 "<mujoco><worldbody><body><joint axis='0 1 0' " + stop +
                     "/><geom type='capsule' size='.02' fromto='0 0 0 0 0 -.4' mass='1' "
                     "contype='0' conaffinity='0'/></body></worldbody></mujoco>");
    Simulation simulation(
        LoadScene(ReadConfig(folder.Write("pendulum.yaml",
                                          "model: pendulum.xml\ncontrol: {mode: held}\n"
                                          "reference: {type: hold}\ninitial: {v: [4]}\n"),
                             {})));
    MetricSet metrics(simulation, {"constrained_steps"});
    for (int i = 0; i < 300 && simulation.Step(); ++i) metrics.Add(simulation.record());
    return metrics.value("constrained_steps");
  };
  EXPECT_EQ(count(""), 0);
  EXPECT_GT(count("range='-.3 .1' limited='true'"), 0);
}

TEST(PassivityResidual, IsOfFourthOrderForAnExactDecayAndSeesAnErrorOfTheRate) {
  const auto residual = [](double dt, double rate_error) {
    PassivityResidual r(dt);
    for (int k = 0; k * dt <= 1; ++k) {
      const double V = std::exp(-3 * k * dt);
      r.Add(V, (3 + rate_error) * V, false);
    }
    return r.relative();
  };
  EXPECT_NEAR(residual(0.02, 0) / residual(0.01, 0), 16, 1);
  EXPECT_LT(residual(0.01, 0), 1e-6);
  EXPECT_NEAR(residual(0.001, 0.3), 0.3 / 3.3, 1e-3);
}

TEST(PassivityResidual, LeavesMarkedStepsOut) {
  PassivityResidual r(kDt);
  for (int k = 0; k < 10; ++k) r.Add(k < 5 ? 1 : 2, 0.5, k == 4);  // V jumps in step 4
  EXPECT_EQ(r.marked(), 1);
  EXPECT_EQ(r.counted(), 6);  // r_3 and r_4 are excluded
  EXPECT_NEAR(r.largest(), 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(PassivityResidual(kDt).relative()));
}

/// A point of 1 kg: H = 1, C = 0; β is that of C = β(v×).
class PointMassMetrics : public testing::Test {
 protected:
  PointMassMetrics() : simulation_(MakeSimulation("point_mass")) {}
  ErrorTurning MakeTurning(const std::string& factorization = "christoffel") const {
    const Scene& scene = simulation_.scene();
    return {scene, ParseFactorization(factorization, scene.control_model), kDt};
  }
  Simulation simulation_;
};

TEST_F(PointMassMetrics, LengthsOfACircleAndALine) {
  MotionMetrics metrics(simulation_.scene());
  for (int k = 0; k <= 1000; ++k) {
    const double angle = 2 * kPi * k / 1000;
    metrics.Add(Vector3d(std::cos(angle), 0, std::sin(angle)), Vector3d(0.004 * k, 0.003 * k, 0));
  }
  EXPECT_NEAR(metrics.path(), 2 * kPi, 2e-5);
  EXPECT_NEAR(metrics.ee_path(), 2 * kPi, 2e-5);
  EXPECT_NEAR(metrics.path_reference(), 5, 1e-9);
  EXPECT_NEAR(metrics.ee_path_reference(), 5, 1e-9);
  EXPECT_NEAR(metrics.ee().x(), 1, 1e-12);
}

TEST_F(PointMassMetrics, TwistIsTheAngleThroughWhichSTurnsHoweverItShrinks) {
  ErrorTurning turning = MakeTurning();
  for (int k = 0; k <= 1000; ++k) {  // three turns, two of them below the floor
    const double angle = 6 * kPi * k / 1000, size = std::exp(-6.9077 * k / 1000);
    const Vector3d s = size * Vector3d(0, std::cos(angle), std::sin(angle));
    turning.Add(Vector3d::Zero(), s);
  }
  EXPECT_NEAR(turning.twist(), 6 * kPi * 2 / 3, 0.03);
}

TEST_F(PointMassMetrics, TinyAnglesKeepTheirDigits) {
  ErrorTurning turning = MakeTurning();
  for (int k = 0; k <= 100; ++k) {
    turning.Add(Vector3d::Zero(), Vector3d(1, 1e-12 * k, 0));
  }
  EXPECT_NEAR(turning.twist(), 1e-10, 1e-15);
}

TEST_F(PointMassMetrics, IdealTurningIsBetaTimesTheSpeedAcrossS) {
  ErrorTurning turning = MakeTurning("joint:-5");
  for (int k = 0; k <= 1000; ++k) {  // v = (3, 4, 0) m/s for a second, s along x
    turning.Add(Vector3d(3e-3 * k, 4e-3 * k, 0), Vector3d(2, 0, 0));
  }
  EXPECT_NEAR(turning.ideal_turning(), 5 * 4, 1e-8);
  EXPECT_NEAR(turning.twist(), 0, 1e-12);
}

// A throw turns s at once; that is no turning along the motion.
TEST_F(PointMassMetrics, AThrowIsNoTwist) {
  ErrorTurning turning = MakeTurning();
  turning.Add(Vector3d::Zero(), Vector3d(1, 0, 0));
  turning.Add(Vector3d::Zero(), Vector3d(1, 0, 0));
  turning.Break();
  turning.Add(Vector3d::Zero(), Vector3d(0, 1e-3, 0));
  EXPECT_EQ(turning.twist(), 0);
  turning.Add(Vector3d::Zero(), Vector3d(1e-3, 1e-3, 0));
  EXPECT_NEAR(turning.twist(), kPi / 4, 1e-9) << "‖s‖ is measured anew";
}

TEST(ErrorTurning, WhatIsCarriedAlongACurveDoesNotTwist) {
  // s by parallel transport with a fine step, on an arm with ball joint, hinge and slide.
  const TemporaryFolder folder;
  const Simulation simulation = MakeSimulation(WriteBallArm(folder));
  const Model& plant = simulation.scene().plant;
  const auto twist = [&](double dt) {
    ErrorTurning turning(simulation.scene(), {}, dt);
    VectorXd q = simulation.scene().q_start;
    VectorXd s = VectorXd::LinSpaced(plant.nv(), -1, 2);
    const VectorXd v = VectorXd::LinSpaced(plant.nv(), 1, -0.5);
    Workspace<double> workspace(plant);
    Eigen::MatrixXd C(plant.nv(), plant.nv()), H = C;
    constexpr int kSubsteps = 200;
    for (int k = 0; k * dt <= 0.5; ++k) {
      turning.Add(q, s);
      for (int i = 0; i < kSubsteps; ++i) {
        const double h = dt / kSubsteps;
        VectorXd middle = q;
        IntegratePosition<double>(plant, q, v, 0.5 * h, middle);
        UpdateKinematics(plant, middle, v, workspace);
        CalcCoriolisMatrix(plant, {}, workspace, {.C = C, .H = H});
        s = linear::Solve(H + 0.5 * h * C, (H - 0.5 * h * C) * s);
        IntegratePosition<double>(plant, q, v, h, q);
      }
    }
    return turning.twist();
  };
  const double coarse = twist(0.02), fine = twist(0.01);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.3);
}

}  // namespace metrics_test
}  // namespace civita
