// The adaptive law and the momentum observer in complete runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "civita/sim/simulation.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace adaptive_run_test {

/// An arm with a ball joint whose controller assumes 0.6 of the true inertias.
Simulation MakeWrong(const TemporaryFolder& folder, const std::string& metric,
                     const std::string& mode, double dt) {
  return MakeSimulation(
      WriteBallArm(folder),
      {kBallArmThrow, "controller={type: adaptive, model_scale: 0.6, metric: " + metric + "}",
       "control.mode=" + mode, "physics.timestep_s=" + std::to_string(dt),
       "control.rate_hz=" + std::to_string(std::lround(1 / dt))});
}

class EveryMetricRuns : public testing::TestWithParam<const char*> {};

TEST_P(EveryMetricRuns, VNeverRisesWhenEvaluatedContinuously) {
  const TemporaryFolder folder;
  Simulation simulation = MakeWrong(folder, GetParam(), "every_stage", 0.001);
  double V = simulation.record().V;
  const double V_start = V, V_estimation_start = simulation.record().V_estimation;
  while (simulation.time() < 1) {
    ASSERT_TRUE(simulation.Step());
    ASSERT_LE(simulation.record().V, V + 1e-12 * V_start) << simulation.time();
    ASSERT_LE(std::abs(simulation.record().Vdot + simulation.record().P), 1e-9 * V_start);
    V = simulation.record().V;
  }
  EXPECT_LT(V, 0.99 * V_start);
  EXPECT_NE(simulation.record().V_estimation, V_estimation_start);
}

/// max |V(t) − V(0) + ∫P dt| in 0.4 s.
double PeakBalance(const char* metric, const std::string& mode, double dt) {
  const TemporaryFolder folder;
  Simulation simulation = MakeWrong(folder, metric, mode, dt);
  double peak = 0;
  while (simulation.time() < 0.4) {
    EXPECT_TRUE(simulation.Step());
    peak = std::max(peak, std::abs(simulation.record().energy_balance));
  }
  return peak;
}

TEST_P(EveryMetricRuns, BalanceIsOfFourthOrderAndOfFirstWhenHeld) {
  const double every_stage =
      PeakBalance(GetParam(), "every_stage", 0.004) / PeakBalance(GetParam(), "every_stage", 0.002);
  EXPECT_GT(every_stage, 11);
  EXPECT_LT(every_stage, 24);
  const double held =
      PeakBalance(GetParam(), "held", 0.001) / PeakBalance(GetParam(), "held", 0.0005);
  EXPECT_GT(held, 1.7);
  EXPECT_LT(held, 2.4);
}

std::string ArmWithPayload() { return DataDirectory() / "config" / "arm7_payload.yaml"; }

