#include "app/report/view.h"

#include <Eigen/Geometry>
#include <cmath>

namespace civita {
namespace {

void LineTo(const Eigen::Vector2d& at, SvgSeries* series) {
  series->x.push_back(at.x());
  series->y.push_back(at.y());
}

}  // namespace

Eigen::Vector2d Seen(const Eigen::Vector3d& p) {
  return {0.8 * p.x() - 0.6 * p.y(), 0.25 * p.x() + 0.34 * p.y() + 0.91 * p.z()};
}

void DrawArrow(const Eigen::Vector2d& from, const Eigen::Vector2d& to, SvgSeries* series) {
  constexpr double kHead = 0.2, kAngle = 0.4;  // of the length, rad
  const Eigen::Vector2d gap = Eigen::Vector2d::Constant(NAN), back = kHead * (from - to);
  LineTo(from, series);
  LineTo(to, series);
  LineTo(to + Eigen::Rotation2Dd(kAngle) * back, series);
  LineTo(gap, series);
  LineTo(to, series);
  LineTo(to + Eigen::Rotation2Dd(-kAngle) * back, series);
  LineTo(gap, series);
}

}  // namespace civita
