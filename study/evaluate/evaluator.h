#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>

#include "civita/external_forces.h"
#include "civita/factorization.h"
#include "civita/study/evaluate/eval_states.h"
#include "civita/study/evaluate/eval_velocities.h"
#include "civita/task_space.h"
#include "civita/tensor3.h"
#include "civita/workspace.h"

namespace civita {

/// A model at a state in the velocities w of EvalVelocities, and what most quantities are made of.
/// Geometry is computed when first asked for at a state.
class Evaluator {
 public:
  Evaluator(EvalVelocities velocities, Factorization factorization);

  /// Sets the state. `trouble` then says why no quantity may be computed, if none may.
  void SetState(const EvalStates& states, std::size_t state);

  EvalVelocities velocities;
  const Model model;  ///< the tree
  const Factorization factorization;
  std::string trouble;

  Eigen::VectorXd q, w, wdot;                      ///< q as closed
  Eigen::VectorXd w_r, wdot_r, tau_w;              ///< of states that have them
  std::vector<EvalWrench> wrenches;                ///< likewise
  Eigen::VectorXd v, vdot;                         ///< A w and A ẇ + Ȧ w
  Workspace<double> workspace;                     ///< of the tree at q, v
  std::map<std::string, TaskSpace<double>> tasks;  ///< by name, with the basis of their first state

  const Eigen::MatrixXd& tree_H();  ///< mass matrix of v, nv × nv
  Eigen::MatrixXd tree_C();         ///< Coriolis matrix of v, nv × nv
  Eigen::MatrixXd tree_Hdot();      ///< rate of tree_H
  Eigen::VectorXd tree_tau();       ///< inverse dynamics of v, vdot less the wrenches
  Eigen::MatrixXd H();
  Eigen::MatrixXd C();
  Eigen::MatrixXd Hdot();
  const Tensor3& Gamma();       ///< the factorization's connection
  const Tensor3& Riemannian();  ///< the Christoffel symbols
  const Tensor3& structure();   ///< structure constants
  Tensor3 lowered_structure();  ///< their first index lowered by H
  Tensor3 MetricRates();        ///< e_j(H_ik), by derivatives of H alone
  Eigen::MatrixXd g();
  Eigen::MatrixXd tau();             ///< inverse dynamics less the wrenches
  Eigen::MatrixXd ExternalForces();  ///< generalized forces of the wrenches

 private:
  std::optional<Eigen::MatrixXd> tree_H_;
  std::optional<Tensor3> Gamma_, Riemannian_, structure_;
};

/// The wrenches for a Workspace of the model.
template <typename T>
std::vector<ExternalForce<T>> ToForces(const Model& model, const std::vector<EvalWrench>& wrenches,
                                       Workspace<T>& workspace);

}  // namespace civita
