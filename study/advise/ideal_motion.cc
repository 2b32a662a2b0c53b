#include "civita/study/advise/ideal_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/tracking_error.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/scenes/plant/soft_friction.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/closed_forms.h"
#include "civita/study/advise/given_disturbances.h"
#include "civita/study/watch.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A plant's H, C_LC and g at a state.
struct PlantTerms {
  explicit PlantTerms(const Model& of)
      : model(of), workspace(of), H(of.nv(), of.nv()), C_LC(H), g(of.nv()) {}
  void Calc(const VectorXd& q, const VectorXd& v) {
    UpdateKinematics<double>(model, q, v, workspace);
    CalcCoriolisMatrix<double>(model, Factorization::Christoffel(), workspace, {.C = C_LC, .H = H});
    CalcGravityForces<double>(model, workspace, g);
  }

  Model model;
  Workspace<double> workspace;
  MatrixXd H, C_LC;
  VectorXd g;
};

class ClosedLoop {
 public:
  ClosedLoop(const SceneData& scene, const ErrorGains& gains, const Factorization& factorization,
             MotionOf of)
      : scene_(scene),
        model_(scene.control_model),
        gains_(gains),
        Lambda_(Spread(gains.Lambda)),
        K_D_(Spread(gains.K_D)),
        factorization_(factorization),
        workspace_(model_),
        law_terms_(model_),
        plant_(scene.plant),
        error(model_.nv()),
        v_r(VectorXd::Zero(model_.nv())),
        v(v_r),
        reference_{scene.q_start, v_r, v_r},
        C_(model_.nv(), model_.nv()),
        H_(C_),
        force_(v_r) {
    if (of == MotionOf::kExactLaw) return;
    rubs_ = HasDryFriction(model_);
    law_full_speeds_ = FindFullFrictionSpeeds(*scene.mj, model_);
    friction_ = FindSimulatedFriction(*scene.mj, model_);
    if (of == MotionOf::kFrictionAlone) return;
    pushes_.emplace(scene, nullptr);
    is_wrong_ = !HaveSameInertias(model_, scene.plant);
    if (gains.period_s == 0) return;
    steps_ = FindPlantSteps(scene);
    const double lag_s = FindFilterLag(scene);
    late_s_ = LateBy(gains.delay_s, gains.period_s) - lag_s;
    if (lag_s > 0) omega_ = 1 / lag_s;
  }

  /// Null: there are none.
  const PushForces* pushes() const { return pushes_ ? &*pushes_ : nullptr; }
  /// 1/s, of the filter; 0: none.
  double omega() const { return omega_; }

