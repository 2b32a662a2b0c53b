#include "app/window/render/framing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace civita {
namespace {

using Vector = std::array<double, 3>;

double Dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Corners of the bounding boxes of all bounded geoms that are shown, in world axes.
std::vector<Vector> Corners(const mjModel& model, const mjData& data, const mjvOption& options) {
  std::vector<Vector> corners;
  for (int g = 0; g < model.ngeom; ++g) {
    const int group = std::clamp(model.geom_group[g], 0, mjNGROUP - 1);
    if (model.geom_rbound[g] <= 0 || !options.geomgroup[group]) continue;
    const mjtNum *aabb = model.geom_aabb + 6 * g, *x = data.geom_xpos + 3 * g;
    const mjtNum* r = data.geom_xmat + 9 * g;
    for (int corner = 0; corner < 8; ++corner) {
      Vector local, world;
      for (int i = 0; i < 3; ++i) {
        const double side = (corner >> i) & 1 ? 1.0 : -1.0;
        local[static_cast<size_t>(i)] = aabb[i] + side * aabb[3 + i];
      }
      mju_mulMatVec3(world.data(), r, local.data());
      mju_addTo3(world.data(), x);
      corners.push_back(world);
    }
  }
  return corners;
}

struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  double middle() const { return 0.5 * (lo + hi); }
};

Extent ExtentAlong(const std::vector<Vector>& points, const Vector& axis) {
  Extent extent;
  for (const Vector& p : points) {
    extent.lo = std::min(extent.lo, Dot(p, axis));
    extent.hi = std::max(extent.hi, Dot(p, axis));
  }
  return extent;
}

}  // namespace

CameraPose FrameModel(const mjModel& model, const mjData& data, const mjvOption& options,
                      double azimuth, double elevation, double fovy, double aspect, double margin) {
  constexpr double kDegree = std::numbers::pi / 180;
  const std::vector<Vector> corners = Corners(model, data, options);
  CameraPose pose{{model.stat.center[0], model.stat.center[1], model.stat.center[2]},
                  1.5 * model.stat.extent};
  if (corners.empty()) return pose;
  const double ca = std::cos(azimuth * kDegree), sa = std::sin(azimuth * kDegree);
  const double ce = std::cos(elevation * kDegree), se = std::sin(elevation * kDegree);
  const Vector forward = {ce * ca, ce * sa, se}, right = {sa, -ca, 0},
               up = {-se * ca, -se * sa, ce};
  const double x = ExtentAlong(corners, right).middle(), y = ExtentAlong(corners, up).middle();
  const double z = ExtentAlong(corners, forward).middle();
  const double tan_y = std::tan(0.5 * fovy * kDegree), tan_x = tan_y * aspect;
  double distance = 1e-3;
  for (const Vector& p : corners) {
    const double depth = margin * (Dot(p, forward) - z);
    distance = std::max(distance, margin * std::abs(Dot(p, right) - x) / tan_x - depth);
    distance = std::max(distance, margin * std::abs(Dot(p, up) - y) / tan_y - depth);
  }
  // A fifth of the spare room is at the top, where labels cover the picture.
  const double raised = y + 0.2 * (margin - 1) * distance * tan_y;
  for (size_t i = 0; i < 3; ++i) pose.lookat[i] = x * right[i] + raised * up[i] + z * forward[i];
  pose.distance = distance;
  return pose;
}

TrackedPoint FindTrackedPoint(const mjModel& model) {
  for (const char* name : {"ee", "tcp", "attachment_site"}) {
    const int site = mj_name2id(&model, mjOBJ_SITE, name);
    if (site >= 0) return {site, model.site_bodyid[site]};
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
