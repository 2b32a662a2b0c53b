#include "civita/joint_type.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "civita/error.h"

namespace civita {
namespace {

/// What the rest of civita asks about a type of joint.
struct JointTypeRow {
  JointType type;
  const char* name;
  int nv;
  int num_distances;    ///< these come first in q and v
  bool has_quaternion;  ///< of the last three numbers of v
  std::array<const char*, 6> endings = {""};
};

/// In the order of JointType.
constexpr JointTypeRow kJointTypeRows[] = {
    {JointType::kHinge, "hinge", 1, 0, false},
    {JointType::kSlide, "slide", 1, 1, false},
    {JointType::kBall, "ball", 3, 0, true, {".x", ".y", ".z"}},
    {JointType::kFree, "free", 6, 3, true, {".px", ".py", ".pz", ".wx", ".wy", ".wz"}},
    {JointType::kHelical, "helical", 1, 0, false},
    {JointType::kUniversal, "universal", 2, 0, false, {".1", ".2"}},
    {JointType::kPlanar, "planar", 3, 2, false, {".x", ".y", ".angle"}},
};

constexpr std::size_t kNumTypes = std::size(kJointTypeRows);

/// What v is, in the same order.
constexpr const char* kVelocityTexts[] = {
    "rate of the angle, rad/s",
    "rate of the distance, m/s",
    "angular velocity in the child body's axes, rad/s",
    "velocity of the body's origin in world axes, m/s; angular velocity in the body's axes, rad/s",
    "rate of the angle, rad/s",
    "rates of the angles about the parent's axis and the body's, rad/s",
    "rates of x and y along the parent's axes in the plane, m/s; rate of the angle, rad/s",
};
static_assert(std::size(kVelocityTexts) == kNumTypes);

constexpr auto kJointTypes = [] {
  std::array<JointType, kNumTypes> types{};
  for (std::size_t i = 0; i < kNumTypes; ++i) types[i] = kJointTypeRows[i].type;
  return types;
}();
static_assert(std::ranges::is_sorted(kJointTypes) &&
              static_cast<std::size_t>(kJointTypes.back()) + 1 == kNumTypes);

std::size_t PlaceOf(JointType type) {
  const auto place = static_cast<std::size_t>(type);
  CIVITA_CHECK(place < kNumTypes, "joint type " << place);
  return place;
}

const JointTypeRow& RowOf(JointType type) { return kJointTypeRows[PlaceOf(type)]; }

}  // namespace

std::span<const JointType> JointTypes() { return kJointTypes; }

int NumPositions(JointType type) {
  const JointTypeRow& row = RowOf(type);
  return row.nv + (row.has_quaternion ? 1 : 0);
}

int NumVelocities(JointType type) { return RowOf(type).nv; }

int RotationOffset(JointType type) {
  const JointTypeRow& row = RowOf(type);
  return row.has_quaternion ? row.nv - 3 : -1;
}

int NumDistances(JointType type) { return RowOf(type).num_distances; }

const char* ToString(JointType type) { return RowOf(type).name; }

const char* DescribeVelocity(JointType type) { return kVelocityTexts[PlaceOf(type)]; }

const char* VelocityEnding(JointType type, int k) {
  CIVITA_CHECK(k >= 0 && k < NumVelocities(type), "number " << k << " of a joint's v");
  return RowOf(type).endings[static_cast<std::size_t>(k)];
}

}  // namespace civita