  /// Begins at v(0) = v_r + s, from which the filter starts.
  void Begin() {
    v_f_ = v;
    late_torque_.resize(0);
    sdot_ = VectorXd::Zero(v.size());
  }
  /// q_d.
  const VectorXd& CalcReference(double t) {
    scene_.reference->Sample(t, reference_);
    return reference_.q;
  }
  /// Sets e, v_r and v = v_r + s at a time and a configuration.
  void GoTo(double t, const VectorXd& q, const VectorXd& s) {
    t_ = t;
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
  /// s after h of H ṡ = −M s + r by an implicit step from s_0 with M and r at the last GoTo.
  VectorXd CalcImplicitStep(const VectorXd& q, double h, const VectorXd& s_0) {
    UpdateKinematics<double>(model_, q, v, workspace_);
    CalcCoriolisMatrix<double>(model_, factorization_, workspace_, {.C = C_, .H = H_});
    MatrixXd feedback = CalcDampingMatrix(gains_.form, K_D_, H_);
    if (gains_.G.size() != 0) feedback += gains_.G;
    force_.setZero();
    torque_ = C_ * v_r;
    C_ += feedback;
    AddDamping(q);
    if (rubs_) AddFriction(q, h, s_0);
    if (omega_ > 0 || late_s_ > 0) {
      N_ = feedback + H_ * Lambda_.asDiagonal();
      seen_ = VectorXd::Zero(v.size());
      if (omega_ > 0) AddFilter(q, h);
      if (late_s_ > 0) AddLag(q, h);
    }
    if (steps_.euler_s > 0) AddSteps(q);
    if (is_wrong_) AddWrongModel(q);
    for (std::size_t i = 0; pushes_ && i < pushes_->size(); ++i) {
      const double share = pushes_->push(i).ShareAt(t_, 0);
      if (share != 0) force_ += share * pushes_->Calc(i, q);
    }
    // v̇_r of the law has v for q̇.
    if (steps_.euler_s > 0) force_ += H_ * Lambda_.cwiseProduct(CalcDrift(q, sdot_));
    force_ = (H_ * s_0 + h * force_).eval();
    return internal::SolveSquare(H_ + h * C_, force_);
  }
  /// The mean velocity with which q moves, that of s and what Euler's steps add.
  VectorXd CalcRate(const VectorXd& q, double h, const VectorXd& s_0, const VectorXd& s_mean) {
    VectorXd rate = v_r + s_mean;
    if (steps_.euler_s > 0) rate += CalcDrift(q, (s_mean - s_0) / (0.5 * h));
    return rate;
  }
  /// Ends a step of h, of which the last GoTo was the middle, with this mean s.
  void EndStep(double h, const VectorXd& s_0, const VectorXd& s_mean) {
    sdot_ = (s_mean - s_0) / (0.5 * h);
    if (late_s_ > 0) {
      const double kept = Kept(2 / late_s_, 0.5 * h);
      const VectorXd torque = torque_ - N_ * ((1 - share_) * s_mean + seen_);
      late_torque_ = (2 * kept - 1) * late_torque_ + 2 * (1 - kept) * torque;
    }
    if (omega_ > 0) v_f_ = (2 * share_ - 1) * v_f_ + 2 * (1 - share_) * (v_r + s_mean);
  }

 private:
  /// By how much q of Euler's steps is faster than v.
  VectorXd CalcDrift(const VectorXd& q, const VectorXd& sdot) {
    return 0.5 * steps_.euler_s * (CalcReferenceAcceleration(q) + sdot);
  }
  VectorXd Spread(const VectorXd& gain) const {
    return gain.size() == 1 ? VectorXd::Constant(model_.nv(), gain[0]) : gain;
  }
  void AddDamping(const VectorXd& q) {
    const MatrixXd D = CalcDampingRate(model_, v_r);
    AddDampingForces(model_, v, 1, force_);  // −d(v)
    AddDampingForces(model_, v_r, -1, force_);
    force_ += D * (v - v_r);
    C_ += D;
    if (steps_.euler_s == 0 || D.isZero(0)) return;
    const VectorXd drift = D * CalcDrift(q, sdot_);
    force_ += steps_.damping_is_implicit ? -drift : drift;
  }
  /// Steps of semi-implicit Euler evaluate H v̇ and what else depends on q and v half a step before
  /// the acceleration that it makes.
  void AddSteps(const VectorXd& q) {
    const double early_s = 0.5 * steps_.euler_s;
    const VectorXd vdot = CalcReferenceAcceleration(q) + sdot_;
    VectorXd before(q.size()), forces(v.size()), passive = VectorXd::Zero(v.size());
    const auto add = [&](const VectorXd& at_q, const VectorXd& at_v, double sign) {
      UpdateKinematics<double>(plant_.model, at_q, at_v, plant_.workspace);
      CalcInverseDynamics<double>(plant_.model, vdot, plant_.workspace, forces);
      force_ += sign * forces;
      AddPassiveForces(model_, at_q, VectorXd::Zero(v.size()), {.speed = 1}, -sign, passive);
    };
    add(q, v, 1);
    IntegratePosition<double>(model_, q, v, -early_s, before);
    add(before, v - early_s * vdot, -1);
    force_ += passive;
  }
  /// −f_c(v), dry friction alone.
  VectorXd CalcFriction(const VectorXd& q, const VectorXd& at, const VectorXd& full_speeds) const {
    VectorXd friction = VectorXd::Zero(model_.nv());
    AddPassiveForces(model_, q, at, {.speed = kFrictionVelocity, .full_speeds = full_speeds}, 1,
                     friction);
    AddPassiveForces(model_, q, VectorXd::Zero(model_.nv()), {.speed = 1}, -1,
                     friction);  // springs
    AddDampingForces(model_, at, -1, friction);
    return friction;
  }
  /// −f_c(v + T v̇) + f_c(v_r) of the law: by coordinate with the secant from v_r on, implicit in s.
  void AddFriction(const VectorXd& q, double h, const VectorXd& s_0) {
    const VectorXd vdot_r = CalcReferenceAcceleration(q);
    const VectorXd& lead = friction_.leads_s;
    const VectorXd ahead = v - v_r + lead.cwiseProduct(vdot_r + sdot_);
    const VectorXd at_v_r = CalcFriction(q, v_r, friction_.full_speeds);
    VectorXd friction = CalcFriction(q, v_r + ahead, friction_.full_speeds) - at_v_r;
    force_ += at_v_r - CalcFriction(q, v_r, law_full_speeds_);
    for (Eigen::Index i = 0; i < friction.size(); ++i) {
      const double rate = -friction[i] / ahead[i];
      if (!(rate > 0) || !std::isfinite(rate)) continue;
      friction[i] = rate * lead[i] * (s_0[i] / h - vdot_r[i]);
      C_(i, i) += rate * (1 + lead[i] / h);
    }
    force_ += friction;
  }
  /// What a low pass of this rate (1/s) keeps of its value over an implicit step of h.
  static double Kept(double rate, double h) { return 1 / (1 + rate * h); }
  /// −N w + C(q, w) v_r: the law sees v_f = v + w, w = share (v_f − v_r − s) at the end of h.
  void AddFilter(const VectorXd& q, double h) {
    share_ = Kept(omega_, h);
    seen_ = share_ * (v_f_ - v_r);
    C_ -= share_ * N_;
    force_ -= N_ * seen_;
    const VectorXd w = share_ * (v_f_ - v);
    UpdateKinematics<double>(model_, q, w, workspace_);
    MatrixXd C_w(C_.rows(), C_.cols()), H(C_w);
    CalcCoriolisMatrix<double>(model_, factorization_, workspace_, {.C = C_w, .H = H});
    force_ += C_w * v_r;
    torque_ += C_w * v_r;
  }
  /// What the torque that is late by T lacks of torque − N ((1 − share) s + seen), which the law
  /// commands: e^(−pT) as (1 − pT/2)/(1 + pT/2), twice a low pass of T/2 less the torque itself.
  void AddLag(const VectorXd& q, double h) {
    torque_ += H_ * (CalcReferenceAcceleration(q) + Lambda_.cwiseProduct(v - v_r));
    UpdateKinematics<double>(model_, q, workspace_);
    VectorXd g(v.size());
    CalcGravityForces<double>(model_, workspace_, g);
    torque_ += g;
    AddPassiveForces(model_, q, v_r, {.speed = kFrictionVelocity, .full_speeds = law_full_speeds_},
                     -1, torque_);
    if (late_torque_.size() == 0) late_torque_ = torque_ - N_ * (v - v_r);
    const double kept = 2 * Kept(2 / late_s_, h);
    C_ -= kept * (1 - share_) * N_;
    force_ += kept * (late_torque_ - torque_ + N_ * seen_);
  }
  void AddWrongModel(const VectorXd& q) {
    law_terms_.Calc(q, v);
    plant_.Calc(q, v);
    C_ += plant_.C_LC - law_terms_.C_LC;
    force_ += (law_terms_.H - plant_.H) * CalcReferenceAcceleration(q) +
              (law_terms_.C_LC - plant_.C_LC) * v_r + law_terms_.g - plant_.g;
    H_ = plant_.H;
  }

  const SceneData& scene_;
  const Model& model_;
  const ErrorGains& gains_;
  VectorXd Lambda_, K_D_;
  const Factorization& factorization_;
  Workspace<double> workspace_;
  PlantTerms law_terms_, plant_;
  bool is_wrong_ = false;
  PlantSteps steps_;
  std::optional<PushForces> pushes_;
  double t_ = 0;
  bool rubs_ = false;         ///< dry friction
  VectorXd law_full_speeds_;  ///< of dry friction that the law feeds forward
  SimulatedFriction friction_;
  VectorXd sdot_;                  ///< at the last step
  double omega_ = 0, late_s_ = 0;  ///< of the filter, 1/s; T of the torque; 0: none
  double share_ = 0;               ///< of v_f that the last implicit step kept
  VectorXd v_f_, late_torque_;     ///< the states of filter and delay
  /// Of the last implicit step: the law commands torque_ − N_ ((1 − share_) s + seen_).
  VectorXd seen_, torque_;
  MatrixXd N_;  ///< H Λ + K_D + G

 public:
  TrackingError error;
  VectorXd v_r, v;

 private:
  ReferenceState reference_;
  MatrixXd C_, H_;
  VectorXd force_;
};

/// The times of steps from from_s to to_s, without it, each in `parts` equal ones: a tenth of the
/// time of the fastest rate, which grows to that of the slow one.
void AddTimes(const MotionRates& rates, double from_s, double to_s, int parts,
              std::vector<double>* times) {
  constexpr double kShare = 0.1, kGrowth = 1.1;
  double h = kShare / std::max(rates.fastest, rates.slow);
  for (double t = from_s; t < to_s; h = std::min(kGrowth * h, kShare / rates.slow)) {
    const double next = t + 1.5 * h < to_s ? t + h : to_s;
    for (int i = 0; i < parts; ++i) times->push_back(t + (next - t) * i / parts);
    t = next;
  }
}

/// With short steps at the start and as pushes begin and end, during which steps follow their
/// shapes.
std::vector<double> MakeTimes(const MotionRates& rates, double from_s, double duration_s,
                              const PushForces* pushes, int parts) {
  constexpr double kMostRate = 5e3;  // a tenth of the most steps
  if (duration_s * rates.slow > kMostRate) {
    throw UserError(
        "the law's own motion from the start changes by Λ, K(v_r) and the reference "
        "with up to " +
        internal::ShortNumber(rates.slow) + " 1/s: too fast to be followed for " +
        internal::ShortNumber(duration_s) + " s");
  }
  const double to_s = from_s + duration_s;
  std::vector<double> breaks = {to_s};
  for (std::size_t i = 0; pushes != nullptr && i < pushes->size(); ++i) {
    const Push& push = pushes->push(i);
    for (const double t : {push.start_s, push.start_s + push.duration_s}) {
      if (t > from_s && t < to_s) breaks.push_back(t);
    }
  }
  std::ranges::sort(breaks);
  std::vector<double> times;
  double t = from_s;
  for (const double next : breaks) {
    MotionRates own = rates;
    for (std::size_t i = 0; pushes != nullptr && i < pushes->size(); ++i) {
      const Push& push = pushes->push(i);
      if (push.ShareAt(0.5 * (t + next), 0) == 0) continue;
      constexpr double kAtLeast = 20;  // 1/s, steps of 5 ms
      const double shape = push.omega > 0                       ? push.omega / std::numbers::pi
                           : push.shape == PushShape::kHalfSine ? 2 / push.duration_s
                                                                : 0;
      own.slow = std::max({own.slow, shape, kAtLeast});
    }
    own.fastest = std::max(own.fastest, own.slow);
    AddTimes(own, t, next, parts, &times);
    t = next;
  }
  times.push_back(to_s);
  return times;
}

/// The motion at these times by the implicit midpoint rule in s and the explicit one in q.
IdealMotion Follow(ClosedLoop& law, const SceneData& scene, const std::vector<ErrorPart>& parts,
                   const std::vector<double>& times, int samples, MotionOf of) {
  const Model& model = scene.control_model;
  const double from_s = times.front();
  const double between_s = (times.back() - from_s) / std::max(1, samples - 1);
  IdealMotion motion;
  motion.squares.assign(parts.size(), 0.0);
  motion.course.squares.resize(parts.size());
  VectorXd s = VectorXd::Zero(model.nv());
  VectorXd q = of == MotionOf::kFrictionAlone ? law.CalcReference(from_s) : scene.q_start;
  VectorXd q_middle = q;
  law.GoTo(from_s, q, s);
  if (of != MotionOf::kFrictionAlone) {
    s = scene.v_start - law.v_r;
    law.GoTo(from_s, q, s);
  }
  law.Begin();
  for (std::size_t i = 0; i < times.size(); ++i) {
    StopScope::Ask();
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
    const VectorXd rate = law.CalcRate(q_middle, h, s, s_mean);
    law.EndStep(h, s, s_mean);
    IntegratePosition<double>(model, q, rate, h, q);
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
                              double duration_s, int samples, double from_s, MotionOf of) {
  if (scene.closed) throw UserError("the ideal motion is of open trees");
  ClosedLoop law(scene, gains, factorization, of);
  constexpr int kNominal = 50, kLooks = 4;
  MotionRates own = rates;
  own.fastest = std::max(own.fastest, law.omega() + own.slow);
  const auto follow = [&](int halves, int nominal) {
    return Follow(law, scene, parts, MakeTimes(own, from_s, duration_s, law.pushes(), halves),
                  nominal, of);
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
    if (!is_resolved && of == MotionOf::kFrictionAlone) continue;  // its size is enough
    fine.squares[part] = is_resolved ? before + wrong : std::numeric_limits<double>::quiet_NaN();
    for (double& square : fine.course.squares[part]) square *= fine.squares[part] / before;
  }
  return fine;
}

}  // namespace civita
