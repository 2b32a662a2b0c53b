#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <string_view>
#include <vector>

#include "civita/cluster_kinematics.h"

namespace civita {

enum class GainForm;

/// How a law that is written in the coordinates v of a spanning tree controls a closed chain, gears
/// or coupled joints in their independent velocities w (v = A w, H̄ = AᵀHA; [WES], section VI-C).
/// Vectors have nv numbers; S selects the independent coordinates, w = S v, and S A = 1.
///
/// - Errors and gains: those of the independent coordinates, S e; a law sets its feedback of the
///   others to zero (independent, CalcDampingForce).
/// - Reference velocities: A S v_r, whose rate is A S v̇_r + Ȧ S v_r (CloseMotion). The tree's
///   H v̇_r + C v_r then does the work of H̄ ẇ_r + C̄ w_r on every motion that the loops allow, since
///   Aᵀ(H v̇_r + C v_r) = AᵀHA ẇ_r + (AᵀCA + AᵀHȦ) w_r.
/// - Torques: the law's τ is replaced by the torques u of the driven coordinates with the same
///   work, (AᵀS_u) u = Aᵀτ, of least ‖u‖ (Distribute).
///
/// Constraint forces Kᵀλ do no work on A w, so the closed loop is that of the law with H̄, C̄ and w
/// in place of H, C and v, and C̄ inherits Ḣ̄ = C̄ + C̄ᵀ: V̇ = −P is proved as for the tree. With s =
/// A s̄ a storage ½ sᵀH s of the tree is ½ s̄ᵀH̄ s̄. The energy that compliant loops, as a
/// simulator's, store and release remains in V̇ + P.
///
/// Functions other than the constructor allocate nothing. At a configuration where the loops are
/// singular CloseMotion has no effect, and Distribute fails.
class ClosedChainDrive {
 public:
  /// The loops of a tree whose coordinates marked in `passive` (empty: none) have no motor.
  /// @throws UserError, which begins with `law`, where the driven coordinates cannot give every
  /// τ̄. Coordinates outside all loops may be passive, as in a tree; their part of τ̄ is dropped.
  ClosedChainDrive(std::shared_ptr<const ClusterModel> closed, const std::vector<bool>& passive,
                   std::string_view law);

  /// Computes A, Ȧ along A S v, and H̄ at q (nq numbers). @returns false where loops are singular.
  bool Update(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  int nw() const { return closed_->nw(); }
  /// x_w = S x, and its inverse, x = Sᵀx_w.
  void Select(const Eigen::VectorXd& x, Eigen::VectorXd& x_w) const;
  void Spread(const Eigen::VectorXd& x_w, Eigen::VectorXd& x) const;

  /// H̄ = AᵀHA, nw × nw.
  const Eigen::MatrixXd& H() const { return H_w_; }
  /// diag(SᵀS): 1 for independent coordinates, 0 for the others.
  const Eigen::VectorXd& independent() const { return independent_; }
  /// Sᵀdiag(H̄): zero for coordinates that are not independent.
  Eigen::VectorXd InertiaDiagonal() const;

  /// v ← A S v and v̇ ← A S v̇ + Ȧ S v.
  void CloseMotion(Eigen::VectorXd& v, Eigen::VectorXd& vdot);
  /// C̄ = AᵀCA + AᵀHȦ, nw × nw, from the tree's H and C. With C = ½Ḣ, C̄ + C̄ᵀ is the rate of H̄.
  void ReduceCoriolis(const Eigen::MatrixXd& H, const Eigen::MatrixXd& C, Eigen::MatrixXd& C_w);
  /// J_w = J A and its rate J̇ A + J Ȧ for six rows, 6 × nw.
  void ReduceJacobian(const Eigen::MatrixXd& J, const Eigen::MatrixXd& Jdot, Eigen::MatrixXd& J_w,
                      Eigen::MatrixXd& Jdot_w) const;
  /// q ← a closed configuration near q with its independent coordinates, and Update there at rest.
  /// @returns false where there is none.
  bool Close(Eigen::VectorXd& q);
  /// force ← SᵀAᵀ force, which does the same work on every motion A w.
  void ReduceForce(Eigen::VectorXd& force);
  /// K_D s = Sᵀ(K̄_D S s), K̄_D = D^½ H̄ D^½ or D with D = diag(S k).
  void CalcDampingForce(GainForm form, const Eigen::VectorXd& k, const Eigen::VectorXd& s,
                        Eigen::VectorXd& K_D_s);
  /// force ← Sᵀ(AᵀHA)⁻¹Aᵀ force, the acceleration ẇ that it gives the chain with the tree's mass
  /// matrix H (nv × nv).
  void CalcAcceleration(const Eigen::MatrixXd& H, Eigen::VectorXd& force);

  /// τ ← u. @returns false where loops are singular or cannot be driven; τ is then not set.
  bool Distribute(Eigen::VectorXd& tau);

 private:
  void FindDriven(const std::vector<bool>& passive);
  void CheckDrive(std::string_view law);

  std::shared_ptr<const ClusterModel> closed_;
  ClusterWorkspace<double> cluster_;
  bool ok_ = false;            ///< the loops are regular at the last Update
  std::vector<int> driven_;    ///< indices into v
  std::vector<bool> dropped_;  ///< by coordinate of w: outside all loops and passive
  Eigen::VectorXd independent_;
  Eigen::VectorXd w_, wdot_, k_w_, force_w_, scratch_w_;  ///< nw
  Eigen::MatrixXd H_w_, AHA_, drive_;  ///< nw × nw; drive_ = (AᵀS_u)(AᵀS_u)ᵀ
  Eigen::MatrixXd A_, Adot_, HA_;      ///< nv × nw
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace civita
