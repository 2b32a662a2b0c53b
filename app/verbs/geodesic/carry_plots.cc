#include <algorithm>
#include <array>
#include <cmath>

#include "app/report/svg_plot.h"
#include "app/report/view.h"
#include "app/verbs/geodesic/carry.h"
#include "civita/jacobian.h"
#include "civita/kinematics.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr std::size_t kArrows = 9;        ///< moments with arrows along a path
constexpr Eigen::Index kMostVectors = 3;  ///< drawn

/// The frame whose path is drawn: of the body with the most coordinates before it.
const Model::NamedFrame& FarthestFrame(const Model& model) {
  const auto depth = [&](const Model::NamedFrame& frame) {
    if (frame.body < 0) return -1;
    const Model::Body& body = model.bodies()[static_cast<std::size_t>(frame.body)];
    return body.depth + body.nv;
  };
  return *std::ranges::max_element(model.frames(), {}, depth);
}

/// The centre of mass of a frame's body and its Jacobian, 3 × nv.
struct Point {
  Vector3d p;
  MatrixXd J;
};
Point PointAt(const Model& model, const Model::NamedFrame& frame, const VectorXd& q,
              Workspace<double>& workspace) {
  const MassProperties& mass = model.bodies()[static_cast<std::size_t>(frame.body)].mass;
  const Vector3d com = frame.X_BF.R.transpose() * (mass.com - frame.X_BF.p);
  UpdateKinematics(model, q, workspace);
  const FramePose<double> pose = CalcFramePose(model, frame, workspace);
  MatrixXd J(6, model.nv());
  CalcFrameJacobian(model, frame, com, workspace, J);
  return {pose.R * com + pose.p, J.bottomRows<3>()};
}

/// The path of a body, with the velocities of it that the carried vectors mean.
SvgPlot DrawPath(const Model& model, const CarriedCurves& carried, std::size_t index) {
  const Model::NamedFrame& frame = FarthestFrame(model);
  Workspace<double> workspace(model);
  const CarriedCurve& curve = carried.curves[index];
  SvgSeries path{.label = "path", .color = kLightTheme.text, .width = 1.2};
  std::vector<Point> points;
  const std::size_t last = carried.t.size() - 1;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kArrows; ++i) rows.push_back(last * i / (kArrows - 1));
  Vector2d low = Vector2d::Constant(HUGE_VAL), high = -low;
  for (std::size_t row = 0; row <= last; ++row) {
    const Vector2d seen = Seen(PointAt(model, frame, curve.q[row], workspace).p);
    low = low.cwiseMin(seen);
    high = high.cwiseMax(seen);
    path.x.push_back(seen.x());
    path.y.push_back(seen.y());
  }
  double longest = 0;
  for (const std::size_t row : rows) {
    points.push_back(PointAt(model, frame, curve.q[row], workspace));
    longest = std::max(longest,
                       (points.back().J * carried.Vectors(index, row)).colwise().norm().maxCoeff());
  }
  const double scale = 0.25 * std::max((high - low).norm(), 1e-3) / std::max(longest, 1e-12);
  constexpr std::array<Rgb, kMostVectors> colors = {kLightTheme.series[6], kLightTheme.series[2],
                                                    kLightTheme.series[0]};
  SvgPlot plot{.title = curve.name + ": path of " + frame.name, .picture = true};
  for (Eigen::Index k = 0; k < std::min(kMostVectors, carried.coefficients.cols()); ++k) {
    SvgSeries arrows{.label = "w" + std::to_string(k + 1),
                     .color = colors[static_cast<std::size_t>(k)],
                     .width = 1.8};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Vector3d w = points[i].J * carried.Vectors(index, rows[i]).col(k);
      DrawArrow(Seen(points[i].p), Seen(points[i].p + scale * w), &arrows);
    }
    plot.series.push_back(std::move(arrows));
  }
  plot.series.push_back(std::move(path));
  return plot;
}

SvgPlot OverTime(const CarriedCurves& carried, const char* title, const std::string& unit,
                 std::vector<double> CarriedCurve::*values, bool log) {
  SvgPlot plot{.title = title, .x = {.label = "time, s"}, .y = {.label = unit, .log = log}};
  for (const CarriedCurve& curve : carried.curves) {
    plot.series.push_back({.label = curve.name, .x = carried.t, .y = curve.*values});
  }
  return plot;
}

SvgPlot Coordinates(const Model& model, const CarriedCurves& carried) {
  SvgPlot plot{
      .title = "Coordinates of the curve", .x = {.label = "time, s"}, .y = {.label = "rad, m"}};
  for (int i = 0; i < model.nq(); ++i) {
    SvgSeries line{.label = "q" + std::to_string(i + 1), .x = carried.t};
    for (const VectorXd& q : carried.curves.front().q) line.y.push_back(q[i]);
    plot.series.push_back(std::move(line));
  }
  return plot;
}

}  // namespace

SvgFigure PlotCarried(const Model& model, const CarriedCurves& carried) {
  constexpr int kMostCoordinates = 8;
  SvgFigure figure{.columns = 2, .height = 320};
  for (std::size_t i = 0; i < carried.curves.size(); ++i) {
    figure.plots.push_back(DrawPath(model, carried, i));
  }
  if (model.nq() <= kMostCoordinates) figure.plots.push_back(Coordinates(model, carried));
  if (carried.curves.size() > 1) {
    figure.plots.push_back(
        OverTime(carried, "Frame turned against the first", "rad", &CarriedCurve::turn, false));
  }
  figure.plots.push_back(
      OverTime(carried, "Inner products: change", "", &CarriedCurve::gram, true));
  return figure;
}

}  // namespace civita
