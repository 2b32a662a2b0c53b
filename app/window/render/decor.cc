#include "app/window/render/decor.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace civita {
namespace {

constexpr double kFastest = 4;  // m/s for unit 1: faster motion (or NaN) is a reset
constexpr float kMarkEmission = 0.25f;
constexpr double kLongest = 0.5;  // maximum s between two connected points

void MakeDecor(float emission, mjvGeom* geom) {
  geom->emission = emission;
  geom->specular = 0;
  geom->category = mjCAT_DECOR;
  geom->castshadow = 0;
}

// Adds a connector with some emission, without highlight and shadow.
void AddConnector(mjtGeom type, double radius, const Point3& a, const Point3& b, Rgb color,
                  float alpha, float emission, mjvScene* scene) {
  if (scene->ngeom >= scene->maxgeom) return;
  mjvGeom* geom = &scene->geoms[scene->ngeom++];
  const std::array<float, 3> c = ToFloats(color);
  const std::array<float, 4> rgba = {c[0], c[1], c[2], alpha};
  mjv_initGeom(geom, type, nullptr, nullptr, nullptr, rgba.data());
  mjv_connector(geom, type, radius, a.data(), b.data());
  MakeDecor(emission, geom);
}

// Adds a coin on the ground, its centre raised by `height`.
void AddCoin(const Point3& at, double radius, double height, Rgb color, mjvScene* scene) {
  const Point3 low = {at[0], at[1], at[2]}, high = {at[0], at[1], at[2] + height};
  AddConnector(mjGEOM_CYLINDER, radius, low, high, color, 1, kMarkEmission, scene);
}

// Draws an arrow of the same apparent size nearer to the eye, so that it is visible through the
// robot.
void AddNearArrow(const Point3& point, const Point3& way, Rgb color, double unit, mjvScene* scene) {
  constexpr double kNearer = 0.5;  // share of the distance to the eye
  Point3 tail, head;
  for (size_t i = 0; i < 3; ++i) {
    const auto eye = static_cast<double>(scene->camera[0].pos[i] + scene->camera[1].pos[i]) / 2;
    tail[i] = eye + kNearer * (point[i] - eye);
    head[i] = tail[i] + kNearer * way[i];
  }
  AddConnector(mjGEOM_ARROW, kNearer * 0.007 * unit, tail, head, color, 0.9f, kMarkEmission, scene);
}

// Draws a friction cone by its rim and some of its lines.
void AddCone(const StanceMarks::Arrow& axis, double friction, Rgb color, double unit,
             mjvScene* scene) {
  constexpr int kSides = 16, kLinesEvery = 2;
  Point3 w = axis.way;
  const double height = mju_normalize3(w.data());
  if (!(height > 1e-9)) return;
  const Point3 other = std::abs(w[0]) < 0.7 ? Point3{1, 0, 0} : Point3{0, 1, 0};
  Point3 u, v;
  mju_cross(u.data(), w.data(), other.data());
  mju_normalize3(u.data());
  mju_cross(v.data(), w.data(), u.data());
  const auto rim = [&](int side) {
    const double angle = 2 * std::numbers::pi * side / kSides, radius = friction * height;
    Point3 point;
    for (size_t i = 0; i < 3; ++i) {
      point[i] =
          axis.point[i] + axis.way[i] + radius * (std::cos(angle) * u[i] + std::sin(angle) * v[i]);
    }
    return point;
  };
  const double line = 0.0012 * unit;
  for (int side = 0; side < kSides; ++side) {
    const Point3 at = rim(side);
    AddConnector(mjGEOM_CAPSULE, line, at, rim(side + 1), color, 0.8f, kMarkEmission, scene);
    if (side % kLinesEvery != 0) continue;
    AddConnector(mjGEOM_CAPSULE, line, axis.point, at, color, 0.45f, kMarkEmission, scene);
  }
}

bool Connected(const Trail::Stamped& a, const Trail::Stamped& b, double unit) {
  const double dt = b.t - a.t;
  return dt <= kLongest &&
         mju_dist3(a.point.data(), b.point.data()) <= kFastest * unit * std::max(dt, Trail::kStep);
}

Point3 VelocityBetween(const Trail::Stamped& a, const Trail::Stamped& b) {
  const double dt = std::max(b.t - a.t, 1e-9);
  Point3 velocity;
  for (size_t i = 0; i < 3; ++i) velocity[i] = (b.point[i] - a.point[i]) / dt;
  return velocity;
}

// Cubic from a to b with the given velocities at its ends; u in [0, 1].
Point3 HermitePoint(const Trail::Stamped& a, const Point3& va, const Trail::Stamped& b,
                    const Point3& vb, double u) {
  const double dt = b.t - a.t, u2 = u * u, u3 = u2 * u;
  Point3 point;
  for (size_t i = 0; i < 3; ++i) {
    point[i] = (2 * u3 - 3 * u2 + 1) * a.point[i] + (u3 - 2 * u2 + u) * dt * va[i] +
               (3 * u2 - 2 * u3) * b.point[i] + (u3 - u2) * dt * vb[i];
  }
  return point;
}

Point3 Scaled(const mjtNum* axis, double factor) {
  return {factor * axis[0], factor * axis[1], factor * axis[2]};
}

// The vector of three numbers in the axes of a body, in world axes.
Point3 InWorld(const mjData& data, int body, const double* values, double factor) {
  Point3 way;
  mju_mulMatVec3(way.data(), data.xmat + static_cast<size_t>(9 * body), values);
  return Scaled(way.data(), factor);
}

}  // namespace

