#include "civita/scenes/plant/stiffness.h"

#include <Eigen/Eigenvalues>

#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/scenes/schema/text.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/workspace.h"

namespace civita {
namespace {

constexpr double kStiff = 1;  // maximum of K_D·dt over the inertia without a notice

}  // namespace

std::string DescribeStiffness(const SceneData& scene, const Eigen::VectorXd& K_D) {
  if (scene.law->damping != DampingForm::kInertia || scene.config.mode != ControlMode::kHeld ||
      scene.closed)
    return "";
  const Model& model = scene.control_model;
  Workspace<double> workspace(model);
  Eigen::MatrixXd H(model.nv(), model.nv());
  UpdateKinematics(model, scene.q_start, workspace);
  CalcMassMatrix(model, workspace, H);
  const Eigen::VectorXd root = K_D.cwiseSqrt();
  const Eigen::MatrixXd K = scene.config.gain_form == GainForm::kMass
                                ? Eigen::MatrixXd(root.asDiagonal() * H * root.asDiagonal())
                                : Eigen::MatrixXd(K_D.asDiagonal());
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, H);
  if (eigen.info() != Eigen::Success) return "";
  const Eigen::Index last = model.nv() - 1;
  const double stiffness = eigen.eigenvalues()[last] / scene.config.rate_hz;
  if (!(stiffness > kStiff)) return "";
  Eigen::Index worst = 0;
  eigen.eigenvectors().col(last).cwiseAbs().maxCoeff(&worst);
  return "gains.K_D is stiff for " + ToYamlText(scene.config.rate_hz) + " Hz: K_D·dt is " +
         internal::ShortNumber(stiffness) + " times the inertia at the start, most at " +
         scene.velocity_names[static_cast<size_t>(worst)] +
         "; the velocity error oscillates from 1 on and grows from 2 on";
}

}  // namespace civita
