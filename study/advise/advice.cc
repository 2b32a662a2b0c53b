#include "civita/study/advise/advice.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/controllers/tracking_error.h"
#include "civita/factorization_text.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/plant/stiffness.h"
#include "civita/sim/plant_geometry.h"
#include "civita/study/advise/given_disturbances.h"
#include "civita/study/advise/held_stability.h"
#include "civita/study/advise/ideal_motion.h"
#include "civita/study/advise/remedies.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The extreme and mean ratios of SᵀGS and SᵀG₀S over the span of the columns of S.
RatioRange CompareGramians(const MatrixXd& G, const MatrixXd& G_0, const MatrixXd& S) {
  RatioRange range;
  const double mean = S.cwiseProduct(G * S).sum(), mean_0 = S.cwiseProduct(G_0 * S).sum();
  if (!(mean_0 > 0)) return range;
  range.mean = std::sqrt(std::max(0.0, mean / mean_0));
  const internal::ColumnSpace space = internal::FindColumnSpace(S, 1e-9);
  const MatrixXd basis = space.Q.leftCols(space.rank);
  const auto eigen = internal::DecomposeGeneralized(basis.transpose() * G * basis,
                                                    basis.transpose() * G_0 * basis);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  range.least = eigen ? std::sqrt(std::max(0.0, eigen->values.minCoeff())) : kNaN;
  range.largest = eigen ? std::sqrt(std::max(0.0, eigen->values.maxCoeff())) : kNaN;
  return range;
}

/// Two decays along one reference: with the factorization and torsion-free.
struct Decays {
  const TorsionAlongReference& along;
  ErrorDecay with, without;
};

OwnStart CompareOwnStart(const Decays& decays, const StartError& start, double duration_s) {
  const auto rms = [&](const ErrorGramian& gramian) {
    return std::sqrt(std::max(0.0, gramian.Of(start.e, start.s)) / duration_s);
  };
  OwnStart own;
  for (std::size_t i = 0; i < decays.along.parts.size(); ++i) {
    own.linear.push_back({rms(decays.with.parts[i]), rms(decays.without.parts[i])});
  }
  own.parts = own.linear;
  return own;
}

std::vector<PartDecay> ComparePartDecays(const Decays& decays) {
  const TorsionAlongReference::Sample& first = decays.along.samples.front();
  const Eigen::Index n = decays.along.n();
  const MatrixXd one = MatrixXd::Identity(n, n);
  const MatrixXd energy = internal::SolvePositiveDefinite(first.H, one);
  const MatrixXd impulse = energy * energy;
  const MatrixXd noise = CalcNoiseStart(decays.along, 1), noise_0 = CalcNoiseStart(decays.along, 0);
  std::vector<PartDecay> parts;
  for (std::size_t i = 0; i < decays.along.parts.size(); ++i) {
    const ErrorGramian &G = decays.with.parts[i], &G_0 = decays.without.parts[i];
    const auto pair = [&](const MatrixXd& W, const MatrixXd& W_0) {
      return ErrorPair{std::sqrt(G.Mean(W)), std::sqrt(G_0.Mean(W_0))};
    };
    const MatrixXd of_part = one(Eigen::all, decays.along.parts[i].coordinates);
    const RatioRange range = CompareGramians(G.ss, G_0.ss, of_part);
    parts.push_back({pair(one, one), pair(energy, energy), pair(impulse, impulse),
                     pair(noise * noise.transpose(), noise_0 * noise_0.transpose()), range.least,
                     range.largest});
  }
  return parts;
}

void AddSquares(const ErrorPair& term, ErrorPair* sum) {
  sum->error = std::hypot(sum->error, term.error);
  sum->torsion_free = std::hypot(sum->torsion_free, term.torsion_free);
}

std::vector<PartDecay> SumDecays(const std::vector<DecayAdvice>& starts) {
  std::vector<PartDecay> sums = starts.front().parts;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    PartDecay& sum = sums[i];
    for (const DecayAdvice& start : std::span(starts).subspan(1)) {
      const PartDecay& part = start.parts[i];
      AddSquares(part.joint, &sum.joint);
      AddSquares(part.energy, &sum.energy);
      AddSquares(part.impulse, &sum.impulse);
      AddSquares(part.noise, &sum.noise);
      sum.least = std::min(sum.least, part.least);
      sum.largest = std::max(sum.largest, part.largest);
    }
  }
  return sums;
}

