#include "civita/geometry/transport.h"

#include <cmath>

#include "base/decompositions.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Ẇ = −H⁻¹ C(q,v) W; NaN, which it notes in `status`, if H is not positive definite.
MatrixXd TransportRate(const ConnectionFunction& connection, const VectorXd& q, const VectorXd& v,
                       const MatrixXd& W, Status& status) {
  MatrixXd C(v.size(), v.size()), H(v.size(), v.size());
  connection(q, v, {.C = C, .H = H});
  if (const auto metric = internal::DecomposePositiveDefinite(H)) return -metric->Solve(C * W);
  status = Status::kSingularMassMatrix;
  return MatrixXd::Constant(W.rows(), W.cols(), NAN);
}

/// The rate of x in q(t) = q ⊕ x(t) for the velocity v at q(t): v itself, but for rotations, whose
/// angular velocity is J_r(x) ẋ.
VectorXd ChartRate(const Model& model, const VectorXd& x, const VectorXd& v) {
  VectorXd rate = v;
  for (int k = 0; k < model.nv(); ++k) {
    if (model.rotation_triple(k) != k) continue;
    rate.segment<3>(k) = RightJacobianInverse(x.segment<3>(k)) * v.segment<3>(k);
  }
  return rate;
}

/// Copies have a Workspace of their own.
struct ConnectionOfModel {
  ConnectionOfModel(const Model& model_in, const Factorization& factorization_in)
      : model(model_in), factorization(factorization_in), workspace(model) {}
  ConnectionOfModel(const ConnectionOfModel& other)
      : ConnectionOfModel(other.model, other.factorization) {}
  ConnectionOfModel(ConnectionOfModel&&) = default;

  void operator()(const VectorXd& q, const VectorXd& v, CoriolisOut<double> out) {
    UpdateKinematics(model, q, v, workspace);
    CalcCoriolisMatrix(model, factorization, workspace, out);
  }

  Model model;
  Factorization factorization;
  Workspace<double> workspace;
};

}  // namespace

ConnectionFunction ConnectionOf(const Model& model, const Factorization& factorization) {
  return ConnectionOfModel(model, factorization);
}

Status CovariantDerivative(const CoriolisIn<double>& at, VectorIn<double> w, VectorIn<double> wdot,
                           VectorOut<double> derivative) {
  const auto metric = internal::DecomposePositiveDefinite(at.H);
  if (!metric) return Status::kSingularMassMatrix;
  derivative = wdot + metric->Solve(at.C * w);
  return Status::kOk;
}

Status StepTransport(const ConnectionFunction& connection, const CurveFunction& curve,
                     TimeStep step, MatrixXd& W) {
  const auto [by_name, t, dt] = step;
  VectorXd q, v;
  Status status;
  const auto rate = [&](double at, const MatrixXd& fields) {
    curve(at, q, v);
    return TransportRate(connection, q, v, fields, status);
  };
  const MatrixXd k1 = rate(t, W);
  const MatrixXd k2 = rate(t + dt / 2, W + dt / 2 * k1);
  const MatrixXd k3 = rate(t + dt / 2, W + dt / 2 * k2);
  const MatrixXd k4 = rate(t + dt, W + dt * k3);
  W += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  return status;
}

/// Runge-Kutta of order 4 in the chart q ⊕ x about the step's start (Munthe-Kaas), for x and W at
/// once.
Status StepGeodesic(const Model& model, const ConnectionFunction& connection, double dt,
                    VectorXd& q, MatrixXd& W) {
  CIVITA_CHECK(W.rows() == model.nv() && W.cols() >= 1, "W " << W.rows() << " x " << W.cols());
  struct Rate {
    VectorXd x;
    MatrixXd W;
  };
  VectorXd q_at(model.nq());
  Status status;
  const auto rate = [&](const VectorXd& x, const MatrixXd& fields) {
    IntegratePosition(model, q, x, 1, q_at);
    const VectorXd v = fields.col(0);
    return Rate{ChartRate(model, x, v), TransportRate(connection, q_at, v, fields, status)};
  };
  const Rate k1 = rate(VectorXd::Zero(model.nv()), W);
  const Rate k2 = rate(dt / 2 * k1.x, W + dt / 2 * k1.W);
  const Rate k3 = rate(dt / 2 * k2.x, W + dt / 2 * k2.W);
  const Rate k4 = rate(dt * k3.x, W + dt * k3.W);
  const VectorXd x = dt / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x);
  IntegratePosition(model, q, x, 1, q_at);
  q = q_at;
  W += dt / 6 * (k1.W + 2 * k2.W + 2 * k3.W + k4.W);
  return status;
}

}  // namespace civita
