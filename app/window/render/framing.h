#pragma once

#include <mujoco/mujoco.h>

namespace civita {

/// Pose of the free camera that shows the whole robot.
struct CameraPose {
  double lookat[3];
  double distance;
};

/// Places a camera that looks along `azimuth` and `elevation` (degrees, MuJoCo's convention) so
/// that the bounding boxes of all bounded, visible geoms fit a picture of `aspect` (width /
/// height) with vertical field of view `fovy` (degrees). The boxes are scaled by `margin` about
/// their common centre (1: tight), as room for motion. Needs the positions of `data`
/// (mj_kinematics).
CameraPose FrameModel(const mjModel& model, const mjData& data, const mjvOption& options,
                      double azimuth, double elevation, double fovy, double aspect, double margin);

/// The site or body whose path is drawn as the robot's trail: the site `ee`, `tcp` or
/// `attachment_site`, else the first site of the deepest body, else that body.
struct TrackedPoint {
  int site = -1, body = 0;
};
TrackedPoint FindTrackedPoint(const mjModel& model);

}  // namespace civita
