#include "app/window/render/framing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace civita {
namespace {

double Dot(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void AddCorners(const mjModel& model, const mjData& data, int geom, std::vector<Point3>* corners) {
  const mjtNum *aabb = model.geom_aabb + 6 * geom, *x = data.geom_xpos + 3 * geom;
  const mjtNum* r = data.geom_xmat + 9 * geom;
  for (int corner = 0; corner < 8; ++corner) {
    Point3 local, world;
    for (int i = 0; i < 3; ++i) {
      const double side = (corner >> i) & 1 ? 1.0 : -1.0;
      local[static_cast<size_t>(i)] = aabb[i] + side * aabb[3 + i];
    }
    mju_mulMatVec3(world.data(), r, local.data());
    mju_addTo3(world.data(), x);
    corners->push_back(world);
  }
}

bool IsShown(const mjModel& model, const mjvOption& options, int geom) {
  const int group = std::clamp(model.geom_group[geom], 0, mjNGROUP - 1);
  return model.geom_rbound[geom] > 0 && options.geomgroup[group] != 0;
}

struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  double middle() const { return 0.5 * (lo + hi); }
};

Extent ExtentAlong(const std::span<const Point3> points, const Point3& axis) {
  Extent extent;
  for (const Point3& p : points) {
    extent.lo = std::min(extent.lo, Dot(p, axis));
    extent.hi = std::max(extent.hi, Dot(p, axis));
  }
  return extent;
}

}  // namespace

Point3 Box3::center() const {
  return {0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2])};
}

double Box3::diagonal() const { return std::hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]); }

Box3 BoxAround(std::span<const Point3> points) {
  Box3 box{points.front(), points.front()};
  for (const Point3& p : points) {
    for (size_t i = 0; i < 3; ++i) {
      box.lo[i] = std::min(box.lo[i], p[i]);
      box.hi[i] = std::max(box.hi[i], p[i]);
    }
  }
  return box;
}

std::vector<Point3> RobotCorners(const mjModel& model, const mjData& data,
                                 const mjvOption& options) {
  std::vector<Point3> corners;
  for (int g = 0; g < model.ngeom; ++g) {
    if (model.body_weldid[model.geom_bodyid[g]] == 0 || !IsShown(model, options, g)) continue;
    AddCorners(model, data, g, &corners);
  }
  if (corners.empty()) {
    for (int b = 1; b < model.nbody; ++b) {
      const mjtNum* x = data.xpos + 3 * b;
      corners.push_back({x[0], x[1], x[2]});
    }
  }
  if (corners.empty() || FindFloatingBase(model) > 0) return corners;
  constexpr double kClose = 0.6;  // of the robot's size
  const Box3 robot = BoxAround(corners);
  const double reach = kClose * robot.diagonal();
  for (int g = 0; g < model.ngeom; ++g) {
    if (model.body_weldid[model.geom_bodyid[g]] != 0 || !IsShown(model, options, g)) continue;
    std::vector<Point3> own;
    AddCorners(model, data, g, &own);
    const bool close = std::all_of(own.begin(), own.end(), [&](const Point3& p) {
      for (size_t i = 0; i < 3; ++i) {
        if (p[i] < robot.lo[i] - reach || p[i] > robot.hi[i] + reach) return false;
      }
      return true;
    });
    if (close) corners.insert(corners.end(), own.begin(), own.end());
  }
  return corners;
}

CameraPose FramePoints(std::span<const Point3> points, double azimuth, double elevation,
                       double fovy, double aspect, double margin, const PicturePart& part) {
  constexpr double kDegree = std::numbers::pi / 180;
  const double ca = std::cos(azimuth * kDegree), sa = std::sin(azimuth * kDegree);
  const double ce = std::cos(elevation * kDegree), se = std::sin(elevation * kDegree);
  const Point3 forward = {ce * ca, ce * sa, se}, right = {sa, -ca, 0},
               up = {-se * ca, -se * sa, ce};
  const double x = ExtentAlong(points, right).middle(), y = ExtentAlong(points, up).middle();
  const double z = ExtentAlong(points, forward).middle();
  const double whole_y = std::tan(0.5 * fovy * kDegree), whole_x = whole_y * aspect;
  const double tan_x = (part.right - part.left) * whole_x,
               tan_y = (part.bottom - part.top) * whole_y;
  double distance = 1e-3;
  for (const Point3& p : points) {
    const double depth = margin * (Dot(p, forward) - z);
    distance = std::max(distance, margin * std::abs(Dot(p, right) - x) / tan_x - depth);
    distance = std::max(distance, margin * std::abs(Dot(p, up) - y) / tan_y - depth);
  }
  // A fifth of the spare room is at the top, where labels cover the picture.
  const double raised =
      y + 0.2 * (margin - 1) * distance * tan_y + (part.top + part.bottom - 1) * distance * whole_y;
  const double moved = x - (part.left + part.right - 1) * distance * whole_x;
  CameraPose pose;
  for (size_t i = 0; i < 3; ++i) {
    pose.lookat[i] = moved * right[i] + raised * up[i] + z * forward[i];
  }
  pose.distance = distance;
  return pose;
}

int FindFloatingBase(const mjModel& model) {
  return model.njnt > 0 && model.jnt_type[0] == mjJNT_FREE ? model.jnt_bodyid[0] : 0;
}

TrackedPoint FindTrackedPoint(const mjModel& model) {
  for (const char* name : {"ee", "tcp", "attachment_site"}) {
    const int site = mj_name2id(&model, mjOBJ_SITE, name);
    if (site >= 0) return {site, model.site_bodyid[site]};
    const int body = mj_name2id(&model, mjOBJ_BODY, name);
    if (body >= 0) return {-1, body};
  }
  int deepest = 0, depth = 0;
  for (int body = 1; body < model.nbody; ++body) {
    int level = 0;
    for (int b = body; b > 0; b = model.body_parentid[b]) ++level;
    if (level > depth) depth = level, deepest = body;
  }
  for (int site = 0; site < model.nsite; ++site) {
    if (model.site_bodyid[site] == deepest) return {site, deepest};
  }
  return {-1, deepest};
}

}  // namespace civita
