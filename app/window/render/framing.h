#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "app/window/render/decor.h"

namespace civita {

/// Pose of the free camera that shows the whole robot.
struct CameraPose {
  double lookat[3];
  double distance;
};

/// Corners of the bounding boxes of the robot's shapes in world axes: of all bounded, visible geoms
/// that move, and of those at rest that stand close to them, like a pedestal; a robot whose base
/// moves shows what it stands on by itself. Origins of the bodies when there are no such geoms.
/// Needs the positions of `data` (mj_kinematics).
std::vector<Point3> RobotCorners(const mjModel& model, const mjData& data,
                                 const mjvOption& options);

/// A box along the world's axes.
struct Box3 {
  Point3 lo, hi;
  Point3 center() const;
  double diagonal() const;
};
/// The box around points, of which there is at least one.
Box3 BoxAround(std::span<const Point3> points);

/// A part of a picture, in shares of its width and height from the upper left.
struct PicturePart {
  double left = 0, top = 0, right = 1, bottom = 1;
  bool operator==(const PicturePart&) const = default;
};

/// Places a camera that looks along `azimuth` and `elevation` (degrees, MuJoCo's convention) so
/// that the points fit a part of a picture of `aspect` (width / height) with vertical field of view
/// `fovy` (degrees), scaled by `margin` about their common centre (1: tight), as room for motion.
CameraPose FramePoints(std::span<const Point3> points, double azimuth, double elevation,
                       double fovy, double aspect, double margin, const PicturePart& part = {});

/// The body whose free joint lets the whole robot move: the first one in the world, if it has such
/// a joint; else 0.
int FindFloatingBase(const mjModel& model);

/// The site or body whose path is drawn as the robot's trail: the site `ee`, `tcp` or
/// `attachment_site`, else the first site of the deepest body, else that body.
struct TrackedPoint {
  int site = -1, body = 0;
};
TrackedPoint FindTrackedPoint(const mjModel& model);

}  // namespace civita
