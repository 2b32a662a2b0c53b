#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/regressor.h"
#include "civita/study/identify/motion_samples.h"

namespace civita {

/// A parameter of a linear model of the torques.
struct IdentifiedParameter {
  enum class Kind { kMass, kMoment, kInertia, kViscous, kDry, kArmature };
  std::string name;  ///< "link3.h_x", "joint3.viscous"
  std::string unit;
  Kind kind = Kind::kMass;
  int number = 0;    ///< in π of BodyFrames; of a joint: its number in v
  double model = 0;  ///< what the model has
};

/// The ten of each of BodyFrames, then viscous and dry friction of all hinges and slides, and their
/// armatures, which otherwise are the model's.
std::vector<IdentifiedParameter> IdentifiedParameters(const Model& model, bool armature);

/// Rows of the law of momentum p = H v, in which there is no acceleration. As Ḣ = C + Cᵀ,
///   ṗ = τ + s − D v − F sign v − g + Cᵀv,
/// with springs s of the model. A window is the time T in which w = sin⁴(π x), x from 0 to 1, and
///   −∫ẇ p dt + ∫w (g − Cᵀv + D v + F sign v) dt = ∫w (τ + s) dt
/// has no values at the ends and only averages of the noise. All is linear in the parameters.
/// Windows follow each other by T/4, so that each overlaps with three others.
struct MomentumWindows {
  static constexpr int kOverlap = 3;
  /// nv rows a window, a column for each parameter that was asked for; scaled so that white noise
  /// of the torque has its own standard deviation in y: N·m or N
  Eigen::MatrixXd X;
  Eigen::VectorXd y;
  /// The first window of each stretch of windows that follow each other; a last one ends them.
  std::vector<Eigen::Index> stretches;
};

/// The windows of length T (s) that have neither gaps (T/8) nor excluded samples, with the columns
/// of these numbers of `parameters`. `armature`: the model's does not count, as it is a parameter.
/// O(N nv²) regressors' rows. @throws UserError if there is no window.
MomentumWindows CalcMomentumWindows(const Model& model,
                                    const std::vector<IdentifiedParameter>& parameters,
                                    const std::vector<int>& columns, const MotionSamples& samples,
                                    double T);

/// Columns of A that are independent of those before, and B with A = A(:, kept) B.
struct IndependentColumns {
  std::vector<int> kept;
  Eigen::MatrixXd B;
};
/// A column counts as dependent if a share of `threshold` or less of it is independent.
IndependentColumns FindIndependentColumns(const Eigen::MatrixXd& A, double threshold);

/// Which parameters any motion can tell apart: by momentum and forces at random states.
IndependentColumns FindBaseParameters(const Model& model,
                                      const std::vector<IdentifiedParameter>& parameters);

}  // namespace civita
