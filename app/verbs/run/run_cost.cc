#include "app/verbs/run/run_cost.h"

#include <cmath>

#include "base/number_text.h"

namespace civita {

std::string RunCost::Follow(double t, double elapsed_s) {
  constexpr double kSoon = 2, kShort = 20, kSlow = 0.25;  // s, s, of real time
  if (is_done_ || elapsed_s < kSoon || !(t > 0)) return "";
  is_done_ = true;
  const double whole = elapsed_s / t * duration_s_;
  if (whole < kShort || t / elapsed_s > kSlow) return "";
  return "the first " + internal::General(t, 2) + " s took " + RoughDuration(elapsed_s) +
         ": the whole run will take about " + RoughDuration(whole);
}

std::string RoughDuration(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  Unit unit{1, " s"};
  for (const Unit& larger : {Unit{60, " min"}, Unit{3600, " h"}, Unit{86400, " days"}}) {
    if (seconds >= 2 * larger.seconds) unit = larger;
  }
  return internal::WithDecimals(seconds / unit.seconds, 0) + unit.name;
}

}  // namespace civita
