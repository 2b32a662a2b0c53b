#include "civita/sim/sensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/sim/simulation.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace sensors_test {

using testing::HasSubstr;

Simulation Load(const std::vector<std::string>& overrides) {
  return Simulation(LoadScene(ReadConfig("arm7", overrides)));
}

/// The law's measurement: e is the measured q − q_d.
Eigen::VectorXd Seen(const Simulation& simulation) {
  const StepRecord& r = simulation.record();
  return r.e + r.q_d;
}

TEST(SensorsTest, EncodersCountWholeSteps) {
  Simulation simulation = Load({"control.encoder_resolution=0.002", "duration_s=1"});
  double most = 0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(simulation.Step());
    const Eigen::VectorXd seen = Seen(simulation);
    for (Eigen::Index k = 0; k < seen.size(); ++k) {
      EXPECT_NEAR(seen[k] / 0.002, std::round(seen[k] / 0.002), 1e-9);
    }
    const double off = (seen - simulation.record().q).cwiseAbs().maxCoeff();
    EXPECT_LE(off, 0.001 + 1e-12);
    most = std::max(most, off);
  }
  EXPECT_GT(most, 0.0009);
}

TEST(SensorsTest, WhatTheLawSeesIsExactlySoManyStepsOld) {
  Simulation simulation = Load({"control.delay_s=0.003"});
  std::vector<Eigen::VectorXd> q;
  for (size_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(simulation.Step());
    q.push_back(simulation.record().q);
    EXPECT_LE((Seen(simulation) - q[i < 3 ? 0 : i - 3]).norm(), 1e-14) << i;
  }
  EXPECT_GT((q[49] - q[46]).norm(), 1e-5);
}

