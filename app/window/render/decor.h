// What the scene shows besides the robot: trail, reference path, push arrow, how it stands.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "app/window/ui.h"

namespace civita {

/// A point in the world, m.
using Point3 = std::array<double, 3>;

/// A push on a point of the robot along `direction` (any length > 0, world).
struct PushArrow {
  Point3 point;
  Point3 direction;
};

/// How a legged robot stands; all in the world, m.
struct StanceMarks {
  struct Arrow {
    Point3 point;  ///< where it starts
    Point3 way;    ///< from there to its head
  };
  std::vector<Arrow> forces;            ///< of the ground on the feet
  std::vector<Point3> support;          ///< corners of the support polygon, in order; two: a line
  std::optional<Point3> com;            ///< the centre of mass's ground point,
  std::optional<Point3> dcm, pressure;  ///< the divergent component of motion, centre of pressure
};

/// Colours of these marks: what the ground does, where the robot is, and where it tends to, which
/// should be inside the support.
inline Rgb ForceColor(const Theme& theme) { return theme.series[2]; }
inline Rgb ComColor(const Theme& theme) { return theme.reference; }
inline Rgb DcmColor(const Theme& theme) { return theme.accent; }

/// The way a point went: at most 2.6 s of it, a point every 20 ms. Time that goes back takes the
/// points after it away.
class Trail {
 public:
  static constexpr double kLength = 2.6, kStep = 0.02;  // s

  void Append(double t, const Point3& point);
  void Clear() { points_.clear(); }

  struct Stamped {
    double t;
    Point3 point;
  };
  const std::vector<Stamped>& points() const { return points_; }

 private:
  std::vector<Stamped> points_;
};

/// The trail from `fresh` at its head to almost `faded` at its end. Sizes of all decor follow the
/// model's: `unit` is 1 for a robot of about a metre.
void AddTrail(const Trail& trail, Rgb fresh, Rgb faded, double unit, mjvScene* scene);
/// Dashes along `path`, whose points are 20 ms apart.
void AddReference(std::span<const Point3> path, Rgb color, double unit, mjvScene* scene);
void AddPush(const PushArrow& push, Rgb color, double unit, mjvScene* scene);
void AddStance(const StanceMarks& stance, const Theme& theme, double unit, mjvScene* scene);

}  // namespace civita
