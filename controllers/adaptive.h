#pragma once

#include <vector>

#include "civita/controllers/inertia_estimates.h"
#include "civita/controllers/slotine_li.h"

namespace civita {

inline constexpr ParameterInfo kAdaptiveParameters[] = {
    kSlotineLiParameters[0],
    kSlotineLiParameters[1],
    kAdaptationParameter,
    kSlotineLiParameters[2],
};

/// The row of Adaptive; its options are kAdaptOptions.
extern const LawInfo kAdaptiveLaw;

/// Adaptive passivity-based tracking ([SL]; [WES], section IV-A1): Slotine–Li's law with
/// InertiaEstimates π̂ in place of the model's parameters,
///   τ = Y(q, v, v_r, v̇_r) π̂ + y₀ − (K_D + G) s + passive forces at v_r.
/// Armature, damping and friction keep their modelled values, and so do bodies that do not adapt.
/// In GainForm::kMass, K_D is scaled by the mass matrix of the initial model, which stays positive
/// definite whatever the estimates do. Y and the passive forces are those of the tree, at A w_r and
/// A ẇ_r + Ȧ w_r, and act on w by Aᵀ.
///
/// Proof. The closed loop is H ṡ + C s + K_D s + … = Y π̃, π̃ = π̂ − π. With V = ½ sᵀH s + V_π the
/// rate of V_π cancels sᵀY π̃ in the rate of the first term: V̇ = −P, where P is sᵀK_D s plus the
/// dissipation by damping and friction, for every admissible C. With a deadzone V̇ = −P + (1 − ϱ)
/// π̃ᵀYᵀs.
class Adaptive final : public SlotineLi {
 public:
  /// @throws UserError under the same conditions as the constructor of InertiaEstimates.
  Adaptive(const Model& model, const ControllerOptions& options);

  StorageState CalcStorage(const PlantState&, const ControlOutput&) override;

  std::vector<int> frames() const { return estimates_.frames(); }
  /// The estimate of the i-th adapting body at the present state().
  BodyParameters estimate(int i) const { return estimates_.EstimateAt(state_, i); }

 private:
  static constexpr int kGamma = GainIndex(kAdaptiveParameters, "gamma");

  void AddToTorque(ControlOutput& output, Eigen::VectorXd& tau) override;
  void ResetLaw(const Measurement& start, const ReferenceState& reference,
                Eigen::Ref<Eigen::VectorXd> x) override;
  void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                   Eigen::Ref<Eigen::VectorXd> xdot) override;

  InertiaEstimates estimates_;
};

}  // namespace civita
