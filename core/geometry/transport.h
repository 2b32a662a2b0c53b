#pragma once

#include <functional>

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/status.h"
#include "civita/types.h"

// Covariant derivatives along curves, parallel transport and geodesics of any connection.

namespace civita {

/// A connection and its metric: sets C(q, v), linear in v, and H(q).
using ConnectionFunction = std::function<void(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                              CoriolisOut<double> out)>;

/// The connection of a factorization, by CalcCoriolisMatrix. It has scratch memory, and a copy its
/// own: each thread needs one.
ConnectionFunction ConnectionOf(const Model& model, const Factorization& factorization);

/// Covariant derivative ∇_q̇ w = H⁻¹(H ẇ + C(q,v) w) (nv numbers) of a field with value w and rate ẇ
/// (nv numbers each) along the curve through q with velocity v, from H and C (nv × nv each) ([WES],
/// remark 5). It is zero for parallel transport, and for w = v on a geodesic. `derivative` may be w
/// or ẇ. @returns kSingularMassMatrix if H is not positive definite.
Status CovariantDerivative(const CoriolisIn<double>& at, VectorIn<double> w, VectorIn<double> wdot,
                           VectorOut<double> derivative);

/// A curve: sets q (nq numbers) and its velocity v (nv numbers) at time t (s).
using CurveFunction = std::function<void(double t, Eigen::VectorXd& q, Eigen::VectorXd& v)>;

/// From time t to t + dt, s.
struct TimeStep {
  /// The members are given by name.
  ByNameOnly by_name = ByNameOnly();
  /// Begin and length of the step, s.
  double t, dt;
};

/// Parallel transport H ẇ + C(q,v) w = 0 of the columns of W (nv rows) along a step of the curve:
/// one Runge–Kutta step, error O(dt⁵). A metric-compatible connection preserves every ⟨w, w'⟩ = wᵀH
/// w' up to that error. @returns kSingularMassMatrix if H is not positive definite on the way; W is
/// then NaN, and stays so in the steps that follow.
Status StepTransport(const ConnectionFunction& connection, const CurveFunction& curve,
                     TimeStep step, Eigen::MatrixXd& W);

/// One Runge–Kutta step of dt (s) along the geodesic H v̇ + C(q,v) v = 0 through q (nq numbers),
/// error O(dt⁵): column 0 of W (nv rows) is v, the other columns are transported in parallel. q
/// stays on the configuration manifold (quaternions of unit length). For a factorization of a Model
/// the geodesics are the motions without gravity and forces. @returns kSingularMassMatrix if H is
/// not positive definite on the way; both are then NaN, and stay so in the steps that follow.
Status StepGeodesic(const Model& model, const ConnectionFunction& connection, double dt,
                    Eigen::VectorXd& q, Eigen::MatrixXd& W);

}  // namespace civita
