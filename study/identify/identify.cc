#include "civita/study/identify/identify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include "base/decompositions.h"
#include "base/number_text.h"
#include "base/worker_pool.h"
#include "civita/error.h"

namespace civita {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kQuantile = 1.959963984540054;  // of 95 %
constexpr int kPairs = 4;                        // of fits with opposite noise

/// Windows of all motions.
MomentumWindows Join(std::span<const MomentumWindows> parts, Index nv) {
  MomentumWindows all;
  Index rows = 0;
  for (const MomentumWindows& part : parts) rows += part.y.size();
  all.X.resize(rows, parts.front().X.cols());
  all.y.resize(rows);
  rows = 0;
  for (const MomentumWindows& part : parts) {
    all.X.middleRows(rows, part.X.rows()) = part.X;
    all.y.segment(rows, part.y.size()) = part.y;
    for (const Index start : part.stretches) all.stretches.push_back(rows / nv + start);
    all.stretches.pop_back();
    rows += part.y.size();
  }
  all.stretches.push_back(rows / nv);
  return all;
}

/// Least squares with rows that are already weighted.
struct Fit {
  explicit Fit(const MatrixXd& X) {
    const VectorXd scale = X.colwise().norm().cwiseInverse();
    const MatrixXd scaled = X * scale.asDiagonal();
    const internal::GeneralizedEigen eigen =
        internal::DecomposeSymmetric(scaled.transpose() * scaled);
    condition = std::sqrt(eigen.values.tail(1)[0] / std::max(eigen.values[0], 0.0));
    const MatrixXd root = scale.asDiagonal() * eigen.vectors;
    // Not below what rounding leaves of a sum of squares.
    const VectorXd values = eigen.values.cwiseMax(1e-14 * eigen.values.tail(1)[0]);
    inverse = root * values.cwiseInverse().asDiagonal() * root.transpose();
    half_inverse = root * values.cwiseSqrt().cwiseInverse().asDiagonal();
  }
  MatrixXd inverse, half_inverse;  ///< N⁻¹ = R Rᵀ of N = XᵀX
  double condition = 0;
};

/// The rows of coordinate i times a factor.
void Weight(const VectorXd& by_coordinate, MatrixXd* X, VectorXd* y) {
  const VectorXd factors = by_coordinate.replicate(y->size() / by_coordinate.size(), 1);
  *X = factors.asDiagonal() * *X;
  *y = factors.cwiseProduct(*y);
}

VectorXd MeanSquares(const VectorXd& r, Index nv) {
  return Eigen::Map<const MatrixXd>(r.data(), nv, r.size() / nv).array().square().rowwise().mean();
}

/// Covariances of residuals of coordinates, and of those of later windows.
class Residuals {
 public:
  Residuals(const MatrixXd& X, const VectorXd& r, const std::vector<Index>& stretches, Index nv)
      : X_(X), r_(r), stretches_(stretches), nv_(nv) {}

  /// The number of windows apart beyond which nothing tells that residuals are correlated.
  int FindLags() const {
    const double bound = 3 / std::sqrt(static_cast<double>(r_.size()));
    const auto most = static_cast<int>(r_.size() / nv_ / 10);
    const double square = r_.squaredNorm();
    int lags = MomentumWindows::kOverlap;
    const auto correlation = [&](int lag) {
      double sum = 0;
      ForPairs(lag, [&](Index a, Index b) { sum += Rows(r_, a).dot(Rows(r_, b)); });
      return sum / square;
    };
    while (lags < most && square > 0 && correlation(lags + 1) > bound) ++lags;
    return lags;
  }

  /// XᵀΩX of the covariance Ω of all errors. The residuals' is (1 − XN⁻¹Xᵀ) Ω (1 − XN⁻¹Xᵀ): what
  /// the fit has taken is added again, by lag.
  MatrixXd CalcSpread(const MatrixXd& N_inverse, int lags) const {
    const std::vector<MatrixXd> found = Means(
        lags, [&](Index a, Index b) { return MatrixXd(Rows(r_, a) * Rows(r_, b).transpose()); });
    std::vector<MatrixXd> C = found;
    constexpr int kRounds = 3;
    for (int round = 0;; ++round) {
      const MatrixXd G = Spread(C), S = X_.transpose() * G;
      if (round == kRounds) return S;
      const MatrixXd GN = G * N_inverse, XN = X_ * N_inverse, XV = XN * S * N_inverse;
      C = Means(lags, [&](Index a, Index b) {
        return MatrixXd(Rows(XN, a) * Rows(G, b).transpose() +
                        (Rows(GN, a) - Rows(XV, a)) * Rows(X_, b).transpose());
      });
      for (size_t lag = 0; lag < C.size(); ++lag) C[lag] += found[lag];
    }
  }

