#include "civita/study/advise/error_equations.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/sim/plant_geometry.h"

namespace civita {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using ErrorSample = TorsionAlongReference::Sample;

/// The samples at any time, linear in between.
class Interpolation {
 public:
  Interpolation(const TorsionAlongReference& along, double factor)
      : along_(along), factor_(factor) {}

  /// Goes to t; times must not descend.
  void GoTo(double t) {
    while (index_ + 2 < along_.samples.size() && along_.samples[index_ + 1].t < t) ++index_;
    const double from = along_.samples[index_].t, to = along_.samples[index_ + 1].t;
    share_ = std::clamp((t - from) / (to - from), 0.0, 1.0);
  }
  /// H, and M = C_LC + factor K + K_D + D.
  void Calc(MatrixXd* H, MatrixXd* M) const {
    const ErrorSample &a = along_.samples[index_], &b = along_.samples[index_ + 1];
    const double x = 1 - share_, y = share_;
    *H = x * a.H + y * b.H;
    *M = x * (a.C_LC + factor_ * a.K + a.K_D + a.D) + y * (b.C_LC + factor_ * b.K + b.K_D + b.D);
  }
  template <typename Matrix>
  Matrix Of(const std::vector<Matrix>& by_sample) const {
    return (1 - share_) * by_sample[index_] + share_ * by_sample[index_ + 1];
  }

 private:
  const TorsionAlongReference& along_;
  double factor_;
  std::size_t index_ = 0;
  double share_ = 0;
};

/// The fastest turning by factor K + G of a few samples in rad/s, ‖Ω‖_F/√2 ≥ ‖Ω‖₂.
double BoundTurning(const TorsionAlongReference& along, double factor) {
  double largest = 0;
  const std::size_t stride = std::max<std::size_t>(1, along.samples.size() / 10);
  for (std::size_t i = 0; i < along.samples.size(); i += stride) {
    const ErrorSample& sample = along.samples[i];
    const MatrixXd turning = factor * sample.K + 0.5 * (sample.K_D - sample.K_D.transpose());
    const MatrixXd A = Eigen::LLT<MatrixXd>(sample.H).solve(turning);
    largest = std::max(largest, -A.cwiseProduct(A.transpose()).sum());
  }
  return std::sqrt(0.5 * largest);
}

/// Lengths of steps: of the fastest rate at first, growing to that of the mean rate, which is what
/// is left of an error.
class MidpointSteps {
 public:
  MidpointSteps(const TorsionAlongReference& along, double factor)
      : t_(along.samples.front().t), end_(along.samples.back().t) {
    constexpr double kShare = 0.07;  // of the time of a rate
    const double omega = BoundTurning(along, factor);
    const double Lambda = along.Lambda.maxCoeff();
    h_ = kShare / (along.k_max + omega + Lambda);
    longest_ = kShare / (along.k_mean + omega + Lambda);
  }
  /// @returns false at the end.
  bool Next() {
    if (!(t_ < end_)) return false;
    step_ = std::min(h_, end_ - t_);
    if (end_ - t_ - step_ < 1e-9 * step_) step_ = end_ - t_;
    middle_ = t_ + 0.5 * step_;
    t_ = step_ == end_ - t_ ? end_ : t_ + step_;
    h_ = std::min(1.2 * h_, longest_);
    return true;
  }
  double step() const { return step_; }
  double middle() const { return middle_; }
  double t() const { return t_; }  ///< at the end of the step

 private:
  double t_, end_, h_ = 0, longest_ = 0, step_ = 0, middle_ = 0;
};

/// Disjoint sets of coordinates of which the parts are unions, and of each the parts with it.
std::map<std::vector<std::size_t>, std::vector<int>> SplitParts(
    const TorsionAlongReference& along) {
  std::map<std::vector<std::size_t>, std::vector<int>> split;
  for (int i = 0; i < static_cast<int>(along.n()); ++i) {
    std::vector<std::size_t> with;
    for (std::size_t part = 0; part < along.parts.size(); ++part) {
      if (along.parts[part].mask[i] != 0) with.push_back(part);
    }
    split[with].push_back(i);
  }
  return split;
}

}  // namespace

