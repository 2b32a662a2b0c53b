#pragma once

#include "civita/velocity_map.h"
#include "core/space/internal/space_scratch.h"

// How a quantity of the tree becomes that of a space, one function for each of the ways in which
// quantities change with velocities ([WES] (15)–(17)). `calc(tree, …)` sets the tree's own, with
// the Workspace of the tree, and straight into the result where w = v. `function` names the caller
// in ContractErrors.

namespace civita::internal {

/// Quantities of a tree's state alone.
template <typename T>
using VectorOfTree = void (*)(const Model&, Workspace<T>&, VectorOut<T>);
template <typename T>
using MatrixOfTree = void (*)(const Model&, Workspace<T>&, MatrixOut<T>);

/// Forces, momenta, Γ's last index: Aᵀτ.
template <typename T, typename Calc>
void ReduceForces(const VelocitySpace& space, SpaceWorkspace<T>& workspace, Stage stage,
                  const char* function, VectorOut<T>& result, const Calc& calc) {
  auto& s = RequireSpace<T>(space, workspace, stage, function);
  if (space.is_tree()) return calc(s.tree, result);
  VectorOut<T> force = s.force;
  calc(s.tree, force);
  ChangeForces<T>(s.map, s.force, result);
}

template <typename T, VectorOfTree<T> of_tree>
void ReduceForces(const VelocitySpace& space, SpaceWorkspace<T>& workspace, Stage stage,
                  const char* function, VectorOut<T>& result) {
  ReduceForces<T>(space, workspace, stage, function, result,
                  [&](Workspace<T>& tree, VectorOut<T>& tau) { of_tree(space.tree(), tree, tau); });
}

/// Forces at a motion of the space: of the tree at A x and A ẋ + Ȧ x.
template <typename T, typename Calc>
void ReduceForcesAt(const VelocitySpace& space, VectorIn<T> x, VectorIn<T> xdot,
                    SpaceWorkspace<T>& workspace, const char* function, VectorOut<T>& result,
                    const Calc& calc) {
  auto& s = RequireSpace<T>(space, workspace, Stage::kVelocity, function);
  if (space.is_tree()) return calc(s.tree, x, xdot, result);
  ChangeVelocity<T>(s.map, x, s.v_r);
  ChangeAcceleration<T>(s.map, x, xdot, s.vdot);
  VectorOut<T> force = s.force;
  calc(s.tree, s.v_r, s.vdot, force);
  ChangeForces<T>(s.map, s.force, result);
}

template <typename T>
void CheckRows(const SpaceScratch<T>& s, const MatrixOut<T>& J_w, const char* function) {
  CIVITA_CHECK(J_w.rows() <= s.J.rows(), function << ": the result has " << J_w.rows() << " rows");
}

/// Rows of a Jacobian, six at most: J A.
template <typename T, typename Calc>
void ReduceJacobian(const VelocitySpace& space, SpaceWorkspace<T>& workspace, const char* function,
                    MatrixOut<T>& J_w, const Calc& calc) {
  auto& s = RequireSpace<T>(space, workspace, Stage::kPosition, function);
  if (space.is_tree()) return calc(s.tree, J_w);
  CheckRows<T>(s, J_w, function);
  MatrixOut<T> J = s.J.topRows(J_w.rows());
  calc(s.tree, J);
  ChangeJacobian<T>(s.map, J, J_w);
}

template <typename T, MatrixOfTree<T> of_tree>
void ReduceJacobian(const VelocitySpace& space, SpaceWorkspace<T>& workspace, const char* function,
                    MatrixOut<T>& J_w) {
  ReduceJacobian<T>(space, workspace, function, J_w,
                    [&](Workspace<T>& tree, MatrixOut<T> J) { of_tree(space.tree(), tree, J); });
}

/// Their rates: J̇ A + J Ȧ.
template <typename T, typename Calc, typename CalcRate>
void ReduceJacobianRate(const VelocitySpace& space, SpaceWorkspace<T>& workspace,
                        const char* function, MatrixOut<T>& Jdot_w, const Calc& calc,
                        const CalcRate& calc_rate) {
  auto& s = RequireSpace<T>(space, workspace, Stage::kVelocity, function);
  if (space.is_tree()) return calc_rate(s.tree, Jdot_w);
  CheckRows<T>(s, Jdot_w, function);
  MatrixOut<T> J = s.J.topRows(Jdot_w.rows()), Jdot = s.Jdot.topRows(Jdot_w.rows());
  calc(s.tree, J);
  calc_rate(s.tree, Jdot);
  ChangeJacobianRate<T>(s.map, J, Jdot, Jdot_w);
}

template <typename T, MatrixOfTree<T> of_tree, MatrixOfTree<T> rate_of_tree>
void ReduceJacobianRate(const VelocitySpace& space, SpaceWorkspace<T>& workspace,
                        const char* function, MatrixOut<T>& Jdot_w) {
  ReduceJacobianRate<T>(
      space, workspace, function, Jdot_w,
      [&](Workspace<T>& tree, MatrixOut<T> J) { of_tree(space.tree(), tree, J); },
      [&](Workspace<T>& tree, MatrixOut<T> Jdot) { rate_of_tree(space.tree(), tree, Jdot); });
}

}  // namespace civita::internal
