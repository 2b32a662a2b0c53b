#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <type_traits>

#include "civita/centroidal.h"
#include "civita/coordinates.h"
#include "civita/frame_motion.h"
#include "civita/mass_matrix.h"
#include "civita/task_space.h"
#include "core/spatial/internal/products.h"

// What the coordinates of civita/coordinates.h are made of, for double and Dual: the model, and
// Update, which sets A and Ȧ at the state of a workspace, where A exists. The
// objects have scratch memory; each is made of one for another scalar, too.

namespace civita::internal {

/// A of the last q, of which Ȧ is made: A is computed first at v = 0, to know v. Not of dual
/// numbers, as two that are equal may have different derivatives.
template <typename T>
struct KeptFrame {
  explicit KeptFrame(const Model& model)
      : q(VectorX<T>::Constant(model.nq(), T(NAN))),
        A(MatrixX<T>::Zero(model.nv(), model.nv())),
        H(A),
        Hdot(A) {}

  /// set_A is called where H is known, set_Adot where Ḣ is, too.
  Status Update(const Model& model, Workspace<T>& workspace, VelocityMap<T>& map, const auto& set_A,
                const auto& set_Adot) {
    constexpr bool kKeeps = std::is_same_v<T, double>;
    if (!kKeeps || q != workspace.q()) {
      q = workspace.q();
      CalcMassMatrix<T>(model, workspace, H);
      status = set_A();
    }
    if (!status) return status;
    map.A = A;
    map.Adot.setZero();
    if (kKeeps && workspace.v().isZero(0)) return status;
    CalcMassMatrixDerivative<T>(model, workspace, Hdot);
    set_Adot(map.Adot);
    return status;
  }

  VectorX<T> q;
  MatrixX<T> A, H, Hdot;
  Status status;
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

/// A = [1 −J; 0 1] and Ȧ = [0 −J̇; 0 0], [1 J] the Jacobian of the centre of mass.
template <typename T>
struct ComFrame {
  explicit ComFrame(const Model& model_in) : model(model_in) {}
  template <typename S>
  explicit ComFrame(const ComFrame<S>& other) : model(other.model) {}

  Status Update(Workspace<T>& workspace, VelocityMap<T>& map) {
    map.A.setIdentity();
    map.Adot.setZero();
    CalcCenterOfMassJacobian<T>(model, workspace, map.A.topRows(3));
    CalcCenterOfMassJacobianDerivative<T>(model, workspace, map.Adot.topRows(3));
    for (MatrixX<T>* M : {&map.A, &map.Adot}) M->topRightCorner(3, model.nv() - 3) *= T(-1);
    return Status::kOk;
  }

  Model model;
};

template <typename T>
struct TaskFrame {
  /// J_in (nx × nv) chooses the basis of the null space; it is the last rows of the frame's.
  TaskFrame(const Model& model_in, const Model::NamedFrame& frame_in, const Eigen::MatrixXd& J_in)
      : model(model_in),
        frame(frame_in),
        J_start(J_in),
        kept(model),
        twist_rows(MatrixX<T>::Zero(6, model.nv())),
        rate(MatrixX<T>::Zero(model.nv(), J_in.rows())),
        half(rate),
        Lambdadot(MatrixX<T>::Zero(J_in.rows(), J_in.rows())),
        space(model, J_in) {}
  template <typename S>
  explicit TaskFrame(const TaskFrame<S>& other)
      : TaskFrame(other.model, other.frame, other.J_start) {}

  /// Ȧ_x = H⁻¹(J̇ᵀΛ + JᵀΛ̇ − Ḣ A_x) of A_x = H⁻¹JᵀΛ, Λ̇ = B + Bᵀ, B = A_xᵀ(½ Ḣ A_x − J̇ᵀΛ).
  Status Update(Workspace<T>& workspace, VelocityMap<T>& map) {
    const Eigen::Index nx = space.A_x.cols();
    const auto set_A = [&] {
      CalcFrameJacobian<T>(model, frame, workspace, twist_rows);
      space.J_ = twist_rows.bottomRows(nx);
      const Status status = space.UpdateMap(kept.H);
      kept.A << space.A_x, space.null_space.A;
      return status;
    };
    const auto set_Adot = [&](MatrixX<T>& Adot) {
      CalcFrameJacobianDerivative<T>(model, frame, workspace, twist_rows);
      space.Jdot_ = twist_rows.bottomRows(nx);
      space.UpdateBasisRate();
      SetProduct<T>(kept.Hdot, space.A_x, space.rest_);
      SetProduct<T>(space.Jdot_.transpose(), space.Lambda, rate);
      half = T(0.5) * space.rest_ - rate;
      SetProduct<T>(space.A_x.transpose(), half, space.task_);
      Lambdadot = space.task_ + space.task_.transpose();
      rate -= space.rest_;
      AddProduct<T>(space.J_.transpose(), Lambdadot, rate);
      space.factor_.SolveInPlace(rate);
      Adot << rate, space.null_space.Adot;
    };
    return kept.Update(model, workspace, map, set_A, set_Adot);
  }

  Model model;
  Model::NamedFrame frame;
  Eigen::MatrixXd J_start;
  KeptFrame<T> kept;
  MatrixX<T> twist_rows, rate, half, Lambdadot;
  TaskSpace<T> space;
};

/// Ȧ = −A Φᵀ, Φ the lower half of AᵀḢA with half of its diagonal, row by row: L̇ = L Φ.
template <typename T>
struct MassOrthonormalFrame {
  explicit MassOrthonormalFrame(const Model& model_in)
      : model(model_in),
        kept(model),
        product(VectorX<T>::Zero(model.nv())),
        row(product),
        llt(MatrixX<T>::Identity(model.nv(), model.nv())) {}
  template <typename S>
  explicit MassOrthonormalFrame(const MassOrthonormalFrame<S>& other)
      : MassOrthonormalFrame(other.model) {}

  Status Update(Workspace<T>& workspace, VelocityMap<T>& map) {
    MatrixX<T>& A = kept.A;
    const auto set_A = [&]() -> Status {
      llt.compute(kept.H);
      if (llt.info() != Eigen::Success) return Status::kSingularMassMatrix;
      A.setIdentity();
      llt.matrixU().solveInPlace(A);
      return Status::kOk;
    };
    const auto set_Adot = [&](MatrixX<T>& Adot) {
      for (Eigen::Index n = 1; n <= A.cols(); ++n) {
        const auto corner = A.topLeftCorner(n, n);
        auto turned = product.head(n), Phi = row.head(n);
        turned.noalias() = kept.Hdot.topLeftCorner(n, n) * A.col(n - 1).head(n);
        Phi.noalias() = corner.transpose() * turned;
        Phi[n - 1] *= T(0.5);
        Adot.col(n - 1).head(n).noalias() -= corner * Phi;
      }
    };
    return kept.Update(model, workspace, map, set_A, set_Adot);
  }

  Model model;
  KeptFrame<T> kept;
  VectorX<T> product, row;
  Eigen::LLT<MatrixX<T>> llt;  ///< of 1 at first: moving an empty one is undefined
};

/// Coordinates::rates of a frame, by dual numbers (core/scalars/coordinate_rates.cc). The program
/// that is ready first is without those, and its coordinates without rates.
template <template <typename> class Frame>
Coordinates::Rates DualRates(const Frame<double>& frame);

}  // namespace civita::internal
