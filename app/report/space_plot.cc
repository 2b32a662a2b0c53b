#include "app/report/space_plot.h"

#include <algorithm>
#include <cmath>

#include "app/style/axis.h"
#include "app/style/format.h"

namespace civita {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kMostSteps = 5;                   // between the ticks of an axis
constexpr double kTickGap = 0.06, kNameGap = 0.2;  // from the floor's edge, in box lengths

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
    return {1.25 * at.x() - 0.8 * at.y(), 0.5 * at.x() + 0.3 * at.y() + 0.7 * at.z()};
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

void AddPoint(const Vector3d& at, SvgSeries* series) {
  const Vector2d seen = Box::Project(at);
  series->x.push_back(seen.x());
  series->y.push_back(seen.y());
}

void AddSegment(const Vector3d& from, const Vector3d& to, SvgSeries* series) {
  AddPoint(from, series);
  AddPoint(to, series);
  AddPoint(Vector3d::Constant(NAN), series);
}

/// Ticks and name of axis `i`, which lies on the edge through `corner`; texts are moved off it by
/// multiples of `outward`.
void AddAxis(const Box& box, std::size_t i, const std::string& name, const Vector3d& corner,
             const Vector2d& outward, SvgPlot* plot) {
  const AxisLimits& axis = box.limits[i];
  const auto at = [&](double fraction) {
    Vector3d point = corner;
    point[static_cast<Eigen::Index>(i)] = fraction;
    return point;
  };
  const auto write = [&](double fraction, double gap, std::string text) {
    const Vector2d seen = Box::Project(at(fraction)) + gap * outward;
    plot->notes.push_back({seen.x(), seen.y(), std::move(text)});
  };
  for (const double tick : TicksIn(axis.lo, axis.hi, axis.step)) {
    write((tick - axis.lo) / (axis.hi - axis.lo), kTickGap, Fixed(tick, DecimalsOf(axis.step)));
  }
  write(0.5, kNameGap, name);
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
               .x = {.lo = -1.1, .hi = 1.4},  // the projected box with room for its texts
               .y = {.lo = -0.25, .hi = 1.5},
               .picture = true};
  std::vector<SvgSeries> shadows;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Rgb color = kLightTheme.series[i % kLightTheme.series.size()];
    SvgSeries line{.label = curves[i].label, .color = color};
    SvgSeries shadow{.style = SvgSeries::Style::kDotted, .color = color, .width = 0.8};
    for (const Vector3d& p : curves[i].points) {
      const Vector3d at = box.Fraction(p);
      AddPoint(at, &line);
      AddPoint({at.x(), at.y(), 0}, &shadow);
    }
    plot.series.push_back(std::move(line));
    shadows.push_back(std::move(shadow));
  }
  std::ranges::move(shadows, std::back_inserter(plot.series));
  plot.series.push_back(DrawFloor(box));
  AddAxis(box, 0, axes[0], Vector3d::Zero(), {0.8, -0.8}, &plot);
  AddAxis(box, 1, axes[1], Vector3d::Zero(), {-0.8, -0.8}, &plot);
  AddAxis(box, 2, axes[2], Vector3d::UnitY(), {-1, 0}, &plot);
  return plot;
}

}  // namespace civita
