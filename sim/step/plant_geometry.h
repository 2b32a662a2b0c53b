#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/space_kinematics.h"
#include "civita/tensor3.h"
#include "civita/workspace.h"

namespace civita {

/// The geometry in which a robot's motion is measured: the metric H and the connections of its
/// Coriolis matrices C. Those of an open tree belong to the velocities v. The loops of a closed
/// chain allow motions v = A(q) w alone; there all is in the independent velocities w, with the
/// metric H̄ = AᵀHA and the C̄ = AᵀCA + AᵀHȦ that the tree's induce ([WES], theorem V.1). Allocates
/// only in the constructor.
class PlantGeometry {
 public:
  /// `closed`: the loops of a tree of the same structure; null: none.
  PlantGeometry(const Model& model, const VelocitySpace* closed);

  /// Number of velocities: nv of a tree, nw of a closed chain.
  int size() const { return closed_ ? closed_->nw() : model_.nv(); }
  /// The loops with the model as tree; null: none.
  const std::shared_ptr<const VelocitySpace>& closed() const { return closed_; }

  /// Picks the numbers of the velocities (`size()`) out of those of v (nv).
  void Select(VectorIn<double> x, Eigen::VectorXd& out) const;

  /// The tree's velocities (nv rows) of vectors w in these velocities, by column: A w, or w itself
  /// for an open tree. At the state of Update.
  void CalcTreeVelocities(const Eigen::MatrixXd& w, Eigen::MatrixXd& v);

  /// Computes the kinematics at q (nq) and v (nv; of a closed chain the independent ones count).
  /// The loops need not be closed exactly. @returns false where they are singular: the functions
  /// below are then not defined.
  bool Update(VectorIn<double> q, VectorIn<double> v);
  /// The same from the velocities themselves (`size()`).
  bool UpdateSelected(VectorIn<double> q, VectorIn<double> w);

  // At the state of Update; matrices and vectors have size() rows.
  void CalcMassMatrix(Eigen::MatrixXd& H);
  void CalcMassMatrixDerivative(Eigen::MatrixXd& Hdot);
  void CalcCoriolisMatrix(const Factorization& factorization, CoriolisOut<double> out);
  void CalcGravityForces(Eigen::VectorXd& g);
  /// C v + g.
  void CalcBiasForces(Eigen::VectorXd& bias);
  /// Structure constants of the frame whose velocities these are, size()³ numbers; allocates.
  Tensor3 CalcStructureConstants();

 private:
  struct Chain {
    explicit Chain(const VelocitySpace& closed);
    SpaceWorkspace<double> workspace;
    Eigen::VectorXd w;
    Eigen::MatrixXd H, Hdot;   ///< of the tree, nv × nv
    Eigen::MatrixXd products;  ///< of the map, nv × nw
  };

  Model model_;
  std::shared_ptr<const VelocitySpace> closed_;
  std::optional<Workspace<double>> tree_;  ///< of an open tree
  std::optional<Chain> chain_;             ///< of a closed chain
};

}  // namespace civita
