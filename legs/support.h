#pragma once

#include <Eigen/Core>
#include <array>
#include <span>

namespace civita {

/// A point in the plane; unaligned, since it is part of a state stored as plain numbers.
using Point2 = Eigen::Matrix<double, 2, 1, Eigen::DontAlign>;

/// The convex hull of points in the plane: the support polygon, in which the zero-moment point of
/// a standing robot lies. Its corners are in counterclockwise order. Allocates nothing.
class SupportPolygon {
 public:
  static constexpr int kMaxPoints = 32;  ///< maximum number of points

  SupportPolygon() = default;
  /// The hull of at most kMaxPoints points.
  explicit SupportPolygon(std::span<const Point2> points);

  int size() const { return size_; }
  const Point2& operator[](int i) const { return corners_[static_cast<size_t>(i)]; }

  /// The mean of the given points.
  const Point2& center() const { return center_; }

  /// The polygon scaled about center() by 1 − `by`.
  SupportPolygon Shrunk(double by) const;

  /// The point of the polygon nearest to x; x itself if inside.
  Point2 Closest(const Point2& x) const;

  /// Distance of x from the boundary, m: positive inside; −∞ for a polygon without interior.
  double Inside(const Point2& x) const;

  /// Distance from a point x inside along the unit vector u to the boundary, m; 0 if x is outside.
  double Ray(const Point2& x, const Point2& u) const;

 private:
  std::array<Point2, kMaxPoints> corners_;
  int size_ = 0;
  Point2 center_ = Point2::Zero();
};

}  // namespace civita
