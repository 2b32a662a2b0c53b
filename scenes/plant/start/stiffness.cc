#include "civita/scenes/plant/stiffness.h"

#include <Eigen/Core>

#include "base/decompositions.h"
#include "base/number_text.h"
#include "base/text.h"
#include "civita/controllers/damping_force.h"
#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/passive_forces.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/space_kinematics.h"
#include "civita/workspace.h"

namespace civita {
namespace {

constexpr double kStiff = 1;     // maximum of K_D·dt over the inertia without a notice, held
constexpr double kEuler = 2;     // |1 − x| < 1 below
constexpr double kFollowed = 1;  // of damping by Runge–Kutta steps, whatever the inertia does

bool HasExactLoops(const SceneData& scene) {
  return scene.closed && scene.config.plant.loops == LoopForm::kExact;
}

bool IsHeld(const SceneData& scene) { return scene.config.mode == ControlMode::kHeld; }

}  // namespace

double GrowsFrom(const SceneData& scene) { return IsHeld(scene) ? kEuler : kRungeKuttaBound; }

double ControlStepOf(const SceneData& scene) {
  return IsHeld(scene) ? 1 / scene.config.rate_hz : scene.mj->opt.timestep;
}

std::optional<Stiffness> CalcDampingStiffness(const SceneData& scene, const Eigen::VectorXd& K_D,
                                              const Eigen::VectorXd& q) {
  const Model& model = scene.control_model;
  if (scene.law->damping != DampingForm::kInertia || scene.closed) return std::nullopt;
  if (K_D.size() != model.nv()) return std::nullopt;  // of another robot; the law refuses it
  Workspace<double> workspace(model);
  Eigen::MatrixXd H(model.nv(), model.nv());
  UpdateKinematics(model, q, workspace);
  CalcMassMatrix(model, workspace, H);
  const Eigen::MatrixXd K = CalcDampingMatrix(scene.config.gain_form, K_D, H);
  const std::optional<internal::GeneralizedEigen> eigen = internal::DecomposeGeneralized(K, H);
  if (!eigen) return std::nullopt;
  const Eigen::Index last = model.nv() - 1;
  Eigen::Index worst = 0;
  eigen->vectors.col(last).cwiseAbs().maxCoeff(&worst);
  return Stiffness{eigen->values[last] * ControlStepOf(scene), static_cast<int>(worst)};
}

std::optional<double> CalcCoriolisStiffness(const SceneData& scene,
                                            const Factorization& factorization,
                                            const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  if (!scene.law->uses_factorization || scene.closed) return std::nullopt;
  const Model& model = scene.control_model;
  Workspace<double> workspace(model);
  Eigen::MatrixXd C(model.nv(), model.nv()), H(model.nv(), model.nv());
  UpdateKinematics(model, q, v, workspace);
  CalcCoriolisMatrix(model, factorization, workspace, {.C = C, .H = H});
  const Eigen::MatrixXd rates = internal::SolvePositiveDefinite(H, C);
  if (!rates.allFinite()) return std::nullopt;
  const std::optional<Eigen::VectorXcd> eigenvalues = internal::CalcEigenvalues(rates);
  if (!eigenvalues) return std::nullopt;
  return eigenvalues->cwiseAbs().maxCoeff() * ControlStepOf(scene);
}

std::string DescribeStiffness(const SceneData& scene, const Eigen::VectorXd& K_D) {
  const std::optional<Stiffness> stiffness = CalcDampingStiffness(scene, K_D, scene.q_start);
  const bool is_held = IsHeld(scene);
  if (!stiffness || !(stiffness->factor > (is_held ? kStiff : kRungeKuttaBound))) return "";
  const std::string steps = is_held ? ToYamlText(scene.config.rate_hz) + " Hz"
                                    : "time steps of " + ToYamlText(ControlStepOf(scene)) + " s";
  return "gains.K_D is stiff for " + steps + ": K_D·dt is " +
         internal::ShortNumber(stiffness->factor) + " times the inertia at the start, most at " +
         scene.velocity_names[static_cast<size_t>(stiffness->velocity)] +
         (is_held ? "; the velocity error oscillates from 1 on and grows from 2 on"
                  : "; the velocity error grows from " + internal::General(kRungeKuttaBound, 4) +
                        " on");
}

Eigen::MatrixXd CalcDampingMatrix(const Model& model) {
  const int nv = model.nv();
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(nv, nv);
  constexpr double kSlow = 1e-6;  // rad/s, m/s, at which damping is linear
  for (int iv = 0; iv < nv; ++iv) {
    AddDampingForces(model, kSlow * Eigen::VectorXd::Unit(nv, iv), -1 / kSlow, D.col(iv));
  }
  return D;
}

Slowing CalcFastestSlowing(const SceneData& scene) {
  const Model& model = scene.plant;
  const int nv = model.nv();
  const Eigen::MatrixXd D = CalcDampingMatrix(model);
  if (D.isZero(0)) return {};
  Workspace<double> workspace(model);
  Eigen::MatrixXd H(nv, nv);
  UpdateKinematics(model, scene.q_start, workspace);
  CalcMassMatrix(model, workspace, H);
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(nv, nv);
  if (HasExactLoops(scene)) {
    SpaceWorkspace<double> loops(*scene.closed);
    if (!UpdateKinematics<double>(*scene.closed, scene.q_start, loops).ok()) return {};
    A.resize(nv, scene.closed->nw());
    CalcVelocityMap<double>(*scene.closed, loops, A);
  }
  if (A.cols() == 0) return {};
  const std::optional<internal::GeneralizedEigen> eigen =
      internal::DecomposeGeneralized(A.transpose() * D * A, A.transpose() * H * A);
  if (!eigen) return {};
  Slowing slowing{.rate = eigen->values[A.cols() - 1]};
  const Eigen::VectorXd motion = A * eigen->vectors.col(A.cols() - 1);
  motion.cwiseAbs().maxCoeff(&slowing.velocity);
  return slowing;
}

bool NeedsImplicitDamping(const SceneData& scene) {
  return IsHeld(scene) && HasExactLoops(scene) &&
         CalcFastestSlowing(scene).rate * scene.mj->opt.timestep > kFollowed;
}

std::string DescribeFastDamping(const SceneData& scene) {
  if (IsHeld(scene) && !HasExactLoops(scene)) return "";
  const Slowing slowing = CalcFastestSlowing(scene);
  const double h = scene.mj->opt.timestep;
  const bool implicit = IsHeld(scene);
  if (!(slowing.rate * h > (implicit ? kFollowed : kRungeKuttaBound))) return "";
  const std::string steps = "explicit steps of " + ToYamlText(h) + " s";
  return "damping slows " + scene.velocity_names[static_cast<size_t>(slowing.velocity)] +
         " by up to " + internal::ShortNumber(slowing.rate) + " 1/s, too fast for " + steps +
         (implicit ? ": those of the exact loops are implicit in damping, of first order"
                   : ", which grow: control.mode=held bears it");
}

}  // namespace civita
