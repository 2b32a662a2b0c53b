#include "civita/space_derivatives.h"

#include <string>
#include <type_traits>

#include "civita/centroidal.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/passivity_rnea.h"
#include "civita/rnea.h"
#include "civita/space_dynamics.h"
#include "core/dynamics/internal/map_products.h"
#include "core/model/internal/checks.h"
#include "core/space/internal/loop_rows.h"
#include "core/space/internal/space_scratch.h"
#include "core/spatial/internal/scalars.h"
#include "core/spatial/internal/small_dense.h"

namespace civita {

namespace {

template <typename T>
using Loops = internal::SpaceScratch<T>;

/// The dependent coordinates of `x` ← those of ∂A times w, ∂A in s.dA.
template <typename T>
void TurnDependent(const internal::LoopRows& cluster, const Loops<T>& s, VectorIn<T> w,
                   VectorX<T>& x) {
  for (int d = 0; d < cluster.num_dependent(); ++d) {
    const int k = cluster.dependent(d);
    x[k] = T(0);
    for (const int c : cluster.reduced) x[k] += s.dA(k, c) * w[c];
  }
}

/// Column j: ∂_jAᵀ τ of the cluster whose ∂_jA is in s.dA.
template <typename T>
void AddTurnedForces(const internal::LoopRows& cluster, const Loops<T>& s, VectorIn<T> tau, int j,
                     MatrixOut<T>& by_q) {
  for (int d = 0; d < cluster.num_dependent(); ++d) {
    const int k = cluster.dependent(d);
    for (const int c : cluster.reduced) by_q(c, j) += s.dA(k, c) * tau[k];
  }
}

/// What CalcMotionDerivatives gives of coordinates. @throws UserError of such that have no rates,
/// ContractError where A is singular.
void CalcCoordinateDerivatives(const VelocitySpace& model, VectorIn<double> w_r,
                               VectorIn<double> wdot_r, Loops<double>& s, MatrixOut<double>* by_q) {
  if (!s.coordinates->rates) {
    throw UserError("derivatives by q: the coordinates " + s.coordinates->text +
                    " have no second derivatives; valid: coordinates with rates (Coordinates), "
                    "the velocities of a tree or of its loops");
  }
  CIVITA_CHECK(s.coordinates->rates(s.tree.q(), s.w, w_r, s.dx_dq).ok(), "A is singular");
  for (int j = 0; j < model.nw(); ++j) {
    internal::CalcMapRate<double>(model, j, s);
    s.dv_dq.col(j).noalias() = s.dA * s.w;
    s.dy_dq.col(j).noalias() = s.dA * w_r;
    s.dx_dq.col(j).noalias() += s.dA * wdot_r;
    if (by_q != nullptr) by_q->col(j).noalias() += s.dA.transpose() * s.force;
  }
}

/// With y = A w_r in s.v_r and x = A ẇ_r + Ȧ w_r in s.vdot, for constant w, w_r and ẇ_r: dv_dq and
/// dy_dq, of A w and A w_r, and dx_dq, of x; by_q += ∂Aᵀτ for the τ in s.force.
template <typename T>
void CalcMotionDerivatives(const VelocitySpace& model, VectorIn<T> w_r, VectorIn<T> wdot_r,
                           Loops<T>& s, MatrixOut<T>* by_q) {
  if constexpr (std::is_same_v<T, double>) {
    if (s.coordinates) return CalcCoordinateDerivatives(model, w_r, wdot_r, s, by_q);
  }
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    const internal::LoopRows& cluster = internal::LayoutOf(model).clusters[i];
    typename Loops<T>::Block& block = s.blocks[i];
    s.v_rate.setZero();
    s.y_rate.setZero();
    for (size_t c = 0; c < cluster.reduced.size(); ++c) {
      const int j = cluster.reduced[c];
      s.direction = s.map.A.col(j);
      internal::CalcLoopMapRate<T>(model, i, s.direction, s, s.dA);
      TurnDependent<T>(cluster, s, s.w, s.v_rate);
      TurnDependent<T>(cluster, s, w_r, s.y_rate);
      if (by_q != nullptr) AddTurnedForces<T>(cluster, s, s.force, j, *by_q);
      for (int d = 0; d < cluster.num_dependent(); ++d) {
        const int k = cluster.dependent(d);
        s.dv_dq(k, j) = s.v_rate[k];
        s.dy_dq(k, j) = s.y_rate[k];
      }
      const internal::MotionAlong<T> along{s.direction, s.v, s.v_rate, s.v_r, s.y_rate, s.vdot};
      auto rate = block.second.col(static_cast<Eigen::Index>(c));
      internal::CalcRowAccelerationRate<T>(model, cluster, s.tree, s.q, along, rate);
      rate *= T(-internal::LayoutOf(model).unit(cluster.coordinates[c]));
    }
    internal::SolveDependent<T>(model, i, s, block.second, s.dx_dq);
  }
}

/// Sets s.v_r and s.vdot to A w_r and A ẇ_r + Ȧ w_r.
template <typename T>
void SetReferenceMotion(VectorIn<T> w_r, VectorIn<T> wdot_r, Loops<T>& s) {
  ChangeVelocity<T>(s.map, w_r, s.v_r);
  ChangeAcceleration<T>(s.map, w_r, wdot_r, s.vdot);
}

/// out (rows × nw) ← X A + Y M.
template <typename T>
void CalcChain(const MatrixX<T>& X, const MatrixX<T>& Y, const MatrixX<T>& M, const Loops<T>& s,
               MatrixOut<T> out) {
  out.setZero();
  internal::AddProductFromLeft<T>(s.map.support.get(), X, s.map.A, out);
  internal::AddProductFromLeft<T>(s.map.support.get(), Y, M, out);
}

/// out += Y M, through the memory `product`.
template <typename T>
void AddChain(const MatrixX<T>& Y, const MatrixX<T>& M, const Loops<T>& s, MatrixX<T>& product,
              MatrixOut<T> out) {
  product.setZero();
  internal::AddProductFromLeft<T>(s.map.support.get(), Y, M, product);
  out += product;
}

/// out += Aᵀ M.
template <typename T>
void AddReduced(const Loops<T>& s, const MatrixX<T>& M, VectorX<T>& column, MatrixOut<T> out) {
  for (Eigen::Index c = 0; c < M.cols(); ++c) {
    ChangeForces<T>(s.map, M.col(c), column);
    out.col(c) += column;
  }
}

}  // namespace

