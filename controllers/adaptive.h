#pragma once

#include <string>
#include <vector>

#include "controllers/slotine_li.h"
#include "core/regressor.h"

namespace civita {

inline constexpr ParameterInfo kAdaptiveParameters[] = {
    kSlotineLiParameters[0],
    kSlotineLiParameters[1],
    {"gamma", "γ", "Adaptation", "J", "J", "inertia of the estimates: more adapts more slowly",
     0.01, 100, 3, true, GainShape::kScalar},
};

/// Adaptive passivity-based tracking ([SL]; [WES], section V): Slotine–Li's law with estimates π̂
/// of the bodies' inertial parameters in place of the model's,
///   τ = Y(q, v, v_r, v̇_r) π̂ + y₀ − K_D s + passive forces at v_r,   π̂̇ = −P⁻¹ Yᵀs.
/// Armature, damping and friction stay as modelled, and so do bodies that are not to adapt. K_D in
/// GainForm::kMass is scaled by the mass matrix of the initial model, positive definite whatever
/// the estimates do. By body, with b its part of Yᵀs, its pseudo-inertia J (pseudo_inertia.h) and L
/// such that tr(J L) = πᵀb for every π:
///
/// AdaptMetric::kLogDet (Lee, Kwon and Park 2018; the default): Ĵ̇ = −γ⁻¹ Ĵ L Ĵ, so P is the
/// Riemannian metric of positive definite matrices at Ĵ. An estimate stays one that a body can
/// have, and in any frame and unit it is the same motion. Its state is the log-Cholesky factor
/// (Rucker and Wensing 2022): Ĵ = U Uᵀ, U upper triangular with
///   U̇ = −γ⁻¹ U Φ(UᵀL U),   Φ the upper triangle with half the diagonal, as Φ + Φᵀ = UᵀL U,
/// U's diagonal kept by its logarithm: whatever is added to these ten numbers, Ĵ is positive
/// definite, so Euler's and Runge–Kutta's steps may be used as they are.
///
/// AdaptMetric::kEuclidean: Ĵ̇ = −γ⁻¹ J₀ L J₀, P constant and the metric above at the initial
/// estimate J₀, so that γ means the same and both agree while errors are small. Nothing keeps the
/// estimate physical.
///
/// Proof. The closed loop is H ṡ + C s + K_D s + … = Y π̃, π̃ = π̂ − π. With
///   V = ½ sᵀH s + γ Σ (log(det Ĵ/det J) + tr(Ĵ⁻¹J) − 4)     (the Bregman divergence of −log det)
///   V = ½ sᵀH s + ½ γ Σ tr((J₀⁻¹(Ĵ − J))²)                  (kEuclidean)
/// the second part has the rate −π̃ᵀYᵀs in both, which cancels what the first gets: V̇ = −sᵀK_D s −
/// what damping and friction dissipate = −P, for every admissible C. V is infinite for a true
/// inertia of zero thickness.
///
/// γ is an energy: the second part is worth about γ for an inertia that is wrong by its own size,
/// so choose it of the order of V. In the first metric an estimate may grow by e^(V/γ) before V
/// stops it: γ far below V is fast and asks for as fast a control rate.
///
/// Deadzone: the rate of adaptation is multiplied by ϱ = max(0, 1 − √(E_δ/E)), E = ½ sᵀH₀s with the
/// initial model's H₀ and E_δ the deadzone, an energy. With H₀ = H and a disturbance d,
///   V_δ = (√E − √E_δ)₊² + the second part
/// has V̇_δ = −ϱ (sᵀK_D s − sᵀd): it falls wherever K_D overcomes d outside of the zone, and stands
/// still inside, where noise would make the estimates drift. The V reported is the one above, and
/// V̇ = −P + (1 − ϱ) π̃ᵀYᵀs.
///
/// Signals: /pi_hat/BODY/m hx hy hz for each body that adapts, kg and kg·m in the axes of its frame
/// and about its origin, and the smallest eigenvalue of all their pseudo-inertias
/// /pi_hat/min_eigenvalue. Bodies that are fixed together count as one, named as the first of them
/// or as the one that was named.
class Adaptive final : public SlotineLi {
 public:
  /// @throws UserError for a body that is unknown, does not move, is named twice or whose initial
  /// estimate is not physical (WhyNotPhysical). Where no bodies are named all those adapt whose
  /// initial estimate is physical.
  Adaptive(const Model& model, const ControllerOptions& options);

  std::string_view type() const override { return "adaptive"; }
  ControlStatus CalcControl(const Measurement& measured, const ReferenceState& reference,
                            ControlOutput& output) override;
  StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) override;

  /// The bodies that adapt, as indices into Model::frames().
  std::vector<int> frames() const;
  /// The estimate in the state at hand of the i-th of them.
  BodyParameters estimate(int i) const;

 private:
  void ResetLaw(const Measurement& start, const ReferenceState& reference,
                Eigen::Ref<Eigen::VectorXd> x) override;
  void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                   Eigen::Ref<Eigen::VectorXd> xdot) override;

  struct Body {
    int frame = 0;
    BodyParameters pi_0;  ///< initial estimate
    Eigen::Matrix4d U_0;  ///< its factor
    BodyParameters pi_hat;
    Eigen::Matrix4d U;  ///< of J₀ in the euclidean metric, else of Ĵ
    BodyParameters b;   ///< its part of Yᵀs
  };
  void AddBody(int frame);
  void UpdateEstimate(int i, Body* body) const;
  double CalcSmallestEigenvalue() const;

  AdaptOptions options_;
  std::vector<Body> bodies_;
  double rho_ = 1;                          ///< ϱ of the last step
  Eigen::VectorXd pi_error_, Y_pi_, YT_s_;  ///< π̂ − π₀ of all frames, Y times it, Yᵀs
};

}  // namespace civita
