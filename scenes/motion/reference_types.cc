#include "civita/scenes/motion/reference_types.h"

#include <algorithm>
#include <string>

#include "civita/controllers/row_table.h"
#include "civita/scenes/motion/motions.h"
#include "civita/scenes/plant/start.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"

namespace civita {
namespace {

using internal::Spread;

std::unique_ptr<Reference> HoldOf(ReferenceConfig& /*r*/, const MotionContext& context) {
  return MakeHold(context.plant, context.center);
}

std::unique_ptr<Reference> SinusoidOf(ReferenceConfig& r, const MotionContext& context) {
  const int nv = context.plant.nv();
  FillGentleSinusoid(context.mj, context.actuation, context.couplings, context.closed,
                     context.center, &r);
  return MakeSinusoid(context.plant, context.center, Spread("reference.amplitude", r.amplitude, nv),
                      Spread("reference.frequency_hz", r.frequency_hz, nv),
                      Spread("reference.phase", r.phase, nv), r.fade_s);
}

std::unique_ptr<Reference> QuinticOf(ReferenceConfig& r, const MotionContext& context) {
  return MakeQuintic(context.plant, context.center,
                     internal::CheckedPosition(context.plant, "reference.to", r.to), r.start_s,
                     r.duration_s, r.repeat);
}

std::unique_ptr<Reference> LineOf(ReferenceConfig& r, const MotionContext& context) {
  const int nv = context.plant.nv();
  if (r.coordinate >= nv) {
    throw KeyError("reference.coordinate",
                   "reference.coordinate is " + std::to_string(r.coordinate) +
                       ", the model has nv = " + std::to_string(nv) + " (counted from 0)");
  }
  return MakeLine(context.plant, context.center, r.coordinate);
}

using Keys = const std::string_view[];
constexpr Keys kSinusoid = {"amplitude", "frequency_hz", "phase", "fade_s"};
constexpr Keys kQuintic = {"to", "start_s", "duration_s", "repeat"};
constexpr Keys kLine = {"coordinate"};
constexpr Keys kWaypoints = {"waypoints", "times_s", "repeat"};
constexpr Keys kExcitation = {"amplitude", "base_hz", "harmonics"};
constexpr Keys kFile = {"file"};
constexpr Keys kTaskLine = {"frame", "offset_m", "by_m", "turn", "start_s", "duration_s", "repeat"};
constexpr Keys kTaskCircle = {"frame",   "offset_m",   "radius_m", "normal", "turn",
                              "start_s", "duration_s", "repeat",   "fade_s"};
constexpr Keys kTaskEight = {"frame",   "offset_m",   "size_m", "normal", "turn",
                             "start_s", "duration_s", "repeat", "fade_s"};
constexpr Keys kBody = {"motion",   "amplitude", "frequency_hz", "fade_s", "start_s",
                        "for_s",    "repeat",    "depth_m",      "by_m",   "velocity",
                        "yaw_rate", "foot",      "commands"};

constexpr ReferenceType kTypes[] = {
    {"hold", "stands still", {}, false, HoldOf},
    {"sinusoid", "each coordinate its own sine", kSinusoid, false, SinusoidOf},
    {"quintic", "to a configuration and back, at rest at both ends", kQuintic, false, QuinticOf},
    {"line", "one coordinate runs ahead by t + sin t", kLine, false, LineOf},
    {"waypoints", "through configurations at given times", kWaypoints, false, MakeWaypoints},
    {"excitation", "random, tells parameters apart", kExcitation, false, MakeExcitationOf},
    {"file", "what a CSV file says", kFile, false, MakeFromFile},
    {"task_line", "a frame along a line", kTaskLine, true, MakeTaskPathOf},
    {"task_circle", "a frame round a circle", kTaskCircle, true, MakeTaskPathOf},
    {"task_eight", "a frame along a figure of eight", kTaskEight, true, MakeTaskPathOf},
    {"body", "a legged robot's body or walk", kBody, false, MakeBody},
};

internal::RowTable<ReferenceType>& TheTable() {
  static internal::RowTable<ReferenceType> table(
      [] {
        std::vector<const ReferenceType*> rows;
        for (const ReferenceType& type : kTypes) rows.push_back(&type);
        return rows;
      }(),
      &ReferenceType::name, "type of reference");
  return table;
}

}  // namespace

bool ReferenceType::Has(std::string_view key) const {
  return std::ranges::find(keys, key) != keys.end();
}

std::vector<const ReferenceType*> ReferenceTypes() { return TheTable().rows(); }

void RegisterReferenceType(const ReferenceType& type) { TheTable().Add(type); }

const ReferenceType* FindReferenceType(std::string_view name) {
  for (const ReferenceType* type : ReferenceTypes()) {
    if (type->name == name) return type;
  }
  return nullptr;
}

}  // namespace civita