template <typename T>
void CalcTreeMotionDerivatives(const VelocitySpace& model, VectorIn<T> wdot,
                               SpaceWorkspace<T>& workspace, MatrixOut<T> dv_dq,
                               MatrixOut<T> dvdot_dq, MatrixOut<T> dvdot_dw) {
  auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcTreeMotionDerivatives");
  internal::CheckResults(model.nv(), model.nw(), dv_dq, "dv_dq", dvdot_dq, "dvdot_dq", dvdot_dw,
                         "dvdot_dw");
  internal::CheckShape(wdot, model.nw(), 1, "wdot");
  if (model.is_tree()) {
    for (MatrixOut<T>* by : {&dv_dq, &dvdot_dq, &dvdot_dw}) by->setZero();
    return;
  }
  SetReferenceMotion<T>(s.w, wdot, s);
  CalcMotionDerivatives<T>(model, s.w, wdot, s, nullptr);
  dv_dq = s.dv_dq;
  dvdot_dq = s.dx_dq;
  dvdot_dw = s.map.Adot + s.dv_dq;
}

template <typename T>
void CalcReducedForcesDerivative(const VelocitySpace& model, VectorIn<T> tau,
                                 SpaceWorkspace<T>& workspace, MatrixOut<T> dtau_dq) {
  auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kPosition, "CalcReducedForcesDerivative");
  internal::CheckShape(tau, model.nv(), 1, "tau");
  internal::CheckShape(dtau_dq, model.nw(), model.nw(), "dtau_dq");
  dtau_dq.setZero();
  for (int j = 0; j < model.nw() && model.coordinates() != nullptr; ++j) {
    internal::CalcMapRate<T>(model, j, s);
    dtau_dq.col(j).noalias() = s.dA.transpose() * tau;
  }
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    const internal::LoopRows& cluster = internal::LayoutOf(model).clusters[i];
    for (const int j : cluster.reduced) {
      s.direction = s.map.A.col(j);
      internal::CalcLoopMapRate<T>(model, i, s.direction, s, s.dA);
      AddTurnedForces<T>(cluster, s, tau, j, dtau_dq);
    }
  }
}

