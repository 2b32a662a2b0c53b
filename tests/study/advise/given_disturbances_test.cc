// The disturbances of the error equations beside the law's own torque and the bodies of MuJoCo.

#include "civita/study/advise/given_disturbances.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/LU>
#include <memory>
#include <string>
#include <vector>

#include "civita/study/advise/advice.h"

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
    EXPECT_EQ(scene->controller->CalcControl(measured, reference, output), ControlStatus::kOk);
    return output.tau;
  };
  MatrixXd rate(n, n);
  constexpr double h = 1e-4;
  for (int i = 0; i < n; ++i) {
    const VectorXd step = h * VectorXd::Unit(n, i);
    rate.col(i) = (torque(first.v + step) - torque(first.v - step)) / (2 * h);
  }
  const MatrixXd expected = -along.samples.front().H.inverse() * rate;
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

}  // namespace given_disturbances_test
}  // namespace civita
