#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>

#include "civita/external_forces.h"
#include "civita/factorization.h"
#include "civita/space_kinematics.h"
#include "civita/study/evaluate/eval_states.h"
#include "civita/task_space.h"
#include "civita/tensor3.h"

namespace civita {

/// A model at a state in the velocities w of a space, and what most quantities are made of.
/// Geometry is computed when first asked for at a state.
class Evaluator {
 public:
  Evaluator(const VelocitySpace& space, Factorization factorization);

  /// Sets the state; loops are closed. `trouble` then says why no quantity may be computed, if none
  /// may.
  void SetState(const EvalStates& states, std::size_t state);

  const VelocitySpace space;
  const Model model;  ///< the tree
  const Factorization factorization;
  std::string trouble;

  Eigen::VectorXd q, w, wdot;                      ///< q as closed
  Eigen::VectorXd w_r, wdot_r, tau_w;              ///< of states that have them
  std::vector<EvalWrench> wrenches;                ///< likewise
  SpaceWorkspace<double> workspace;                ///< at q, w
  std::map<std::string, TaskSpace<double>> tasks;  ///< by name, with the basis of their first state

  Workspace<double>& tree() { return workspace.tree(); }  ///< at q, v = A w
  Eigen::MatrixXd H();                                    ///< nw × nw
  struct Matrices {
    Eigen::MatrixXd C, H;
  };
  Matrices CalcMatrices();      ///< C of the factorization and H, nw × nw each
  const Tensor3& Gamma();       ///< the factorization's connection
  const Tensor3& Riemannian();  ///< the Christoffel symbols
  const Tensor3& structure();   ///< structure constants
  Tensor3 lowered_structure();  ///< their first index lowered by H

 private:
  std::optional<Tensor3> Gamma_, Riemannian_, structure_;
};

/// The wrenches for a Workspace of the model.
template <typename T>
std::vector<ExternalForce<T>> ToForces(const Model& model, const std::vector<EvalWrench>& wrenches,
                                       Workspace<T>& workspace);

}  // namespace civita
