// The disturbances of the error equations beside the law's own torque and the bodies of MuJoCo.

#include "civita/study/advise/given_disturbances.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "civita/study/advise/advice.h"
#include "tests/oracles/linear.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace given_disturbances_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::unique_ptr<Scene> Load(const std::string& scene, const std::vector<std::string>& sets) {
  return LoadScene(ReadConfig(scene, sets));
}

// −H⁻¹ ∂τ/∂ν of the law's torque at q_d, v_d + ν, by central differences.
TEST(GivenDisturbances, NoiseActsAsTheLawsTorqueDoes) {
  const auto scene = Load("arm7_twist", {"controller.factorization=t:-2", "reference.fade_s=0",
                                         "controller.gain_form=diagonal", "gains.K_D=4",
                                         "gains.Lambda=3", "physics.contacts=false"});
  const Model& model = scene->control_model;
  const int n = model.nv();
  const ErrorGains gains = FindErrorGains(*scene);
  const auto samples = SampleReference(*scene, 0.4, 0.9, 3);
  const auto along =
      SampleTorsion(model, nullptr, scene->controller->factorization(), gains, samples);
  const ReferenceSample& first = samples.front();
  const ReferenceState reference{first.q, first.v, first.vdot};
  ControlOutput output(*scene->controller);
  const auto torque = [&](const VectorXd& v) -> VectorXd {
    const Measurement measured{first.t, first.q, v};
    EXPECT_EQ(scene->controller->CalcControl(measured, reference, output), Status::kOk);
    return output.tau;
  };
  MatrixXd rate(n, n);
  constexpr double h = 1e-4;
  for (int i = 0; i < n; ++i) {
    const VectorXd step = h * VectorXd::Unit(n, i);
    rate.col(i) = (torque(first.v + step) - torque(first.v - step)) / (2 * h);
  }
  const MatrixXd expected = -linear::Solve(along.samples.front().H, rate);
  const MatrixXd start = CalcNoiseStart(along, 1);
  EXPECT_LE((start - expected).norm(), 1e-6 * expected.norm()) << start << "\n\n" << expected;
  EXPECT_GT((CalcNoiseStart(along, 0) - start).norm(), 0.01 * start.norm());
}

// Without welded bodies, in the axes of the body's frame.
TEST(GivenDisturbances, PushesActAtTheBodysOwnCentreOfMass) {
  const auto scene = Load("arm7", {"pushes=[{body: hand, start_s: 0.1, duration_s: 0.01, "
                                   "force_N: [30, -20, 10]}]"});
  const int id = mj_name2id(scene->mj.get(), mjOBJ_BODY, "hand");
  ASSERT_GT(id, 0);
  std::vector<std::string> left_out;
  const auto impulses = MakePushImpulses(*scene, &left_out);
  ASSERT_EQ(impulses.size(), 2u);
  EXPECT_TRUE(left_out.empty());
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(scene->mj.get()),
                                                               &mj_deleteData);
  const int n = scene->control_model.nv();
  const auto reference = SampleReference(*scene, impulses[0].t, impulses[0].t + 1, 2);
  VectorXd::Map(data->qpos, n) = reference.front().q;
  mj_kinematics(scene->mj.get(), data.get());
  mj_comPos(scene->mj.get(), data.get());
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> J(3, n);
  mj_jacBodyCom(scene->mj.get(), data.get(), J.data(), nullptr, id);
  const VectorXd expected = J.transpose() * Eigen::Vector3d(30, -20, 10) * 0.005;
  EXPECT_LE((impulses[0].p - expected).norm(), 1e-9 * expected.norm())
      << impulses[0].p.transpose() << "\n"
      << expected.transpose();
  EXPECT_GT(FindPushPoint(*scene, "hand").norm(), 1e-3);
}

// A sine without a duration lasts as long as the run, and its slices tell its phase.
TEST(GivenDisturbances, ASineLastsUntilTheEnd) {
  const auto scene = Load("arm7", {"pushes=[{body: hand, start_s: 0.1, shape: sine, "
                                   "frequency_hz: 40, force_N: [3, 0, 0]}]",
                                   "duration_s=0.35"});
  std::vector<std::string> left_out;
  const auto impulses = MakePushImpulses(*scene, &left_out);
  ASSERT_EQ(impulses.size(), 200u);  // of 1.25 ms
  EXPECT_TRUE(left_out.empty());
  EXPECT_NEAR(impulses.back().t, 0.35 - 0.5 * 0.00125, 1e-12);
  VectorXd sum = VectorXd::Zero(scene->control_model.nv());
  for (std::size_t i = 0; i < 20; ++i) sum += impulses[i].p;  // of one period
  EXPECT_LE(sum.norm(), 0.02 * impulses[5].p.norm());
  EXPECT_GT(impulses[5].p.norm(), 1e-4);
  EXPECT_EQ(SlicePush({.start_s = 2, .duration_s = 1}, 1).number, 0) << "after the end";
  EXPECT_EQ(SlicePush({.start_s = 0.9, .duration_s = 1}, 1).number, 20) << "cut by the end";
}

