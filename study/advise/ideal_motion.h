#pragma once

#include <vector>

#include "civita/scenes/scene.h"
#include "civita/study/advise/error_parts.h"
#include "civita/study/advise/torsion_along_reference.h"

namespace civita {

/// The motion of an open tree under Slotine–Li's law without limits and contacts, from the scene's
/// start at a time of its reference; of an exact model and a law that acts at every instant
///   v̇ = v̇_r − H⁻¹((C(q, v) + K_D) s + d(v) − d(v_r)),   s = v − v_r,   v_r = v_d − Λ e,
/// d the damping force. For errors beyond the range of the linear equations, above all an e(0) of
/// which Λ e(0) is no less than v_d: then K(v_r)s, not K(v_d)s, turns s.
struct IdealMotion {
  /// ∫‖P e‖²dt by part, rad²·s or m²·s; NaN of a part whose errors are so small that they are those
  /// of the steps: there the linear equations hold.
  std::vector<double> squares;
  ErrorCourse course;  ///< the same until each time of a step
  /// q with v_r and v̇_r, in place of a reference's q_d, v_d, v̇_d for SampleTorsion.
  std::vector<ReferenceSample> nominal;
};

/// What moves beside the law.
enum class MotionOf {
  kExactLaw,  ///< nothing: the plant is the law's model
  /// What the config gives: pushes f, dry friction in d, a plant with H_p, C_p, g_p of its own, and
  /// the filter of measured velocities, v̇_f = ω(v − v_f), by w = v_f − v,
  ///   H_p ṡ = −(C_p + K + K_D) s − d(v) + d(v_r) + (H − H_p) v̇_r + (C_LC − C_p) v_r + g − g_p
  ///           − (H Λ + K_D) w + C(q, w) v_r + Jᵀf,
  /// with H, C_LC, g and K of the law's model. Dry friction of the plant is that of the velocity
  /// 1/b later (SimulatedFriction). A held torque is late by T = T_d + dt/2, e^(−pT) as
  /// (1 − pT/2)/(1 + pT/2), and semi-implicit Euler steps h of the plant move q by h v̇/2 more than
  /// v and evaluate H v̇ and its bias forces h/2 before the acceleration that they make.
  kRun,
  kFrictionAlone  ///< dry friction alone, from a start on the reference
};

/// How fast what decides about a motion changes, 1/s.
struct MotionRates {
  double fastest = 0;  ///< of s, whose damping it holds
  double slow = 0;     ///< of e, of what turns s and of the reference, which remain when s is gone
};
/// Of these error equations along this reference.
MotionRates FindMotionRates(const TorsionAlongReference& along,
                            const std::vector<ReferenceSample>& reference);

/// Integrates on the configuration manifold by the midpoint rule, implicit in s, twice: with steps
/// of a tenth of the time of the fastest rate, which grow by tenths to that of the slow one, and
/// with halves of them, and extrapolates `squares`: two evaluations of C and decompositions a step,
/// of the wrong model three times as many. After each push steps are short again. `rates` are those
/// along the reference; where K(v_r) turns s faster, that counts.
/// `samples` of `nominal` over duration_s from from_s (s) on, or fewer if there are fewer steps.
/// @throws UserError for closed chains, and where the motion becomes infinite or turns too fast for
/// 50 000 steps.
IdealMotion FollowIdealMotion(const SceneData& scene, const ErrorGains& gains,
                              const Factorization& factorization,
                              const std::vector<ErrorPart>& parts, const MotionRates& rates,
                              double duration_s, int samples, double from_s = 0,
                              MotionOf of = MotionOf::kExactLaw);

}  // namespace civita
