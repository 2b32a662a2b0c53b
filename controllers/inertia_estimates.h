#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/regressor.h"

namespace civita {

/// The gain of laws that adapt: what an error of the estimates is worth.
inline constexpr ParameterInfo kAdaptationParameter = {
    "gamma",
    "γ",
    "Adaptation",
    "J",
    "J",
    "inertia of the estimates: more adapts more slowly",
    0.01,
    100,
    3,
    true,
    GainShape::kScalar};

/// How an adaptive law measures errors of its estimates.
enum class AdaptMetric { kLogDet, kEuclidean };
inline constexpr std::string_view kAdaptMetrics[] = {"log_det", "euclidean"};

/// The options of laws that adapt.
inline constexpr OptionInfo kAdaptOptions[] = {
    {.key = "metric",
     .unit = "",
     .doc = "estimates stay physical, or a constant metric",
     .default_value = kAdaptMetrics[0],
     .choices = kAdaptMetrics},
    {.key = "adapt_bodies",
     .unit = "",
     .doc = "the bodies that adapt; else all",
     .default_value = std::span<const std::string_view>()},
    {.key = "deadzone_J",
     .unit = "J",
     .doc = "no adaptation while ½sᵀHs is below",
     .default_value = 0.0,
     .range = NumberRange::kNotNegative},
};

/// Values of kAdaptOptions.
struct AdaptOptions {
  AdaptMetric metric = AdaptMetric::kLogDet;
  std::vector<std::string> bodies;  ///< that adapt, by the user's names; empty: all that can
  double deadzone = 0;              ///< J

  /// Needs all of kAdaptOptions.
  static AdaptOptions Of(const LawOptions& own);
};

/// Estimates π̂ of the bodies' inertial parameters in place of the model's π₀, for a law whose
/// torque is linear in them, τ = Y(q, v, v_r, v̇_r) π̂ + …, and whose velocity error is s:
///   π̂̇ = −P⁻¹ Yᵀs.
/// By body, with b its part of Yᵀs, its pseudo-inertia J (pseudo_inertia.h) and L such that
/// tr(J L) = πᵀb for every π:
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
/// Their part of the law's storage, π̃ = π̂ − π,
///   V_π = γ Σ (log(det Ĵ/det J) + tr(Ĵ⁻¹J) − 4)     (the Bregman divergence of −log det)
///   V_π = ½ γ Σ tr((J₀⁻¹(Ĵ − J))²)                  (kEuclidean)
/// has the rate −π̃ᵀYᵀs in both, which cancels what Y π̃ does to s. It is infinite for a true inertia
/// of zero thickness.
///
/// γ is an energy: V_π is worth about γ for an inertia that is wrong by its own size, so choose it
/// of the order of V. In the first metric an estimate may grow by e^(V/γ) before V stops it: γ far
/// below V is fast and asks for as fast a control rate.
///
/// Deadzone: the rate of adaptation is multiplied by ϱ = max(0, 1 − √(E_δ/E)), E = ½ sᵀH₀s with the
/// initial model's H₀ and E_δ the deadzone, an energy. With H₀ = H and a disturbance d,
///   V_δ = (√E − √E_δ)₊² + V_π
/// has V̇_δ = −ϱ (sᵀK_D s − sᵀd): it falls wherever K_D overcomes d outside of the zone, and stands
/// still inside, where noise would make the estimates drift.
///
/// Signals: /pi_hat/BODY/m for each body that adapts, kg, and /pi_hat/BODY/h, kg·m in the axes of
/// its frame and about its origin; and the smallest eigenvalue of all their pseudo-inertias,
/// /pi_hat/min_eigenvalue. Bodies that are fixed together count as one, named as the first of them
/// or as the one that was named.
///
/// What is called in the control step allocates nothing.
class InertiaEstimates {
 public:
  /// @throws UserError for a body that is unknown, does not move, is named twice or whose initial
  /// estimate is not physical (WhyNotPhysical). Where no bodies are named all those adapt whose
  /// initial estimate is physical. The model must outlive the estimates.
  InertiaEstimates(const Model& model, const AdaptOptions& options);
  InertiaEstimates(const Model&& model, const AdaptOptions& options) = delete;

  /// How many numbers the state x has.
  Eigen::Index size() const;
  /// Sets x to the initial estimates.
  void Reset(Eigen::Ref<Eigen::VectorXd> x) const;
  /// Takes the estimates from x.
  void Update(const Eigen::Ref<const Eigen::VectorXd>& x);
  /// Adds Y (π̂ − π₀) to τ, as the model's torque is Y π₀ + …, and keeps Yᵀs and ϱ for what follows.
  /// Needs what CalcRegressorProducts does; H the initial model's.
  void AddTorque(const Factorization& factorization, const Eigen::VectorXd& v_r,
                 const Eigen::VectorXd& vdot_r, const Eigen::VectorXd& s, const Eigen::MatrixXd& H,
                 Workspace<double>& workspace, Eigen::VectorXd& tau);
  /// ẋ.
  void CalcRate(double gamma, Eigen::Ref<Eigen::VectorXd> xdot) const;
  /// Adds V_π to V, as V_estimation too, and to V̇ what makes up for Y π̃ in the motion.
  void AddStorage(const Model& plant, double gamma, StorageState* storage) const;

  Eigen::Index num_signals() const;
  std::vector<SignalInfo> Signals() const;
  void FillSignals(Eigen::Ref<Eigen::VectorXd> signals) const;

  /// The bodies that adapt, as indices into Model::frames().
  std::vector<int> frames() const;
  /// The i-th one's estimate at x.
  BodyParameters EstimateAt(const Eigen::Ref<const Eigen::VectorXd>& x, int i) const;
  /// Mass, kg, and first moment about the world's origin, kg·m in its axes, that the estimates have
  /// beyond the model's. Needs Stage::kPosition.
  void CalcExcess(Workspace<double>& workspace, double* mass, Eigen::Vector3d* h) const;

 private:
  struct Body {
    int frame = 0;
    BodyParameters pi_0;  ///< initial estimate
    Eigen::Matrix4d U_0;  ///< its factor
    BodyParameters pi_hat;
    Eigen::Matrix4d U;  ///< of J₀ in the euclidean metric, else of Ĵ
    BodyParameters b;   ///< its part of Yᵀs
  };
  void AddBody(int frame);
  void UpdateEstimate(const Eigen::Ref<const Eigen::VectorXd>& x, int i, Body* body) const;
  double CalcSmallestEigenvalue() const;

  const Model& model_;
  AdaptOptions options_;
  std::vector<Body> bodies_;
  double rho_ = 1;                          ///< ϱ of the last step
  Eigen::VectorXd pi_error_, Y_pi_, YT_s_;  ///< π̂ − π₀ of all frames, Y times it, Yᵀs
};

}  // namespace civita
