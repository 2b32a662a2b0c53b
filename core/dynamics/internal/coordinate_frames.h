#pragma once

#include <Eigen/Cholesky>

#include "civita/com_decoupled.h"
#include "civita/coordinates.h"
#include "civita/coriolis.h"
#include "civita/frame_motion.h"
#include "civita/task_space.h"
#include "core/spatial/internal/products.h"

// What the coordinates of civita/coordinates.h are made of, for double and Dual: the model, and
// Update, which sets A and Ȧ at the state of a workspace, where A exists. The
// objects have scratch memory; each is made of one for another scalar, too.

namespace civita::internal {

/// H, the Christoffel-consistent C and Ḣ.
template <typename T>
struct FrameMatrices {
  explicit FrameMatrices(const Model& model)
      : H(MatrixX<T>::Zero(model.nv(), model.nv())), C(H), Hdot(H) {}
  void Update(const Model& model, Workspace<T>& workspace) {
    CalcCoriolisMatrix<T>(model, Factorization{}, workspace, {.C = C, .H = H});
    Hdot = C + C.transpose();
  }
  MatrixX<T> H, C, Hdot;
};

template <typename T>
struct BodyTwistFrame {
  explicit BodyTwistFrame(const Model& model_in) : model(model_in) {}
  template <typename S>
  explicit BodyTwistFrame(const BodyTwistFrame<S>& other) : model(other.model) {}

  Status Update(Workspace<T>& workspace, VelocityMap<T>& map) {
    SetFromBodyTwists<T>(model, workspace, &map);
    return Status::kOk;
  }

  Model model;
};

template <typename T>
struct ComFrame {
  explicit ComFrame(const Model& model_in) : model(model_in), matrices(model) {}
  template <typename S>
  explicit ComFrame(const ComFrame<S>& other) : ComFrame(other.model) {}

  Status Update(Workspace<T>& workspace, VelocityMap<T>& map) {
    matrices.Update(model, workspace);
    SetComVelocities<T>({.C = matrices.C, .H = matrices.H}, &map);
    return Status::kOk;
  }

  Model model;
  FrameMatrices<T> matrices;
};

template <typename T>
struct TaskFrame {
  /// J_in (nx × nv) chooses the basis of the null space; it is the last rows of the frame's.
  TaskFrame(const Model& model_in, const Model::NamedFrame& frame_in, const Eigen::MatrixXd& J_in)
      : model(model_in),
        frame(frame_in),
        J_start(J_in),
        matrices(model),
        J(J_in.cast<T>()),
        Jdot(MatrixX<T>::Zero(J.rows(), J.cols())),
        twist_rows(MatrixX<T>::Zero(6, model.nv())),
        rate(J.transpose()),
        Lambdadot(MatrixX<T>::Zero(J.rows(), J.rows())),
        llt(MatrixX<T>::Identity(model.nv(), model.nv())),
        space(model, J_in) {}
  template <typename S>
  explicit TaskFrame(const TaskFrame<S>& other)
      : TaskFrame(other.model, other.frame, other.J_start) {}

  /// Ȧ_x = H⁻¹(J̇ᵀΛ + JᵀΛ̇ − Ḣ A_x) of A_x = H⁻¹JᵀΛ, Λ̇ = C_xx + C_xxᵀ.
  Status Update(Workspace<T>& workspace, VelocityMap<T>& map) {
    const Eigen::Index nx = J.rows(), nn = space.null_space.A.cols();
    matrices.Update(model, workspace);
    CalcFrameJacobian<T>(model, frame, workspace, twist_rows);
    J = twist_rows.bottomRows(nx);
    CalcFrameJacobianDerivative<T>(model, frame, workspace, twist_rows);
    Jdot = twist_rows.bottomRows(nx);
    const Status status = space.Update({.C = matrices.C, .H = matrices.H}, J, Jdot);
    if (!status) return status;
    map.A.leftCols(nx) = space.A_x;
    map.A.rightCols(nn) = space.null_space.A;
    Lambdadot = space.C_xx + space.C_xx.transpose();
    SetProduct<T>(-matrices.Hdot, space.A_x, rate);
    AddProduct<T>(Jdot.transpose(), space.Lambda, rate);
    AddProduct<T>(J.transpose(), Lambdadot, rate);
    llt.compute(matrices.H);
    for (Eigen::Index c = 0; c < rate.cols(); ++c) {
      auto column = rate.col(c);
      llt.solveInPlace(column);
    }
    map.Adot.leftCols(nx) = rate;
    map.Adot.rightCols(nn) = space.null_space.Adot;
    return Status::kOk;
  }

  Model model;
  Model::NamedFrame frame;
  Eigen::MatrixXd J_start;
  FrameMatrices<T> matrices;
  MatrixX<T> J, Jdot, twist_rows, rate, Lambdadot;
  Eigen::LLT<MatrixX<T>> llt;  ///< of 1 at first: moving an empty one is undefined
  TaskSpace<T> space;
};

/// Ȧ = −A Φᵀ, Φ the lower half of AᵀḢA with half of its diagonal: L̇ = L Φ.
template <typename T>
struct MassOrthonormalFrame {
  explicit MassOrthonormalFrame(const Model& model_in)
      : model(model_in),
        matrices(model),
        Phi(matrices.H),
        llt(MatrixX<T>::Identity(model.nv(), model.nv())) {}
  template <typename S>
  explicit MassOrthonormalFrame(const MassOrthonormalFrame<S>& other)
      : MassOrthonormalFrame(other.model) {}

  Status Update(Workspace<T>& workspace, VelocityMap<T>& map) {
    matrices.Update(model, workspace);
    llt.compute(matrices.H);
    if (llt.info() != Eigen::Success) return Status::kSingularMassMatrix;
    map.A.setIdentity();
    llt.matrixU().solveInPlace(map.A);
    map.Adot.noalias() = matrices.Hdot * map.A;
    Phi.noalias() = map.A.transpose() * map.Adot;
    Phi.diagonal() *= T(0.5);
    Phi.template triangularView<Eigen::StrictlyUpper>().setZero();
    map.Adot.noalias() = -map.A * Phi.transpose();
    return Status::kOk;
  }

  Model model;
  FrameMatrices<T> matrices;
  MatrixX<T> Phi;
  Eigen::LLT<MatrixX<T>> llt;
};

/// Coordinates::rates of a frame, by dual numbers (core/scalars/coordinate_rates.cc). The program
/// that is ready first is without those, and its coordinates without rates.
template <template <typename> class Frame>
Coordinates::Rates DualRates(const Frame<double>& frame);

}  // namespace civita::internal
