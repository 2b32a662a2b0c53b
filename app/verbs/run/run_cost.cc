#include "app/verbs/run/run_cost.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace civita {

std::string RunCost::Follow(double t, double elapsed_s) {
  constexpr double kSoon = 2, kShort = 20, kSlow = 0.25;  // s, s, of real time
  if (is_done_ || elapsed_s < kSoon || !(t > 0)) return "";
  is_done_ = true;
  const double whole = elapsed_s / t * duration_s_;
  if (whole < kShort || t / elapsed_s > kSlow) return "";
  std::array<char, 32> share;
  std::snprintf(share.data(), share.size(), "%.2g s", t);
  return "the first " + std::string(share.data()) + " took " + RoughDuration(elapsed_s) +
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
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.0f%s", seconds / unit.seconds, unit.name);
  return text.data();
}

}  // namespace civita
