#pragma once

#include <Eigen/Core>

#include "civita/factorization.h"
#include "civita/geometry/space_geometry.h"
#include "civita/space_dynamics.h"

namespace civita {

/// The geometry in which a robot's motion is measured: the metric H and the connections of its
/// Coriolis matrices C, in the velocities w of a space. Those of an open tree belong to its own
/// velocities v. The loops of a closed chain allow motions v = A(q) w alone; there all is in the
/// independent velocities, with what the tree's H and C induce ([WES], theorem V.1). Allocates only
/// in the constructor, but for the structure constants.
class PlantGeometry {
 public:
  explicit PlantGeometry(const VelocitySpace& space) : space_(space), workspace_(space_) {}
  /// `closed`: the loops of a tree of the same structure; null: none.
  PlantGeometry(const Model& model, const VelocitySpace* closed)
      : PlantGeometry(closed != nullptr ? VelocitySpace(*closed, model) : VelocitySpace(model)) {}

  const VelocitySpace& space() const { return space_; }
  int size() const { return space_.nw(); }  ///< nw

  /// Picks the numbers of w out of those of v (nv); not of coordinates.
  void Select(VectorIn<double> x, Eigen::VectorXd& out) const {
    for (Eigen::Index a = 0; a < out.size(); ++a) {
      out[a] = x[space_.independent()[static_cast<size_t>(a)]];
    }
  }

  /// The tree's velocities A w (nv rows) of vectors w, by column. At the state of Update.
  void CalcTreeVelocities(const Eigen::MatrixXd& w, Eigen::MatrixXd& v) {
    v.resize(space_.nv(), w.cols());
    for (Eigen::Index c = 0; c < w.cols(); ++c) {
      CalcTreeVelocity<double>(space_, w.col(c), workspace_, v.col(c));
    }
  }

  /// Computes the kinematics at q (nq) and v (nv; of a closed chain the independent ones count).
  /// The loops need not be closed exactly. @returns false where they are singular, or coordinates
  /// are: the functions below are then not defined.
  bool Update(VectorIn<double> q, VectorIn<double> v) {
    return UpdateKinematicsAlong<double>(space_, q, v, workspace_).ok();
  }
  /// The same from the velocities themselves (`size()`).
  bool UpdateSelected(VectorIn<double> q, VectorIn<double> w) {
    return UpdateKinematics<double>(space_, q, w, workspace_).ok();
  }

  // At the state of Update; matrices and vectors have size() rows.
  void CalcMassMatrix(Eigen::MatrixXd& H) { civita::CalcMassMatrix<double>(space_, workspace_, H); }
  void CalcMassMatrixDerivative(Eigen::MatrixXd& Hdot) {
    civita::CalcMassMatrixDerivative<double>(space_, workspace_, Hdot);
  }
  void CalcCoriolisMatrix(const Factorization& factorization, CoriolisOut<double> out) {
    civita::CalcCoriolisMatrix<double>(space_, factorization, workspace_, out);
  }
  void CalcGravityForces(Eigen::VectorXd& g) {
    civita::CalcGravityForces<double>(space_, workspace_, g);
  }
  void CalcBiasForces(Eigen::VectorXd& bias) {
    civita::CalcBiasForces<double>(space_, workspace_, bias);
  }
  Tensor3 CalcStructureConstants() { return civita::CalcStructureConstants(space_, workspace_); }

 private:
  VelocitySpace space_;
  SpaceWorkspace<double> workspace_;
};

}  // namespace civita
