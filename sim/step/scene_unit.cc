#include "civita/sim/scene_unit.h"

#include <algorithm>
#include <iterator>

#include "civita/controllers/units.h"

namespace civita {
namespace {

/// Appends the suffix to each unit of a list: "rad, m" and "/s" give "rad/s, m/s".
std::string WithSuffix(std::string units, std::string_view suffix) {
  for (std::size_t at = 0; (at = units.find(", ", at)) != units.npos; at += suffix.size() + 2) {
    units.insert(at, suffix);
  }
  return units.append(suffix);
}

}  // namespace

std::string PositionUnit(const Scene& scene) { return PositionUnit(scene.plant); }

std::string VelocityUnit(const Scene& scene) { return WithSuffix(PositionUnit(scene), "/s"); }

std::string TorqueUnit(const Scene& scene) { return JointForceUnit(scene.plant); }

std::string TorqueRateUnit(const Scene& scene) { return WithSuffix(TorqueUnit(scene), "/s"); }

std::string StorageUnit(const Scene& scene) {
  return std::string(scene.controller->info().units.storage);
}

std::string StorageRateUnit(const Scene& scene) {
  return std::string(scene.controller->info().units.rate);
}

const char* UnitAlong(const Model& plant, Eigen::Index velocity) {
  const auto next = std::ranges::upper_bound(plant.joints(), velocity, {}, &Model::NamedJoint::iv);
  const Model::NamedJoint& joint = *std::prev(next);
  return velocity - joint.iv < NumDistances(joint.type) ? "m" : "rad";
}

}  // namespace civita