namespace {

/// Into s.dtau_dq_w, s.dtau_dw_w and s.H_w.
template <typename T>
void ReduceInverseDerivatives(const VelocitySpace& model, VectorIn<T> wdot, Loops<T>& s,
                              ExternalForces<T> forces) {
  SetReferenceMotion<T>(s.w, wdot, s);
  CalcInverseDynamics<T>(model.tree(), s.vdot, s.tree, s.force, forces);
  CalcInverseDynamicsDerivatives<T>(model.tree(), s.vdot, s.tree, s.dtau_dq, s.dtau_dv, s.H,
                                    forces);
  s.dtau_dq_w.setZero();
  s.dtau_dw_w.setZero();
  MatrixOut<T> by_q = s.dtau_dq_w;
  CalcMotionDerivatives<T>(model, s.w, wdot, s, &by_q);
  CalcChain<T>(s.dtau_dq, s.dtau_dv, s.dv_dq, s, s.sum);
  AddChain<T>(s.H, s.dx_dq, s, s.products, s.sum);
  AddReduced<T>(s, s.sum, s.x_w, s.dtau_dq_w);
  // By w: ∂τ/∂v A + H (Ȧ + ∂(A w)/∂q).
  s.dy_dq = s.map.Adot + s.dv_dq;
  CalcChain<T>(s.dtau_dv, s.H, s.dy_dq, s, s.sum);
  AddReduced<T>(s, s.sum, s.x_w, s.dtau_dw_w);
  ChangeMassMatrix<T>(s.map, s.H, s.products, s.H_w);
}

/// Into s.dtau_dq_w and s.dtau_dw_w, with w_r and ẇ_r in s.v_r and s.vdot, τ in s.force, its
/// derivatives by the tree's q and v in s.dtau_dq and s.dtau_dv, and C and H.
template <typename T>
void ReducePassivityDerivatives(const VelocitySpace& model, VectorIn<T> w_r, VectorIn<T> wdot_r,
                                Loops<T>& s) {
  s.dtau_dq_w.setZero();
  s.dtau_dw_w.setZero();
  MatrixOut<T> by_q = s.dtau_dq_w;
  CalcMotionDerivatives<T>(model, w_r, wdot_r, s, &by_q);
  CalcChain<T>(s.dtau_dq, s.dtau_dv, s.dv_dq, s, s.sum);
  AddChain<T>(s.C, s.dy_dq, s, s.products, s.sum);
  AddChain<T>(s.H, s.dx_dq, s, s.products, s.sum);
  AddReduced<T>(s, s.sum, s.x_w, s.dtau_dq_w);
  CalcChain<T>(s.dtau_dv, s.H, s.dy_dq, s, s.sum);  // ∂(Ȧ w_r)/∂w_j = (∂_jA) w_r
  AddReduced<T>(s, s.sum, s.x_w, s.dtau_dw_w);
}

}  // namespace

template <typename T>
void CalcInverseDynamicsDerivatives(const VelocitySpace& model, VectorIn<T> wdot,
                                    SpaceWorkspace<T>& workspace, MatrixOut<T> dtau_dq,
                                    MatrixOut<T> dtau_dw, MatrixOut<T> H,
                                    ExternalForces<T> forces) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcInverseDynamicsDerivatives");
  internal::CheckResults(model.nw(), model.nw(), dtau_dq, "dtau_dq", dtau_dw, "dtau_dw", H, "H");
  if (model.is_tree()) {
    return CalcInverseDynamicsDerivatives<T>(model.tree(), wdot, s.tree, dtau_dq, dtau_dw, H,
                                             forces);
  }
  ReduceInverseDerivatives<T>(model, wdot, s, forces);
  dtau_dq = s.dtau_dq_w;
  dtau_dw = s.dtau_dw_w;
  H = s.H_w;
}

template <typename T>
Status CalcForwardDynamicsDerivatives(const VelocitySpace& model, VectorIn<T> wdot,
                                      SpaceWorkspace<T>& workspace, MatrixOut<T> dwdot_dq,
                                      MatrixOut<T> dwdot_dw, MatrixOut<T> dwdot_dtau,
                                      ExternalForces<T> forces) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcForwardDynamicsDerivatives");
  internal::CheckResults(model.nw(), model.nw(), dwdot_dq, "dwdot_dq", dwdot_dw, "dwdot_dw",
                         dwdot_dtau, "dwdot_dtau");
  if (model.is_tree()) {
    return CalcForwardDynamicsDerivatives<T>(model.tree(), wdot, s.tree, *s.tree_factor, dwdot_dq,
                                             dwdot_dw, dwdot_dtau, forces);
  }
  ReduceInverseDerivatives<T>(model, wdot, s, forces);
  if (!internal::FactorCholesky<T>(s.H_w)) return Status::kSingularMassMatrix;
  dwdot_dq = -s.dtau_dq_w;
  dwdot_dw = -s.dtau_dw_w;
  dwdot_dtau.setIdentity();
  for (MatrixOut<T>* by : {&dwdot_dq, &dwdot_dw, &dwdot_dtau}) {
    internal::SolveCholeskyInPlace<T>(s.H_w, *by);
  }
  return Status::kOk;
}

