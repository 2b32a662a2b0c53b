#include "civita/study/advise/error_equations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/sim/plant_geometry.h"
#include "civita/study/watch.h"

namespace civita {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using ErrorSample = TorsionAlongReference::Sample;

/// The matrices of the equations at any time: cubics through four samples, of which the middle two
/// are beside it; where samples are so far apart that H would not be positive definite, lines.
class Interpolation {
 public:
  Interpolation(const TorsionAlongReference& along, double factor) : along_(along) {
    for (const ErrorSample& sample : along.samples) {
      M_.emplace_back(sample.C_LC + factor * sample.K + sample.K_D + sample.D);
    }
    MatrixXd H;
    for (std::size_t i = 0; i + 1 < along.samples.size(); ++i) {
      StopScope::Ask();
      GoTo(0.5 * (along.samples[i].t + along.samples[i + 1].t));
      CalcH(&H);
      if (!internal::DecomposePositiveDefinite(H)) lines_.insert(i);
    }
  }

  void GoTo(double t) {
    const auto& samples = along_.samples;
    const std::size_t last = samples.size() - 2;
    while (interval_ < last && samples[interval_ + 1].t < t) ++interval_;
    while (interval_ > 0 && samples[interval_].t > t) --interval_;
    const bool is_line = lines_.contains(interval_) || samples.size() < 4;
    first_ = is_line ? interval_ : std::clamp<std::size_t>(interval_, 1, last - 1) - 1;
    count_ = is_line ? 2 : 4;
    for (std::size_t i = 0; i < count_; ++i) {
      weights_[i] = 1;
      for (std::size_t j = 0; j < count_; ++j) {
        const double t_j = samples[first_ + j].t;
        if (j != i) weights_[i] *= (t - t_j) / (samples[first_ + i].t - t_j);
      }
    }
  }
  void CalcH(MatrixXd* H) const {
    *H = weights_[0] * along_.samples[first_].H;
    for (std::size_t i = 1; i < count_; ++i) *H += weights_[i] * along_.samples[first_ + i].H;
  }
  /// M = C_LC + factor K + K_D + D.
  void CalcM(MatrixXd* M) const { Calc(M_, M); }
  template <typename Matrix>
  void Calc(const std::vector<Matrix>& by_sample, Matrix* out) const {
    *out = weights_[0] * by_sample[first_];
    for (std::size_t i = 1; i < count_; ++i) *out += weights_[i] * by_sample[first_ + i];
  }

 private:
  const TorsionAlongReference& along_;
  std::vector<MatrixXd> M_;
  std::set<std::size_t> lines_;
  std::size_t interval_ = 0, first_ = 0, count_ = 0;
  double weights_[4] = {};
};

/// The fastest turning by factor K + G of a few samples in rad/s, ‖Ω‖_F/√2 ≥ ‖Ω‖₂.
double BoundTurning(const TorsionAlongReference& along, double factor) {
  double largest = 0;
  const std::size_t stride = std::max<std::size_t>(1, along.samples.size() / 10);
  for (std::size_t i = 0; i < along.samples.size(); i += stride) {
    const ErrorSample& sample = along.samples[i];
    const MatrixXd turning = factor * sample.K + 0.5 * (sample.K_D - sample.K_D.transpose());
    const MatrixXd A = internal::SolvePositiveDefinite(sample.H, turning);
    largest = std::max(largest, -A.cwiseProduct(A.transpose()).sum());
  }
  return std::sqrt(0.5 * largest);
}

/// BoundTurning. @throws UserError where errors turn so far until they are gone that their steps
/// would take minutes.
double CheckTurning(const TorsionAlongReference& along, double factor) {
  constexpr double kMostTurning = 2e4;  // rad
  constexpr double kDecays = 23;        // e⁻²³ is ErrorIntegrator::kNothing
  const double turning = BoundTurning(along, factor);
  if (turning * std::min(along.duration(), kDecays / along.k_min) <= kMostTurning) return turning;
  throw UserError("K and G turn errors by up to " + internal::ShortNumber(turning) +
                  " rad/s, which is too fast to be followed until they are gone");
}

/// SDIRK4 of Hairer and Wanner, Solving Ordinary Differential Equations II, table IV.6.5: order 4,
/// L-stable and stiffly accurate, so that steps need not follow rates whose errors are gone.
struct Sdirk4 {
  static constexpr int kStages = 5;
  static constexpr double kGamma = 0.25;
  static constexpr double c[kStages] = {1. / 4, 3. / 4, 11. / 20, 1. / 2, 1};
  static constexpr double a[kStages][kStages] = {
      {kGamma, 0, 0, 0, 0},
      {1. / 2, kGamma, 0, 0, 0},
      {17. / 50, -1. / 25, kGamma, 0, 0},
      {371. / 1360, -137. / 2720, 15. / 544, kGamma, 0},
      {25. / 24, -49. / 48, 125. / 16, -85. / 12, kGamma}};  // the last are the weights
  /// Of the embedded method of order 3.
  static constexpr double embedded[kStages] = {59. / 48, -17. / 96, 225. / 32, -85. / 12, 0};
};

/// Integrates errors, one in each column of e and s, with steps that bound the error of each.
class ErrorIntegrator {
 public:
  /// Takes a share of ∫ f(t, e) dt: weight × f.
  using Quadrature = std::function<void(double weight, double t, const MatrixXd& e)>;

