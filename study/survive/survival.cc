#include "civita/study/survive/survival.h"

#include <algorithm>
#include <cmath>

namespace civita {

Interval WilsonInterval(long k, long n) {
  if (n == 0) return {};
  constexpr double z = 1.959963984540054;  // of the normal distribution at 97.5 %
  const auto count = static_cast<double>(n);
  const double p = static_cast<double>(k) / count;
  const double spread = z * z / count;
  const double middle = p + spread / 2;
  const double half = z * std::sqrt(p * (1 - p) / count + spread / (4 * count));
  return {std::max(0.0, (middle - half) / (1 + spread)),
          std::min(1.0, (middle + half) / (1 + spread))};
}

std::vector<std::pair<const char*, TrialValue>> FiguresOf(const SurvivalTrial& t,
                                                          std::optional<bool> gait) {
  std::vector<std::pair<const char*, TrialValue>> figures = {{"seed", long{t.seed}},
                                                             {"friction", t.friction},
                                                             {"direction_rad", t.direction},
                                                             {"start_s", t.start_s},
                                                             {"impulse_Ns", t.impulse},
                                                             {"ceiling_Ns", t.ceiling},
                                                             {"survived", t.survived},
                                                             {"fell", t.fell},
                                                             {"verdict", t.verdict},
                                                             {"end_s", t.end_s},
                                                             {"steps", t.steps},
                                                             {"feet_moved_m", t.moved},
                                                             {"farthest_foot_m", t.farthest_foot},
                                                             {"foot_off_m", t.foot_off},
                                                             {"peak_tilt_rad", t.tilt_peak},
                                                             {"unmet_force_N", t.unmet_force},
                                                             {"unmet_moment_Nm", t.unmet_moment},
                                                             {"qp_fallbacks", t.qp_fallbacks}};
  if (t.fell || !gait) return figures;
  if (*gait) {
    figures.insert(figures.end(),
                   {{"velocity_error_mps", t.velocity_error}, {"tilt_rms_rad", t.tilt_rms}});
  } else {
    figures.insert(figures.end(),
                   {{"error_m", t.error}, {"speed_mps", t.speed}, {"tilt_rad", t.tilt}});
  }
  return figures;
}

long SurvivalRow::num_survived() const {
  return std::ranges::count_if(trials, &SurvivalTrial::survived);
}

long SurvivalRow::num_fallen() const { return std::ranges::count_if(trials, &SurvivalTrial::fell); }

Interval SurvivalRow::interval() const {
  return WilsonInterval(num_survived(), static_cast<long>(trials.size()));
}

}  // namespace civita
