// What of a scene the advice is of: its law's gains and timing, and its reference.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/controllers/tracking_error.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/plant/closed_chain.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/formula.h"
#include "civita/sim/plant_geometry.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/given_disturbances.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

[[noreturn]] void RefuseLaw(const LawInfo& law, const std::string& why) {
  std::vector<std::string> others;
  for (const LawInfo* other : Laws()) {
    if (other->uses_factorization && other->damping == DampingForm::kInertia &&
        !other->needs_legs && other->moves_frame == nullptr) {
      others.emplace_back(other->type);
    }
  }
  throw UserError("controller.type: '" + std::string(law.type) + "' " + why +
                  "; advice is for laws with s = v − v_d + Λe and H v̇_r + C v_r − K_D s, of: " +
                  internal::Join(others, ", "));
}

const VectorXd* FindGain(const Controller& law, std::string_view key) {
  const auto gains = law.parameters();
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (gains[i].key == key) return &law.gain(static_cast<int>(i));
  }
  return nullptr;
}

bool IsOneNumber(const VectorXd& gain) { return gain.minCoeff() == gain.maxCoeff(); }

/// Whether the law's s at the scene's start, moved off the reference, is v − v_d + Λe.
bool HasPlainError(Scene& scene, const VectorXd& Lambda) {
  Controller& law = *scene.controller;
  const Model& model = scene.control_model;
  ReferenceState reference{scene.q_start, VectorXd::Zero(model.nv()), VectorXd::Zero(model.nv())};
  scene.reference->Sample(0, reference);
  const Measurement measured{0, scene.q_start, reference.v.array() + 0.1};
  const VectorXd state = law.state();
  ControlOutput output(law);
  law.ResetState(measured, reference);
  const Status status = law.CalcControl(measured, reference, output);
  law.set_state(state);
  TrackingError error(model.nv());
  CalcTrackingError(model, measured.q, measured.v, reference, error);
  const VectorXd s = measured.v - error.v_d + Lambda.cwiseProduct(error.e);
  return status && (output.s - s).norm() <= 1e-9 * (1 + s.norm());
}

/// Directions of motion in which no motor acts: of coordinates without one, of a free base's and of
/// loose objects', too, and of those that motors reach but not on their own.
int CountUndriven(const Scene& scene) {
  const Model& model = scene.control_model;
  PlantGeometry geometry(model, scene.closed.get());
  if (!geometry.Update(scene.q_start, VectorXd::Zero(model.nv()))) return 0;  // told as singular
  const int n = geometry.size();
  MatrixXd A;
  geometry.CalcTreeVelocities(MatrixXd::Identity(n, n), A);
  const Transmission motors = scene.actuation.transmission();
  MatrixXd B = MatrixXd::Zero(model.nv(), motors.num_driven());
  B.rightCols(motors.shared().cols()) = motors.shared();
  for (std::size_t i = 0; i < motors.motors().size(); ++i) {
    B(motors.motors()[i], static_cast<Eigen::Index>(i)) = 1;
  }
  return n - static_cast<int>(internal::FindColumnSpace(A.transpose() * B, 1e-9).rank);
}

void CheckLaw(Scene& scene) {
  const LawInfo& info = *scene.law;
  const Controller& law = *scene.controller;
  const SceneConfig& config = scene.config;
  if (!info.uses_factorization) RefuseLaw(info, "does not use C, so that no choice of C matters");
  if (info.needs_legs)
    RefuseLaw(info,
              "stands on feet: what they cannot give, no error equations have (docs/study.md)");
  if (info.moves_frame != nullptr && info.moves_frame(config.law_options)) {
    RefuseLaw(info, "moves a frame: its s is not that of the joints");
  }
  const VectorXd *Lambda = FindGain(law, "Lambda"), *K_D = FindGain(law, "K_D"),
                 *G = FindGain(law, "G");
  if (Lambda == nullptr || K_D == nullptr || info.damping != DampingForm::kInertia) {
    RefuseLaw(info, "has no damping K_D s in the mass matrix of its model");
  }
  const bool observes = law.observer() != nullptr;
  if (law.state().size() > (observes ? scene.control_model.nv() : 0)) {
    RefuseLaw(info, "has states of its own, which its errors move");
  }
  if (observes && law.observer()->compensates()) {
    throw UserError(
        "observer.compensate: the observer's estimate answers to errors, too; advice "
        "is for the law alone");
  }
  if (config.has_own_coordinates() &&
      (law.gain_form() != GainForm::kMass || !IsOneNumber(*Lambda) || !IsOneNumber(*K_D) ||
       (G != nullptr && !G->isZero(0)))) {
    throw UserError(
        "controller.coordinates: advice is for gains of the velocities v, or for one "
        "number each in gain_form mass and no G, which is the same in all coordinates");
  }
  if (const int undriven = CountUndriven(scene); undriven > 0) {
    throw UserError("motors leave " +
                    internal::Count(static_cast<std::size_t>(undriven), "direction") +
                    " undriven: errors there have no equations");
  }
  // Of loops and other coordinates the law subtracts another v_r, with the same s to first order.
  if (!scene.closed && !config.has_own_coordinates() && !HasPlainError(scene, *Lambda)) {
    RefuseLaw(info, "has another s with these options");
  }
}

