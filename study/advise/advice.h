#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/study/advise/closed_forms.h"
#include "civita/study/advise/error_equations.h"
#include "civita/study/advise/judged_setting.h"
#include "civita/study/advise/largest_stable_factor.h"

namespace civita {

/// What advice is asked for.
struct AdviceOptions {
  /// The C to be judged against the torsion-free one, of the controller's model; none: the scene's.
  std::optional<Factorization> factorization = std::nullopt;
  std::string factorization_name = {};  ///< as it was written; empty: as ToString has it
  int samples = 200;                    ///< of the reference
  double mass_scale = 1.1;  ///< of the plant in the answer to wrong masses, see MassAnswer
  /// Whether more than the first lines is computed (Advice::decay_s and what follows).
  bool follows_errors = true;
  bool seeks_remedies = true;  ///< whether Advice::settings are judged, too
};

/// Roots of mean squares of a part of the error with C and with the torsion-free C.
struct ErrorPair {
  double error = 0, torsion_free = 0;
  /// 1.05 is 5 % more than with the torsion-free C; 1 where neither has an error.
  double ratio() const { return torsion_free == 0 && error == 0 ? 1 : error / torsion_free; }
};

/// The least and largest ratio of any start, and the mean one as that of roots of mean squares.
struct RatioRange {
  double least = 1, mean = 1, largest = 1;
};

/// √(∫‖P e‖²dt) of one part of the error by the error equations (CalcErrorDecay), over the time in
/// which an error decays, with e(0) = 0.
struct PartDecay {
  /// Means over starts s(0) of covariance 1 (rad/s and m/s alike), H⁻¹ (isotropic in energy) and
  /// H⁻² (independent impulses at the joints): √(tr Q W) with Q = ErrorGramian::ss, Q_0 that with
  /// the torsion-free C, in rad or m times √s for W in (rad/s)², J and (N·m·s)².
  ErrorPair joint, energy, impulse;
  /// White noise of the measured velocity, of the same density in all coordinates, as impulses:
  /// W = S Sᵀ with the S of CalcNoiseStart.
  ErrorPair noise;
  /// Over all starts s(0) in the part alone: roots of the extreme eigenvalues of (Q, Q_0).
  double least = 1, largest = 1;
};

/// The answer to pushes at a body through its centre of mass, s(0) = H⁻¹Jᵀp, over all directions of
/// p, by part.
struct PushAnswer {
  std::string body;
  std::vector<RatioRange> parts;
};

/// Errors that start at one time of the reference.
struct DecayAdvice {
  double from_s = 0;
  std::vector<PartDecay> parts;
  std::vector<PushAnswer>
      pushes;  ///< at the config's bodies, otherwise the last; and at a free base
  /// −ln of the largest growth of ‖s‖_H over the decay, by its time: the rate of the slowest error,
  /// 1/s.
  double slowest_rate = 0, slowest_rate_torsion_free = 0;
};

/// The scene's own start, as the metric error_rms has it, by part: rad or m over its duration.
struct OwnStart {
  /// By FollowIdealMotion; of closed chains, and of errors too small for it, by the error
  /// equations.
  std::vector<ErrorPair> parts;
  /// By the error equations alone: another ratio tells that the start is out of their range.
  std::vector<ErrorPair> linear;
};

/// The error that a wrong model makes along the whole reference after its first skip_s, by part.
struct MassAnswer {
  double scale = 1;  ///< of the plant's inertias; of the scene's own plant NaN
  double skip_s = 0;
  std::vector<ErrorPair> parts;
};

/// What the choice of C does to a scene's tracking error, predicted along its reference without a
/// run: against the torsion-free C, to first order in the error and for an exact model without
/// torque limits and contacts. Theory: Wensing, Englsberger, Slotine, sections III and IV, for K;
/// each number's formula stands where it is declared.
struct Advice {
  // What it is of.
  std::string scene, title;
  std::string law;            ///< LawInfo::type
  std::string factorization;  ///< as text
  bool is_torsion_free = false;
  GainForm gain_form = GainForm::kMass;
  double Lambda_min = 0, Lambda_max = 0;    ///< 1/s
  double K_D_min = 0, K_D_max = 0;          ///< the gain, in the unit of its form
  double k_min = 0, k_max = 0, k_mean = 0;  ///< 1/s, eigenvalues of H⁻¹(K_D + D)
  double omega_G = 0;                       ///< rad/s, TorsionAlongReference::omega_G
  bool is_bare_model = false;               ///< of a robot's file, with the defaults of all keys
  std::string reference;                    ///< ReferenceType::type
  double e_start = 0, s_start = 0;          ///< ‖e(0)‖, ‖s(0)‖ of the scene's own start
  double from_s = 0, to_s = 0;              ///< of the reference
  double period_s = 0, delay_s = 0;
  double step_s = 0;   ///< of the plant, with a law that acts at every instant; 0: it is held
  bool rests = false;  ///< the reference does not move: K = 0
  std::vector<ErrorPart> parts;       ///< by which the errors below are told apart
  std::vector<std::string> left_out;  ///< what the scene has and this does not, a line each

  // First lines.
  TurningRates rates;
  std::optional<ClosedForms> closed_forms;  ///< none: see why_no_closed_forms
  std::string why_no_closed_forms;