/// Names of the bodies at which pushes are judged.
std::set<std::string> BodiesToPush(const Scene& scene) {
  std::set<std::string> bodies;
  for (const PushConfig& push : scene.config.pushes) {
    if (!push.body.empty()) bodies.insert(push.body);
  }
  const Model& model = scene.control_model;
  if (bodies.empty()) bodies.insert(model.frames().back().name);
  const auto free = std::ranges::find(model.joints(), JointType::kFree, &Model::NamedJoint::type);
  if (free != model.joints().end()) {
    for (const Model::NamedFrame& frame : model.frames()) {
      if (frame.body == free->body) bodies.insert(frame.name);
    }
  }
  return bodies;
}

std::vector<PushAnswer> ComparePushes(const Scene& scene, const Decays& decays,
                                      const ReferenceSample& reference) {
  const Model& model = scene.control_model;
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, reference.q, workspace);
  PlantGeometry geometry(model, scene.closed.get());
  if (!geometry.Update(reference.q, reference.v)) return {};
  const Eigen::Index n = decays.along.n();
  MatrixXd A, J(6, model.nv());
  geometry.CalcTreeVelocities(MatrixXd::Identity(n, n), A);
  std::vector<PushAnswer> answers;
  for (const std::string& body : BodiesToPush(scene)) {
    const Model::NamedFrame& frame = model.FindFrame(body);
    if (frame.body < 0) continue;
    CalcFrameJacobian<double>(model, {frame, FindPushPoint(scene, body)}, workspace, J);
    const MatrixXd S = internal::SolvePositiveDefinite(decays.along.samples.front().H,
                                                       (J.bottomRows<3>() * A).transpose());
    PushAnswer answer{body, {}};
    for (std::size_t i = 0; i < decays.along.parts.size(); ++i) {
      answer.parts.push_back(
          CompareGramians(decays.with.parts[i].ss, decays.without.parts[i].ss, S));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

MassAnswer CompareModels(const TorsionAlongReference& along, const Scene& scene, const Model& plant,
                         double scale, const std::vector<ReferenceSample>& reference,
                         double skip_s) {
  const WrongModel wrong =
      MakeWrongModel(along, scene.control_model, plant, scene.closed.get(), reference);
  const auto with = CalcForcedErrors(wrong.plant, 1, wrong.forcing, skip_s);
  const auto without = CalcForcedErrors(wrong.plant, 0, wrong.forcing, skip_s);
  MassAnswer answer{scale, skip_s, {}};
  for (std::size_t i = 0; i < with.size(); ++i) answer.parts.push_back({with[i], without[i]});
  return answer;
}

std::string WhyNoClosedForms(const TorsionAlongReference& along) {
  if (along.has_one_rate()) return "";
  const VectorXd& Lambda = along.Lambda;
  if (along.omega_G > 0) {
    return "The skew gain G turns errors, by up to " + internal::ShortNumber(along.omega_G) +
           " rad/s";
  }
  if (along.k_max - along.k_min > TorsionAlongReference::kAlike * along.k_max) {
    return "K_D + D is not k H: its rates, the eigenvalues of H⁻¹(K_D + D), go from " +
           internal::ShortNumber(along.k_min) + " to " + internal::ShortNumber(along.k_max) +
           " 1/s";
  }
  return "Λ is not one number: " + internal::ShortNumber(Lambda.minCoeff()) + " to " +
         internal::ShortNumber(Lambda.maxCoeff()) + " 1/s";
}

/// Sets the errors of the scene's own start. @returns IdealMotion::nominal of the torsion-free C.
std::vector<ReferenceSample> FollowOwnStart(const Scene& scene, const ErrorGains& gains,
                                            const Factorization& factorization,
                                            const MotionRates& rates, int samples, Advice* advice) {
  const auto follow = [&](const Factorization& C) {
    return FollowIdealMotion(scene, gains, C, advice->parts, rates, advice->decay_s, samples);
  };
  const IdealMotion with = follow(factorization);
  IdealMotion without = follow(Factorization::Christoffel());
  const double duration_s = scene.config.duration_s;
  for (std::size_t i = 0; i < advice->parts.size(); ++i) {
    if (std::isnan(with.squares[i] + without.squares[i])) continue;  // the linear ones remain
    advice->own->parts[i] = {std::sqrt(with.squares[i] / duration_s),
                             std::sqrt(without.squares[i] / duration_s)};
  }
  return std::move(without.nominal);
}

/// What follows from errors that start along the reference. @returns where the errors of the
/// scene's own start move, if it is off its reference.
std::vector<ReferenceSample> FollowDecay(const Scene& scene, const ErrorGains& gains,
                                         const Factorization& factorization,
                                         const MotionRates& rates, int samples, Advice* advice) {
  const double duration = advice->to_s - advice->from_s;
  advice->decay_s = FindDecayTime(std::min(advice->k_min, advice->Lambda_min), duration);
  for (const double from_s : FindDecayStarts(advice->from_s, advice->to_s, advice->decay_s)) {
    const bool is_first = advice->starts.empty();
    const std::vector<ReferenceSample> reference =
        SampleReference(scene, from_s, from_s + advice->decay_s, samples);
    const TorsionAlongReference along =
        SampleTorsion(scene.control_model, scene.closed.get(), factorization, gains, reference);
    const Decays decays{along, CalcErrorDecay(along, 1), CalcErrorDecay(along, 0)};
    advice->starts.push_back(
        {from_s, ComparePartDecays(decays), ComparePushes(scene, decays, reference.front()),
         CalcSlowestRate(along, decays.with), CalcSlowestRate(along, decays.without)});
    if (!is_first) continue;
    const StartError start = FindStartError(scene, gains, reference.front());
    advice->e_start = start.e.norm();
    advice->s_start = start.s.norm();
    if (!start.is_on_reference()) {
      advice->own = CompareOwnStart(decays, start, scene.config.duration_s);
    }
  }
  advice->mean_decay = SumDecays(advice->starts);
  if (!advice->own || scene.closed) return {};
  return FollowOwnStart(scene, gains, factorization, rates, samples, advice);
}

/// Sets the factors on K that holding and delay bear.
void FindFactors(const TorsionAlongReference& along, Advice* advice) {
  const double omega_c = CalcCriticalTurning(along.k_mean, along.period_s, along.delay_s);
  const double most = 8 * std::max(omega_c, along.k_max) / advice->rates.omega_2;
  const HeldDecay decay(along);
  advice->largest_factor = decay.FindLargestFactor(most, false);
  advice->safe_factor = decay.FindLargestFactor(std::min(most, 2 * advice->largest_factor), true);
}

/// The least delay that errors bear along the reference: of its samples, and between those next to
/// the one that bears least.
double FindLargestDelay(const Scene& scene, const ErrorGains& gains,
                        const Factorization& factorization, const TorsionAlongReference& along) {
  constexpr int kBetween = 33;
  const std::vector<double> delays = CalcLargestDelays(along);
  const auto worst = static_cast<std::size_t>(std::ranges::min_element(delays) - delays.begin());
  const double from = along.samples[worst == 0 ? 0 : worst - 1].t,
               to = along.samples[std::min(worst + 1, delays.size() - 1)].t;
  const TorsionAlongReference near =
      SampleTorsion(scene.control_model, scene.closed.get(), factorization, gains,
                    SampleReference(scene, from, to, kBetween));
  return std::min(delays[worst], CalcLargestDelay(near));
}

/// Sets what needs the whole reference: the delay that it bears, the answers to wrong models, and
/// the factors on K.
void FollowReference(const Scene& scene, const ErrorGains& gains,
                     const Factorization& factorization, const AdviceOptions& options,
                     std::vector<ReferenceSample> reference, std::vector<ReferenceSample> nominal,
                     Advice* advice) {
  const int samples = CountSamples(reference, options.samples);
  if (samples > options.samples) {
    reference = SampleReference(scene, advice->from_s, advice->to_s, samples);
  }
  const TorsionAlongReference along =
      SampleTorsion(scene.control_model, scene.closed.get(), factorization, gains, reference);
  advice->largest_delay_s = FindLargestDelay(scene, gains, factorization, along);
  const double skip_s = std::min(0.5 * along.duration(), advice->decay_s);
  const auto add = [&](const Model& plant, double scale) {
    advice->masses.push_back(CompareModels(along, scene, plant, scale, reference, skip_s));
  };
  add(scene.control_model.WithScaledInertia(options.mass_scale), options.mass_scale);
  if (!HaveSameInertias(scene.control_model, scene.plant)) {
    add(scene.plant, std::numeric_limits<double>::quiet_NaN());
  }
  if (along.period_s > 0 && advice->rates.omega_2_max > 0) {
    FindFactors(SampleMotion(scene, gains, factorization, reference, std::move(nominal)), advice);
  } else if (ErrorsGrow(scene, along, 0)) {
    advice->largest_factor = advice->safe_factor = 0;
  }
}

/// Sets what the advice is of.
void DescribeScene(const Scene& scene, const ErrorGains& gains, const Factorization& factorization,
                   const std::string& name, const TorsionAlongReference& along, Advice* advice) {
  const SceneConfig& config = scene.config;
  advice->scene = config.name;
  advice->title = config.title;
  advice->law = scene.law->type;
  advice->factorization = name.empty() ? ToString(factorization) : name;
  advice->is_torsion_free = factorization.torsion_free();
  advice->gain_form = gains.form;
  advice->Lambda_min = along.Lambda.minCoeff();
  advice->Lambda_max = along.Lambda.maxCoeff();
  advice->K_D_min = gains.K_D.minCoeff();
  advice->K_D_max = gains.K_D.maxCoeff();
  advice->k_min = along.k_min;
  advice->k_max = along.k_max;
  advice->k_mean = along.k_mean;
  advice->omega_G = along.omega_G;
  std::error_code ignored;
  advice->is_bare_model = std::filesystem::equivalent(config.source, config.model, ignored);
  advice->reference = config.reference.type().name;
  advice->period_s = along.period_s;
  advice->delay_s = along.delay_s;
  advice->step_s = along.period_s > 0 ? 0 : scene.mj->opt.timestep;
  advice->rests = along.rests();
  advice->parts = along.parts;
  advice->left_out = FindLeftOut(scene);
}

/// Refuses what has no numbers.
void CheckRange(const Advice& advice) {
  std::vector<double> numbers = {advice.rates.omega_F, advice.rates.eta, advice.k_mean};
  const auto add = [&numbers](const auto&... more) { (numbers.push_back(more), ...); };
  const auto add_pair = [&add](const ErrorPair& pair) { add(pair.error, pair.torsion_free); };
  if (advice.closed_forms) {
    const ClosedForms& forms = *advice.closed_forms;
    add(forms.turning, forms.feedback_torque, forms.sampling_share);
    for (const PartChange& part : forms.parts) {
      add(part.largest_increase);
    }
  }
  for (const PartDecay& part : advice.mean_decay) {
    for (const ErrorPair& pair : {part.joint, part.energy, part.impulse, part.noise}) {
      add_pair(pair);
    }
  }
  for (const DecayAdvice& start : advice.starts) {
    add(start.slowest_rate, start.slowest_rate_torsion_free);
  }
  for (const MassAnswer& mass : advice.masses) std::ranges::for_each(mass.parts, add_pair);
  if (advice.own) std::ranges::for_each(advice.own->parts, add_pair);
  for (const JudgedSetting& setting : advice.settings) {
    add(setting.joint, setting.joint_torsion_free, setting.energy, setting.slowest_rate,
        setting.feedback);
  }
  if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); })) {
    RefuseRange(advice.k_max, advice.Lambda_max);
  }
}

}  // namespace