// On its coordinates as MuJoCo has them, of a ball, too.
TEST(GivenDisturbances, APushOnAJointActsOnItsCoordinates) {
  const auto scene = Load("ball_arm", {"reference.fade_s=0", "duration_s=2",
                                       "pushes=[{joint: elbow, duration_s: 0.005, "
                                       "joint_force: [1, 2, 3]}]"});
  std::vector<std::string> left_out;
  const auto impulses = MakePushImpulses(*scene, &left_out);
  ASSERT_EQ(impulses.size(), 1u);
  EXPECT_TRUE(left_out.empty());
  VectorXd expected = VectorXd::Zero(scene->control_model.nv());
  AddJointPush(*scene->mj, scene->pushes.front(), 0.005, expected);
  EXPECT_LE((impulses[0].p - expected).norm(), 1e-15);
  EXPECT_NEAR(expected.norm(), 0.005 * std::sqrt(14.0), 1e-15);
}

// One of two floating robots is pushed through its own centre of mass, as MuJoCo does.
TEST(GivenDisturbances, APushOfATreeActsAtItsCentreOfMass) {
  const TemporaryFolder folder;
  std::string model = "<mujoco><option gravity='0 0 0'/><worldbody>";
  for (const char* place : {"'one' pos='0 0 1'", "'other' pos='3 1 2'"}) {
    model += "<body name=" + std::string(place) +
             "><freejoint/><geom type='box' size='.2 .1 .1' mass='3'/><body pos='.3 0 0'>"
             "<joint axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 .2 .1 .3' "
             "mass='2'/></body></body>";
  }
  folder.Write("two.xml", model + "</worldbody></mujoco>");
  const std::string config =
      folder.Write("two.yaml",
                   "model: two.xml\nduration_s: 1\nreference: {type: hold}\n"
                   "pushes: [{start_s: 0.1, duration_s: 0.005, force_N: [3, -20, 10]}]\n");
  const auto scene = Load(config, {});
  const mjModel& m = *scene->mj;
  std::vector<std::string> left_out;
  const auto impulses = MakePushImpulses(*scene, &left_out);
  ASSERT_EQ(impulses.size(), 1u);
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(&m), &mj_deleteData);
  VectorXd::Map(data->qpos, m.nq) = scene->q_start;
  mj_fwdPosition(&m, data.get());
  const double force[] = {3, -20, 10}, none[] = {0, 0, 0};
  VectorXd expected = VectorXd::Zero(m.nv);
  mj_applyFT(&m, data.get(), force, none, data->subtree_com + 3, 1, expected.data());
  EXPECT_LE((impulses[0].p - 0.005 * expected).norm(), 1e-12) << impulses[0].p.transpose();
  EXPECT_GT(expected.segment<3>(3).norm(), 0.1);
}

TEST(GivenDisturbances, NoiseOfAFloatingRobotIsThatOfItsBaseToo) {
  const auto error = [](const std::string& noise) {
    const auto scene = Load("space_arm", {noise, "reference.fade_s=0", "duration_s=3"});
    return CalcNoiseError(*scene, FindErrorGains(*scene), Factorization::Christoffel(), 0, 1);
  };
  const double angular = error("noise.angular_velocity=0.01");
  EXPECT_GT(angular, 1e-6);
  EXPECT_NEAR(error("noise.angular_velocity=0.03"), 3 * angular, 1e-9 * angular);
  EXPECT_GT(error("noise.velocity=0.01"), 1e-6);
  EXPECT_EQ(error("noise.joint_position=0.01"), 0);
}

// The law's torque overcomes a damper, d v, whose rate it therefore lacks while it is late.
TEST(GivenDisturbances, ALateTorqueLacksTheRateOfItsDampers) {
  const TemporaryFolder folder;
  const auto late = [&](const std::string& damping) {
    folder.Write(
        "arm.xml",
        "<mujoco><option integrator='RK4'/><worldbody><body><joint axis='0 1 0' damping='" +
            damping +
            "'/><geom type='capsule' size='.03' fromto='0 0 0 0 0 .5' "
            "mass='1'/></body></worldbody></mujoco>");
    const auto scene = Load(folder.Write("arm.yaml",
                                         "model: arm.xml\nduration_s: 1\n"
                                         "reference: {type: sinusoid, amplitude: 0.5, "
                                         "frequency_hz: 0.6, fade_s: 0}\n"),
                            {});
    const ErrorGains gains{VectorXd::Constant(1, 5), VectorXd::Constant(1, 10), GainForm::kMass,
                           0.002, 0.01};
    const auto reference = SampleReference(*scene, 0, 1, 400);
    const auto along = SampleTorsion(scene->control_model, nullptr, Factorization::Christoffel(),
                                     gains, reference);
    ErrorForcing forcing;
    AddLateForces(along, *scene, reference, &forcing);
    return std::pair(forcing.d, reference);
  };
  const auto [with, reference] = late("2");
  const auto without = late("0").first;
  for (const std::size_t i : {100u, 250u}) {
    const double expected = -(0.01 + 0.001) * 2 * reference[i].vdot[0];
    EXPECT_NEAR(with[i][0] - without[i][0], expected, 1e-3 * std::abs(expected));
  }
}

}  // namespace given_disturbances_test
}  // namespace civita