// A position that moves at constant speed after rest: v_k = 1 − aᵏ.
TEST(SensorsTest, VelocityFilterRisesByItsTimeConstant) {
  const auto scene = LoadScene(ReadConfig("planar_2r"));
  constexpr double kDt = 0.002, kHz = 8;
  Sensors sensors(scene->plant, {.filter_hz = kHz, .dt = kDt});
  Measurement measured{0, Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
  Eigen::VectorXd q = Eigen::VectorXd::Zero(2);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(2);
  for (int k = 0; k < 200; ++k) {
    q[0] = k * kDt;
    sensors.Measure(q, rest, {}, measured);
    EXPECT_NEAR(measured.v[0], 1 - std::exp(-2 * std::numbers::pi * kHz * k * kDt), 1e-12);
    EXPECT_EQ(measured.v[1], 0);
  }
}

// The difference is that of the manifold, here for a ball that spins at a constant rate.
TEST(SensorsTest, VelocityOfRotationsIsInBodyAxes) {
  const TemporaryFolder folder;
  const std::string path = folder.Write(
      "ball.xml",
      "<mujoco><worldbody><body><joint type='ball'/><geom size='.1' pos='.2 0 0'/></body>"
      "</worldbody></mujoco>");
  const auto scene = LoadScene(ReadConfig(path));
  Sensors sensors(scene->plant, {.resolution = 0.1, .filter_hz = 1e6, .dt = 0.001});
  Measurement measured{0, Eigen::VectorXd::Zero(4), Eigen::VectorXd::Zero(3)};
  const Eigen::Vector3d omega(0.3, -2, 1.1);
  Eigen::VectorXd q = scene->plant.DefaultPosition();
  for (int k = 0; k < 20; ++k) {
    sensors.Measure(q, omega, {}, measured);
    EXPECT_LE((measured.v - omega).norm(), 1e-10);
    EXPECT_EQ(measured.q, q);
    const Eigen::VectorXd before = q;
    IntegratePosition(scene->plant, before, omega, 0.001, q);
  }
}

/// Measurements at rest of a robot with a floating base, minus the truth: nv rows of q ⊖ q_true
/// and v, one column for each sample.
struct NoiseSamples {
  Eigen::MatrixXd q, v;
};
NoiseSamples SampleNoise(const Model& model, const Sensors::Options& options, int n) {
  Sensors sensors(model, options);
  Eigen::VectorXd q = model.DefaultPosition();
  q.segment<4>(3) = Eigen::Vector4d(0.5, -0.5, 0.5, 0.5);
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(model.nv(), 0.3);
  Measurement measured;
  NoiseSamples samples{Eigen::MatrixXd(model.nv(), n), Eigen::MatrixXd(model.nv(), n)};
  Eigen::VectorXd e(model.nv());
  for (int k = 0; k < n; ++k) {
    sensors.Measure(q, v, {}, measured);
    DifferencePosition(model, measured.q, q, e);
    samples.q.col(k) = e;
    samples.v.col(k) = measured.v - v;
  }
  return samples;
}

constexpr NoiseConfig kNoise = {.joint_position = 5e-4,
                                .joint_velocity = 0.02,
                                .orientation = 0.0035,
                                .angular_velocity = 0.03,
                                .position = 0.002,
                                .velocity = 0.04};

double Deviation(const Eigen::Ref<const Eigen::MatrixXd>& x) {
  return std::sqrt(x.squaredNorm() / static_cast<double>(x.size()));
}

TEST(SensorsTest, NoiseHasTheDeviationsAskedForAndNoMemory) {
  const auto scene = LoadScene(ReadConfig("quadruped"));
  constexpr int kSamples = 4000;
  const NoiseSamples x =
      SampleNoise(scene->plant, {.noise = kNoise, .seed = 5, .dt = 0.001}, kSamples);
  // The standard deviation of 3 n numbers has a standard error of 1/√(6 n) = 0.65 %.
  EXPECT_NEAR(Deviation(x.q.topRows(3)), kNoise.position, 0.03 * kNoise.position);
  EXPECT_NEAR(Deviation(x.q.middleRows(3, 3)), kNoise.orientation, 0.03 * kNoise.orientation);
  EXPECT_NEAR(Deviation(x.v.topRows(3)), kNoise.velocity, 0.03 * kNoise.velocity);
  EXPECT_NEAR(Deviation(x.v.middleRows(3, 3)), kNoise.angular_velocity,
              0.03 * kNoise.angular_velocity);
  const Eigen::Index joints = x.q.rows() - 6;
  EXPECT_NEAR(Deviation(x.q.bottomRows(joints)), kNoise.joint_position,
              0.02 * kNoise.joint_position);
  EXPECT_NEAR(Deviation(x.v.bottomRows(joints)), kNoise.joint_velocity,
              0.02 * kNoise.joint_velocity);
  for (const Eigen::MatrixXd* y : {&x.q, &x.v}) {
    for (Eigen::Index i = 0; i < y->rows(); ++i) {
      const double sigma = Deviation(y->row(i));
      EXPECT_LE(std::abs(y->row(i).mean()), 5 * sigma / std::sqrt(kSamples)) << i;
      const double next = y->row(i).head(kSamples - 1).dot(y->row(i).tail(kSamples - 1)) / kSamples;
      EXPECT_LE(std::abs(next), 5 * sigma * sigma / std::sqrt(kSamples)) << i;
    }
  }
  // Different coordinates, and position and velocity, are uncorrelated.
  Eigen::MatrixXd all(2 * x.q.rows(), kSamples);
  all << x.q, x.v;
  all.array().colwise() /= all.rowwise().norm().array();
  Eigen::MatrixXd correlation = all * all.transpose();
  correlation.diagonal().setZero();
  EXPECT_LE(correlation.cwiseAbs().maxCoeff(), 5.5 / std::sqrt(kSamples));
}

TEST(SensorsTest, NoiseGoesBySeedAndSampleAlone) {
  const auto scene = LoadScene(ReadConfig("quadruped"));
  const auto sample = [&](int seed, double velocity) {
    NoiseConfig noise = kNoise;
    noise.velocity = velocity;
    return SampleNoise(scene->plant, {.noise = noise, .seed = seed, .dt = 0.001}, 20);
  };
  const NoiseSamples first = sample(1, 0.04);
  EXPECT_EQ(first.q, sample(1, 0.04).q);
  EXPECT_EQ(first.q, sample(1, 0).q) << "one key's noise does not change another's";
  EXPECT_GT((first.q - sample(2, 0.04).q).cwiseAbs().minCoeff(), 0);
}

TEST(SensorsTest, FootForcesAreAsLateAsTheRest) {
  const auto scene = LoadScene(ReadConfig("planar_2r"));
  Sensors sensors(scene->plant, {.delay = 2, .num_feet = 2, .dt = 0.001});
  const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
  Measurement measured;
  for (int k = 0; k < 9; ++k) {
    sensors.Measure(zero, zero, Eigen::Vector2d(k, 10 * k), measured);
    const int seen = std::max(0, k - 2);
    EXPECT_EQ(measured.foot_force, Eigen::Vector2d(seen, 10 * seen));
  }
}

TEST(SensorsTest, SameBitsAfterRestore) {
  Simulation simulation = Load({"control.encoder_resolution=0.001", "control.delay_s=0.002",
                                "control.velocity_filter_hz=60", "noise.joint_position=1e-4"});
  simulation.RunFor(57);
  Simulation::Saved saved;
  simulation.Save(&saved);
  simulation.RunFor(40);
  const Eigen::VectorXd q = simulation.record().q, tau = simulation.record().tau;
  simulation.Restore(saved);
  simulation.Evaluate();
  simulation.RunFor(40);
  EXPECT_EQ(simulation.record().q, q);
  EXPECT_EQ(simulation.record().tau, tau);
  simulation.Reset();
  simulation.RunFor(97);
  EXPECT_EQ(simulation.record().tau, tau);
}

TEST(SensorsTest, NothingIsChangedWhereNothingIsAsked) {
  Simulation plain = Load({});
  Simulation asked = Load({"control.delay_s=0"});
  plain.RunFor(50);
  asked.RunFor(50);
  EXPECT_EQ(Seen(plain), Seen(asked));
  EXPECT_LE((Seen(plain) - plain.record().q).norm(), 1e-14);
}

std::string ErrorOf(const std::vector<std::string>& overrides) {
  try {
    Load(overrides);
  } catch (const UserError& error) {
    return error.what();
  }
  return "loaded";
}

TEST(SensorsTest, RefusesWhatItCannotDo) {
  for (const char* key :
       {"control.delay_s", "control.encoder_resolution", "control.velocity_filter_hz",
        "control.actuation_delay_s", "noise.joint_position", "noise.joint_velocity",
        "noise.orientation_rad", "noise.angular_velocity", "noise.position_m", "noise.velocity"}) {
    EXPECT_THAT(ErrorOf({"control.mode=every_stage", std::string(key) + "=0.01"}),
                HasSubstr(std::string(key) + " needs control.mode held"));
  }
  EXPECT_THAT(ErrorOf({"control.actuation_delay_s=0.0015"}),
              HasSubstr("control.actuation_delay_s = 0.0015: a whole number of control periods"));
  EXPECT_THAT(ErrorOf({"control.delay_s=0.0015"}),
              HasSubstr("control.delay_s = 0.0015: a whole number of control periods"));
  EXPECT_THAT(ErrorOf({"control.encoder_resolution=-1"}), HasSubstr("must be a number ≥ 0"));
}

}  // namespace sensors_test
}  // namespace civita
