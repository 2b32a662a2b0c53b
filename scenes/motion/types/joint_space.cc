#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "civita/scenes/motion/motion_file.h"
#include "civita/scenes/motion/room.h"
#include "civita/scenes/motion/spline.h"
#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/yaml_value.h"

// Motions of the joints: a reference for each coordinate of q.

namespace civita {
namespace {

std::unique_ptr<Reference> HoldOf(NoKeys& /*keys*/, const MotionContext& context) {
  return MakeHold(context.plant, context.center);
}

struct LineKeys {
  int coordinate = 0;
};

constexpr KeyRow<LineKeys> kLineKeys[] = {
    {"coordinate", &LineKeys::coordinate, "", "which coordinate of v, from 0",
     NumberRange::kNotNegative},
};

std::unique_ptr<Reference> LineOf(LineKeys& keys, const MotionContext& context) {
  const int nv = context.plant.nv();
  if (keys.coordinate >= nv) {
    RefuseValue("reference.coordinate", " is " + std::to_string(keys.coordinate) +
                                            ", the model has nv = " + std::to_string(nv) +
                                            " (counted from 0)");
  }
  return MakeLine(context.plant, context.center, keys.coordinate);
}

struct SinusoidKeys {
  std::vector<double> amplitude, frequency_hz, phase;  ///< one number or nv each
  double fade_s = 1;
};

constexpr KeyRow<SinusoidKeys> kSinusoidKeys[] = {
    {"amplitude", OneOrAll{&SinusoidKeys::amplitude}, "rad, m",
     "of the sines; default: moderate, within limits, efforts and without collisions"},
    {"frequency_hz", OneOrAll{&SinusoidKeys::frequency_hz}, "Hz",
     "of the sines; default: staggered from 0.2 to 0.5 Hz", NumberRange::kNotNegative},
    {"phase", OneOrAll{&SinusoidKeys::phase}, "rad", "of the sines; default: 0"},
    {"fade_s", &SinusoidKeys::fade_s, "s", "time to fade in", NumberRange::kNotNegative},
};

std::unique_ptr<Reference> SinusoidOf(SinusoidKeys& keys, const MotionContext& context) {
  using internal::Spread;
  const int nv = context.plant.nv();
  if (keys.frequency_hz.empty()) {
    constexpr double kSlowest = 0.2, kFastest = 0.5;  // Hz
    constexpr double kGoldenRatio = 0.618033988749895;
    for (int i = 0; i < nv; ++i) {
      const double spread = std::fmod(i * kGoldenRatio, 1.0);
      keys.frequency_hz.push_back(kSlowest + (kFastest - kSlowest) * spread);
    }
  }
  if (keys.phase.empty()) keys.phase = {0};
  const auto make = [&](const Eigen::VectorXd& amplitude) {
    return MakeSinusoid(context.plant, context.center, amplitude,
                        Spread("reference.frequency_hz", keys.frequency_hz, nv),
                        Spread("reference.phase", keys.phase, nv), keys.fade_s);
  };
  if (keys.amplitude.empty()) {
    keys.amplitude = GentleAmplitudes(context.mj, context.actuation, context.couplings,
                                      context.closed, context.undriven, context.center);
    FitAmplitudes(context, make, &keys.amplitude);
  }
  return make(Spread("reference.amplitude", keys.amplitude, nv));
}

struct ExcitationKeys {
  std::vector<double> amplitude;  ///< one number or nv
  double base_hz = 0.1;
  int harmonics = 5;
};

constexpr KeyRow<ExcitationKeys> kExcitationKeys[] = {
    {"amplitude", OneOrAll{&ExcitationKeys::amplitude}, "rad, m",
     "maximum; default: suited to the model"},
    {"base_hz", &ExcitationKeys::base_hz, "Hz", "its lowest frequency", NumberRange::kPositive},
    {"harmonics", &ExcitationKeys::harmonics, "", "multiples of the lowest frequency, 3 to 50",
     NumberRange::kNotNegative},
};

std::unique_ptr<Reference> ExcitationOf(ExcitationKeys& r, const MotionContext& context) {
  // The search for amplitudes within the limits takes time that grows with their square.
  constexpr int kMost = 50;
  if (r.harmonics < 3 || r.harmonics > kMost) {
    RefuseValue("reference.harmonics", " must be from 3 to " + std::to_string(kMost) + ", not " +
                                           std::to_string(r.harmonics));
  }
  if (r.amplitude.empty()) {
    r.amplitude =
        ExcitationAmplitudes(context.mj, context.actuation, context.undriven, context.center);
  }
  return MakeExcitation(context.plant, context.center,
                        internal::Spread("reference.amplitude", r.amplitude, context.plant.nv()),
                        r.base_hz, r.harmonics, context.seed);
}

struct QuinticKeys {
  std::vector<double> to;  ///< nq
  double start_s = 0, duration_s = 2;
  bool repeat = true;
};

constexpr KeyRow<QuinticKeys> kQuinticKeys[] = {
    {"to", &QuinticKeys::to, "rad, m", "goal, as q"},
    {"start_s", &QuinticKeys::start_s, "s", "when the motion starts", NumberRange::kNotNegative},
    {"duration_s", &QuinticKeys::duration_s, "s", "from end to end", NumberRange::kPositive},
    {"repeat", &QuinticKeys::repeat, "", "back and forth forever"},
};

std::unique_ptr<Reference> QuinticOf(QuinticKeys& keys, const MotionContext& context) {
  return MakeQuintic(context.plant, context.center,
                     internal::CheckedPosition(context.plant, "reference.to", keys.to),
                     keys.start_s, keys.duration_s, keys.repeat);
}

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

struct FileKeys {
  std::filesystem::path file;
};

constexpr KeyRow<FileKeys> kFileKeys[] = {
    {"file", &FileKeys::file, "", "CSV of t, q, and optionally v and vdot"},
};

std::unique_ptr<Reference> MotionOfFile(FileKeys& r, const MotionContext& context) {
  if (r.file.empty()) RefuseValue("reference.file", ", the CSV file, is missing");
  Knots knots = ReadMotionFile(r.file, context.plant);
  if (knots.v.size() > 0) {
    const double end = knots.t.back();
    Eigen::Index iv = 0;
    const double speed = knots.v.col(knots.v.cols() - 1).cwiseAbs().maxCoeff(&iv);
    if (speed > 0.01 && end < context.duration_s) {
      context.notices->push_back(
          "the reference's file ends in motion at " + internal::ShortNumber(end) + " s (" +
          context.plant.VelocityName(static_cast<int>(iv)) + "); it stands still from there on");
    }
  }
  return MakeSpline(context.plant, std::move(knots));
}

}  // namespace

constinit const ReferenceType kHoldReference =
    ReferenceTypeOf<kNoKeys, HoldOf>("hold", "stands still");
constinit const ReferenceType kLineReference =
    ReferenceTypeOf<kLineKeys, LineOf>("line", "one coordinate runs ahead by t + sin t");
constinit const ReferenceType kSinusoidReference =
    ReferenceTypeOf<kSinusoidKeys, SinusoidOf>("sinusoid", "each coordinate its own sine");
constinit const ReferenceType kExcitationReference =
    ReferenceTypeOf<kExcitationKeys, ExcitationOf>("excitation", "random, tells parameters apart");
constinit const ReferenceType kQuinticReference = ReferenceTypeOf<kQuinticKeys, QuinticOf>(
    "quintic", "to a configuration and back, at rest at both ends");
constinit const ReferenceType kWaypointsReference = ReferenceTypeOf<kWaypointsKeys, WaypointsOf>(
    "waypoints", "through configurations at given times");
constinit const ReferenceType kFileReference =
    ReferenceTypeOf<kFileKeys, MotionOfFile>("file", "what a CSV file says");

}  // namespace civita