/// Sets `state` to the reference at t with its loops closed, from `near`, closed at t_near, in as
/// many steps as that takes. @returns false where none reach it.
bool CloseReference(const Reference& reference, double t_near, const VectorXd& near, double t,
                    LoopCloser& closer, ReferenceState& state) {
  for (int steps = 1; steps <= 256; steps *= 4) {
    VectorXd q = near;
    bool closed = true;
    for (int i = 1; closed && i <= steps; ++i) {
      reference.Sample(t_near + (t - t_near) * i / steps, state);
      closed = closer.Close(q, state);
      q = state.q;
    }
    if (closed) return true;
  }
  return false;
}

}  // namespace

StartError FindStartError(const SceneData& scene, const ErrorGains& gains,
                          const ReferenceSample& reference) {
  const Model& model = scene.control_model;
  TrackingError error(model.nv());
  CalcTrackingError(model, scene.q_start, scene.v_start, {reference.q, reference.v, reference.vdot},
                    error);
  PlantGeometry geometry(model, scene.closed.get());
  StartError start{VectorXd(geometry.size()), VectorXd(geometry.size())};
  geometry.Select(error.e, start.e);
  geometry.Select(scene.v_start - error.v_d + gains.Lambda.cwiseProduct(error.e), start.s);
  return start;
}

bool HaveSameInertias(const Model& a, const Model& b) {
  return std::ranges::equal(a.bodies(), b.bodies(), [](const auto& x, const auto& y) {
    return std::abs(x.mass.mass - y.mass.mass) <= 1e-9 * std::abs(x.mass.mass) &&
           x.mass.com.isApprox(y.mass.com, 1e-9) && x.mass.inertia.isApprox(y.mass.inertia, 1e-9);
  });
}

bool HasDryFriction(const Model& model) {
  return model.frictionloss().maxCoeff() > 0 ||
         std::ranges::any_of(model.tendons(), [](const auto& t) { return t.frictionloss > 0; });
}

std::vector<std::string> FindLeftOut(const SceneData& scene) {
  std::vector<std::string> lines;
  const SceneConfig& config = scene.config;
  if (HasDryFriction(scene.control_model)) {
    lines.emplace_back(kDryFriction);
  }
  const auto is_finite = [](double limit) { return std::isfinite(limit); };
  if (std::ranges::any_of(scene.actuation.upper(), is_finite)) lines.emplace_back(kTorqueLimits);
  const mjModel& m = *scene.mj;
  const bool touches = config.mode != ControlMode::kEveryStage &&
                       (m.opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) == 0;
  if (touches) lines.emplace_back(kContacts);
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (!IsLimited(m, joint)) continue;
    lines.emplace_back(kJointLimits);
    break;
  }
  if (!config.plant.speed_limit.empty()) lines.emplace_back("the drives' speed limit");
  if (FindFilterLag(scene) > 0) lines.emplace_back(kVelocityFilter);
  const NoiseConfig& noise = config.noise;
  if (noise.joint_position > 0 || noise.orientation > 0 || noise.position > 0) {
    lines.emplace_back("noise of measured positions");
  }
  if (config.encoder_resolution > 0) lines.emplace_back("the encoders' resolution");
  if (!scene.free_parts.loose.empty()) {
    lines.emplace_back("loose objects, which are counted as of the robot");
  }
  if (scene.payload) lines.emplace_back("the payload");
  if (config.plant.loops == LoopForm::kSoft && scene.closed) {
    lines.emplace_back("the give of soft loops");
  }
  return lines;
}

double FindDecayTime(double slowest_rate, double duration_s) {
  constexpr double kDecayed = 5;  // e⁻⁵ is below 1 %
  return std::min(duration_s, kDecayed / slowest_rate);
}

double CalcReferenceRate(const std::vector<ReferenceSample>& reference) {
  double v = 0, vdot = 0;
  for (const ReferenceSample& sample : reference) {
    v += sample.v.squaredNorm();
    vdot += sample.vdot.squaredNorm();
  }
  return v > 0 ? std::sqrt(vdot / v) : 0;
}

