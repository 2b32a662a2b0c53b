#pragma once

#include <string>

#include "civita/scenes/scene.h"

namespace civita {

/// A unit in a table: constant or dependent on the scene. "" if dimensionless.
class SceneUnit {
 public:
  constexpr SceneUnit(const char* unit) : unit_(unit) {}  // NOLINT(google-explicit-constructor)
  constexpr SceneUnit(std::string (*of)(const Scene&)) : of_(of) {}  // NOLINT
  std::string operator()(const Scene& scene) const { return of_ ? of_(scene) : unit_; }

 private:
  const char* unit_ = "";
  std::string (*of_)(const Scene&) = nullptr;
};

/// Unit of position differences: "rad", "m", or "rad, m".
std::string PositionUnit(const Scene& scene);
/// Unit of joint velocities: "rad/s", "m/s", or "rad/s, m/s".
std::string VelocityUnit(const Scene& scene);
/// Unit of joint forces: "N·m", "N", or "N·m, N".
std::string TorqueUnit(const Scene& scene);
std::string TorqueRateUnit(const Scene& scene);
/// Unit of the law's storage function V, which need not be an energy.
std::string StorageUnit(const Scene& scene);
std::string StorageRateUnit(const Scene& scene);

/// "rad" or "m": what a velocity coordinate is a rate of.
const char* UnitAlong(const Model& plant, Eigen::Index velocity);

}  // namespace civita