  /// forcing: null, or as many samples as `along` has; acts on every column.
  ErrorIntegrator(const TorsionAlongReference& along, double factor, const ErrorForcing* forcing,
                  MatrixXd e, MatrixXd s)
      : along_(along),
        forcing_(forcing),
        at_(along, factor),
        t_(along.samples.front().t),
        h_(0.1 / (along.k_max + CheckTurning(along, factor) + along.Lambda.maxCoeff())),
        largest_e_(e.norm()),
        largest_s_(s.norm()),
        e_(std::move(e)),
        s_(std::move(s)) {}

  double t() const { return t_; }
  const MatrixXd& e() const { return e_; }
  const MatrixXd& s() const { return s_; }
  bool has_decayed() const { return !(s_.norm() > kNothing * largest_s_); }
  void CalcH(MatrixXd* H) {
    at_.GoTo(t_);
    at_.CalcH(H);
  }
  void Push(const VectorXd& impulse) {
    CalcH(&H_);
    s_.colwise() += internal::SolvePositiveDefinite(H_, impulse).col(0);
    largest_s_ = std::max(largest_s_, s_.norm());
  }

  /// A step that ends at `end` at the latest; `add` is called for each of its stages.
  void Step(double end, const Quadrature& add) {
    const double shortest = 1e-9 * (end - t_);
    for (;;) {
      StopScope::Ask();
      const bool ends = h_ >= end - t_ - shortest;
      const double h = ends ? end - t_ : h_;
      for (int i = 0; i < Sdirk4::kStages; ++i) CalcStage(i, h);
      const double excess = CalcExcess(h);
      if (!std::isfinite(excess)) RefuseRange(along_.k_max, along_.Lambda.maxCoeff());
      const double grow = excess > 0 ? std::clamp(0.9 * std::pow(excess, -0.25), 0.2, 5.0) : 5.0;
      const bool accepted = excess <= 1 || h <= shortest;
      if (!accepted || !ends || grow < 1) h_ = h * grow;
      if (!accepted) continue;
      for (int i = 0; i < Sdirk4::kStages; ++i) {
        add(h * Sdirk4::a[Sdirk4::kStages - 1][i], t_ + Sdirk4::c[i] * h, stages_[i].e);
      }
      const Stage& last = stages_[Sdirk4::kStages - 1];
      e_ = last.e;
      s_ = last.s;
      t_ = ends ? end : t_ + h;
      largest_e_ = std::max(largest_e_, e_.norm());
      largest_s_ = std::max(largest_s_, s_.norm());
      return;
    }
  }

 private:
  /// Shares of the largest s and e that a step may be wrong by, of the present s, and what of s is
  /// nothing.
  static constexpr double kTolerance = 1e-6, kPresent = 1e-4, kNothing = 1e-10;

  struct Stage {
    MatrixXd e, s, edot, sdot;
  };

