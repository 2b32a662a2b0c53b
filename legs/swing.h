#pragma once

#include <Eigen/Core>

namespace civita {

/// A scalar position with its first and second rates: m, m/s, m/s².
struct Moving1 {
  double x, v, a;
};

/// The state at time t, 0 ≤ t ≤ T, of the quintic from (x, v, a) to x_end, at rest at T (s). If it
/// is replanned in every control step from the present state, v and a are continuous even though
/// the target moves.
Moving1 FollowQuintic(const Moving1& from, double x_end, double T, double t);

/// Height of a swing, 64 x³(1 − x)³ h, whose first and second rates vanish at both ends. x grows
/// from 0 to 1 in T (s); h in m.
Moving1 SwingHeight(double x, double h, double T);

}  // namespace civita
