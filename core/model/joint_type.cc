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

constexpr auto kJointTypes = [] {
  std::array<JointType, kNumTypes> types{};
  for (std::size_t i = 0; i < kNumTypes; ++i) types[i] = kJointTypeRows[i].type;
  return types;
}();
static_assert(std::ranges::is_sorted(kJointTypes) &&
              static_cast<std::size_t>(kJointTypes.back()) + 1 == kNumTypes);

const JointTypeRow& RowOf(JointType type) {
  const auto place = static_cast<std::size_t>(type);
  CIVITA_CHECK(place < kNumTypes, "joint type " << place);
  return kJointTypeRows[place];
}

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

const char* VelocityEnding(JointType type, int k) {
  CIVITA_CHECK(k >= 0 && k < NumVelocities(type), "number " << k << " of a joint's v");
  return RowOf(type).endings[static_cast<std::size_t>(k)];
}

}  // namespace civita
