#include "civita/task_space.h"

#include <Eigen/QR>
#include <algorithm>

#include "civita/error.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/products.h"
#include "core/spatial/internal/scalars.h"
#include "core/spatial/internal/small_dense.h"

namespace civita {

template <typename T>
TaskSpace<T>::TaskSpace(const Model& model, const Eigen::Ref<const Eigen::MatrixXd>& J,
                        double max_condition)
    : null_space(model.nv(), std::max(0, model.nv() - static_cast<int>(J.rows()))),
      max_condition_(max_condition),
      factor_(model) {
  const Eigen::Index nv = model.nv(), nx = J.rows(), nn = nv - nx;
  CIVITA_CHECK(J.cols() == nv, "J has " << J.cols() << " columns, the model has nv = " << nv);
  if (nx == 0 || nn <= 0) {
    throw UserError("a task of " + std::to_string(nx) +
                    " rows leaves no null space of nv = " + std::to_string(nv));
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(nx, nv);
  qr.setThreshold(1 / max_condition);
  qr.compute(J);
  if (qr.rank() < nx) {
    throw UserError("the task's Jacobian has rank " + std::to_string(qr.rank()) + " of " +
                    std::to_string(nx) + " rows at the configuration it is set up for");
  }
  const auto& order = qr.colsPermutation().indices();
  dependent.assign(order.data(), order.data() + nx);
  independent.assign(order.data() + nx, order.data() + nv);
  std::sort(dependent.begin(), dependent.end());
  std::sort(independent.begin(), independent.end());
  Lambda = C_xx = task_ = J_d_ = MatrixX<T>::Zero(nx, nx);
  A_x = rest_ = MatrixX<T>::Zero(nv, nx);
  products_ = null_space.A;
  H_nn = C_nn = MatrixX<T>::Zero(nn, nn);
  C_xn = solution_ = MatrixX<T>::Zero(nx, nn);
  C_nx = rest_n_ = MatrixX<T>::Zero(nn, nx);
  J_ = Jdot_ = P_ = rows_ = MatrixX<T>::Zero(nx, nv);
  heads_ = scratch_ = VectorX<T>::Zero(nx);
  argument_ = VectorX<T>::Zero(nv);
}

/// Y = H⁻¹Jᵀ, then Λ of JY, then A_x = Y Λ.
template <typename T>
bool TaskSpace<T>::UpdateTask() {
  MatrixX<T>& Y = rest_;
  Y = J_.transpose();
  factor_.SolveInPlace(Y);
  internal::SetProduct<T>(J_, Y, task_);
  const T norm = task_.norm();
  internal::FactorQr<T>(task_, heads_);
  task_condition = norm * internal::NormOfInverse<T>(task_, scratch_);
  if (!(task_condition <= T(max_condition_))) return false;
  Lambda.setIdentity();
  internal::SolveQrInPlace<T>(task_, heads_, Lambda);
  for (Eigen::Index c = 0; c < Lambda.cols(); ++c) {
    for (Eigen::Index r = 0; r < c; ++r) {
      Lambda(r, c) = Lambda(c, r) = T(0.5) * (Lambda(r, c) + Lambda(c, r));
    }
  }
  for (Eigen::Index k = 0; k < A_x.rows(); ++k) {
    scratch_.noalias() = Lambda * Y.row(k).transpose();
    A_x.row(k) = scratch_.transpose();
  }
  return true;
}

/// Those of N or Ṅ from solution_.
template <typename T>
void TaskSpace<T>::StoreDependentRows(MatrixX<T>& basis) {
  for (size_t d = 0; d < dependent.size(); ++d) {
    basis.row(dependent[d]) = solution_.row(static_cast<Eigen::Index>(d));
  }
}

/// J_d N_d = −J_i.
template <typename T>
bool TaskSpace<T>::UpdateBasis() {
  for (size_t c = 0; c < dependent.size(); ++c) {
    J_d_.col(static_cast<Eigen::Index>(c)) = J_.col(dependent[c]);
  }
  internal::FactorQr<T>(J_d_, heads_);
  basis_condition = J_.norm() * internal::NormOfInverse<T>(J_d_, scratch_);
  if (!(basis_condition <= T(max_condition_))) return false;
  MatrixX<T>& N = null_space.A;
  N.setZero();
  for (size_t c = 0; c < independent.size(); ++c) {
    const auto column = static_cast<Eigen::Index>(c);
    N(independent[c], column) = T(1);
    solution_.col(column) = -J_.col(independent[c]);
  }
  internal::SolveQrInPlace<T>(J_d_, heads_, solution_);
  StoreDependentRows(N);
  return true;
}

/// J_d Ṅ_d = −J̇N.
template <typename T>
void TaskSpace<T>::UpdateBasisRate() {
  internal::SetProduct<T>(Jdot_, null_space.A, solution_);
  solution_ = -solution_;
  internal::SolveQrInPlace<T>(J_d_, heads_, solution_);
  StoreDependentRows(null_space.Adot);
}

template <typename T>
Status TaskSpace<T>::UpdateMap(MatrixIn<T> H) {
  if (const Status status = factor_.Compute(H); !status) return status;
  if (!UpdateTask()) return Status::kSingularTask;
  return UpdateBasis() ? Status::kOk : Status::kSingularBasis;
}

template <typename T>
Status TaskSpace<T>::Update(const CoriolisIn<T>& in, MatrixIn<T> J, MatrixIn<T> Jdot) {
  const auto& [by_name, C, H] = in;
  const Eigen::Index nv = A_x.rows(), nx = A_x.cols();
  CIVITA_CHECK(J.rows() == nx && J.cols() == nv && Jdot.rows() == nx && Jdot.cols() == nv,
               "J is " << J.rows() << "×" << J.cols() << ", Jdot " << Jdot.rows() << "×"
                       << Jdot.cols() << ", wanted " << nx << "×" << nv);
  CIVITA_CHECK(C.rows() == nv && C.cols() == nv,
               "C is " << C.rows() << "×" << C.cols() << ", the model has nv = " << nv);
  J_ = J;
  Jdot_ = Jdot;
  if (const Status status = UpdateMap(H); !status) return status;
  UpdateBasisRate();
  internal::SetProduct<T>(A_x.transpose(), C, P_);
  internal::SetProduct<T>(Lambda, Jdot_, rows_);
  P_ -= rows_;
  internal::SetProduct<T>(P_, A_x, C_xx);
  internal::SetProduct<T>(P_, null_space.A, C_xn);
  C_nx = -C_xn.transpose();
  ChangeMassMatrix<T>(null_space, H, products_, H_nn);
  ChangeCoriolisMatrix<T>(null_space, {.C = C, .H = H}, products_, C_nn);
  return Status::kOk;
}

template <typename T>
Status TaskSpace<T>::Update(const CoriolisIn<T>& in, MatrixIn<T> Hdot, MatrixIn<T> J,
                            MatrixIn<T> Jdot) {
  const auto& C = in.C;
  CIVITA_CHECK(
      Hdot.rows() == C.rows() && Hdot.cols() == C.cols(),
      "Hdot is " << Hdot.rows() << "×" << Hdot.cols() << ", C " << C.rows() << "×" << C.cols());
  const Status status = Update(in, J, Jdot);
  if (!status) return status;
  internal::SetProduct<T>(Hdot, A_x, rest_);
  rest_ = -rest_;
  internal::AddProduct<T>(C, A_x, rest_);
  internal::AddProduct<T>(C.transpose(), A_x, rest_);
  internal::SetProduct<T>(null_space.A.transpose(), rest_, rest_n_);
  C_nx += rest_n_;
  return status;
}

template <typename T>
void TaskSpace<T>::CalcVelocity(VectorIn<T> v, VectorOut<T> w) const {
  const Eigen::Index nv = A_x.rows(), nx = A_x.cols();
  CIVITA_CHECK(v.size() == nv && w.size() == nv,
               "v has " << v.size() << " and w " << w.size() << " numbers, wanted nv = " << nv);
  const auto kept = internal::KeepArgument<T>(v, argument_, w);
  for (Eigen::Index r = 0; r < nx; ++r) w[r] = J_.row(r).dot(kept);
  for (size_t c = 0; c < independent.size(); ++c) {
    const T share = A_x.row(independent[c]).dot(w.head(nx));
    w[nx + static_cast<Eigen::Index>(c)] = kept[independent[c]] - share;
  }
}

#define CIVITA_INSTANTIATE(T) template struct TaskSpace<T>;
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
