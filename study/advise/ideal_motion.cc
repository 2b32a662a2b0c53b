#include "civita/study/advise/ideal_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/tracking_error.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/closed_forms.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The closed loop of an exact model.
class ExactLaw {
 public:
  ExactLaw(const SceneData& scene, const ErrorGains& gains, const Factorization& factorization)
      : scene_(scene),
        model_(scene.control_model),
        gains_(gains),
        Lambda_(Spread(gains.Lambda)),
        K_D_(Spread(gains.K_D)),
        factorization_(factorization),
        workspace_(model_),
        error(model_.nv()),
        v_r(VectorXd::Zero(model_.nv())),
        v(v_r),
        reference_{scene.q_start, v_r, v_r},
        C_(model_.nv(), model_.nv()),
        H_(C_),
        force_(v_r) {}

  /// Sets e, v_r and v = v_r + s at a time and a configuration.
  void GoTo(double t, const VectorXd& q, const VectorXd& s) {
    scene_.reference->Sample(t, reference_);
    CalcTrackingError(model_, q, v, reference_, error);  // e and v_d do not depend on v
    v_r = error.v_d - Lambda_.cwiseProduct(error.e);
    v = v_r + s;
  }
  /// v̇_r, after GoTo.
  VectorXd CalcReferenceAcceleration(const VectorXd& q) {
    CalcTrackingError(model_, q, v, reference_, error);
    return error.vdot_d - Lambda_.cwiseProduct(error.edot);
  }
  /// s after h of H ṡ = −(C + K_D + G + D) s − r by an implicit step from s_0 with the matrices at
  /// the last GoTo, D and r of d(v) − d(v_r) = D s + r.
  VectorXd CalcImplicitStep(const VectorXd& q, double h, const VectorXd& s_0) {
    UpdateKinematics<double>(model_, q, v, workspace_);
    CalcCoriolisMatrix<double>(model_, factorization_, workspace_, C_, H_);
    const MatrixXd D = CalcDampingRate(model_, v_r);
    force_.setZero();
    AddDampingForces(model_, v, 1, force_);  // −d(v)
    AddDampingForces(model_, v_r, -1, force_);
    force_ += D * (v - v_r);
    force_ = (H_ * s_0 + h * force_).eval();
    C_ += CalcDampingMatrix(gains_.form, K_D_, H_) + D;
    if (gains_.G.size() != 0) C_ += gains_.G;
    return internal::SolveSquare(H_ + h * C_, force_);
  }

 private:
  VectorXd Spread(const VectorXd& gain) const {
    return gain.size() == 1 ? VectorXd::Constant(model_.nv(), gain[0]) : gain;
  }

  const SceneData& scene_;
  const Model& model_;
  const ErrorGains& gains_;
  VectorXd Lambda_, K_D_;
  const Factorization& factorization_;
  Workspace<double> workspace_;

 public:
  TrackingError error;
  VectorXd v_r, v;

 private:
  ReferenceState reference_;
  MatrixXd C_, H_;
  VectorXd force_;
};

/// Steps of a tenth of the time of the fastest rate, which grow to that of the slow one; each in
/// `parts` equal ones.
std::vector<double> MakeTimes(const MotionRates& rates, double from_s, double duration_s,
                              int parts) {
  constexpr double kShare = 0.1, kGrowth = 1.1;
  constexpr double kMostSteps = 5e4;
  if (duration_s * rates.slow > kShare * kMostSteps) {
    throw UserError(
        "the law's own motion from the start changes by Λ, K(v_r) and the reference "
        "with up to " +
        internal::ShortNumber(rates.slow) + " 1/s: too fast to be followed for " +
        internal::ShortNumber(duration_s) + " s");
  }
  std::vector<double> times = {0};
  double h = kShare / std::max(rates.fastest, rates.slow);
  for (double t = 0; t < duration_s; h = std::min(kGrowth * h, kShare / rates.slow)) {
    const double next = t + 1.5 * h < duration_s ? t + h : duration_s;
    for (int i = 1; i <= parts; ++i) times.push_back(t + (next - t) * i / parts);
    t = next;
  }
  for (double& t : times) t += from_s;
  return times;
}