  /// (H + hγ M − hγ ΔH Λ D) s = H y_s + hγ(d − ΔH Λ² D (y_e + hγ drift)), e = D(y_e + hγ(s +
  /// drift)), D = (1 + hγ Λ)⁻¹, at the stage's time; y is what the stages before make of the start.
  void CalcStage(int i, double h) {
    const double hg = h * Sdirk4::kGamma;
    Stage& stage = stages_[i];
    y_e_ = e_;
    y_s_ = s_;
    for (int j = 0; j < i; ++j) {
      y_e_ += h * Sdirk4::a[i][j] * stages_[j].edot;
      y_s_ += h * Sdirk4::a[i][j] * stages_[j].sdot;
    }
    at_.GoTo(t_ + Sdirk4::c[i] * h);
    at_.CalcH(&H_);
    at_.CalcM(&M_);
    right_.noalias() = H_ * y_s_;
    M_ = H_ + hg * M_;
    const VectorXd& Lambda = along_.Lambda;
    const VectorXd D = (1 + hg * Lambda.array()).inverse();
    stage.e = y_e_;
    if (forcing_ != nullptr) {
      if (!forcing_->drift.empty()) {
        at_.Calc(forcing_->drift, &force_);
        stage.e.colwise() += hg * force_;
      }
      if (!forcing_->d.empty()) {
        at_.Calc(forcing_->d, &force_);
        right_.colwise() += hg * force_;
      }
      if (!forcing_->dH.empty()) {
        at_.Calc(forcing_->dH, &dH_);
        dH_ = hg * dH_ * Lambda.cwiseProduct(D).asDiagonal();
        M_ -= dH_;
        right_.noalias() -= dH_ * (Lambda.asDiagonal() * stage.e);
      }
    }
    stage.s = internal::SolveSquare(M_, right_);
    stage.e += hg * stage.s;
    stage.e = D.asDiagonal() * stage.e;
    stage.edot = (stage.e - y_e_) / hg;
    stage.sdot = (stage.s - y_s_) / hg;
  }

  /// The error of a step over what it may be.
  double CalcExcess(double h) {
    y_e_.setZero();
    y_s_.setZero();
    for (int i = 0; i < Sdirk4::kStages; ++i) {
      const double weight = h * (Sdirk4::a[Sdirk4::kStages - 1][i] - Sdirk4::embedded[i]);
      y_e_ += weight * stages_[i].edot;
      y_s_ += weight * stages_[i].sdot;
    }
    const Stage& last = stages_[Sdirk4::kStages - 1];
    const double e = std::max(largest_e_, last.e.norm()), s = std::max(largest_s_, last.s.norm());
    const double present = std::max(last.s.norm(), kNothing * s);
    double excess = 0;
    if (e > 0) excess = y_e_.norm() / (kTolerance * e);
    if (s > 0)
      excess = std::max(excess, y_s_.norm() / std::min(kTolerance * s, kPresent * present));
    return excess;
  }

