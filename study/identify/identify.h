#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "civita/study/identify/momentum_windows.h"

namespace civita {

struct IdentifyOptions {
  double window = 0.4;    ///< s; longer ones average noise more and fast motion less
  bool armature = false;  ///< also those of the joints; else the model's
  int jobs = 0;           ///< threads; 0: one for each core
};

/// What Identify finds: b base parameters, combinations that a motion depends on, of n parameters.
struct Identification {
  std::vector<IdentifiedParameter> parameters;  ///< all n
  /// b each: the parameter that leads the combination, "link2.h_x", with its unit; all of it, as
  /// "link1.Izz + link2.Iyy"
  std::vector<std::string> names, units, combinations;
  Eigen::VectorXd values;        ///< b: unconstrained least squares
  Eigen::VectorXd half_widths;   ///< b: of their 95 % intervals, without the bias
  Eigen::VectorXd bias;          ///< b: what noise of q and v in the regressor adds to the values
  Eigen::VectorXd model_values;  ///< b: what the model has
  Eigen::VectorXd physical_values;  ///< b: of the physically consistent fit
  Eigen::MatrixXd B;                ///< b × n: base parameters of all parameters
  Eigen::MatrixXd covariance;       ///< b × b, of the values
  Eigen::VectorXd physical;  ///< n: what WithModelParameters takes, then the joints' parameters
  /// What no motion depends on; and combinations that these motions do not determine: whose
  /// half widths are above the largest of their kind.
  std::vector<std::string> without_effect, undetermined;
  double condition = 0;     ///< number, of the weighted regressor with columns of equal norms
  double largest_bias = 0;  ///< in shares of half_widths
  int windows = 0;
  int lags = 0;  ///< by how many windows residuals are apart that count as correlated
  /// nv each, as white noise of a sample of the torque, N·m or N: of the fit, of motions that were
  /// not fitted (NaN without), and what differences of successive torques show.
  Eigen::VectorXd residual, held_out, torque_noise;
};
/// Its members by name.
std::string FormatIdentificationJson(const Identification& found);

/// Fits the inertial and friction parameters of a tree to motions of it, of which q, v and τ are
/// known: weighted least squares of MomentumWindows. The covariance of the residuals is that of all
/// coordinates with each other and with those of later windows, as far as they are correlated,
/// corrected for what the fit has taken of them; the estimates' follows from it. The bias is that
/// of four pairs of fits with opposite noise, as large as the data's own, on top of it (SIMEX, Cook
/// and Stefanski 1994), in which all but the squares of the noise cancels.
///
/// The physically consistent fit has the pseudo-inertia J of each body positive definite (Wensing,
/// Kim and Slotine 2018): the least of ½ (Bπ − β)ᵀ Σ⁻¹ (Bπ − β) + Σ_b D(J_b, J_b0), D the Bregman
/// divergence of −log det from the model's (Lee, Wensing and Park 2020), which decides where the
/// motions do not.
/// @throws UserError for samples that do not fit the model, and fewer rows than three times the
/// parameters.
Identification Identify(const Model& model, std::span<const MotionSamples> motions,
                        std::span<const MotionSamples> held_out = {},
                        const IdentifyOptions& options = {});

/// How well motions tell base parameters apart, without torques: the condition number of the
/// regressor with columns of equal norms and rows that count alike; infinite where a base parameter
/// is not determined.
double CalcExcitation(const Model& model, std::span<const MotionSamples> motions,
                      const IdentifyOptions& options = {});

/// @returns all n parameters of the physically consistent fit to base parameters.
Eigen::VectorXd FitPhysical(const std::vector<IdentifiedParameter>& parameters,
                            const Eigen::MatrixXd& B, const Eigen::VectorXd& beta,
                            const Eigen::MatrixXd& covariance);

}  // namespace civita
