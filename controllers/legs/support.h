#pragma once

#include <Eigen/Core>
#include <array>
#include <span>

namespace civita {

/// Points in the plane, as state that is kept as plain numbers: not aligned.
using Point2 = Eigen::Matrix<double, 2, 1, Eigen::DontAlign>;

/// The convex hull of points in the plane: where the zero-moment point of a standing robot can be.
/// Its corners go counterclockwise. Allocates nothing.
class SupportPolygon {
 public:
  static constexpr int kMaxPoints = 32;  ///< points

  SupportPolygon() = default;
  /// The hull of at most kMaxPoints points.
  explicit SupportPolygon(std::span<const Point2> points);

  int size() const { return size_; }
  const Point2& operator[](int i) const { return corners_[static_cast<size_t>(i)]; }

  /// The mean of the points that it was made of.
  const Point2& center() const { return center_; }

  /// Drawn together towards center() by the fraction `by`.
  SupportPolygon Shrunk(double by) const;

  /// The nearest of its points, x itself inside.
  Point2 Closest(const Point2& x) const;

  /// How far x is from the boundary, m: positive inside; −∞ without an interior.
  double Inside(const Point2& x) const;

  /// From a point x inside, along the unit vector u, to the boundary: m; 0 from outside.
  double Ray(const Point2& x, const Point2& u) const;

 private:
  std::array<Point2, kMaxPoints> corners_;
  int size_ = 0;
  Point2 center_ = Point2::Zero();
};

}  // namespace civita
