// Equations of [WES] in their own terms beside the algorithms of this program: Hamel's equations,
// (6), and C by differentiation, (29) to (32).

#include <cmath>
#include <optional>

#include "app/verbs/reproduce/connections.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/coriolis.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/rnea.h"
#include "civita/study/evaluate/eval_model.h"
#include "core/printed/equations.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kExact = 1e-12;

/// Numbers of order 1 that are the same everywhere.
VectorXd Wave(int size, double phase) {
  return VectorXd::NullaryExpr(
      size, [=](Eigen::Index i) { return std::sin(phase + 1.7 * static_cast<double>(i)); });
}

template <typename A, typename B>
double Apart(const A& a, const B& b) {
  return (a - b).norm() / b.norm();
}

void CheckRobot(const std::string& scene, bool constant_axes, Reproduction* reproduction) {
  const Model model = LoadEvalModel(scene, false, false).model;
  const int nv = model.nv();
  VectorXd q(model.nq());
  IntegratePosition(model, model.DefaultPosition(), Wave(nv, 0.3), 1, q);
  const VectorXd v = Wave(nv, 1.1), vdot = Wave(nv, 2.3);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  VectorXd tau(nv);
  MatrixXd C(nv, nv), H(nv, nv);
  CalcInverseDynamics(model, vdot, workspace, tau);
  CalcCoriolisMatrix(model, {}, workspace, C, H);
  const Tensor3 constants = CalcStructureConstants(model);
  const auto expect = [&](const char* what, double residual) {
    reproduction->ExpectAtMost(scene + ": " + what, std::nullopt, residual, kExact);
  };
  expect("τ of Hamel's equations (6)",
         Apart(printed::CalcHamelForces(model, constants, q, v, vdot), tau));
  reproduction->ExpectAtLeast(scene + ": τ of (6) without its structure constants", std::nullopt,
                              Apart(printed::CalcHamelForces(model, Tensor3(nv), q, v, vdot), tau),
                              0.01);
  const MatrixXd half = printed::CalcHalfDerivative(model, q, v);
  const MatrixXd lowered = Contract(LowerFirstIndex(H, constants), v);
  expect("C of (29), structure constants lowered", Apart(MatrixXd(half + 0.5 * lowered), C));
  expect("C of (30)", Apart(printed::CalcCoriolisByDifferentiation(model, constants, q, v), C));
  reproduction->ExpectAtLeast(scene + ": ½ ∂(C v)/∂v alone", std::nullopt, Apart(half, C), 0.01);
  if (!constant_axes) return;
  expect("C of (32), K by the joints' axes",
         Apart(MatrixXd(half + 0.5 * H * printed::CalcJointBrackets(model, q, v)), C));
}

}  // namespace

void ReproduceEquations(Reproduction* reproduction) {
  CheckRobot("ball_arm", true, reproduction);
  // A free joint's velocity is in world axes, so that its columns change in the body's.
  CheckRobot("space_arm", false, reproduction);
}

}  // namespace civita