void Trail::Append(double t, const Point3& point) {
  while (!points_.empty() && points_.back().t > t) points_.pop_back();
  const auto old = [t](const Stamped& p) { return p.t >= t - kLength; };
  points_.erase(points_.begin(), std::find_if(points_.begin(), points_.end(), old));
  // The newest point moves with the robot until it is a step away from the one before.
  const size_t n = points_.size();
  if (n >= 2 && points_[n - 1].t - points_[n - 2].t < kStep * (1 - 1e-6)) points_.pop_back();
  points_.push_back({t, point});
}

void AddTrail(const Trail& trail, Rgb fresh_color, Rgb faded, double unit, mjvScene* scene) {
  const std::vector<Trail::Stamped>& p = trail.points();
  for (size_t i = 1; i < p.size(); ++i) {
    if (!Connected(p[i - 1], p[i], unit)) continue;
    // A slow machine shows few states a second: the path between them is interpolated smoothly.
    const bool before = i >= 2 && Connected(p[i - 2], p[i - 1], unit);
    const bool after = i + 1 < p.size() && Connected(p[i], p[i + 1], unit);
    const Point3 leave = VelocityBetween(p[before ? i - 2 : i - 1], p[i]);
    const Point3 arrive = VelocityBetween(p[i - 1], p[after ? i + 1 : i]);
    const int pieces = static_cast<int>(std::ceil((p[i].t - p[i - 1].t) / (1.5 * Trail::kStep)));
    Point3 from = p[i - 1].point;
    for (int k = 1; k <= pieces; ++k) {
      const double u = static_cast<double>(k) / pieces;
      const Point3 to = HermitePoint(p[i - 1], leave, p[i], arrive, u);
      // Fades by colour and width, since translucent pieces would show where they overlap.
      const double t = p[i - 1].t + u * (p[i].t - p[i - 1].t);
      const double fresh = 1 - (p.back().t - t) / Trail::kLength;
      const Rgb color = Mix(faded, fresh_color, static_cast<float>(0.15 + 0.85 * fresh));
      AddConnector(mjGEOM_CAPSULE, 0.0036 * unit * (0.4 + 0.6 * fresh), from, to, color, 1, 0.55f,
                   scene);
      from = to;
    }
  }
}

void AddReference(std::span<const Point3> path, Rgb color, double unit, mjvScene* scene) {
  for (size_t i = 1; i < path.size(); i += 2) {
    const double step = mju_dist3(path[i - 1].data(), path[i].data());
    if (!(step <= kFastest * unit * Trail::kStep)) continue;
    AddConnector(mjGEOM_CAPSULE, 0.0019 * unit, path[i - 1], path[i], color, 0.55f, 0.55f, scene);
  }
}

