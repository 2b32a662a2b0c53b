// What has one type and stands side by side is given by name: swapped it does not compile.

#include <concepts>
#include <utility>

#include "civita/batch_dynamics.h"
#include "civita/com_decoupled.h"
#include "civita/coriolis.h"
#include "civita/geometry/transport.h"
#include "civita/passive_forces.h"
#include "civita/task_space.h"

namespace civita {
namespace swapped_arguments_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// C and H, of a template so that what does not compile is false.
template <typename Matrix>
concept TakesNames = requires(const Model& model, Workspace<double>& workspace, Matrix& C,
                              Matrix& H) {
  CalcCoriolisMatrix<double>(model, Factorization{}, workspace, {.C = C, .H = H});
};
template <typename Matrix>
concept TakesOrder = requires(const Model& model, Workspace<double>& workspace, Matrix& H,
                              Matrix& C) {
  CalcCoriolisMatrix<double>(model, Factorization{}, workspace, {H, C});
}
|| requires(const Model& model, Workspace<double>& workspace, Matrix& H, Matrix& C) {
  CalcCoriolisMatrix<double>(model, Factorization{}, workspace, H, C);
}
|| requires(const Model& model, Workspace<double>& workspace, Matrix& H, Matrix& C) {
  CalcCoriolisMatrix<double>(model, Factorization{}, workspace, {{}, H, C});
}
|| requires(BatchDynamics& batch, const Matrix& Q, Matrix& H, Matrix& C) {
  batch.CalcCoriolisMatrices(Q, Q, {H, C});
}
|| requires(const ConnectionFunction& connection, const VectorXd& q, Matrix& H, Matrix& C) {
  connection(q, q, {H, C});
}
|| requires(const Matrix& H, const Matrix& C, VelocityMap<double>& map) {
  SetComVelocities<double>({H, C}, &map);
}
|| requires(TaskSpace<double>& task, const Matrix& H, const Matrix& C, const Matrix& J) {
  task.Update(H, C, J, J);
}
|| requires(const Matrix& H, const Matrix& C, VectorXd& w) {
  CovariantDerivative({H, C}, w, w, w);
};
static_assert(TakesNames<MatrixXd> && !TakesOrder<MatrixXd>);

// The speed of friction and the factor; a time and a step.
template <typename Vector>
concept SwapsNumbers = requires(const Model& model, const Vector& q, Vector& tau) {
  AddPassiveForces(model, q, q, 1.0, 0.01, tau);
}
|| requires(const Model& model, const Vector& q, Vector& tau) {
  AddPassiveForces(model, q, q, 1.0, {.speed = 0.01}, tau);
}
|| requires(const ConnectionFunction& connection, const CurveFunction& curve, const Vector& times,
            MatrixXd& W) {
  StepTransport(connection, curve, {times[1], times[0]}, W);
};
template <typename Vector>
concept TakesNumbers = requires(const Model& model, const Vector& q, Vector& tau,
                                const ConnectionFunction& connection, const CurveFunction& curve,
                                MatrixXd& W) {
  AddPassiveForces(model, q, q, {.speed = 0.01}, 1.0, tau);
  StepTransport(connection, curve, {.t = q[0], .dt = q[1]}, W);
};
static_assert(TakesNumbers<VectorXd> && !SwapsNumbers<VectorXd>);

}  // namespace swapped_arguments_test
}  // namespace civita