template <typename T>
void CalcPassivityInverseDynamicsDerivatives(const VelocitySpace& model,
                                             const Factorization& factorization, VectorIn<T> w_r,
                                             VectorIn<T> wdot_r, SpaceWorkspace<T>& workspace,
                                             MatrixOut<T> dtau_dq, MatrixOut<T> dtau_dw) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcPassivityInverseDynamicsDerivatives");
  internal::CheckResults(model.nw(), model.nw(), dtau_dq, "dtau_dq", dtau_dw, "dtau_dw");
  const Model& tree = model.tree();
  if (model.is_tree()) {
    return CalcPassivityInverseDynamicsDerivatives<T>(tree, factorization, w_r, wdot_r, s.tree,
                                                      dtau_dq, dtau_dw);
  }
  SetReferenceMotion<T>(w_r, wdot_r, s);
  CalcPassivityInverseDynamics<T>(tree, factorization, s.v_r, s.vdot, s.tree, s.force);
  CalcPassivityInverseDynamicsDerivatives<T>(tree, factorization, s.v_r, s.vdot, s.tree, s.dtau_dq,
                                             s.dtau_dv);
  CalcCoriolisMatrix<T>(tree, factorization, s.tree, {.C = s.C, .H = s.H});
  ReducePassivityDerivatives<T>(model, w_r, wdot_r, s);
  dtau_dq = s.dtau_dq_w;
  dtau_dw = s.dtau_dw_w;
}

/// C x' + H ẍ' of x' = A x and ẍ' = Ȧ x is linear in these: that of CalcPassivityInverseDynamics
/// less its value at zero, which is gravity.
template <typename T>
void CalcCoriolisProductDerivatives(const VelocitySpace& model, const Factorization& factorization,
                                    VectorIn<T> x, SpaceWorkspace<T>& workspace,
                                    MatrixOut<T> dCx_dq, MatrixOut<T> dCx_dw) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcCoriolisProductDerivatives");
  internal::CheckResults(model.nw(), model.nw(), dCx_dq, "dCx_dq", dCx_dw, "dCx_dw");
  internal::CheckShape(x, model.nw(), 1, "x");
  const Model& tree = model.tree();
  if (model.is_tree()) {
    return CalcCoriolisProductDerivatives<T>(tree, factorization, x, s.tree, dCx_dq, dCx_dw);
  }
  s.v_r.setZero();
  CalcGravityForces<T>(tree, s.tree, s.vdot);
  s.direction = s.vdot;
  s.vdot.setZero();
  CalcPassivityInverseDynamicsDerivatives<T>(tree, factorization, s.v_r, s.vdot, s.tree, s.C, s.H);
  s.x_w.setZero();
  SetReferenceMotion<T>(x, s.x_w, s);
  CalcPassivityInverseDynamicsDerivatives<T>(tree, factorization, s.v_r, s.vdot, s.tree, s.dtau_dq,
                                             s.dtau_dv);
  s.dtau_dq -= s.C;
  CalcPassivityInverseDynamics<T>(tree, factorization, s.v_r, s.vdot, s.tree, s.force);
  s.force -= s.direction;
  CalcCoriolisMatrix<T>(tree, factorization, s.tree, {.C = s.C, .H = s.H});
  ReducePassivityDerivatives<T>(model, x, s.x_w, s);
  dCx_dq = s.dtau_dq_w;
  dCx_dw = s.dtau_dw_w;
}