  const TorsionAlongReference& along_;
  const ErrorForcing* forcing_;
  Interpolation at_;
  double t_, h_, largest_e_, largest_s_;
  MatrixXd e_, s_;
  Stage stages_[Sdirk4::kStages];
  MatrixXd y_e_, y_s_, H_, M_, dH_, right_;
  VectorXd force_;
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
  MatrixXd cross = zero, rows;
  const double start = along.samples.front().t, end = along.samples.back().t;
  const auto& Lambda = along.Lambda.array();
  const auto add = [&](double weight, double t, const MatrixXd& e) {
    const VectorXd phi = (-(t - start) * Lambda).exp();  // ∂e/∂e(0), a diagonal
    cross += weight * (phi.asDiagonal() * e);
    auto square = squares.begin();
    for (const auto& [parts, coordinates] : split) {
      rows = e(coordinates, Eigen::all);
      square++->noalias() += weight * (rows.transpose() * rows);
    }
  };
  // Columns: unit s(0).
  ErrorIntegrator errors(along, factor, nullptr, zero, MatrixXd::Identity(n, n));
  ErrorDecay decay;
  while (errors.t() < end) {
    errors.Step(end, add);
    if (decay.transition_s > 0 || !(errors.has_decayed() || errors.t() >= end)) continue;
    decay.transition = errors.s();
    decay.transition_s = errors.t() - start;
    errors.CalcH(&decay.H_end);
  }
  const VectorXd decayed = (1 - (-2 * (end - start) * Lambda).exp()) / (2 * Lambda);
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
  return decay;
}

double CalcSlowestRate(const TorsionAlongReference& along, const ErrorDecay& decay) {
  // Largest of ‖Φ s‖² in H at the end over ‖s‖² in H at the start.
  const MatrixXd end = decay.transition.transpose() * decay.H_end * decay.transition;
  const auto eigen =
      internal::DecomposeGeneralized(0.5 * (end + end.transpose()), along.samples.front().H);
  if (!eigen) return std::numeric_limits<double>::quiet_NaN();
  return -0.5 * std::log(eigen->values.maxCoeff()) / decay.transition_s;
}

std::vector<double> IntegrateSquares(const TorsionAlongReference& along, double factor,
                                     const ErrorForcing* forcing, const VectorXd& e,
                                     const VectorXd& s, double skip_s, ErrorCourse* course) {
  std::vector<double> squares(along.parts.size(), 0.0);
  const auto note = [&](double t) {
    if (course == nullptr || (!course->t.empty() && t <= course->t.back())) return;
    course->squares.resize(squares.size());
    course->t.push_back(t);
    for (std::size_t i = 0; i < squares.size(); ++i) course->squares[i].push_back(squares[i]);
  };
  bool counts = false;
  const auto add = [&](double weight, double, const MatrixXd& error) {
    if (!counts) return;
    for (std::size_t part = 0; part < squares.size(); ++part) {
      squares[part] += weight * along.parts[part].mask.dot(error.col(0).cwiseAbs2());
    }
  };
  const double end = along.samples.back().t, from = along.samples.front().t + skip_s;
  ErrorIntegrator errors(along, factor, forcing, e, s);
  const auto go_to = [&](double t) {
    for (note(errors.t()); errors.t() < t; note(errors.t())) errors.Step(t, add);
  };
  const auto pass = [&](double t) {
    if (!counts && t >= from) {
      go_to(from);
      counts = true;
    }
    go_to(t);
  };
  if (forcing != nullptr) {
    for (const ErrorForcing::Impulse& impulse : forcing->impulses) {
      if (impulse.t >= end) break;
      pass(std::max(impulse.t, errors.t()));
      errors.Push(impulse.p);
    }
  }
  pass(end);
  return squares;
}

std::vector<double> CalcForcedErrors(const TorsionAlongReference& along, double factor,
                                     const ErrorForcing& forcing, double skip_s) {
  CIVITA_CHECK(skip_s < along.duration(), skip_s << " s of " << along.duration());
  const VectorXd zero = VectorXd::Zero(along.n());
  std::vector<double> errors = IntegrateSquares(along, factor, &forcing, zero, zero, skip_s);
  for (double& error : errors) error = std::sqrt(error / (along.duration() - skip_s));
  return errors;
}

WrongModel MakeWrongModel(const TorsionAlongReference& along, const Model& model,
                          const Model& plant, const VelocitySpace* closed,
                          std::span<const ReferenceSample> reference) {
  CIVITA_CHECK(reference.size() == along.samples.size(),
               reference.size() << " and " << along.samples.size() << " samples");
  PlantGeometry geometry(model, closed), true_geometry(plant, closed);
  WrongModel result{along, {}};
  const int n = geometry.size();
  VectorXd bias(n), true_bias(n), vdot(n);
  MatrixXd C(n, n), H(n, n);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    StopScope::Ask();
    const ReferenceSample& state = reference[i];
    ErrorSample& sample = result.plant.samples[i];
    if (!geometry.Update(state.q, state.v) || !true_geometry.Update(state.q, state.v)) {
      throw UserError("the loops are singular at t = " + internal::ShortNumber(state.t) + " s");
    }
    geometry.CalcBiasForces(bias);
    true_geometry.CalcBiasForces(true_bias);
    true_geometry.CalcCoriolisMatrix(Factorization::Christoffel(), {.C = C, .H = H});
    geometry.Select(state.vdot, vdot);
    result.forcing.dH.push_back(H - sample.H);
    result.forcing.d.push_back(bias - true_bias - result.forcing.dH.back() * vdot);
    sample.H = H;
    sample.C_LC = C;
  }
  return result;
}

void RefuseRange(double k, double Lambda) {
  throw UserError(
      "errors along the reference leave the range of numbers: its speed, or rates of up to " +
      internal::ShortNumber(k) + " 1/s by K_D and " + internal::ShortNumber(Lambda) +
      " 1/s by Λ, are too large or too small");
}

}  // namespace civita
