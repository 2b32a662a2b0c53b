#pragma once

#include "civita/study/advise/advice.h"

namespace civita {

/// Sets Advice::settings and settings_from_s of an advice that has its `starts`: what it is; the
/// torsion-free C; where H⁻¹(K_D + D) has several rates, K_D = k H with their mean and the skew
/// gain of MakeSkewGain; and the damping with which C matters by less than 1 % on average.
void JudgeSettings(const Scene& scene, const ErrorGains& gains, const Factorization& factorization,
                   Advice* advice);

}  // namespace civita
