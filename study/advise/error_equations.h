#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "civita/study/advise/torsion_along_reference.h"

namespace civita {

/// ∫‖P e‖²dt of one part P of the error as a quadratic form of its start: e(0)ᵀ diag(ee) e(0) +
/// 2 e(0)ᵀ es s(0) + s(0)ᵀ ss s(0); blocks of the observability Gramian of the error equations.
struct ErrorGramian {
  Eigen::MatrixXd ss, es;  ///< n × n
  Eigen::VectorXd ee;      ///< n

  double Of(const Eigen::VectorXd& e, const Eigen::VectorXd& s) const;
  /// The mean over s(0) of covariance W, with e(0) = 0.
  double Mean(const Eigen::MatrixXd& W) const { return ss.cwiseProduct(W).sum(); }
};

/// How errors that start at the first sample decay.
struct ErrorDecay {
  std::vector<ErrorGramian> parts;  ///< of TorsionAlongReference::parts
  Eigen::MatrixXd transition;       ///< s(end) = transition s(0)
};

/// Forces on the error equations, by sample: H ṡ = −(…) s + d, and where the model's mass matrix is
/// wrong, + ΔH Λ(s − Λe); and impulses p at times of their own, with which s changes by H⁻¹p.
struct ErrorForcing {
  struct Impulse {
    double t = 0;       ///< s
    Eigen::VectorXd p;  ///< n, N·m·s or N·s
  };
  std::vector<Eigen::VectorXd> d;           ///< n, N·m or N; empty: none
  std::vector<Eigen::MatrixXd> dH;          ///< n × n; empty: none
  std::vector<Impulse> impulses = {};       ///< t ascends
  std::vector<Eigen::VectorXd> drift = {};  ///< n, ė = −Λe + s + drift; empty: none
};

/// Integrates the error equations with `factor` times K for n unit errors at once by the implicit
/// midpoint rule, whose steps follow the fastest rate at first and the mean one later; between
/// samples all is interpolated linearly. 6n³ operations a step, some 15 steps for each 1/(k + ω).
ErrorDecay CalcErrorDecay(const TorsionAlongReference& along, double factor);

/// The rate of the slowest error, 1/s: −ln of the largest growth of ‖s‖_H by `transition` over the
/// duration, by it. NaN where nothing is left of any error.
double CalcSlowestRate(const TorsionAlongReference& along, const Eigen::MatrixXd& transition);

/// Calls `step(t, e, s)` along the solution from (e, s) at the first sample; forcing: null, or as
/// many samples as `along` has.
void FollowError(
    const TorsionAlongReference& along, double factor, const ErrorForcing* forcing,
    Eigen::VectorXd e, Eigen::VectorXd s,
    const std::function<void(double t, const Eigen::VectorXd& e, const Eigen::VectorXd& s)>& step);

/// Root over time of the mean of ‖P e‖² by part, from e = s = 0, after the first skip_s (s); rad or
/// m. @throws ContractError when nothing is left after skip_s.
std::vector<double> CalcForcedErrors(const TorsionAlongReference& along, double factor,
                                     const ErrorForcing& forcing, double skip_s);

/// The error equations of a plant that is not the law's model: with H_p, C_p, g_p of the plant, H,
/// C_LC, g, K and K_D of the law, Δ their differences,
///   H_p ṡ = −(C_p + K + K_D + D) s − ΔH v̇_r − ΔC v_r − Δg,   v̇_r = v̇_d − Λ(s − Λe),
/// of which ΔC v_r + Δg is taken at the reference. K(v)v_r = −K(v_r)s stays with s.
struct WrongModel {
  TorsionAlongReference plant;  ///< with the H and C_LC of the plant
  ErrorForcing forcing;
};
/// `along` must be sampled from this model, these loops (null: none) and this reference; `plant`
/// has the model's structure, as WithScaledInertia gives it. @throws UserError where the loops are
/// singular.
WrongModel MakeWrongModel(const TorsionAlongReference& along, const Model& model,
                          const Model& plant, const ClusterModel* closed,
                          std::span<const ReferenceSample> reference);

}  // namespace civita
