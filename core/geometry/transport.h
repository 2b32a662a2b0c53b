#pragma once

#include <functional>

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/types.h"

// Covariant derivatives along curves, parallel transport and geodesics of any connection.

namespace civita {

/// A connection and its metric along a motion: C(q, v) and H(q), nv × nv each, C linear in v.
using ConnectionFunction = std::function<void(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                              Eigen::MatrixXd& C, Eigen::MatrixXd& H)>;

/// The one of a factorization, by CalcCoriolisMatrix. The model must outlive it; not to be shared
/// between threads.
ConnectionFunction ConnectionOf(const Model& model, const Factorization& factorization);
ConnectionFunction ConnectionOf(const Model&& model, const Factorization& factorization) = delete;

/// ∇_q̇ w = H⁻¹(H ẇ + C(q,v) w), the covariant derivative of a field w along the curve that passes
/// q with velocity v ([WES], remark 5): nv numbers each. Zero for a field in parallel transport,
/// and for w = v on a geodesic. H positive definite.
Eigen::VectorXd CovariantDerivative(const Eigen::Ref<const Eigen::MatrixXd>& H,
                                    const Eigen::Ref<const Eigen::MatrixXd>& C,
                                    const Eigen::Ref<const Eigen::VectorXd>& w,
                                    const Eigen::Ref<const Eigen::VectorXd>& wdot);

/// A given motion: q and v at time t, v the velocity of q.
using CurveFunction = std::function<void(double t, Eigen::VectorXd& q, Eigen::VectorXd& v)>;

/// Carries the columns of W (nv rows) in parallel along the curve from t to t + dt,
/// H ẇ + C(q,v) w = 0: one Runge-Kutta step, error O(dt⁵). A metric-compatible connection keeps
/// every ⟨w, w'⟩ = wᵀH w' up to that error.
void StepTransport(const ConnectionFunction& connection, const CurveFunction& curve, double t,
                   double dt, Eigen::MatrixXd& W);

/// A geodesic H v̇ + C(q,v) v = 0 by one Runge-Kutta step on the manifold, error O(dt⁵), with fields
/// that are carried along: column 0 of W is v, the others are transported in parallel. q stays on
/// the manifold (quaternions of unit length). With C v = c the free motion of the mechanism,
/// without gravity.
void StepGeodesic(const Model& model, const ConnectionFunction& connection, double dt,
                  Eigen::VectorXd& q, Eigen::MatrixXd& W);

}  // namespace civita