  // By the error equations; none unless AdviceOptions::follows_errors.
  double decay_s = 0;  ///< time over which an error is followed
  /// Errors that start at the first instant and at kStarts − 1 times between it and the last one of
  /// which they decay in time.
  std::vector<DecayAdvice> starts;
  static constexpr int kStarts = 4;
  std::vector<PartDecay>
      mean_decay;                  ///< by part over `starts`: roots of sums, extremes of extremes
  std::optional<OwnStart> own;     ///< none if the scene starts on its reference
  std::vector<MassAnswer> masses;  ///< of mass_scale, and of the scene's own plant if it differs
  /// HeldDecay::FindLargestFactor from the first instant, along v_r of the scene's own start where
  /// it is not on its reference (IdealMotion::nominal): errors are no larger at the end, and at no
  /// time. 0 where errors grow without K; infinite if the law acts at every instant or K = 0.
  double largest_factor = std::numeric_limits<double>::infinity();
  double safe_factor = std::numeric_limits<double>::infinity();
  /// The least JudgedSetting::largest_delay_s along the whole reference, s.
  double largest_delay_s = std::numeric_limits<double>::infinity();
  std::optional<StableFactor> measured_limit;  ///< MeasureStableFactor's, where it was asked for
  /// What it is, and what may be done instead, over the stretch of `settings_from_s` on in which C
  /// matters most of those in `starts`. Empty for the torsion-free C with one rate.
  std::vector<JudgedSetting> settings;
  double settings_from_s = 0;
};

/// The reference of a scene at `samples` times of [from, to] (s), loops closed.
/// @throws UserError where the loops cannot be closed or the reference is not finite.
std::vector<ReferenceSample> SampleReference(const SceneData& scene, double from_s, double to_s,
                                             int samples);

/// Root of the mean of ‖v̇_d‖² over that of ‖v_d‖², rad/s: how fast a reference changes; 0 at rest.
double CalcReferenceRate(const std::vector<ReferenceSample>& reference);

/// How many samples tell a reference's acceleration to some percent when interpolated linearly: at
/// least `least`, and 2000 at most.
int CountSamples(const std::vector<ReferenceSample>& reference, int least);

/// SampleReference at as many times as CountSamples has it.
std::vector<ReferenceSample> SampleFinely(const SceneData& scene, double from_s, double to_s,
                                          int least);

/// Times of a reference from which errors are followed for decay_s each: from_s and others between
/// it and the last one of which they decay until to_s.
std::vector<double> FindDecayStarts(double from_s, double to_s, double decay_s);

/// The error equations on which stability is judged: along `nominal` (IdealMotion's, or none) until
/// its end and `reference` after it.
TorsionAlongReference SampleMotion(const Scene& scene, const ErrorGains& gains,
                                   const Factorization& factorization,
                                   const std::vector<ReferenceSample>& reference,
                                   std::vector<ReferenceSample> nominal);

/// Whether errors grow there with `factor` times K: at the end of a held and late torque
/// (HeldDecay), or as steps of the plant do not follow their rates, in every_stage.
bool ErrorsGrow(const Scene& scene, const TorsionAlongReference& along, double factor);

/// An error at one time: e, and s = v − v_d + Λe.
struct StartError {
  Eigen::VectorXd e, s;  ///< n
  bool is_on_reference() const { return e.isZero(1e-12) && s.isZero(1e-12); }
};
/// The scene's own start as an error from the reference's first sample.
StartError FindStartError(const SceneData& scene, const ErrorGains& gains,
                          const ReferenceSample& reference);

/// The time in which an error with the slowest rate (1/s) decays to 1 %, at most `duration_s`.
double FindDecayTime(double slowest_rate, double duration_s);

/// What may be left out, and of which a run tells whether it acted.
inline constexpr const char *kTorqueLimits = "torque limits", *kContacts = "contacts",
                            *kJointLimits = "joint limits";
/// Left out by linear equations alone.
inline constexpr const char *kDryFriction = "dry friction, which the law feeds forward at v_r",
                            *kVelocityFilter =
                                "the velocity filter, but for a delay of the whole torque";
/// What of a scene the error equations leave out, a line each: torque limits, dry friction.
std::vector<std::string> FindLeftOut(const SceneData& scene);

/// Whether joints or tendons have dry friction.
bool HasDryFriction(const Model& model);

bool HaveSameInertias(const Model& a, const Model& b);

/// The law's gains and timing. The law's state is as before. @throws UserError, with the reason,
/// for a law without the error equations of TorsionAlongReference: one that does not use C, whose s
/// is not v − v_d + Λe, with states of its own, for feet on the ground, with gains in other
/// coordinates that matter, or whose motors do not reach all directions.
ErrorGains FindErrorGains(Scene& scene);

/// How late velocities of the velocity filter are, s: its difference over a control period, whose
/// positions semi-implicit Euler steps have half a step ahead, and its low pass of first order;
/// 0: there is none.
double FindFilterLag(const SceneData& scene);

/// The C that is judged: of a text, or of an empty one the scene's, and t:1 where that is
/// torsion-free, which `note` tells; named as the text has it. @throws UserError.
AdviceOptions ChooseFactorization(const std::string& text, const Scene& scene,
                                  const std::function<void(const std::string&)>& note);

/// For 26 velocities over 3 s some 16 ms of processor time without follows_errors, 0.15 s with it,
/// 0.25 s more for the settings, and 0.25 s more where the torque is held. @throws UserError of
/// FindErrorGains, SampleReference and SampleTorsion.
Advice Advise(Scene& scene, const AdviceOptions& options = {});

/// What Advise takes without the settings, about, in seconds of processor time.
double EstimateAdviceTime(const Scene& scene);

}  // namespace civita
