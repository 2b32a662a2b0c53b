// The equations of motion split into the velocity of a task and its null space ([WES], remark 8).

#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/mass_matrix.h"
#include "civita/study/evaluate/evaluator.h"
#include "civita/task_space.h"
#include "study/evaluate/eval_rows.h"

namespace civita::rows {
namespace {

using Eigen::MatrixXd;

/// The rate of H; tasks are of trees.
MatrixXd CalcHdot(Evaluator& at) {
  MatrixXd Hdot(at.model.nv(), at.model.nv());
  CalcMassMatrixDerivative(at.model, at.tree(), Hdot);
  return Hdot;
}

/// The task at the state, nullptr where J has lost rank or H is singular.
const TaskSpace<double>* Update(Evaluator& at, const QuantityRequest& request, MatrixXd* Jdot) {
  MatrixXd J(6, at.model.nv()), rate(6, at.model.nv());
  const auto origin = Eigen::Vector3d::Zero();
  CalcFrameJacobian(at.model, {*request.frame, origin}, at.tree(), J);
  CalcFrameJacobianDerivative(at.model, {*request.frame, origin}, at.tree(), rate);
  J = J.middleRows(request.first_row, request.num_rows).eval();
  *Jdot = rate.middleRows(request.first_row, request.num_rows);
  auto task = at.tasks.find(request.task);
  if (task == at.tasks.end()) {
    try {
      task = at.tasks.emplace(request.task, TaskSpace<double>(at.model, J)).first;
    } catch (const UserError&) {  // J lacks rank here
      return nullptr;
    }
  }
  const auto [C, H] = at.CalcMatrices();
  const Status status = task->second.Update({.C = C, .H = H}, CalcHdot(at), J, *Jdot);
  return status ? &task->second : nullptr;
}

template <MatrixXd TaskSpace<double>::*matrix>
RowMajor Member(Evaluator& at, const QuantityRequest& request) {
  MatrixXd Jdot;
  const TaskSpace<double>* task = Update(at, request, &Jdot);
  if (task == nullptr) return {};
  return task->*matrix;
}

}  // namespace

RowMajor Lambda(Evaluator& at, const QuantityRequest& request) {
  return Member<&TaskSpace<double>::Lambda>(at, request);
}
RowMajor N(Evaluator& at, const QuantityRequest& request) {
  MatrixXd Jdot;
  const TaskSpace<double>* task = Update(at, request, &Jdot);
  if (task == nullptr) return {};
  return task->null_space.A;
}
RowMajor CXx(Evaluator& at, const QuantityRequest& request) {
  return Member<&TaskSpace<double>::C_xx>(at, request);
}
RowMajor CXn(Evaluator& at, const QuantityRequest& request) {
  return Member<&TaskSpace<double>::C_xn>(at, request);
}
RowMajor CNx(Evaluator& at, const QuantityRequest& request) {
  return Member<&TaskSpace<double>::C_nx>(at, request);
}
RowMajor CNn(Evaluator& at, const QuantityRequest& request) {
  return Member<&TaskSpace<double>::C_nn>(at, request);
}
RowMajor HNn(Evaluator& at, const QuantityRequest& request) {
  return Member<&TaskSpace<double>::H_nn>(at, request);
}

/// The rate of Λ = (J H⁻¹ Jᵀ)⁻¹ from those of H and J: A_xᵀḢA_x − ΛJ̇A_x − (ΛJ̇A_x)ᵀ.
RowMajor Lambdadot(Evaluator& at, const QuantityRequest& request) {
  MatrixXd Jdot;
  const TaskSpace<double>* task = Update(at, request, &Jdot);
  if (task == nullptr) return {};
  const MatrixXd& A_x = task->A_x;
  const MatrixXd half = task->Lambda * Jdot * A_x;
  return A_x.transpose() * CalcHdot(at) * A_x - half - half.transpose();
}

}  // namespace civita::rows