 private:
  template <typename Visit>
  void ForPairs(int lag, const Visit& visit) const {
    for (size_t s = 0; s + 1 < stretches_.size(); ++s)
      for (Index k = stretches_[s]; k + lag < stretches_[s + 1]; ++k) visit(k, k + lag);
  }
  /// Of windows up to so many apart.
  template <typename Term>
  std::vector<MatrixXd> Means(int lags, const Term& term) const {
    std::vector<MatrixXd> means;
    for (int lag = 0; lag <= lags; ++lag) {
      MatrixXd sum = MatrixXd::Zero(nv_, nv_);
      Index count = 0;
      ForPairs(lag, [&](Index a, Index b) {
        sum += term(a, b);
        ++count;
      });
      means.push_back(sum / static_cast<double>(std::max<Index>(count, 1)));
    }
    return means;
  }
  /// Ω X.
  MatrixXd Spread(const std::vector<MatrixXd>& C) const {
    MatrixXd G = MatrixXd::Zero(X_.rows(), X_.cols());
    for (int lag = 0; std::cmp_less(lag, C.size()); ++lag) {
      const MatrixXd& C_lag = C[static_cast<size_t>(lag)];
      ForPairs(lag, [&](Index a, Index b) {
        G.middleRows(a * nv_, nv_) += C_lag * Rows(X_, b);
        if (lag > 0) G.middleRows(b * nv_, nv_) += C_lag.transpose() * Rows(X_, a);
      });
    }
    return G;
  }
  /// Those of window k.
  template <typename Matrix>
  typename Matrix::ConstRowsBlockXpr Rows(const Matrix& X, Index k) const {
    return X.middleRows(k * nv_, nv_);
  }

  const MatrixXd& X_;
  const VectorXd& r_;
  const std::vector<Index>& stretches_;
  Index nv_;
};

/// N⁻¹ S N⁻¹ without the negative variances that estimated correlations may give.
MatrixXd CalcCovariance(const Fit& fit, const MatrixXd& S) {
  constexpr double kLeast = 0.02;  // of the mean
  const MatrixXd Z = fit.half_inverse.transpose() * S * fit.half_inverse;
  const internal::GeneralizedEigen eigen = internal::DecomposeSymmetric(0.5 * (Z + Z.transpose()));
  const VectorXd values = eigen.values.cwiseMax(kLeast * std::max(eigen.values.mean(), 0.0));
  const MatrixXd root = fit.half_inverse * eigen.vectors;
  return root * values.asDiagonal() * root.transpose();
}

/// 1/σ; not above what rounding tells of a coordinate without a residual.
VectorXd Weights(const VectorXd& squares) {
  constexpr double kRounding = 1e-20;
  const double least = std::max(kRounding * squares.maxCoeff(), 1e-300);
  return squares.cwiseMax(least).cwiseSqrt().cwiseInverse();
}

/// Weighted least squares, with weights of the residuals of each coordinate.
struct WeightedFit {
  VectorXd weights;         ///< nv
  VectorXd beta, residual;  ///< residual: nv, as a standard deviation
  MatrixXd covariance;
  double condition = 0;
  int lags = 0;