double ErrorGramian::Of(const VectorXd& e, const VectorXd& s) const {
  return e.dot(ee.cwiseProduct(e)) + 2 * e.dot(es * s) + s.dot(ss * s);
}

ErrorDecay CalcErrorDecay(const TorsionAlongReference& along, double factor) {
  const Index n = along.n();
  const MatrixXd zero = MatrixXd::Zero(n, n);
  const auto split = SplitParts(along);
  std::vector<MatrixXd> squares(split.size(), zero);
  MatrixXd cross = zero;
  VectorXd decayed = VectorXd::Zero(n);

  // Columns: e and s of unit s(0); φ = ∂e/∂e(0), diagonal.
  MatrixXd e = zero, s = MatrixXd::Identity(n, n), H, M, s_middle, e_middle, rows;
  VectorXd phi = VectorXd::Ones(n);
  Interpolation at(along, factor);
  Eigen::PartialPivLU<MatrixXd> lu(n);
  for (MidpointSteps steps(along, factor); steps.Next();) {
    const double h = steps.step();
    at.GoTo(steps.middle());
    at.Calc(&H, &M);
    lu.compute(H + 0.5 * h * M);
    s_middle = lu.solve(H * s);
    s = 2 * s_middle - s;
    const VectorXd damping = (1 + 0.5 * h * along.Lambda.array()).inverse();
    e_middle = damping.asDiagonal() * (e + 0.5 * h * s_middle);
    e = 2 * e_middle - e;
    const VectorXd phi_middle = damping.cwiseProduct(phi);
    phi = 2 * phi_middle - phi;
    decayed += h * phi_middle.cwiseAbs2();
    cross += h * (phi_middle.asDiagonal() * e_middle);
    auto square = squares.begin();
    for (const auto& [parts, coordinates] : split) {
      rows = e_middle(coordinates, Eigen::all);
      square++->noalias() += h * (rows.transpose() * rows);
    }
  }

  ErrorDecay decay;
  for (std::size_t part = 0; part < along.parts.size(); ++part) {
    const VectorXd& mask = along.parts[part].mask;
    ErrorGramian gramian{zero, mask.asDiagonal() * cross, mask.cwiseProduct(decayed)};
    auto square = squares.begin();
    for (const auto& [parts, coordinates] : split) {
      if (std::ranges::find(parts, part) != parts.end()) gramian.ss += *square;
      ++square;
    }
    decay.parts.push_back(std::move(gramian));
  }
  decay.transition = std::move(s);
  return decay;
}

double CalcSlowestRate(const TorsionAlongReference& along, const MatrixXd& transition) {
  // Largest of ‖Φ s‖² in H at the end over ‖s‖² in H at the start.
  const MatrixXd end = transition.transpose() * along.samples.back().H * transition;
  const auto eigen =
      internal::DecomposeGeneralized(0.5 * (end + end.transpose()), along.samples.front().H);
  if (!eigen) return std::numeric_limits<double>::quiet_NaN();
  return -0.5 * std::log(eigen->values.maxCoeff()) / along.duration();
}