/// The motion at these times by the implicit midpoint rule in s and the explicit one in q.
IdealMotion Follow(ExactLaw& law, const SceneData& scene, const std::vector<ErrorPart>& parts,
                   const std::vector<double>& times, int samples) {
  const Model& model = scene.control_model;
  const double from_s = times.front();
  const double between_s = (times.back() - from_s) / std::max(1, samples - 1);
  IdealMotion motion;
  motion.squares.assign(parts.size(), 0.0);
  motion.course.squares.resize(parts.size());
  VectorXd q = scene.q_start, q_middle = q, s = VectorXd::Zero(model.nv());
  law.GoTo(from_s, q, s);
  s = scene.v_start - law.v_r;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = times[i];
    law.GoTo(t, q, s);
    const double before_s = i == 0 ? 0 : t - times[i - 1];
    const double h = i + 1 == times.size() ? 0 : times[i + 1] - t;
    const VectorXd square = law.error.e.cwiseAbs2();
    motion.course.t.push_back(t);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const double of_part = parts[part].mask.dot(square);
      motion.course.squares[part].push_back(motion.squares[part] + 0.5 * before_s * of_part);
      motion.squares[part] += 0.5 * (before_s + h) * of_part;
    }
    if (t - from_s >= between_s * static_cast<double>(motion.nominal.size()) * (1 - 1e-9)) {
      motion.nominal.push_back({t, q, law.v_r, law.CalcReferenceAcceleration(q)});
    }
    if (h == 0) break;
    const VectorXd s_middle = law.CalcImplicitStep(q, 0.5 * h, s);
    IntegratePosition<double>(model, q, law.v, 0.5 * h, q_middle);
    law.GoTo(t + 0.5 * h, q_middle, s_middle);
    const VectorXd s_mean = law.CalcImplicitStep(q_middle, 0.5 * h, s);
    IntegratePosition<double>(model, q, law.v_r + s_mean, h, q);
    s = 2 * s_mean - s;
    if (!s.allFinite() || !q.allFinite()) {
      throw UserError("the law's own motion becomes infinite at t = " + internal::ShortNumber(t) +
                      " s");
    }
  }
  return motion;
}

}  // namespace

MotionRates FindMotionRates(const TorsionAlongReference& along,
                            const std::vector<ReferenceSample>& reference) {
  const double others = CalcTurningRates(along).omega_2_max + along.omega_G +
                        along.Lambda.maxCoeff() + CalcReferenceRate(reference);
  return {along.k_max + others, others};
}

IdealMotion FollowIdealMotion(const SceneData& scene, const ErrorGains& gains,
                              const Factorization& factorization,
                              const std::vector<ErrorPart>& parts, const MotionRates& rates,
                              double duration_s, int samples, double from_s) {
  if (scene.closed) throw UserError("the ideal motion is of open trees");
  ExactLaw law(scene, gains, factorization);
  constexpr int kNominal = 50, kLooks = 4;
  MotionRates own = rates;
  const auto follow = [&](int halves, int nominal) {
    return Follow(law, scene, parts, MakeTimes(own, from_s, duration_s, halves), nominal);
  };
  IdealMotion coarse = follow(1, kNominal);
  // What turns s is K(v_r): far from the reference it may turn faster than along that.
  for (int i = 0; i < kLooks && !factorization.torsion_free(); ++i) {
    const double turning = CalcTurningRates(SampleTorsion(scene.control_model, nullptr,
                                                          factorization, gains, coarse.nominal))
                               .omega_2_max;
    if (turning <= 1.5 * own.slow) break;
    own.fastest += turning;
    own.slow += turning;
    coarse = follow(1, kNominal);
  }
  IdealMotion fine = follow(2, samples);
  // Richardson's extrapolation of what is wrong by h². Where that is a large share, an error is so
  // small that it is one of the steps.
  constexpr double kMostShare = 0.3;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double before = fine.squares[part];
    if (before == 0) continue;
    const double wrong = (before - coarse.squares[part]) / 3;
    const bool is_resolved = std::abs(wrong) <= kMostShare * before;
    fine.squares[part] = is_resolved ? before + wrong : std::numeric_limits<double>::quiet_NaN();
    for (double& square : fine.course.squares[part]) square *= fine.squares[part] / before;
  }
  return fine;
}

}  // namespace civita
