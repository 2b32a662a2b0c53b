#include "civita/study/poe/poe_functions.h"

#include <algorithm>
#include <cmath>

#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using Out = std::span<const std::span<double>>;
using enum PoeInput;

Eigen::Map<Eigen::VectorXd> AsVector(std::span<double> out) {
  return {out.data(), static_cast<Eigen::Index>(out.size())};
}

/// Copies a matrix row by row.
void StoreMatrix(const Eigen::MatrixXd& matrix, std::span<double> out) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor>(out.data(), matrix.rows(), matrix.cols()) = matrix;
}

void Ad(PoeInstant& at, Out out) {
  StoreMatrix(poe::ad<double>(Vector6<double>(at.at(kV))), out[0]);
}

void EulerStep(PoeInstant& at, Out out) {
  auto theta = AsVector(out[0]), dtheta = AsVector(out[1]);
  theta = at.at(kTheta);
  dtheta = at.at(kDtheta);
  poe::EulerStep<double>(at.at(kDdtheta), at.dt_s, theta, dtheta);
}

void ForwardDynamicsCrba(PoeInstant& at, Out out) {
  const Status status =
      poe::ForwardDynamicsCrba<double>(*at.robot, at.at(kTheta), at.at(kDtheta), at.at(kTau),
                                       at.at(kFTip), *at.workspace, *at.factor, AsVector(out[0]));
  if (!status) std::ranges::fill(out[0], std::nan(""));
}

/// Advances from the last instant to this one; the first instant is the start.
void ForwardDynamicsTrajectory(PoeInstant& at, Out out) {
  if (at.theta.size() == 0) {
    at.theta = at.at(kTheta);
    at.dtheta = at.at(kDtheta);
  } else {
    Eigen::MatrixXd theta(2, at.n), dtheta(2, at.n);
    poe::ForwardDynamicsTrajectory<double>(
        *at.robot, at.theta, at.dtheta, at.tau.transpose().replicate(2, 1),
        at.F_tip.transpose().replicate(2, 1), at.dt_s, at.resolution, *at.workspace, theta, dtheta);
    at.theta = theta.row(1);
    at.dtheta = dtheta.row(1);
  }
  at.tau = at.at(kTau);
  at.F_tip = at.at(kFTip);
  AsVector(out[0]) = at.theta;
  AsVector(out[1]) = at.dtheta;
}

/// A function of the robot at the inputs, with one result.
template <auto function, PoeInput... inputs>
void Calc(PoeInstant& at, Out out) {
  function(*at.robot, at.at(inputs)..., *at.workspace, AsVector(out[0]));
}

template <auto function>
void CalcMassMatrix(PoeInstant& at, Out out) {
  Eigen::MatrixXd M(at.n, at.n);
  function(*at.robot, at.at(kTheta), *at.workspace, M);
  StoreMatrix(M, out[0]);
}

constexpr auto kInverseDynamics =
    Calc<poe::InverseDynamicsRnea<double>, kTheta, kDtheta, kDdtheta, kFTip>;