int CountSamples(const std::vector<ReferenceSample>& reference, int least) {
  constexpr int kMost = 2000;
  const double turns =
      CalcReferenceRate(reference) * (reference.back().t - reference.front().t);  // rad
  return std::clamp(static_cast<int>(std::min(turns / 0.3, 1.0 * kMost)), least,
                    std::max(least, kMost));
}

std::vector<ReferenceSample> SampleFinely(const SceneData& scene, double from_s, double to_s,
                                          int least) {
  std::vector<ReferenceSample> reference = SampleReference(scene, from_s, to_s, least);
  const int samples = CountSamples(reference, least);
  return samples > least ? SampleReference(scene, from_s, to_s, samples) : reference;
}

std::vector<double> FindDecayStarts(double from_s, double to_s, double decay_s) {
  std::vector<double> starts;
  for (int i = 0; i < Advice::kStarts; ++i) {
    // Multiples of the golden ratio, modulo 1, are periods of no reference.
    const double share = std::fmod(i * std::numbers::phi, 1.0);
    starts.push_back(from_s + (to_s - from_s - decay_s) * share);
    if (decay_s == to_s - from_s) break;
  }
  return starts;
}

ErrorGains FindErrorGains(Scene& scene) {
  CheckLaw(scene);
  const Controller& law = *scene.controller;
  const SceneConfig& config = scene.config;
  ErrorGains gains{*FindGain(law, "Lambda"), *FindGain(law, "K_D"), law.gain_form()};
  if (const VectorXd* G = FindGain(law, "G"); G != nullptr && G->size() != 0) {
    const int nv = scene.control_model.nv();
    gains.G = G->reshaped(nv, nv).transpose();  // the gain has its rows
  }
  if (config.mode == ControlMode::kEveryStage) return gains;
  gains.period_s = 1 / config.rate_hz;
  gains.delay_s = config.delay_s + config.actuation_delay_s;
  gains.delay_s += FindFilterLag(scene);
  return gains;
}

double FindFilterLag(const SceneData& scene) {
  const SceneConfig& config = scene.config;
  if (config.mode == ControlMode::kEveryStage || !(config.velocity_filter_hz > 0)) return 0;
  const double dt = 1 / config.rate_hz;
  // A difference over dt is half of it late, v_k = a v_{k−1} + (1 − a) d_k by dt a/(1 − a).
  return dt * (0.5 + 1 / std::expm1(2 * std::numbers::pi * config.velocity_filter_hz * dt)) -
         0.5 * FindPlantSteps(scene).euler_s;
}

AdviceOptions ChooseFactorization(const std::string& text, const Scene& scene,
                                  const std::function<void(const std::string&)>& note) {
  if (!text.empty()) {
    return {.factorization = ReadFactorization(text, scene.control_model),
            .factorization_name = text};
  }
  const Factorization& C = scene.controller->factorization();
  if (!C.torsion_free()) return {.factorization = C};
  if (note) note("the scene's C is torsion-free: t:1 is judged against it");
  return {.factorization = Factorization::Torsion(1), .factorization_name = "t:1"};
}

std::vector<ReferenceSample> SampleReference(const SceneData& scene, double from_s, double to_s,
                                             int samples) {
  CIVITA_CHECK(samples >= 2, samples << " samples");
  if (!(to_s > from_s) || !std::isfinite(to_s - from_s)) {
    throw UserError("duration_s: a reference without duration, from " +
                    internal::ShortNumber(from_s) + " to " + internal::ShortNumber(to_s) + " s");
  }
  const int nv = scene.control_model.nv();
  ReferenceState state{scene.q_start, VectorXd::Zero(nv), VectorXd::Zero(nv)};
  std::optional<LoopCloser> closer;
  if (scene.closed) closer.emplace(scene.closed);
  double t_near = 0;  // q_start is on the branch of the loops on which the run starts
  VectorXd near = scene.q_start;
  std::vector<ReferenceSample> reference;
  for (int i = 0; i < samples; ++i) {
    const double t = from_s + (to_s - from_s) * i / (samples - 1);
    if (!closer) scene.reference->Sample(t, state);
    const bool closed =
        !closer || CloseReference(*scene.reference, t_near, near, t, *closer, state);
    if (!closed || !state.q.allFinite() || !state.v.allFinite() || !state.vdot.allFinite()) {
      throw UserError("the reference " +
                      std::string(closed ? "is not finite" : "leaves what the loops allow") +
                      " at t = " + internal::ShortNumber(t) + " s");
    }
    near = state.q;
    t_near = t;
    reference.push_back({t, state.q, state.v, state.vdot});
  }
  return reference;
}

}  // namespace civita