TEST_P(EveryMetricRuns, TheMassOfAPayloadIsFound) {
  Simulation simulation = MakeSimulation(
      ArmWithPayload(), {"controller.type=adaptive", std::string("controller.metric=") + GetParam(),
                         "controller.adapt_bodies=[hand]", "gains.gamma=0.1", "payload.at_s=0",
                         "reference.frequency_hz=[0.31, 0.43, 0.53, 0.67, 0.79, 0.91, 1.03]",
                         "reference.amplitude=[0.5, 0.3, 0.4, 0.4, 0.5, 0.4, 0.6]"});
  EXPECT_EQ(simulation.controller().FindSignal("/law/pi_hat/hand/m"), 0);
  EXPECT_EQ(simulation.controller().FindSignal("/law/pi_hat/min_eigenvalue"), 4);
  const double own = simulation.record().signals[0];
  double smallest = simulation.record().signals[4];
  ASSERT_GT(smallest, 0);
  while (simulation.time() < 20) {
    ASSERT_TRUE(simulation.Step());
    smallest = std::min(smallest, simulation.record().signals[4]);
  }
  EXPECT_NEAR(simulation.record().signals[0] - own, 2, 0.02 * 2);
  // In between, the constant metric gives the hand a non-physical inertia.
  if (std::string(GetParam()) == "log_det") {
    EXPECT_GT(smallest, 1e-3);
  } else {
    EXPECT_LT(smallest, -1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, EveryMetricRuns, testing::Values("log_det", "euclidean"),
                         [](const auto& param) { return param.param; });

/// RMS of ‖e‖ after 6 s, with 2 kg in the hand from 4 s on.
double ErrorWithPayload(const std::vector<std::string>& overrides) {
  Simulation simulation = MakeSimulation(ArmWithPayload(), overrides);
  double sum = 0;
  long count = 0;
  while (simulation.time() < 10) {
    EXPECT_TRUE(simulation.Step());
    if (simulation.record().t < 6) continue;
    sum += simulation.record().e.squaredNorm();
    ++count;
  }
  return std::sqrt(sum / static_cast<double>(count));
}

TEST(AdaptiveRun, AdaptationAndCompensationTakeAPayloadsErrorAway) {
  const double without = ErrorWithPayload({"controller.type=slotine_li"});
  const std::vector<std::string> adaptive = {"controller.type=adaptive",
                                             "controller.adapt_bodies=[hand]", "gains.gamma=0.2"};
  EXPECT_LT(ErrorWithPayload(adaptive), 0.1 * without);
  EXPECT_LT(ErrorWithPayload({"observer={gain: 20, compensate: true}"}), 0.2 * without);
}

/// Maximum error of r for a constant push of 3 N at one, two and four time constants, divided by
/// the push. The force on the point mass is a joint force.
double ErrorOfObserver(const std::string& mode, const std::string& law) {
  Simulation simulation = MakeSimulation(
      "point_mass", {"control.mode=" + mode, "controller.type=" + law, "controller.model_scale=1",
                     "pushes=[{body: mass, start_s: 0, duration_s: 5, force_N: [3, -3, 3]}]",
                     "observer={gain: 5, threshold: 1}"});
  const long steps_per_time_constant = std::lround(0.2 / simulation.control_dt());
  double error = 0;
  for (const int n : {1, 2, 4}) {
    const double t = 0.2 * n;
    simulation.RunFor(n * steps_per_time_constant + 1 - simulation.step());
    EXPECT_EQ(simulation.failure().reason, "");
    const double expected = 3 * (1 - std::exp(-5 * t));
    const Eigen::VectorXd& signals = simulation.record().signals;
    const auto own = signals.size() - 7;
    const Eigen::Vector3d r = signals.segment<3>(own);
    EXPECT_NEAR(simulation.record().t, t, 1e-12);
    error = std::max(error, (r - expected * Eigen::Vector3d(1, -1, 1)).cwiseAbs().maxCoeff() / 3);
    EXPECT_EQ(signals[signals.size() - 1], 1);
  }
  return error;
}

TEST(AdaptiveRun, EstimatesThatLeaveAllBoundsFailTheRunBeforeItsNumbersDo) {
  for (const char* mode : {"held", "every_stage"}) {
    Simulation simulation = MakeSimulation(
        "arm7_payload_adaptive", {"gains.gamma=1e-8", std::string("control.mode=") + mode});
    while (simulation.time() < 0.3 && simulation.Step()) {
      ASSERT_TRUE(std::isfinite(simulation.record().V)) << mode << simulation.time();
      ASSERT_TRUE(std::isfinite(simulation.record().energy_balance)) << mode << simulation.time();
    }
    EXPECT_TRUE(simulation.failure().failed) << mode;
    EXPECT_NE(simulation.failure().reason.find("is not a finite number"), std::string::npos)
        << mode;
  }
}

TEST(Observer, FollowsAConstantForceInBothModesWithEveryLaw) {
  for (const char* law : {"slotine_li", "adaptive", "pd_gravity", "computed_torque"}) {
    EXPECT_LE(ErrorOfObserver("every_stage", law), 1e-8) << law;
    EXPECT_LE(ErrorOfObserver("held", law), 0.01) << law;
  }
}

TEST(Observer, CompensationIsBooked) {
  const TemporaryFolder folder;
  const std::string model = WriteBallArm(folder);
  for (const char* compensate : {"false", "true"}) {
    Simulation simulation = MakeSimulation(
        model, {"control.mode=every_stage",
                "pushes=[{body: hand, start_s: 0.1, duration_s: 0.1, force_N: [0, 20, 10]}]",
                std::string("observer={gain: 20, compensate: ") + compensate + "}"});
    double peak_V = 0, peak_balance = 0;
    while (simulation.time() < 0.4) {
      ASSERT_TRUE(simulation.Step());
      peak_V = std::max(peak_V, simulation.record().V);
      peak_balance = std::max(peak_balance, std::abs(simulation.record().energy_balance));
    }
    EXPECT_GT(peak_V, 1e-3) << compensate;
    EXPECT_LT(peak_balance, 1e-6 * peak_V) << compensate;
  }
}

TEST(Observer, GoesBackWithThePlant) {
  Simulation simulation = MakeSimulation("arm7", {"observer.gain=20", "controller.type=adaptive"});
  simulation.RunFor(100);
  Simulation::Saved saved;
  simulation.Save(&saved);
  simulation.RunFor(100);
  const Eigen::VectorXd later = simulation.record().signals;
  simulation.Restore(saved);
  simulation.RunFor(100);
  EXPECT_EQ(simulation.record().signals, later);
}

TEST(AdaptiveRun, ThatAPassiveJointDrivesTheEstimatesIsTold) {
  const TemporaryFolder folder;
  const auto notices = [&](const std::string& motor, const std::string& law) {
    const std::string file = folder.Write(
        "arm.xml",
        "<mujoco><worldbody><body><joint name='one' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/>"
        "<body pos='.4 0 0'><joint name='two' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body>"
        "</body></worldbody><actuator><motor joint='one'/>" +
            motor + "</actuator></mujoco>");
    return LoadScene(ReadConfig(file, {"controller.type=" + law}))->notices;
  };
  const auto told = testing::Contains(testing::HasSubstr("may grow without bound: two"));
  EXPECT_THAT(notices("", "adaptive"), told);
  EXPECT_THAT(notices("", "slotine_li"), testing::Not(told));
  EXPECT_THAT(notices("<motor joint='two'/>", "adaptive"), testing::Not(told));
}

}  // namespace adaptive_run_test
}  // namespace civita
