#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "civita/coordinates.h"
#include "civita/model.h"
#include "civita/space_kinematics.h"
#include "civita/tensor3.h"

namespace civita {

/// The velocities w in which `civita eval` gives its quantities, v = A(q) w with the velocities v
/// of the model's tree: these themselves, the independent ones of closed chains, or those of other
/// coordinates. All that a quantity in w needs beyond the tree's is A (nv × nw) and its
/// derivatives; the equations change by [WES] (15)–(17).
class EvalVelocities {
 public:
  /// w = v.
  explicit EvalVelocities(const Model& tree);
  /// The independent velocities of closed chains.
  explicit EvalVelocities(const VelocitySpace& chains);
  /// Those of `coordinates`, made for the model.
  EvalVelocities(const Model& tree, Coordinates coordinates);

  const Model& tree() const { return tree_; }
  int size() const { return size_; }  ///< nw
  /// Whether w = v: A is the identity, and no member below multiplies by it.
  bool are_the_trees() const { return !chains_ && !coordinates_; }
  /// The coordinates, if any.
  const Coordinates* coordinates() const { return coordinates_ ? &*coordinates_ : nullptr; }
  /// Names of w; without loops those of v.
  std::vector<std::string> Names() const;

  /// Sets w (nw) at q (nq), which closed chains change to a configuration with closed loops.
  /// @returns why there are no quantities at this state, empty if there are.
  std::string SetState(const Eigen::VectorXd& w, Eigen::VectorXd* q);

  Eigen::MatrixXd A() const;     ///< nv × nw
  Eigen::MatrixXd Adot() const;  ///< its rate along v = A w
  /// ∂_bA, the rate of A along A e_b, by b: nw matrices, none if w = v.
  const std::vector<Eigen::MatrixXd>& dA();
  /// Column b: the rate of Ȧ w along A e_b at constant w, nv × nw. Not if w = v.
  Eigen::MatrixXd BiasRates();

  Eigen::VectorXd ToTree(const Eigen::VectorXd& w) const;  ///< A w
  /// A ẇ + Ȧ w.
  Eigen::VectorXd ToTree(const Eigen::VectorXd& w, const Eigen::VectorXd& wdot) const;
  /// Aᵀ M of forces, or of their columns (nv rows).
  Eigen::MatrixXd Forces(const Eigen::MatrixXd& M) const;
  /// J A of the Jacobian J of v, and J̇ A + J Ȧ of its rate.
  Eigen::MatrixXd Jacobian(const Eigen::MatrixXd& J) const;
  Eigen::MatrixXd JacobianRate(const Eigen::MatrixXd& J, const Eigen::MatrixXd& Jdot) const;
  /// AᵀHA and its rate AᵀḢA + ȦᵀHA + AᵀHȦ.
  Eigen::MatrixXd MassMatrix(const Eigen::MatrixXd& H) const;
  Eigen::MatrixXd MassMatrixRate(const Eigen::MatrixXd& H, const Eigen::MatrixXd& Hdot) const;
  /// AᵀCA + AᵀHȦ ([WES] (17)).
  Eigen::MatrixXd Coriolis(const Eigen::MatrixXd& C, const Eigen::MatrixXd& H) const;
  /// The connection Γ of v projected to w ([WES] (16)).
  Tensor3 Connection(Tensor3 Gamma, const Eigen::MatrixXd& H);
  /// Rates e_j(H_ik) of the metric in v, h(i, j, k), as those of AᵀHA along w.
  Tensor3 MetricRates(Tensor3 h, const Eigen::MatrixXd& H);
  /// Structure constants of the frame A from those c of v: [A_b, A_c] = Σ_a s(a, b, c) A_a. Where
  /// the frame is not integrable, its brackets leave its span: then of their projection along the
  /// metric H, ⟨A_a, [A_b, A_c]⟩ = Σ_d (AᵀHA)_ad s(d, b, c), which are those that the connection
  /// of Connection has ([WES] (8), (17)).
  Tensor3 StructureConstants(Tensor3 c, const Eigen::MatrixXd& H);

 private:
  /// Of v and w at the state; none if w = v.
  const VelocityMap<double>& map() const;
  Eigen::MatrixXd ChainBiasRates();
  /// Sets moved_ to A and Ȧ of the coordinates at q and v = A(q) w. @returns false where A is
  /// singular.
  bool Move(const Eigen::VectorXd& q, const Eigen::VectorXd& w);

  Model tree_;
  std::optional<VelocitySpace> chains_;  ///< if w are their independent velocities
  int size_;
  Eigen::VectorXd q_, w_;
  std::optional<SpaceWorkspace<double>> workspace_, unit_workspace_;
  std::optional<Coordinates> coordinates_;
  std::optional<Workspace<double>> tree_workspace_;
  std::optional<VelocityMap<double>> change_, moved_;  ///< at the state, and beside it
  std::vector<Eigen::MatrixXd> dA_;                    ///< empty until needed at this state
};

/// Where the null space of a task takes its basis: away from the singular configurations that home
/// positions often are.
Eigen::VectorXd GenericPosition(const Model& model);

}  // namespace civita