std::vector<PoeFunction> MakeFunctions() {
  const std::vector<PoeInput> motion = {kTheta, kDtheta, kDdtheta, kFTip};
  const std::vector<PoeInput> drive = {kTheta, kDtheta, kTau, kFTip};
  const PoeOutput tau = {"tau"}, ddtheta = {"ddtheta"}, M = {"M", PoeShape::kSquare};
  // clang-format off
  return {
      {"ad", {kV}, {{"ad", PoeShape::kTwistSquare}},
       "matrix of the Lie bracket, [ad_V]", Ad, /*needs_robot=*/false},
      {"inverse_dynamics_rnea", motion, {tau},
       "joint forces of a motion under F_tip", kInverseDynamics},
      {"inverse_dynamics_trajectory", motion, {tau},
       "the same at each instant of a trajectory", kInverseDynamics},
      {"mass_matrix_crba", {kTheta}, {M},
       "mass matrix M(θ), by composite rigid bodies", CalcMassMatrix<poe::MassMatrixCrba<double>>},
      {"mass_matrix_rnea", {kTheta}, {M},
       "the same by n inverse dynamics", CalcMassMatrix<poe::MassMatrixRnea<double>>},
      {"velocity_quadratic_forces", {kTheta, kDtheta}, {{"c"}},
       "Coriolis and centripetal forces c(θ, θ̇)",
       Calc<poe::VelocityQuadraticForces<double>, kTheta, kDtheta>},
      {"gravity_forces", {kTheta}, {{"g"}},
       "joint forces g(θ) that hold it against gravity",
       Calc<poe::GravityForces<double>, kTheta>},
      {"end_effector_forces", {kTheta, kFTip}, {tau},
       "joint forces J_tip(θ)ᵀ F_tip", Calc<poe::EndEffectorForces<double>, kTheta, kFTip>},
      {"forward_dynamics_aba", drive, {ddtheta},
       "accelerations, by articulated bodies",
       Calc<poe::ForwardDynamicsAba<double>, kTheta, kDtheta, kTau, kFTip>},
      {"forward_dynamics_crba", drive, {ddtheta},
       "the same by a factor of M", ForwardDynamicsCrba},
      {"forward_dynamics_rnea", drive, {ddtheta},
       "the same as M⁻¹(τ − c − g − J_tipᵀ F_tip)",
       Calc<poe::ForwardDynamicsRnea<double>, kTheta, kDtheta, kTau, kFTip>},
      {"forward_dynamics_trajectory", drive, {{"theta"}, {"dtheta"}},
       "motion from the first state's theta, dtheta under tau, F_tip of each, held for --dt",
       ForwardDynamicsTrajectory, /*needs_robot=*/true, /*takes_dt=*/true, /*takes_resolution=*/true},
      {"euler_step", {kTheta, kDtheta, kDdtheta}, {{"theta_next"}, {"dtheta_next"}},
       "one Euler step of --dt", EulerStep, /*needs_robot=*/false, /*takes_dt=*/true},
  };
  // clang-format on
}

}  // namespace

PoeInstant::PoeInstant(const poe::Robot* robot_in, int n_in, double dt_in, int resolution_in)
    : robot(robot_in), n(n_in), dt_s(dt_in), resolution(resolution_in) {
  if (robot == nullptr) return;
  workspace.emplace(robot->model());
  factor.emplace(robot->model());
}

void PoeInstant::Set(const PoeStates& states, std::size_t state) {
  for (std::size_t i = 0; i < kNumPoeInputs; ++i) {
    const std::span<const double> numbers = states.at(static_cast<PoeInput>(i), state);
    inputs_[i] = Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                                   static_cast<Eigen::Index>(numbers.size()));
  }
}

std::vector<std::size_t> ShapeOf(const PoeOutput& output, std::size_t n) {
  if (output.shape == PoeShape::kTwistSquare) return {6, 6};
  return output.shape == PoeShape::kSquare ? std::vector{n, n} : std::vector{n};
}

std::span<const PoeFunction> PoeFunctions() {
  static const std::vector<PoeFunction> functions = MakeFunctions();
  return functions;
}

const PoeFunction& FindPoeFunction(const std::string& name) {
  std::vector<std::string> names;
  for (const PoeFunction& function : PoeFunctions()) {
    if (function.name == name) return function;
    names.emplace_back(function.name);
  }
  throw UserError(UnknownName("function", name, names));
}

std::string DescribePoeFunctions() {
  std::string text;
  for (const PoeFunction& function : PoeFunctions()) {
    std::string line = "  ";
    line += function.name;
    line += ':';
    for (const PoeInput input : function.inputs) (line += ' ') += InfoOf(input).name;
    line += " ->";
    for (const PoeOutput& output : function.outputs) (line += ' ') += output.name;
    text += line + "\n      ";
    (text += function.doc) += "\n";
  }
  return text;
}

}  // namespace civita
