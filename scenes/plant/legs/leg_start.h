#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "civita/controllers/legs/standing.h"
#include "civita/scenes/plant/ground.h"
#include "civita/scenes/scene.h"

namespace civita {

/// A ball farther above the floor does not stand on it, m.
inline constexpr double kFootLevel = 0.005;

/// Checks that a config gives a law of legged robots what it needs: a free base, feet that exist,
/// contacts and something to stand on. @throws KeyError that names all that is missing.
void CheckLegNeeds(const SceneConfig& config, const mjModel& m);

/// The configuration q (nq) of a robot on legs, set on the floor unless the config gives
/// `initial.q`. A notice tells how far a base that the file's keyframe places is moved.
Eigen::VectorXd PlaceOnFloor(const InitialConfig& initial, const mjModel& m, const Model& plant,
                             const LegOptions& legs, const FloorPlane& floor, Eigen::VectorXd q,
                             std::vector<std::string>* notices);

/// What keeps a robot from standing at its start: feet or other shapes in the floor, feet above it,
/// a centre of mass outside the support, joints whose effort limits cannot hold it by the forces of
/// the feet, and a law that does not begin at rest, V(0) > 1e-7 m·g·h. One line each.
std::vector<std::string> FindStartFaults(const Scene& scene,
                                         const std::optional<FloorPlane>& floor);

/// CalcPushCeiling of a scene's robot with a model at q (nq); efforts are left out where closed
/// chains share the loads.
PushCeiling FindPushCeiling(const Scene& scene, const Model& model, const Eigen::VectorXd& q,
                            const Point2& u);

/// "support", "friction", or the name of the joint.
std::string DescribeBound(const PushCeiling& ceiling, const Model& model);

/// Notices of the faults at the start of a scene whose law needs legs; an error where the config
/// asks for no initial state, no start error and no throw. @throws KeyError, also for a walk on
/// soles that the effort limits forbid.
std::vector<std::string> CheckStart(const Scene& scene, const std::optional<FloorPlane>& floor);

}  // namespace civita
