#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <string_view>
#include <vector>

#include "civita/space_kinematics.h"
#include "civita/transmission.h"

namespace civita {

/// How a law that is written in the coordinates v of a spanning tree controls a closed chain, gears
/// or coupled joints in their independent velocities w (v = A w, H̄ = AᵀHA; [WES], section VI-C).
/// Vectors have nv numbers; S selects the independent coordinates, w = S v, and S A = 1.
///
/// - Errors and gains: those of the independent coordinates, S e; a law sets its feedback of the
///   others to zero (independent, Select and Spread).
/// - Reference velocities: A S v_r, whose rate is A S v̇_r + Ȧ S v_r (CloseMotion). The tree's
///   H v̇_r + C v_r then does the work of H̄ ẇ_r + C̄ w_r on every motion that the loops allow, since
///   Aᵀ(H v̇_r + C v_r) = AᵀHA ẇ_r + (AᵀCA + AᵀHȦ) w_r.
/// - Torques: the law's τ is replaced by torques B u of the motors with the same work, (AᵀB) u =
///   Aᵀτ, of least ‖B u‖ in the norm of H⁻¹: of all that do this work those that the masses are
///   moved by most evenly, so that soft loops have the least to carry (Distribute). Where motors
///   cannot do all work, u is the best fit, of least ‖AᵀB u − Aᵀτ‖ in the norm of H̄⁻¹: what is left
///   out is H̄ N̄ (N̄ᵀH̄N̄)⁻¹N̄ᵀAᵀτ, with a basis N̄ of the directions of w in which no motor acts, BᵀA
///   N̄ = 0. Independent coordinates that no motor reaches lose their part of Aᵀτ before, as in a
///   tree.
///
/// Constraint forces Kᵀλ do no work on A w, so the closed loop is that of the law with H̄, C̄ and w
/// in place of H, C and v, and C̄ inherits Ḣ̄ = C̄ + C̄ᵀ: V̇ = −P is proved as for the tree. With s =
/// A s̄ a storage ½ sᵀH s of the tree is ½ s̄ᵀH̄ s̄. The energy that compliant loops, as a
/// simulator's, store and release remains in V̇ + P, and so does the work of what motors leave out.
///
/// Functions other than the constructor allocate nothing. At a configuration where the loops are
/// singular CloseMotion has no effect, and Distribute fails.
class ClosedChainDrive {
 public:
  /// The loops of a tree with motors. @throws UserError, which begins with `law`, for loops that
  /// are singular at their start.
  ClosedChainDrive(std::shared_ptr<const VelocitySpace> closed, const Transmission& motors,
                   std::string_view law);

  /// Number of directions of w, of those that motors reach, in which no motor acts.
  int num_undriven() const { return static_cast<int>(rest_.size()) - num_dropped_; }
  /// The coordinates of v, among the independent ones, that these directions at the start move.
  std::vector<int> UndrivenCoordinates();

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
  /// C̄ = AᵀCA + AᵀHȦ, nw × nw, from the tree's H and C.
  void ReduceCoriolis(const Eigen::MatrixXd& H, const Eigen::MatrixXd& C, Eigen::MatrixXd& C_w);
  /// The rate of H̄, nw × nw, from the tree's H and Ḣ.
  void ReduceInertiaRate(const Eigen::MatrixXd& H, const Eigen::MatrixXd& Hdot,
                         Eigen::MatrixXd& Hdot_w);
  /// J_w = J A and its rate J̇ A + J Ȧ for six rows, 6 × nw.
  void ReduceJacobian(const Eigen::MatrixXd& J, const Eigen::MatrixXd& Jdot, Eigen::MatrixXd& J_w,
                      Eigen::MatrixXd& Jdot_w) const;
  /// q ← a closed configuration near q with its independent coordinates, and Update there at rest.
  /// @returns false where there is none.
  bool Close(Eigen::VectorXd& q);
  /// force ← SᵀAᵀ force, which does the same work on every motion A w.
  void ReduceForce(Eigen::VectorXd& force);
  /// p ← SᵀAᵀp of the tree's momentum p = H v, and rate ← Sᵀ(Aᵀ rate + Ȧᵀp), its rate if that of p
  /// is `rate` but for the loops' forces.
  void ReduceMomentum(Eigen::VectorXd& p, Eigen::VectorXd& rate);
  /// force ← Sᵀ(AᵀHA)⁻¹Aᵀ force, the acceleration ẇ that it gives the chain with the tree's mass
  /// matrix H (nv × nv).
  void CalcAcceleration(const Eigen::MatrixXd& H, Eigen::VectorXd& force);

  /// τ ← B u, with the tree's mass matrix H (nv × nv). @returns false where loops are singular or
  /// motors drive fewer directions than at the start; τ is then not set.
  bool Distribute(const Eigen::MatrixXd& H, Eigen::VectorXd& tau);

 private:
  bool IsReached(int a) const;
  void FindDriven();
  void SizeDrive();
  void CalcMotorMoments();
  void GatherDrivenMoments();
  void CalcUndriven();
  bool LeaveOutUndriven();
  bool CalcMotorInertia(const Eigen::MatrixXd& H);

  std::shared_ptr<const VelocitySpace> closed_;
  SpaceWorkspace<double> cluster_;
  Transmission motors_;  ///< its Q in place of B: their spans are equal
  bool ok_ = false;      ///< the loops are regular at the last Update
  Eigen::VectorXd independent_;
  Eigen::VectorXd w_, wdot_, force_w_;  ///< nw
  Eigen::MatrixXd H_w_, AHA_;           ///< nw × nw
  VelocityMap<double> map_;             ///< of the last Update at regular loops
  Eigen::MatrixXd products_;            ///< of the map
  Eigen::LLT<Eigen::MatrixXd> llt_;

  /// Coordinates of w: driven_ many are as many as there are driven directions, and the motors'
  /// work tells their velocities; of rest_, the first num_dropped_ are reached by no motor.
  std::vector<int> driven_, rest_;
  int num_dropped_ = 0;
  Eigen::MatrixXd moments_;  ///< QᵀA, motors × nw
  Eigen::MatrixXd G_, MG_;   ///< its driven columns; inertia times these
  Eigen::MatrixXd inertia_;  ///< (QᵀH⁻¹Q)⁻¹, what the motors feel, motors × motors
  Eigen::MatrixXd HQ_, HN_, NHN_, NHQ_;   ///< N of the transmission
  Eigen::MatrixXd factor_, solution_;     ///< least squares of the rest by the driven
  Eigen::VectorXd heads_, load_, scale_;  ///< by driven coordinate
  Eigen::VectorXd y_, u_;                 ///< by rest, motor
  Eigen::MatrixXd N_w_, HN_w_, NHN_w_;    ///< nw × rest, and rest × rest
  Eigen::MatrixXd drive_;                 ///< driven × driven
  Eigen::LLT<Eigen::MatrixXd> free_llt_, rest_llt_, drive_llt_;
};

}  // namespace civita