void FollowError(const TorsionAlongReference& along, double factor, const ErrorForcing* forcing,
                 VectorXd e, VectorXd s,
                 const std::function<void(double t, const VectorXd& e, const VectorXd& s)>& step) {
  MatrixXd H, M, dH;
  VectorXd right;
  Interpolation at(along, factor);
  Eigen::PartialPivLU<MatrixXd> lu(along.n());
  const VectorXd& Lambda = along.Lambda;
  step(along.samples.front().t, e, s);
  std::size_t impulse = 0;
  const std::size_t impulses = forcing != nullptr ? forcing->impulses.size() : 0;
  for (MidpointSteps steps(along, factor); steps.Next();) {
    const double h = steps.step();
    at.GoTo(steps.middle());
    at.Calc(&H, &M);
    for (; impulse < impulses && forcing->impulses[impulse].t < steps.middle(); ++impulse) {
      s += Eigen::LLT<MatrixXd>(H).solve(forcing->impulses[impulse].p);
    }
    right = H * s;
    if (forcing != nullptr && !forcing->drift.empty()) e += 0.5 * h * at.Of(forcing->drift);
    M = H + 0.5 * h * M;
    // The midpoint's e is (e + ½h s)/(1 + ½hΛ).
    const VectorXd damping = (1 + 0.5 * h * Lambda.array()).inverse();
    if (forcing != nullptr && !forcing->d.empty()) right += 0.5 * h * at.Of(forcing->d);
    if (forcing != nullptr && !forcing->dH.empty()) {
      dH = 0.5 * h * at.Of(forcing->dH) * Lambda.asDiagonal();
      const VectorXd of_e = damping.cwiseProduct(Lambda);
      M -= dH * (1 - 0.5 * h * of_e.array()).matrix().asDiagonal();
      right -= dH * of_e.cwiseProduct(e);
    }
    lu.compute(M);
    const VectorXd s_middle = lu.solve(right);
    const VectorXd e_middle = damping.cwiseProduct(e + 0.5 * h * s_middle);
    s = 2 * s_middle - s;
    e = 2 * e_middle - e;
    if (forcing != nullptr && !forcing->drift.empty()) e += 0.5 * h * at.Of(forcing->drift);
    step(steps.t(), e, s);
  }
}

std::vector<double> CalcForcedErrors(const TorsionAlongReference& along, double factor,
                                     const ErrorForcing& forcing, double skip_s) {
  CIVITA_CHECK(skip_s < along.duration(), skip_s << " s of " << along.duration());
  const VectorXd zero = VectorXd::Zero(along.n());
  std::vector<double> squares(along.parts.size(), 0.0);
  const double from = along.samples.front().t + skip_s;
  double t_before = 0, counted = 0;
  VectorXd before;
  FollowError(along, factor, &forcing, zero, zero,
              [&](double t, const VectorXd& e, const VectorXd&) {
                const VectorXd square = e.cwiseAbs2();
                if (before.size() != 0 && t_before >= from) {
                  const double h = t - t_before;
                  for (std::size_t part = 0; part < squares.size(); ++part) {
                    squares[part] += 0.5 * h * along.parts[part].mask.dot(before + square);
                  }
                  counted += h;
                }
                t_before = t;
                before = square;
              });
  for (double& square : squares) square = std::sqrt(square / counted);
  return squares;
}

WrongModel MakeWrongModel(const TorsionAlongReference& along, const Model& model,
                          const Model& plant, const ClusterModel* closed,
                          std::span<const ReferenceSample> reference) {
  CIVITA_CHECK(reference.size() == along.samples.size(),
               reference.size() << " and " << along.samples.size() << " samples");
  PlantGeometry geometry(model, closed), true_geometry(plant, closed);
  WrongModel result{along, {}};
  const int n = geometry.size();
  VectorXd bias(n), true_bias(n), vdot(n);
  MatrixXd C(n, n), H(n, n);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const ReferenceSample& state = reference[i];
    ErrorSample& sample = result.plant.samples[i];
    if (!geometry.Update(state.q, state.v) || !true_geometry.Update(state.q, state.v)) {
      throw UserError("the loops are singular at t = " + internal::ShortNumber(state.t) + " s");
    }
    geometry.CalcBiasForces(bias);
    true_geometry.CalcBiasForces(true_bias);
    true_geometry.CalcCoriolisMatrix(Factorization::Christoffel(), C, H);
    geometry.Select(state.vdot, vdot);
    result.forcing.dH.push_back(H - sample.H);
    result.forcing.d.push_back(bias - true_bias - result.forcing.dH.back() * vdot);
    sample.H = H;
    sample.C_LC = C;
  }
  return result;
}

}  // namespace civita