namespace {

/// Of a velocity whose derivatives by the tree's q and v, 6 × nv, calc(by_q, by_v) sets.
template <typename T, typename Calc>
void ReduceVelocityDerivatives(const VelocitySpace& model, Loops<T>& s, MatrixOut<T>& by_q,
                               MatrixOut<T>& by_w, const Calc& calc) {
  internal::CheckResults(6, model.nw(), by_q, "the derivative by q", by_w, "the derivative by w");
  if (model.is_tree()) return calc(by_q, by_w);
  s.x_w.setZero();
  SetReferenceMotion<T>(s.w, s.x_w, s);
  CalcMotionDerivatives<T>(model, s.w, s.x_w, s, nullptr);
  calc(s.J, s.Jdot);
  CalcChain<T>(s.J, s.Jdot, s.dv_dq, s, by_q);
  ChangeJacobian<T>(s.map, s.Jdot, by_w);
}

/// Of an acceleration whose derivatives by the tree's q, v and v̇, 6 × nv, calc(v̇, by_q, by_v,
/// by_vdot) sets.
template <typename T, typename Calc>
void ReduceAccelerationDerivatives(const VelocitySpace& model, VectorIn<T> wdot, Loops<T>& s,
                                   MatrixOut<T>& by_q, MatrixOut<T>& by_w, MatrixOut<T>& by_wdot,
                                   const Calc& calc) {
  internal::CheckResults(6, model.nw(), by_q, "the derivative by q", by_w, "the derivative by w",
                         by_wdot, "the derivative by wdot");
  if (model.is_tree()) return calc(wdot, by_q, by_w, by_wdot);
  SetReferenceMotion<T>(s.w, wdot, s);
  CalcMotionDerivatives<T>(model, s.w, wdot, s, nullptr);
  calc(s.vdot, s.J, s.Jdot, s.J_last);
  CalcChain<T>(s.J, s.Jdot, s.dv_dq, s, by_q);
  AddChain<T>(s.J_last, s.dx_dq, s, s.J_w, by_q);
  s.dy_dq = s.map.Adot + s.dv_dq;
  CalcChain<T>(s.Jdot, s.J_last, s.dy_dq, s, by_w);
  ChangeJacobian<T>(s.map, s.J_last, by_wdot);
}

}  // namespace

template <typename T>
void CalcFrameVelocityDerivatives(const VelocitySpace& model, const FramePoint& at,
                                  ReferenceFrame reference, SpaceWorkspace<T>& workspace,
                                  MatrixOut<T> dV_dq, MatrixOut<T> dV_dw) {
  auto& s =
      internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcFrameVelocityDerivatives");
  ReduceVelocityDerivatives<T>(model, s, dV_dq, dV_dw, [&](MatrixOut<T> by_q, MatrixOut<T> by_v) {
    CalcFrameVelocityDerivatives<T>(model.tree(), at, reference, s.tree, by_q, by_v);
  });
}

template <typename T>
void CalcFrameAccelerationDerivatives(const VelocitySpace& model, const FramePoint& at,
                                      ReferenceFrame reference, VectorIn<T> wdot,
                                      SpaceWorkspace<T>& workspace, MatrixOut<T> dA_dq,
                                      MatrixOut<T> dA_dw, MatrixOut<T> dA_dwdot) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcFrameAccelerationDerivatives");
  ReduceAccelerationDerivatives<T>(
      model, wdot, s, dA_dq, dA_dw, dA_dwdot,
      [&](VectorIn<T> vdot, MatrixOut<T> by_q, MatrixOut<T> by_v, MatrixOut<T> by_vdot) {
        CalcFrameAccelerationDerivatives<T>(model.tree(), at, reference, vdot, s.tree, by_q, by_v,
                                            by_vdot);
      });
}

template <typename T>
void CalcFrameClassicalAccelerationDerivatives(const VelocitySpace& model, const FramePoint& at,
                                               ReferenceFrame reference, VectorIn<T> wdot,
                                               SpaceWorkspace<T>& workspace, MatrixOut<T> dA_dq,
                                               MatrixOut<T> dA_dw, MatrixOut<T> dA_dwdot) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcFrameClassicalAccelerationDerivatives");
  ReduceAccelerationDerivatives<T>(
      model, wdot, s, dA_dq, dA_dw, dA_dwdot,
      [&](VectorIn<T> vdot, MatrixOut<T> by_q, MatrixOut<T> by_v, MatrixOut<T> by_vdot) {
        CalcFrameClassicalAccelerationDerivatives<T>(model.tree(), at, reference, vdot, s.tree,
                                                     by_q, by_v, by_vdot);
      });
}

template <typename T>
void CalcCentroidalMomentumDerivatives(const VelocitySpace& model, SpaceWorkspace<T>& workspace,
                                       MatrixOut<T> dh_dq, MatrixOut<T> dh_dw) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcCentroidalMomentumDerivatives");
  ReduceVelocityDerivatives<T>(model, s, dh_dq, dh_dw, [&](MatrixOut<T> by_q, MatrixOut<T> by_v) {
    CalcCentroidalMomentumDerivatives<T>(model.tree(), s.tree, by_q, by_v);
  });
}

