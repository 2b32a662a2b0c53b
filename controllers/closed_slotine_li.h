#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "civita/cluster_kinematics.h"
#include "civita/controllers/controller.h"
#include "civita/controllers/slotine_li.h"
#include "civita/controllers/tracking_error.h"

namespace civita {

/// Slotine–Li's law for closed chains, gears and coupled joints, in the independent velocities w
/// of ControllerOptions::closed (v = A w, H̄ = AᵀHA, C̄ = AᵀCA + AᵀHȦ; [WES], section VI-C):
///   w_r = the independent coordinates of v_d − Λ e,   s̄ = w − w_r,
///   τ̄ = H̄ ẇ_r + C̄ w_r + ḡ − K_D s̄ + Aᵀ(passive forces at v_r),   v_r = A w_r,
/// The torques u of the driven coordinates do the same virtual work as τ̄ on every motion that the
/// loops allow: (AᵀS) u = τ̄, u the solution of least ‖u‖. K_D = D^½ H̄ D^½ or diag(k). Of the
/// gains k and Λ, which have nv numbers, only those of the independent coordinates are used.
///
/// Proof. Constraint forces Kᵀλ do no work on motions A w, so H̄ s̄̇ + C̄ s̄ + K_D s̄ = 0 and C̄
/// inherits Ḣ̄ = C̄ + C̄ᵀ: V = ½ s̄ᵀH̄ s̄ has V̇ = −s̄ᵀK_D s̄ − …. The V reported is ½ sᵀH s of
/// the tree with s = v − v_r, which equals it where the loops are closed; the energy that
/// compliant loops (as a simulator's) store and release remains in V̇ + P.
class ClosedSlotineLi final : public Controller {
 public:
  /// @throws UserError where the driven coordinates cannot give every τ̄. Coordinates outside all
  /// loops may be passive, as in a tree; their part of τ̄ is dropped.
  ClosedSlotineLi(const Model& model, const ControllerOptions& options);

  ControlStatus CalcControl(const Measurement& measured, const ReferenceState& reference,
                            ControlOutput& output) override;
  StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) override;

 private:
  static constexpr int kLambda = GainIndex(kSlotineLiParameters, "Lambda");
  static constexpr int kKD = GainIndex(kSlotineLiParameters, "K_D");

  void CheckDrive();
  void CalcReducedTorque(const Eigen::VectorXd& q);
  bool Distribute(Eigen::VectorXd& tau);

  const ClusterModel& closed() const { return *options_.closed; }

  ClusterWorkspace<double> cluster_;
  TrackingError error_;
  std::vector<int> driven_;    ///< indices into v
  std::vector<bool> dropped_;  ///< by coordinate of w: outside all loops and passive
  Eigen::VectorXd Lambda_w_, k_w_;
  Eigen::VectorXd w_, w_r_, wdot_r_, s_w_, K_D_s_, g_w_, tau_w_, scratch_w_;  ///< nw
  Eigen::MatrixXd H_w_, C_w_, drive_;  ///< nw × nw; drive_ = (AᵀS)(AᵀS)ᵀ
  Eigen::MatrixXd A_;                  ///< nv × nw
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::VectorXd v_r_, passive_, scratch_;  ///< nv
};

}  // namespace civita
