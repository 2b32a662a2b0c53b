#pragma once

#include <Eigen/Core>
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
  Eigen::MatrixXd transition;       ///< s(transition_s) = transition s(0)
  /// s: from the first sample to the last one, or until ten digits of s are gone.
  double transition_s = 0;
  Eigen::MatrixXd H_end;  ///< H at that time
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

/// Integrates the error equations with `factor` times K for n unit errors at once. Between samples
/// matrices are cubics. Steps follow the error that they make, a millionth, not the rates of errors
/// that are gone: some 60 for each decay, of 33n³ operations. @throws UserError, as all that
/// follows errors, where K and G turn them by more than 20 000 rad until they are gone.
ErrorDecay CalcErrorDecay(const TorsionAlongReference& along, double factor);

/// The rate of the slowest error, 1/s: −ln of the largest growth of ‖s‖_H by `transition`, by
/// transition_s. NaN where nothing is left of any error.
double CalcSlowestRate(const TorsionAlongReference& along, const ErrorDecay& decay);

/// ∫‖P e‖²dt by part, rad²·s or m²·s, from (e, s) at the first sample, after the first skip_s (s).
/// forcing: null, or as many samples as `along` has. 10n³ operations a step. `course`, if any,
/// gets the integral until the end of each step.
std::vector<double> IntegrateSquares(const TorsionAlongReference& along, double factor,
                                     const ErrorForcing* forcing, const Eigen::VectorXd& e,
                                     const Eigen::VectorXd& s, double skip_s,
                                     ErrorCourse* course = nullptr);

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
                          const Model& plant, const VelocitySpace* closed,
                          std::span<const ReferenceSample> reference);

/// Throws a UserError: errors that decay with up to these rates (1/s) have no numbers, as powers of
/// rates and speeds may be larger than the largest.
[[noreturn]] void RefuseRange(double k, double Lambda);

}  // namespace civita
