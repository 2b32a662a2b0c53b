#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "civita/scenes/motion/spline.h"
#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

struct WaypointsKeys {
  std::vector<std::vector<double>> waypoints;  ///< nq each
  std::vector<double> times_s;
  bool repeat = true;
};

constexpr KeyRow<WaypointsKeys> kWaypointsKeys[] = {
    {"waypoints", &WaypointsKeys::waypoints, "rad, m", "rows as q"},
    {"times_s", &WaypointsKeys::times_s, "s", "when each is passed; from home at 0",
     NumberRange::kNotNegative},
    {"repeat", &WaypointsKeys::repeat, "", "forever"},
};

// Goes through the rows at their times, from rest at `center` unless the first time is 0.
std::unique_ptr<Reference> WaypointsOf(WaypointsKeys& r, const MotionContext& context) {
  const Eigen::VectorXd& center = context.center;
  const std::string times = "reference.times_s", rows = "reference.waypoints";
  if (r.waypoints.empty()) RefuseValue(rows, " holds no rows");
  if (r.times_s.size() != r.waypoints.size()) {
    RefuseValue(times, " has " + internal::Count(r.times_s.size(), "number") + " for " +
                           internal::Count(r.waypoints.size(), "row") + " of " + rows);
  }
  const bool from_center = r.times_s.front() > 0;
  Knots knots;
  if (from_center) knots.t.push_back(0);
  for (const double t : r.times_s) knots.t.push_back(t);
  knots.q.resize(center.size(), static_cast<Eigen::Index>(knots.t.size()));
  if (from_center) knots.q.col(0) = center;
  if (knots.t.size() < 2) RefuseValue(times, ": one waypoint at 0 s is no motion");
  for (size_t k = 0; k < r.waypoints.size(); ++k) {
    if (k > 0 && r.times_s[k] <= r.times_s[k - 1]) {
      RefuseValue(times, " must grow: " + ToYamlText(r.times_s[k]) + " s follows " +
                             ToYamlText(r.times_s[k - 1]) + " s");
    }
    knots.q.col(static_cast<Eigen::Index>(k) + (from_center ? 1 : 0)) = internal::CheckedPosition(
        context.plant, rows + "[" + std::to_string(k) + "]", r.waypoints[k]);
  }
  if (const auto jump = FindJump(context.plant, knots)) {
    const auto k = static_cast<size_t>(jump->knot);
    RefuseValue(rows, "[" + std::to_string(k - (from_center ? 1 : 0)) +
                          "] is a jump: " + context.plant.VelocityName(jump->iv) + " by " +
                          internal::ShortNumber(jump->way) + " in " +
                          internal::ShortNumber(knots.t[k] - knots.t[k - 1]) + " s");
  }
  return MakeSpline(context.plant, std::move(knots), r.repeat);
}

}  // namespace

constinit const ReferenceType kWaypointsReference = ReferenceTypeOf<kWaypointsKeys, WaypointsOf>(
    "waypoints", "through configurations at given times");

}  // namespace civita
