// Additions to the scene: trail, reference path, push arrow, stance.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "app/window/widgets/ui.h"

namespace civita {

/// A point in the world, m.
using Point3 = std::array<double, 3>;

/// A push on a point of the robot along `direction` (any length > 0, world).
struct PushArrow {
  Point3 point;
  Point3 direction;
};

/// An arrow from `point` along `way`, m.
struct ColoredArrow {
  Point3 point;
  Point3 way;
  Rgb color;
};

/// The stance of a legged robot; world axes, m.
struct StanceMarks {
  struct Arrow {
    Point3 point;  ///< start
    Point3 way;    ///< vector from there to its head
  };
  std::vector<Arrow> forces;            ///< of the ground on the feet
  std::vector<Arrow> cones;             ///< axes of the friction cones that the law assumes
  double friction = 0;                  ///< tangent of the cones' half angle
  std::vector<Point3> support;          ///< corners of the support polygon, in order; two: a line
  std::optional<Point3> com;            ///< projection of the centre of mass to the ground
  std::optional<Point3> dcm, pressure;  ///< the divergent component of motion, centre of pressure
};

/// Colours of these marks: ground forces, position of the robot, and the DCM, which should be
/// inside the support.
inline Rgb ForceColor(const Theme& theme) { return theme.series[2]; }
inline Rgb ComColor(const Theme& theme) { return theme.reference; }
inline Rgb DcmColor(const Theme& theme) { return theme.accent; }

/// The path of a point: at most the last 2.6 s, a point every 20 ms. If time goes back, later
/// points are dropped.
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

/// Adds the trail, coloured from `fresh` at its head to almost `faded` at its end. The size of all
/// additions is relative to the model's: `unit` is 1 for a robot of about a metre.
void AddTrail(const Trail& trail, Rgb fresh, Rgb faded, double unit, mjvScene* scene);
/// Adds dashes along `path`, whose points are 20 ms apart.
void AddReference(std::span<const Point3> path, Rgb color, double unit, mjvScene* scene);
void AddPush(const PushArrow& push, Rgb color, double unit, mjvScene* scene);
void AddArrows(std::span<const ColoredArrow> arrows, double unit, mjvScene* scene);
/// Adds the pull of the mouse: a band from the grabbed point to the pointer's.
void AddPull(const Point3& grabbed, const Point3& pointer, Rgb color, double unit, mjvScene* scene);
void AddStance(const StanceMarks& stance, const Theme& theme, double unit, mjvScene* scene);

/// Arrows of a vector of nv numbers, like torques or s: about (right-handed) or along the axes of
/// the joints, of unit length per `largest`. Balls and free joints have one arrow for each three
/// numbers.
std::vector<ColoredArrow> JointArrows(const mjModel& model, const mjData& data,
                                      std::span<const double> values, double largest, double unit,
                                      Rgb color);

}  // namespace civita
