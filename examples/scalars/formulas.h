// What stands between CasADi and civita: arrays of CasADi's expressions and of numbers.
#pragma once

#include <casadi/core/sx_elem.hpp>
#include <vector>

/// Column by column.
template <typename T>
struct Dynamics {
  std::vector<T> H, C, tau;
};

inline constexpr int kNumJoints = 4;

/// For T = casadi::SXElem and double.
template <typename T>
Dynamics<T> CalcDynamics(const std::vector<T>& q, const std::vector<T>& v,
                         const std::vector<T>& vdot);
