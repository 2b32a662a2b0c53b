#include "civita/controllers/legs/swing.h"

#include <algorithm>

namespace civita {

Moving1 FollowQuintic(const Moving1& from, double x_end, double T, double t) {
  t = std::clamp(t, 0.0, T);
  const double a = from.a;
  const double h = x_end - from.x - from.v * T - 0.5 * a * T * T;
  const double hv = -from.v - a * T;
  const double ha = -a;
  const double T2 = T * T;
  const double c3 = (10 * h - 4 * hv * T + 0.5 * ha * T2) / (T * T2);
  const double c4 = (-15 * h + 7 * hv * T - ha * T2) / (T2 * T2);
  const double c5 = (6 * h - 3 * hv * T + 0.5 * ha * T2) / (T * T2 * T2);
  return {from.x + t * (from.v + t * (0.5 * a + t * (c3 + t * (c4 + t * c5)))),
          from.v + t * (a + t * (3 * c3 + t * (4 * c4 + t * 5 * c5))),
          a + t * (6 * c3 + t * (12 * c4 + t * 20 * c5))};
}

Moving1 SwingHeight(double x, double h, double T) {
  x = std::clamp(x, 0.0, 1.0);
  const double y = 1 - x;
  const double xy = x * y;
  return {64 * h * xy * xy * xy, 64 * h * 3 * xy * xy * (y - x) / T,
          64 * h * 6 * xy * ((y - x) * (y - x) - xy) / (T * T)};
}

}  // namespace civita
