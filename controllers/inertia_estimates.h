#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/regressor.h"

namespace civita {

/// The gain of adaptive laws: the weight γ of the estimation error in V.
inline constexpr ParameterInfo kAdaptationParameter = {
    "gamma",
    "γ",
    "Adaptation",
    "J",
    "J",
    "inertia of the estimates: larger values adapt more slowly",
    0.01,
    100,
    3,
    GainShape::kScalar,
    NumberRange::kPositive};

/// The metric on the estimates in which an adaptive law descends.
enum class AdaptMetric { kLogDet, kEuclidean };
inline constexpr std::string_view kAdaptMetrics[] = {"log_det", "euclidean"};

/// The options of adaptive laws.
inline constexpr OptionInfo kAdaptOptions[] = {
    {.key = "metric",
     .unit = "",
     .doc = "estimates stay physical, or a constant metric",
     .default_value = kAdaptMetrics[0],
     .choices = kAdaptMetrics},
    {.key = "adapt_bodies",
     .unit = "",
     .doc = "the bodies that adapt; default: all",
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
  /// that adapt, by their names in the model; empty: all that can
  std::vector<std::string> bodies;
  double deadzone = 0;  ///< J

  /// `own` must have a value for each of kAdaptOptions.
  static AdaptOptions Of(const LawOptions& own);
};

/// Estimates π̂ of the bodies' inertial parameters in place of the model's π₀, for a law whose
/// torque is linear in them, τ = Y(q, v, v_r, v̇_r) π̂ + …, and whose velocity error is s:
///   π̂̇ = −P⁻¹ Yᵀs.
/// For each body, b denotes its part of Yᵀs, J its pseudo-inertia (pseudo_inertia.h) and L the
/// symmetric matrix with tr(J L) = πᵀb for every π:
///
/// AdaptMetric::kLogDet (Lee, Kwon and Park 2018; the default): Ĵ̇ = −γ⁻¹ Ĵ L Ĵ, so P is the
/// Riemannian metric of positive definite matrices at Ĵ. The estimate stays physically consistent,
/// and its motion does not depend on frames and units. Its state is the log-Cholesky factor
/// (Rucker and Wensing 2022): Ĵ = U Uᵀ, U upper triangular with
///   U̇ = −γ⁻¹ U Φ(UᵀL U),   Φ the upper triangle with half the diagonal, as Φ + Φᵀ = UᵀL U,
/// U's diagonal stored by its logarithm: Ĵ is positive definite for all values of these ten
/// numbers, so steps of Euler's and Runge–Kutta's methods may be used without projection.
///
/// AdaptMetric::kEuclidean: Ĵ̇ = −γ⁻¹ J₀ L J₀, P constant and equal to the metric above at the
/// initial estimate J₀, so that γ has the same meaning and both metrics agree for small errors.
/// The estimate need not stay physically consistent.
///
/// The estimates' part of the law's storage, with π̃ = π̂ − π,
///   V_π = γ Σ (log(det Ĵ/det J) + tr(Ĵ⁻¹J) − 4)     (the Bregman divergence of −log det)
///   V_π = ½ γ Σ tr((J₀⁻¹(Ĵ − J))²)                  (kEuclidean)
/// has the rate −π̃ᵀYᵀs in both metrics, which cancels the effect of Y π̃ on s. It is infinite for
/// a true inertia of zero thickness.
///
/// γ is an energy: V_π is about γ for an inertia whose relative error is 1, so choose γ of the
/// order of V. With kLogDet an estimate may grow by e^(V/γ) before V bounds it: γ far below V
/// adapts fast and needs an accordingly high control rate.
///
/// Deadzone: the rate of adaptation is multiplied by ϱ = max(0, 1 − √(E_δ/E)), E = ½ sᵀH₀s with
/// the initial model's H₀ and E_δ the deadzone, an energy. With H₀ = H and a disturbance d,
///   V_δ = (√E − √E_δ)₊² + V_π
/// has V̇_δ = −ϱ (sᵀK_D s − sᵀd): it decreases wherever K_D dominates d outside the deadzone, and
/// is constant inside, where noise would make the estimates drift.
///
/// Signals: /pi_hat/BODY/m for each body that adapts, kg, and /pi_hat/BODY/h, kg·m in the axes of
/// its frame and about its origin; and the smallest eigenvalue of all pseudo-inertias,
/// /pi_hat/min_eigenvalue. Bodies that are fixed together count as one, under the name of the
/// first of them or the one given in AdaptOptions::bodies.
///
/// Functions called in the control step allocate nothing.
class InertiaEstimates {
 public:
  /// @throws UserError for a body that is unknown, does not move, is given twice or whose initial
  /// estimate is not physical (WhyNotPhysical). If no bodies are given, all whose initial estimate
  /// is physical adapt.
  InertiaEstimates(const Model& model, const AdaptOptions& options);

  /// Length of the state x.
  Eigen::Index size() const;
  /// Sets x to the initial estimates.
  void Reset(Eigen::Ref<Eigen::VectorXd> x) const;
  /// Sets the estimates from x.
  void Update(const Eigen::Ref<const Eigen::VectorXd>& x);
  /// Adds Y (π̂ − π₀) to τ, as the model's torque is Y π₀ + …, and keeps Yᵀs and ϱ for CalcRate
  /// and AddStorage. Preconditions as of CalcRegressorProducts; H (nv × nv) is the initial
  /// model's.
  void AddTorque(const Factorization& factorization, const Eigen::VectorXd& v_r,
                 const Eigen::VectorXd& vdot_r, const Eigen::VectorXd& s, const Eigen::MatrixXd& H,
                 Workspace<double>& workspace, Eigen::VectorXd& tau);
  /// ϱ = 0 until the next AddTorque: where a law's torque cannot act, s stays whatever the
  /// estimates are, and they would wind up.
  void Hold() { rho_ = 0; }
  /// ẋ (size() numbers) from the Yᵀs and ϱ of the last AddTorque; γ in J.
  void CalcRate(double gamma, Eigen::Ref<Eigen::VectorXd> xdot) const;
  /// Adds V_π to V and to V_estimation, and its rate to V̇.
  void AddStorage(const Model& plant, double gamma, StorageState* storage) const;

  Eigen::Index num_signals() const;
  std::vector<SignalInfo> Signals() const;
  void FillSignals(Eigen::Ref<Eigen::VectorXd> signals) const;

  /// The bodies that adapt, as indices into Model::frames().
  std::vector<int> frames() const;
  /// The estimate of body frames()[i] at x.
  BodyParameters EstimateAt(const Eigen::Ref<const Eigen::VectorXd>& x, int i) const;
  /// Excess of the estimates over the model: mass, kg, and first moment about the world's origin,
  /// world axes, kg·m. Needs Stage::kPosition.
  void CalcExcess(Workspace<double>& workspace, double* mass, Eigen::Vector3d* h) const;

 private:
  struct Body {
    int frame = 0;
    BodyParameters pi_0;  ///< initial estimate
    Eigen::Matrix4d U_0;  ///< its upper factor
    BodyParameters pi_hat;
    Eigen::Matrix4d U;  ///< upper factor of J₀ with kEuclidean, else of Ĵ
    BodyParameters b;   ///< its part of Yᵀs
  };
  void AddBody(int frame);
  void UpdateEstimate(const Eigen::Ref<const Eigen::VectorXd>& x, int i, Body* body) const;
  double CalcSmallestEigenvalue() const;

  Model model_;
  AdaptOptions options_;
  std::vector<Body> bodies_;
  std::vector<Model::NamedFrame> frames_;   ///< of the bodies
  double rho_ = 1;                          ///< ϱ of the last step
  Eigen::VectorXd pi_error_, Y_pi_, YT_s_;  ///< π̂ − π₀ of the bodies, Y times it, Yᵀs
};

}  // namespace civita