  WeightedFit(const MomentumWindows& windows, Index nv) {
    const auto rows = static_cast<double>(windows.y.size());
    const double taken = 1 - static_cast<double>(windows.X.cols()) / rows;
    weights = Weights(MeanSquares(windows.y, nv));
    constexpr int kRounds = 3;
    for (int round = 1;; ++round) {
      MatrixXd X = windows.X;
      VectorXd y = windows.y;
      Weight(weights, &X, &y);
      const Fit fit(X);
      beta = fit.inverse * (X.transpose() * y);
      beta += fit.inverse * (X.transpose() * (y - X * beta));
      const VectorXd squares = MeanSquares(windows.y - windows.X * beta, nv) / taken;
      if (round < kRounds) {
        weights = Weights(squares);
        continue;
      }
      residual = squares.cwiseSqrt();
      condition = fit.condition;
      const VectorXd r = y - X * beta;
      const Residuals residuals(X, r, windows.stretches, nv);
      lags = residuals.FindLags();
      covariance = CalcCovariance(fit, residuals.CalcSpread(fit.inverse, lags));
      return;
    }
  }
};

std::string Combination(const std::vector<IdentifiedParameter>& parameters, const VectorXd& row,
                        int leading) {
  constexpr int kMost = 6;  // terms
  std::string text = parameters[static_cast<size_t>(leading)].name;
  int terms = 1;
  for (Index c = 0; c < row.size(); ++c) {
    if (c == leading || row[c] == 0) continue;
    if (terms++ == kMost) return text + " + …";
    text += row[c] < 0 ? " − " : " + ";
    const double size = std::abs(row[c]);
    if (std::abs(size - 1) > 1e-6) text += internal::General(size, 3) + " ";
    text += parameters[static_cast<size_t>(c)].name;
  }
  return text;
}

/// The windows of each motion, on threads.
std::vector<MomentumWindows> CalcAll(const Model& model, const Identification& found,
                                     const std::vector<int>& columns,
                                     std::span<const MotionSamples> motions,
                                     const IdentifyOptions& options) {
  std::vector<MomentumWindows> windows(motions.size());
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto count = static_cast<int>(motions.size());
  internal::WorkerPool pool(std::min(options.jobs > 0 ? options.jobs : cores, count));
  pool.Run(count, [&](int, int task) {
    const auto m = static_cast<size_t>(task);
    windows[m] = CalcMomentumWindows(model, found.parameters, columns, motions[m], options.window);
  });
  return windows;
}

/// Base parameters of these motions, with their windows.
MomentumWindows Prepare(const Model& model, std::span<const MotionSamples> motions,
                        const IdentifyOptions& options, Identification* found,
                        std::vector<int>* columns) {
  if (motions.empty()) throw UserError("there is no motion to identify from");
  if (!(options.window > 0)) throw UserError("the window must be longer than 0 s");
  for (const MotionSamples& samples : motions) CheckSamples(model, samples);
  found->parameters = IdentifiedParameters(model, options.armature);
  IndependentColumns any = FindBaseParameters(model, found->parameters);
  MomentumWindows windows = Join(CalcAll(model, *found, any.kept, motions, options), model.nv());
  constexpr double kThreshold = 1e-5;
  MatrixXd X = windows.X;
  VectorXd y = windows.y;
  Weight(Weights(MeanSquares(y, model.nv())).cwiseMin(1e6), &X, &y);
  const IndependentColumns here = FindIndependentColumns(X, kThreshold);
  if (here.kept.empty()) throw UserError("the robot does not move");
  for (Index c = 0; c < any.B.rows(); ++c) {
    const int leading = any.kept[static_cast<size_t>(c)];
    if (std::ranges::binary_search(here.kept, static_cast<int>(c))) {
      columns->push_back(leading);
    } else {
      found->undetermined.push_back(Combination(found->parameters, any.B.row(c), leading));
    }
  }
  found->B = here.B * any.B;
  windows.X = windows.X(Eigen::all, here.kept).eval();
  if (windows.y.size() < 3 * windows.X.cols()) {
    throw UserError(std::to_string(windows.y.size()) + " rows of windows for " +
                    std::to_string(windows.X.cols()) + " parameters: the motion is too short");
  }
  for (size_t c = 0; c < found->parameters.size(); ++c) {
    if (any.B.col(static_cast<Index>(c)).isZero(0))
      found->without_effect.push_back(found->parameters[c].name);
  }
  return windows;
}

/// What noise of the data's size adds to the estimates.
VectorXd CalcBias(const Model& model, std::span<const MotionSamples> motions,
                  const IdentifyOptions& options, const Identification& found,
                  const std::vector<int>& columns, const WeightedFit& fit) {
  std::vector<MotionSamples> noisy(2 * kPairs * motions.size());
  for (size_t k = 0; k < noisy.size(); ++k) {
    const size_t m = k % motions.size(), replica = k / motions.size();
    MotionNoise noise = EstimateNoise(model, motions[m]);
    noise.tau.setZero();
    noisy[k] =
        WithNoise(model, motions[m], noise, static_cast<int>(1 + m + replica / 2 * motions.size()),
                  replica % 2 == 0 ? 1 : -1);
  }
  VectorXd sum = VectorXd::Zero(fit.beta.size());
  const std::vector<MomentumWindows> all = CalcAll(model, found, columns, noisy, options);
  for (std::span rest(all); !rest.empty(); rest = rest.subspan(motions.size())) {
    MomentumWindows windows = Join(rest.first(motions.size()), model.nv());
    Weight(fit.weights, &windows.X, &windows.y);
    sum += Fit(windows.X).inverse * (windows.X.transpose() * windows.y) - fit.beta;
  }
  return sum / (2 * kPairs);
}

/// The base parameters with their names, and which are less known than any of their kind is large.
void Describe(const std::vector<int>& columns, Identification* found) {
  VectorXd model(found->B.cols());
  for (Index c = 0; c < model.size(); ++c)
    model[c] = found->parameters[static_cast<size_t>(c)].model;
  found->model_values = found->B * model;
  found->physical_values = found->B * found->physical;
  found->half_widths = kQuantile * found->covariance.diagonal().cwiseSqrt();
  std::map<IdentifiedParameter::Kind, double> largest;
  for (size_t i = 0; i < columns.size(); ++i) {
    const IdentifiedParameter& leading = found->parameters[static_cast<size_t>(columns[i])];
    const auto at = static_cast<Index>(i);
    found->names.push_back(leading.name);
    found->units.push_back(leading.unit);
    found->combinations.push_back(Combination(found->parameters, found->B.row(at), columns[i]));
    double& size = largest[leading.kind];
    size = std::max({size, std::abs(found->model_values[at]), std::abs(found->values[at])});
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    const double half = found->half_widths[static_cast<Index>(i)];
    if (half >= largest[found->parameters[static_cast<size_t>(columns[i])].kind])
      found->undetermined.push_back(found->combinations[i]);
    if (half > 0) {
      const double share = std::abs(found->bias[static_cast<Index>(i)]) / half;
      found->largest_bias = std::max(found->largest_bias, share);
    }
  }
}

}  // namespace

