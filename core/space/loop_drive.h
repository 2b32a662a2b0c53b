#pragma once

#include <Eigen/Cholesky>
#include <optional>
#include <string_view>
#include <vector>

#include "civita/space_kinematics.h"
#include "civita/transmission.h"

namespace civita {

/// The torques by which a law in the independent velocities w of loops (v = A w, H̄ = AᵀHA; [WES],
/// section VI-C) is driven: torques B u of the motors with the work of its τ̄, (AᵀB) u = τ̄, of least
/// ‖B u‖ in the norm of H⁻¹: of all that do this work those that the masses are moved by most
/// evenly, so that soft loops have the least to carry. Where motors cannot do all work, u is the
/// best fit, of least ‖AᵀB u − τ̄‖ in the norm of H̄⁻¹: what is left out is H̄ N̄ (N̄ᵀH̄N̄)⁻¹N̄ᵀτ̄, with
/// a basis N̄ of the directions of w in which no motor acts, BᵀA N̄ = 0. Independent coordinates
/// that no motor reaches lose their part of τ̄ before, as in a tree.
///
/// Constraint forces Kᵀλ do no work on A w, so the closed loop is that of the law with H̄, C̄ and w
/// in place of H, C and v, and C̄ inherits Ḣ̄ = C̄ + C̄ᵀ: V̇ = −P is proved as for the tree. With s =
/// A s̄ a storage ½ sᵀH s of the tree is ½ s̄ᵀH̄ s̄. The energy that compliant loops, as a
/// simulator's, store and release remains in V̇ + P, and so does the work of what motors leave out.
class LoopDrive {
 public:
  /// For a space with loops and the motors of its tree. @throws UserError, which begins with `law`,
  /// for loops that are singular at their start.
  LoopDrive(const VelocitySpace& space, const Transmission& motors, std::string_view law);

  /// Number of directions of w, of those that motors reach, in which no motor acts.
  int num_undriven() const { return static_cast<int>(rest_.size()) - num_dropped_; }
  /// The coordinates of v, among the independent ones, that these directions at the start move.
  std::vector<int> UndrivenCoordinates();

  /// τ ← B u (nv numbers) from τ̄ (nw numbers, overwritten), with the map of a state, the tree's H
  /// (nv × nv) and H̄ (nw × nw) there. @returns kSingularDrive where motors drive fewer directions
  /// than at the start; τ is then not set. Allocates nothing.
  Status Distribute(const VelocityMap<double>& map, const Eigen::MatrixXd& H,
                    const Eigen::MatrixXd& H_w, Eigen::VectorXd& tau_w, Eigen::VectorXd& tau);

 private:
  bool IsReached(const VelocityMap<double>& map, int a) const;
  void FindDriven(const VelocityMap<double>& map);
  void SizeDrive();
  void CalcMotorMoments(const VelocityMap<double>& map);
  void GatherDrivenMoments();
  void CalcUndriven();
  bool LeaveOutUndriven(const Eigen::MatrixXd& H_w, Eigen::VectorXd& tau_w);
  bool CalcMotorInertia(const Eigen::MatrixXd& H);

  const VelocitySpace space_;
  Transmission motors_;  ///< its Q in place of B: their spans are equal

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
  Eigen::VectorXd u_;                     ///< by motor
  Eigen::MatrixXd N_w_;                   ///< nw × rest
  std::optional<internal::ForcesBeside> beside_;
  Eigen::MatrixXd drive_;  ///< driven × driven
  Eigen::LLT<Eigen::MatrixXd> free_llt_, drive_llt_;
};

}  // namespace civita
