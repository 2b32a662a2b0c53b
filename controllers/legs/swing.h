#pragma once

#include <Eigen/Core>

namespace civita {

/// A number that moves, with its rates: m, m/s, m/s².
struct Moving1 {
  double x, v, a;
};

/// Where a quintic from (x, v, a) to x_end at rest in T is after t, 0 ≤ t ≤ T. Followed for a
/// moment and then planned anew, it goes to a target that still moves without a jump in v or a.
Moving1 FollowQuintic(const Moving1& from, double x_end, double T, double t);

/// The height of a swing, 64 x³(1 − x)³ h: its rates vanish to second order at both ends. x runs
/// from 0 to 1 in T.
Moving1 SwingHeight(double x, double h, double T);

}  // namespace civita