void AddPush(const PushArrow& push, Rgb color, double unit, mjvScene* scene) {
  Point3 direction = push.direction;
  if (!(mju_normalize3(direction.data()) > 1e-12)) return;
  Point3 tail, head;
  for (size_t i = 0; i < 3; ++i) {
    tail[i] = push.point[i] - 0.30 * unit * direction[i];
    head[i] = push.point[i] - 0.055 * unit * direction[i];
  }
  AddConnector(mjGEOM_ARROW, 0.011 * unit, tail, head, color, 1, 0.3f, scene);
}

void AddArrows(std::span<const ColoredArrow> arrows, double unit, mjvScene* scene) {
  for (const ColoredArrow& arrow : arrows) {
    if (!(mju_norm3(arrow.way.data()) > 1e-3 * unit)) continue;
    AddNearArrow(arrow.point, arrow.way, arrow.color, unit, scene);
  }
}

void AddPull(const Point3& grabbed, const Point3& pointer, Rgb color, double unit,
             mjvScene* scene) {
  AddConnector(mjGEOM_CAPSULE, 0.004 * unit, grabbed, pointer, color, 1, 0.4f, scene);
  for (const Point3& end : {grabbed, pointer}) {
    const Point3 tip = {end[0], end[1], end[2] + 1e-4 * unit};
    AddConnector(mjGEOM_CAPSULE, 0.011 * unit, end, tip, color, 1, 0.4f, scene);
  }
}

void AddStance(const StanceMarks& stance, const Theme& theme, double unit, mjvScene* scene) {
  // The line passes through coins on the ground, which are stacked in the order of their size.
  const double line = 0.0024 * unit;
  const std::vector<Point3>& corners = stance.support;
  const size_t sides =
      corners.size() > 2 ? corners.size() : std::max<size_t>(corners.size(), 1) - 1;
  for (size_t i = 0; i < sides; ++i) {
    AddConnector(mjGEOM_CAPSULE, line, corners[i], corners[(i + 1) % corners.size()], theme.accent,
                 1, kMarkEmission, scene);
  }
  if (stance.dcm) {  // drawn as a ring
    AddCoin(*stance.dcm, 0.017 * unit, 0.002 * unit, DcmColor(theme), scene);
    AddCoin(*stance.dcm, 0.012 * unit, 0.003 * unit, theme.floor, scene);
  }
  if (stance.pressure) {
    AddCoin(*stance.pressure, 0.009 * unit, 0.004 * unit, ForceColor(theme), scene);
  }
  if (stance.com) AddCoin(*stance.com, 0.006 * unit, 0.005 * unit, ComColor(theme), scene);
  for (const StanceMarks::Arrow& cone : stance.cones) {
    AddCone(cone, stance.friction, ForceColor(theme), unit, scene);
  }
  for (const StanceMarks::Arrow& force : stance.forces) {
    AddNearArrow(force.point, force.way, ForceColor(theme), unit, scene);
  }
}

std::vector<ColoredArrow> JointArrows(const mjModel& model, const mjData& data,
                                      std::span<const double> values, double largest, double unit,
                                      Rgb color) {
  std::vector<ColoredArrow> arrows;
  if (!(largest > 0) || values.size() != static_cast<size_t>(model.nv)) return arrows;
  const double factor = unit / largest;
  for (int j = 0; j < model.njnt; ++j) {
    const double* value = values.data() + model.jnt_dofadr[j];
    const mjtNum* at = data.xanchor + static_cast<size_t>(3 * j);
    const Point3 point = {at[0], at[1], at[2]};
    const int body = model.jnt_bodyid[j];
    switch (model.jnt_type[j]) {
      case mjJNT_FREE:
        arrows.push_back({point, Scaled(value, factor), color});
        arrows.push_back({point, InWorld(data, body, value + 3, factor), color});
        break;
      case mjJNT_BALL:
        arrows.push_back({point, InWorld(data, body, value, factor), color});
        break;
      default:
        arrows.push_back(
            {point, Scaled(data.xaxis + static_cast<size_t>(3 * j), factor * value[0]), color});
    }
  }
  return arrows;
}

}  // namespace civita
