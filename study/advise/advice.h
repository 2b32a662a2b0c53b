#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/study/advise/closed_forms.h"
#include "civita/study/advise/error_equations.h"

namespace civita {

/// What advice is asked for.
struct AdviceOptions {
  /// The C to be judged against the torsion-free one, of the controller's model; none: the scene's.
  std::optional<Factorization> factorization = std::nullopt;
  int samples = 200;        ///< of the reference
  double mass_scale = 1.1;  ///< of the plant in the answer to wrong masses, see MassAnswer
  /// Whether more than the first lines is computed (Advice::decay_s and what follows).
  bool follows_errors = true;
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
  /// H⁻² (independent impulses at the joints): √(tr G W), in rad or m times √s for W in (rad/s)²,
  /// J and (N·m·s)².
  ErrorPair joint, energy, impulse;
  /// White noise of the measured velocity, of the same density in all coordinates: its force
  /// −(K_D + HΛ + K)ν, as impulses.
  ErrorPair noise;
  /// Over all starts s(0) in the part alone: roots of the extreme eigenvalues of (G, G_0).
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
  /// By FollowIdealMotion; of closed chains by the error equations.
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
  std::string law;            ///< LawInfo::type
  std::string factorization;  ///< as text
  bool is_torsion_free = false;
  GainForm gain_form = GainForm::kMass;
  double Lambda_min = 0, Lambda_max = 0;    ///< 1/s
  double k_min = 0, k_max = 0, k_mean = 0;  ///< 1/s, eigenvalues of H⁻¹(K_D + D)
  double omega_G = 0;                       ///< rad/s, TorsionAlongReference::omega_G
  double from_s = 0, to_s = 0;              ///< of the reference
  double period_s = 0, delay_s = 0;
  bool rests = false;                 ///< the reference does not move: K = 0
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
  /// time. Infinite if the law acts at every instant or K = 0.
  double largest_factor = std::numeric_limits<double>::infinity();
  double safe_factor = std::numeric_limits<double>::infinity();
};

/// The reference of a scene at `samples` times of [from, to] (s), loops closed.
/// @throws UserError where the loops cannot be closed or the reference is not finite.
std::vector<ReferenceSample> SampleReference(const SceneData& scene, double from_s, double to_s,
                                             int samples);

/// The law's gains and timing. The law's state is as before. @throws UserError, with the reason,
/// for a law without the error equations of TorsionAlongReference: one that does not use C, whose s
/// is not v − v_d + Λe, with states of its own, for feet on the ground, with gains in other
/// coordinates that matter, or whose motors do not reach all directions.
ErrorGains FindErrorGains(Scene& scene);

/// For 26 velocities over 3 s some 16 ms of processor time without follows_errors, 0.15 s with it,
/// and 0.4 s where the torque is held. @throws UserError of FindErrorGains, SampleReference and
/// SampleTorsion.
Advice Advise(Scene& scene, const AdviceOptions& options = {});

}  // namespace civita