template <typename T>
void CalcCentroidalMomentumRateDerivatives(const VelocitySpace& model, VectorIn<T> wdot,
                                           SpaceWorkspace<T>& workspace, MatrixOut<T> dhdot_dq,
                                           MatrixOut<T> dhdot_dw, MatrixOut<T> dhdot_dwdot) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcCentroidalMomentumRateDerivatives");
  ReduceAccelerationDerivatives<T>(
      model, wdot, s, dhdot_dq, dhdot_dw, dhdot_dwdot,
      [&](VectorIn<T> vdot, MatrixOut<T> by_q, MatrixOut<T> by_v, MatrixOut<T> by_vdot) {
        CalcCentroidalMomentumRateDerivatives<T>(model.tree(), vdot, s.tree, by_q, by_v, by_vdot);
      });
}

Status CalcConnection(const VelocitySpace& model, const Factorization& factorization,
                      VectorIn<double> q, SpaceWorkspace<double>& workspace, Tensor3& Gamma) {
  const int nw = model.nw();
  CIVITA_CHECK(Gamma.n() == nw, "Gamma is of " << Gamma.n() << ", the model has nw = " << nw);
  Status status = UpdateKinematics<double>(model, q, workspace);
  Eigen::MatrixXd C(nw, nw), H(nw, nw);
  for (int b = 0; b < nw && status.ok(); ++b) {
    status = UpdateKinematics<double>(model, q, Eigen::VectorXd::Unit(nw, b), workspace);
    CalcCoriolisMatrix<double>(model, factorization, workspace, {.C = C, .H = H});
    Gamma.Direction(b) = C;
  }
  return status;
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template void CalcTreeMotionDerivatives<T>(const VelocitySpace&, VectorIn<T>,                   \
                                             SpaceWorkspace<T>&, MatrixOut<T>, MatrixOut<T>,      \
                                             MatrixOut<T>);                                       \
  template void CalcReducedForcesDerivative<T>(const VelocitySpace&, VectorIn<T>,                 \
                                               SpaceWorkspace<T>&, MatrixOut<T>);                 \
  template void CalcInverseDynamicsDerivatives<T>(const VelocitySpace&, VectorIn<T>,              \
                                                  SpaceWorkspace<T>&, MatrixOut<T>, MatrixOut<T>, \
                                                  MatrixOut<T>, ExternalForces<T>);               \
  template Status CalcForwardDynamicsDerivatives<T>(                                              \
      const VelocitySpace&, VectorIn<T>, SpaceWorkspace<T>&, MatrixOut<T>, MatrixOut<T>,          \
      MatrixOut<T>, ExternalForces<T>);                                                           \
  template void CalcPassivityInverseDynamicsDerivatives<T>(                                       \
      const VelocitySpace&, const Factorization&, VectorIn<T>, VectorIn<T>, SpaceWorkspace<T>&,   \
      MatrixOut<T>, MatrixOut<T>);                                                                \
  template void CalcCoriolisProductDerivatives<T>(const VelocitySpace&, const Factorization&,     \
                                                  VectorIn<T>, SpaceWorkspace<T>&, MatrixOut<T>,  \
                                                  MatrixOut<T>);                                  \
  template void CalcFrameVelocityDerivatives<T>(const VelocitySpace&, const FramePoint&,          \
                                                ReferenceFrame, SpaceWorkspace<T>&, MatrixOut<T>, \
                                                MatrixOut<T>);                                    \
  template void CalcFrameAccelerationDerivatives<T>(                                              \
      const VelocitySpace&, const FramePoint&, ReferenceFrame, VectorIn<T>, SpaceWorkspace<T>&,   \
      MatrixOut<T>, MatrixOut<T>, MatrixOut<T>);                                                  \
  template void CalcFrameClassicalAccelerationDerivatives<T>(                                     \
      const VelocitySpace&, const FramePoint&, ReferenceFrame, VectorIn<T>, SpaceWorkspace<T>&,   \
      MatrixOut<T>, MatrixOut<T>, MatrixOut<T>);                                                  \
  template void CalcCentroidalMomentumDerivatives<T>(const VelocitySpace&, SpaceWorkspace<T>&,    \
                                                     MatrixOut<T>, MatrixOut<T>);                 \
  template void CalcCentroidalMomentumRateDerivatives<T>(const VelocitySpace&, VectorIn<T>,       \
                                                         SpaceWorkspace<T>&, MatrixOut<T>,        \
                                                         MatrixOut<T>, MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
