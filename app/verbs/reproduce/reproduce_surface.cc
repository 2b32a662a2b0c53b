// Figure 2 of [WES]: a particle on a frictionless surface without gravity moves along a geodesic,
// with constant speed and its acceleration normal to the surface.

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "app/report/space_plot.h"
#include "app/report/svg_plot.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/geometry/transport.h"

namespace civita {
namespace {

using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Frame = Eigen::Matrix<double, 3, 2>;

constexpr double kSurfaceDuration = 3.6;  // s
constexpr int kSurfaceSteps = 1200;
constexpr double kHigh = 0.5, kAlongX = 1.3, kAlongY = 1.1;  // m, 1/m, 1/m
const Vector2d kStart(-1.7, -0.7), kVelocity(0.95, 0.5);

/// The surface z = f(x, y), with the slope and the second derivatives of f.
struct Surface {
  double z;
  Vector2d slope;
  Matrix2d curvature;
};
Surface At(const Vector2d& y) {
  const double sx = std::sin(kAlongX * y[0]), cx = std::cos(kAlongX * y[0]);
  const double sy = std::sin(kAlongY * y[1]), cy = std::cos(kAlongY * y[1]);
  Surface at{kHigh * cx * cy, {-kHigh * kAlongX * sx * cy, -kHigh * kAlongY * cx * sy}, {}};
  at.curvature << -kAlongX * kAlongX * at.z, kHigh * kAlongX * kAlongY * sx * sy,
      kHigh * kAlongX * kAlongY * sx * sy, -kAlongY * kAlongY * at.z;
  return at;
}
Vector3d Point(const Vector2d& y) { return {y[0], y[1], At(y).z}; }
Frame FrameAt(const Vector2d& y) {
  Frame A;
  A << Matrix2d::Identity(), At(y).slope.transpose();
  return A;
}

/// What the Euclidean connection, C = 0, induces on the surface: H = AᵀA, C = AᵀȦ, (17).
void Induced(const VectorXd& q, const VectorXd& v, CoriolisOut<double> out) {
  const Frame A = FrameAt(q);
  Frame A_rate = Frame::Zero();
  A_rate.row(2) = (At(q).curvature * v).transpose();
  out.H = A.transpose() * A;
  out.C = A.transpose() * A_rate;
}

/// Coordinates and velocities by step along the geodesic.
struct Path {
  std::vector<Vector2d> y, v;
};
Path FollowGeodesic() {
  const Model plane = PointMass(2);
  VectorXd q = kStart;
  MatrixXd W = kVelocity;
  Path path;
  for (int i = 0; i <= kSurfaceSteps; ++i) {
    path.y.emplace_back(q);
    path.v.emplace_back(W.col(0));
    (void)StepGeodesic(plane, Induced, kSurfaceDuration / kSurfaceSteps, q, W);
  }
  return path;
}

/// Newton's equation in space: the surface pushes along its normal so that the particle stays on
/// it. @returns the end point.
Vector3d FollowNewton() {
  using State = Eigen::Matrix<double, 6, 1>;
  const auto rate = [](const State& x) {
    const Surface at = At(x.head<2>());
    const Vector2d v = x.segment<2>(3);
    const Vector3d normal(-at.slope[0], -at.slope[1], 1);
    State xdot;
    xdot << x.tail<3>(), v.dot(at.curvature * v) / normal.squaredNorm() * normal;
    return xdot;
  };
  State x;
  x << Point(kStart), FrameAt(kStart) * kVelocity;
  const double dt = kSurfaceDuration / kSurfaceSteps;
  for (int i = 0; i < kSurfaceSteps; ++i) {
    const State k1 = rate(x), k2 = rate(x + dt / 2 * k1), k3 = rate(x + dt / 2 * k2),
                k4 = rate(x + dt * k3);
    x += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x.head<3>();
}

/// Acceleration at a step by differences of points.
Vector3d Acceleration(const Path& path, int i) {
  const auto p = [&](int k) {
    const int step = i + k;
    return Point(path.y[static_cast<std::size_t>(step)]);
  };
  const double dt = kSurfaceDuration / kSurfaceSteps;
  return (16 * (p(1) + p(-1)) - (p(2) + p(-2)) - 30 * p(0)) / (12 * dt * dt);
}

/// Rate of a curve's length when it is moved sideways by ε sin(πt/T) with its ends fixed.
double FirstVariation(const std::vector<Vector2d>& y) {
  const auto length = [&](double epsilon) {
    double sum = 0;
    Vector3d last = Point(y.front());
    for (std::size_t i = 1; i < y.size(); ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(y.size() - 1);
      const Vector2d moved =
          y[i] + epsilon * std::sin(std::numbers::pi * part) * Vector2d(-0.5, 0.9);
      const Vector3d p = Point(moved);
      sum += (p - last).norm();
      last = p;
    }
    return sum;
  };
  constexpr double kSmall = 1e-4;
  return (length(kSmall) - length(-kSmall)) / (2 * kSmall);
}

void DrawSurface(const Path& path, Reproduction* reproduction) {
  SvgSeries mesh{.label = "surface", .color = kLightTheme.strong, .width = 0.8};
  const auto add = [&](double x, double y) { mesh.Add(Seen(Point({x, y}))); };
  constexpr double kWide = 2.2, kDeep = 1.8, kMesh = 0.2, kFine = 0.05;
  for (const bool along_x : {true, false}) {
    const double across = along_x ? kDeep : kWide, along = along_x ? kWide : kDeep;
    for (double a = -across; a <= across + 1e-9; a += kMesh) {
      for (double b = -along; b <= along + 1e-9; b += kFine) along_x ? add(b, a) : add(a, b);
      mesh.Break();
    }
  }
  SvgSeries curve{.label = "geodesic", .color = kLightTheme.text, .width = 2};
  SvgSeries velocity{.label = "velocity", .color = kLightTheme.series[0], .width = 2};
  SvgSeries acceleration{.label = "acceleration", .color = kLightTheme.series[6], .width = 2};
  for (int i = 0; i <= kSurfaceSteps; ++i) {
    const Vector2d& y = path.y[static_cast<std::size_t>(i)];
    const Vector2d seen = Seen(Point(y));
    curve.Add(seen);
    if (i % 150 != 75) continue;
    const Vector3d v = FrameAt(y) * path.v[static_cast<std::size_t>(i)];
    DrawArrow(seen, Seen(Point(y) + 0.35 * v), &velocity);
    DrawArrow(seen, Seen(Point(y) + 0.6 * Acceleration(path, i)), &acceleration);
  }
  SvgPlot plot{.title = "Figure 2: a geodesic of a particle on a surface", .picture = true};
  plot.series = {velocity, acceleration, curve, mesh};
  reproduction->AddFigure(
      "_surface.svg", {.plots = {plot}, .columns = 1, .width = 720, .height = 420, .legend = true},
      "Figure 2 of [WES]: a particle on a frictionless surface follows a geodesic; its "
      "acceleration is normal to the surface, its speed constant.");
}

}  // namespace

void ReproduceSurface(Reproduction* reproduction) {
  const Path path = FollowGeodesic();
  const double speed = (FrameAt(kStart) * kVelocity).norm();
  double drift = 0, tangential = 0, normal = 0;
  for (int i = 2; i + 2 <= kSurfaceSteps; ++i) {
    const Frame A = FrameAt(path.y[static_cast<std::size_t>(i)]);
    const Vector3d a = Acceleration(path, i);
    drift = std::max(drift, std::abs((A * path.v[static_cast<std::size_t>(i)]).norm() - speed));
    tangential = std::max(tangential, (A.transpose() * a).norm());
    normal = std::max(normal, a.norm());
  }
  const std::string name = "surface: ";
  reproduction->ExpectAtMost(name + "change of the speed, m/s", drift, 1e-8);
  reproduction->ExpectAtMost(name + "tangential acceleration, m/s²", tangential, 1e-6);
  reproduction->ExpectAtLeast(name + "acceleration, m/s²", normal, 0.1);
  reproduction->ExpectAtMost(name + "end point against Newton's equation in space, m",
                             (Point(path.y.back()) - FollowNewton()).norm(), 1e-8);
  reproduction->ExpectAtMost(name + "first variation of the geodesic's length",
                             std::abs(FirstVariation(path.y)), 1e-5);
  std::vector<Vector2d> chord;
  for (int i = 0; i <= kSurfaceSteps; ++i) {
    chord.push_back(path.y.front() + i * (path.y.back() - path.y.front()) / kSurfaceSteps);
  }
  reproduction->ExpectAtLeast(name + "that of the curve above a straight line",
                              std::abs(FirstVariation(chord)), 0.01);
  DrawSurface(path, reproduction);
}

}  // namespace civita