Identification Identify(const Model& model, std::span<const MotionSamples> motions,
                        std::span<const MotionSamples> held_out, const IdentifyOptions& options) {
  Identification found;
  std::vector<int> columns;
  const MomentumWindows windows = Prepare(model, motions, options, &found, &columns);
  const Index nv = model.nv();
  const WeightedFit fit(windows, nv);
  found.condition = fit.condition;
  found.windows = static_cast<int>(windows.y.size() / nv);
  found.lags = fit.lags;
  found.covariance = fit.covariance;
  found.residual = fit.residual;
  found.torque_noise = VectorXd::Zero(nv);
  for (const MotionSamples& samples : motions)
    found.torque_noise += EstimateNoise(model, samples).tau / static_cast<double>(motions.size());
  found.held_out = VectorXd::Constant(nv, std::numeric_limits<double>::quiet_NaN());
  if (!held_out.empty()) {
    for (const MotionSamples& samples : held_out) CheckSamples(model, samples);
    const MomentumWindows others = Join(CalcAll(model, found, columns, held_out, options), nv);
    found.held_out = MeanSquares(others.y - others.X * fit.beta, nv).cwiseSqrt();
  }
  found.values = fit.beta;
  found.bias = CalcBias(model, motions, options, found, columns, fit);
  found.physical = FitPhysical(found.parameters, found.B, fit.beta, fit.covariance);
  Describe(columns, &found);
  return found;
}

double CalcExcitation(const Model& model, std::span<const MotionSamples> motions,
                      const IdentifyOptions& options) {
  Identification found;
  std::vector<int> columns;
  const MomentumWindows windows = Prepare(model, motions, options, &found, &columns);
  if (!found.undetermined.empty()) return std::numeric_limits<double>::infinity();
  return Fit(windows.X).condition;
}

}  // namespace civita
