#include "civita/controllers/legs/support.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "civita/error.h"

namespace civita {
namespace {

/// Twice the signed area of the triangle a, b, c; positive if counterclockwise.
double Turn(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

Point2 ClosestOnEdge(const Point2& a, const Point2& b, const Point2& x) {
  const Point2 e = b - a;
  const double length2 = e.squaredNorm();
  const double t = length2 > 0 ? std::clamp((x - a).dot(e) / length2, 0.0, 1.0) : 0;
  return a + t * e;
}

}  // namespace

// Andrew's monotone chain: the lower hull from left to right, then the upper one back.
SupportPolygon::SupportPolygon(std::span<const Point2> points) {
  CIVITA_CHECK(points.size() <= kMaxPoints, points.size() << " points");
  if (points.empty()) return;
  const int n = static_cast<int>(points.size());
  std::array<Point2, kMaxPoints> sorted;
  std::copy(points.begin(), points.end(), sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + n, [](const Point2& a, const Point2& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  for (int i = 0; i < n; ++i) center_ += sorted[static_cast<size_t>(i)] / n;

  std::array<Point2, 2 * kMaxPoints> hull;
  int k = 0;
  const auto append = [&](const Point2& p, int first) {
    while (k - first >= 2 &&
           Turn(hull[static_cast<size_t>(k - 2)], hull[static_cast<size_t>(k - 1)], p) <= 0) {
      --k;
    }
    hull[static_cast<size_t>(k++)] = p;
  };
  for (int i = 0; i < n; ++i) append(sorted[static_cast<size_t>(i)], 0);
  const int lower = k - 1;
  for (int i = n - 2; i >= 0; --i) append(sorted[static_cast<size_t>(i)], lower);
  size_ = std::max(1, k - 1);
  std::copy(hull.begin(), hull.begin() + size_, corners_.begin());
}

SupportPolygon SupportPolygon::Shrunk(double by) const {
  SupportPolygon shrunk = *this;
  for (int i = 0; i < size_; ++i) {
    Point2& corner = shrunk.corners_[static_cast<size_t>(i)];
    corner = center_ + (1 - by) * (corner - center_);
  }
  return shrunk;
}

Point2 SupportPolygon::Closest(const Point2& x) const {
  if (size_ == 0 || Inside(x) >= 0) return x;
  Point2 best = (*this)[0];
  for (int i = 0; i < size_; ++i) {
    const Point2 candidate = ClosestOnEdge((*this)[i], (*this)[(i + 1) % size_], x);
    if ((candidate - x).squaredNorm() < (best - x).squaredNorm()) best = candidate;
  }
  return best;
}

double SupportPolygon::Inside(const Point2& x) const {
  if (size_ < 3) return -std::numeric_limits<double>::infinity();
  double inside = std::numeric_limits<double>::infinity();
  for (int i = 0; i < size_; ++i) {
    const Point2& a = (*this)[i];
    const Point2& b = (*this)[(i + 1) % size_];
    inside = std::min(inside, Turn(a, b, x) / (b - a).norm());
  }
  return inside;
}

double SupportPolygon::Ray(const Point2& x, const Point2& u) const {
  if (Inside(x) < 0) return 0;
  double length = std::numeric_limits<double>::infinity();
  for (int i = 0; i < size_; ++i) {
    const Point2& a = (*this)[i];
    const Point2 e = (*this)[(i + 1) % size_] - a;
    const Point2 outward(e.y(), -e.x());
    const double rate = outward.dot(u);
    if (rate > 0) length = std::min(length, outward.dot(a - x) / rate);
  }
  return length;
}

}  // namespace civita