TorsionAlongReference SampleMotion(const Scene& scene, const ErrorGains& gains,
                                   const Factorization& factorization,
                                   const std::vector<ReferenceSample>& reference,
                                   std::vector<ReferenceSample> nominal) {
  for (const ReferenceSample& sample : reference) {
    if (nominal.empty() || sample.t > nominal.back().t + 1e-9) nominal.push_back(sample);
  }
  return SampleTorsion(scene.control_model, scene.closed.get(), factorization, gains, nominal);
}

bool ErrorsGrow(const Scene& scene, const TorsionAlongReference& along, double factor) {
  if (along.period_s > 0) return HeldDecay(along).CalcGrowth(factor).end > 0;
  const double fastest = std::max(along.k_max, along.Lambda.maxCoeff());
  return fastest * scene.mj->opt.timestep > kRungeKuttaBound;
}

Advice Advise(Scene& scene, const AdviceOptions& options) {
  const ErrorGains gains = FindErrorGains(scene);
  const Factorization& factorization =
      options.factorization ? *options.factorization : scene.controller->factorization();
  Advice advice;
  advice.to_s = scene.config.duration_s;
  const std::vector<ReferenceSample> reference =
      SampleReference(scene, advice.from_s, advice.to_s, options.samples);
  const TorsionAlongReference along =
      SampleTorsion(scene.control_model, scene.closed.get(), factorization, gains, reference);
  DescribeScene(scene, gains, factorization, options.factorization_name, along, &advice);
  advice.rates = CalcTurningRates(along);
  advice.why_no_closed_forms = WhyNoClosedForms(along);
  if (along.has_one_rate()) advice.closed_forms = CalcClosedForms(along, advice.rates);
  CheckRange(advice);
  if (!options.follows_errors) return advice;

  std::vector<ReferenceSample> nominal = FollowDecay(
      scene, gains, factorization, FindMotionRates(along, reference), options.samples, &advice);
  FollowReference(scene, gains, factorization, options, reference, std::move(nominal), &advice);
  if (options.seeks_remedies) {
    JudgeSettings(scene, gains, factorization, &advice);
    if (!advice.settings.empty())  // "as it is", along a stretch that is sampled finely
      advice.largest_delay_s =
          std::min(advice.largest_delay_s, advice.settings.front().largest_delay_s);
  }
  CheckRange(advice);
  return advice;
}

double EstimateAdviceTime(const Scene& scene) {
  const double n = scene.control_model.nv();
  return 0.02 + 4e-3 * n + 3e-5 * n * n * n;
}

}  // namespace civita
