#include "app/report/space_plot.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "app/style/axis.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kMostSteps = 5;  // between the ticks of an axis

/// The box of the three axes and its projection. Coordinates of the box are fractions of the axes.
struct Box {
  std::array<AxisLimits, 3> limits;

  Vector3d Fraction(const Vector3d& p) const {
    Vector3d out;
    for (Eigen::Index i = 0; i < 3; ++i) {
      const AxisLimits& axis = limits[static_cast<std::size_t>(i)];
      out[i] = (p[i] - axis.lo) / (axis.hi - axis.lo);
    }
    return out;
  }
  static Vector2d Project(const Vector3d& at) {
    return {1.9 * at.x() - at.y(), 0.32 * at.x() + 0.32 * at.y() + 0.8 * at.z()};
  }
};

Box FitBox(const std::vector<SpaceCurve>& curves) {
  Box box;
  for (std::size_t i = 0; i < 3; ++i) {
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (const SpaceCurve& curve : curves) {
      for (const Vector3d& p : curve.points) {
        lo = std::min(lo, p[static_cast<Eigen::Index>(i)]);
        hi = std::max(hi, p[static_cast<Eigen::Index>(i)]);
      }
    }
    box.limits[i] = LinearLimits(lo, hi, NAN, NAN, kMostSteps);
  }
  return box;
}

void AddSegment(const Vector3d& from, const Vector3d& to, SvgSeries* series) {
  series->Add(Box::Project(from));
  series->Add(Box::Project(to));
  series->Break();
}

/// Where an axis and its texts are.
struct AxisPlace {
  Vector3d corner;  ///< start of its edge, in the box
  Vector2d ticks;   ///< shift of the ticks' texts off the edge, on the page
  double name_at;   ///< fraction of the edge
  Vector2d name;    ///< shift of the name
};
const std::array<AxisPlace, 3> kPlaces = {{
    {Vector3d::Zero(), {0.05, -0.09}, 0.5, {0.1, -0.2}},
    {Vector3d::Zero(), {-0.05, -0.09}, 0.5, {-0.1, -0.2}},
    {Vector3d::UnitY(), {-0.12, 0}, 1, {0, 0.1}},
}};

void AddTexts(const Box& box, std::size_t i, const std::string& name, SvgPlot* plot) {
  const AxisPlace& place = kPlaces[i];
  const AxisLimits& axis = box.limits[i];
  const auto write = [&](double fraction, const Vector2d& shift, std::string text) {
    Vector3d at = place.corner;
    at[static_cast<Eigen::Index>(i)] = fraction;
    const Vector2d seen = Box::Project(at) + shift;
    plot->notes.push_back({seen.x(), seen.y(), std::move(text)});
  };
  for (const double tick : TicksIn(axis.lo, axis.hi, axis.step)) {
    write((tick - axis.lo) / (axis.hi - axis.lo), place.ticks, Fixed(tick, DecimalsOf(axis.step)));
  }
  write(place.name_at, place.name, name);
}

/// The floor with a line at each tick, and the edge of the third axis.
SvgSeries DrawFloor(const Box& box) {
  SvgSeries floor{.color = kLightTheme.axis, .width = 0.8};
  for (std::size_t i = 0; i < 2; ++i) {
    const AxisLimits& axis = box.limits[i];
    std::vector<double> lines = TicksIn(axis.lo, axis.hi, axis.step);
    lines.insert(lines.end(), {axis.lo, axis.hi});
    for (const double line : lines) {
      Vector3d from = Vector3d::Zero();
      from[static_cast<Eigen::Index>(i)] = (line - axis.lo) / (axis.hi - axis.lo);
      AddSegment(from, from + Vector3d::Unit(static_cast<Eigen::Index>(1 - i)), &floor);
    }
  }
  AddSegment(Vector3d::UnitY(), Vector3d(0, 1, 1), &floor);
  return floor;
}

}  // namespace

SvgPlot PlotInSpace(std::string title, const std::array<std::string, 3>& axes,
                    const std::vector<SpaceCurve>& curves) {
  const Box box = FitBox(curves);
  SvgPlot plot{.title = std::move(title),
               .x = {.lo = -1.3, .hi = 2.0},  // the projected box with room for its texts
               .y = {.lo = -0.1, .hi = 1.5},
               .picture = true};
  std::vector<SvgSeries> shadows;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Rgb color = kLightTheme.series[i % kLightTheme.series.size()];
    SvgSeries line{.label = curves[i].label, .color = color};
    SvgSeries shadow{.style = SvgSeries::Style::kDotted, .color = color, .width = 0.8};
    for (const Vector3d& p : curves[i].points) {
      const Vector3d at = box.Fraction(p);
      line.Add(Box::Project(at));
      shadow.Add(Box::Project({at.x(), at.y(), 0}));
    }
    plot.series.push_back(std::move(line));
    shadows.push_back(std::move(shadow));
  }
  std::ranges::move(shadows, std::back_inserter(plot.series));
  plot.series.push_back(DrawFloor(box));
  for (std::size_t i = 0; i < 3; ++i) AddTexts(box, i, axes[i], &plot);
  return plot;
}

Eigen::Vector2d Seen(const Eigen::Vector3d& p) {
  return {0.8 * p.x() - 0.6 * p.y(), 0.25 * p.x() + 0.34 * p.y() + 0.91 * p.z()};
}

void DrawArrow(const Eigen::Vector2d& from, const Eigen::Vector2d& to, SvgSeries* series) {
  constexpr double kHead = 0.2, kAngle = 0.4;  // of the length, rad
  const Eigen::Vector2d back = kHead * (from - to);
  series->Add(from);
  series->Add(to);
  series->Add(to + Eigen::Rotation2Dd(kAngle) * back);
  series->Break();
  series->Add(to);
  series->Add(to + Eigen::Rotation2Dd(-kAngle) * back);
  series->Break();
}

}  // namespace civita
