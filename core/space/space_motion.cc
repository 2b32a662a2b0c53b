#include "civita/space_motion.h"

#include "civita/centroidal.h"
#include "core/model/internal/checks.h"
#include "core/space/internal/reduce.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

template <typename T>
void CalcFrameJacobian(const VelocitySpace& model, const FramePoint& at, ReferenceFrame reference,
                       SpaceWorkspace<T>& workspace, MatrixOut<T> J) {
  internal::ReduceJacobian<T>(model, workspace, "CalcFrameJacobian", J,
                              [&](Workspace<T>& tree, MatrixOut<T> J_v) {
                                CalcFrameJacobian<T>(model.tree(), at, reference, tree, J_v);
                              });
}

template <typename T>
void CalcFrameJacobianDerivative(const VelocitySpace& model, const FramePoint& at,
                                 ReferenceFrame reference, SpaceWorkspace<T>& workspace,
                                 MatrixOut<T> Jdot) {
  internal::ReduceJacobianRate<T>(
      model, workspace, "CalcFrameJacobianDerivative", Jdot,
      [&](Workspace<T>& tree, MatrixOut<T> J) {
        CalcFrameJacobian<T>(model.tree(), at, reference, tree, J);
      },
      [&](Workspace<T>& tree, MatrixOut<T> rate) {
        CalcFrameJacobianDerivative<T>(model.tree(), at, reference, tree, rate);
      });
}

template <typename T>
void CalcRelativeJacobian(const VelocitySpace& model, const Model::NamedFrame& A,
                          const FramePoint& at, ReferenceFrame reference,
                          SpaceWorkspace<T>& workspace, MatrixOut<T> J) {
  internal::ReduceJacobian<T>(model, workspace, "CalcRelativeJacobian", J,
                              [&](Workspace<T>& tree, MatrixOut<T> J_v) {
                                CalcRelativeJacobian<T>(model.tree(), A, at, reference, tree, J_v);
                              });
}

template <typename T>
void CalcRelativeJacobianDerivative(const VelocitySpace& model, const Model::NamedFrame& A,
                                    const FramePoint& at, ReferenceFrame reference,
                                    SpaceWorkspace<T>& workspace, MatrixOut<T> Jdot) {
  internal::ReduceJacobianRate<T>(
      model, workspace, "CalcRelativeJacobianDerivative", Jdot,
      [&](Workspace<T>& tree, MatrixOut<T> J) {
        CalcRelativeJacobian<T>(model.tree(), A, at, reference, tree, J);
      },
      [&](Workspace<T>& tree, MatrixOut<T> rate) {
        CalcRelativeJacobianDerivative<T>(model.tree(), A, at, reference, tree, rate);
      });
}

template <typename T>
Vector6<T> CalcFrameAcceleration(const VelocitySpace& model, const FramePoint& at,
                                 ReferenceFrame reference, VectorIn<T> wdot,
                                 SpaceWorkspace<T>& workspace) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity, "CalcFrameAcceleration");
  if (model.is_tree()) return CalcFrameAcceleration<T>(model.tree(), at, reference, wdot, s.tree);
  ChangeAcceleration<T>(s.map, s.w, wdot, s.vdot);
  return CalcFrameAcceleration<T>(model.tree(), at, reference, s.vdot, s.tree);
}

template <typename T>
Vector6<T> CalcFrameClassicalAcceleration(const VelocitySpace& model, const FramePoint& at,
                                          ReferenceFrame reference, VectorIn<T> wdot,
                                          SpaceWorkspace<T>& workspace) {
  auto& s = internal::RequireSpace<T>(model, workspace, Stage::kVelocity,
                                      "CalcFrameClassicalAcceleration");
  if (model.is_tree())
    return CalcFrameClassicalAcceleration<T>(model.tree(), at, reference, wdot, s.tree);
  ChangeAcceleration<T>(s.map, s.w, wdot, s.vdot);
  return CalcFrameClassicalAcceleration<T>(model.tree(), at, reference, s.vdot, s.tree);
}

template <typename T>
void CalcCenterOfMassJacobian(const VelocitySpace& model, SpaceWorkspace<T>& workspace,
                              MatrixOut<T> J) {
  internal::ReduceJacobian<T, CalcCenterOfMassJacobian<T>>(model, workspace,
                                                           "CalcCenterOfMassJacobian", J);
}

template <typename T>
void CalcCenterOfMassJacobianDerivative(const VelocitySpace& model, SpaceWorkspace<T>& workspace,
                                        MatrixOut<T> Jdot) {
  internal::ReduceJacobianRate<T, CalcCenterOfMassJacobian<T>,
                               CalcCenterOfMassJacobianDerivative<T>>(
      model, workspace, "CalcCenterOfMassJacobianDerivative", Jdot);
}

template <typename T>
void CalcCentroidalMomentumMatrix(const VelocitySpace& model, SpaceWorkspace<T>& workspace,
                                  MatrixOut<T> A) {
  internal::ReduceJacobian<T, CalcCentroidalMomentumMatrix<T>>(model, workspace,
                                                               "CalcCentroidalMomentumMatrix", A);
}

template <typename T>
void CalcCentroidalMomentumMatrixDerivative(const VelocitySpace& model,
                                            SpaceWorkspace<T>& workspace, MatrixOut<T> Adot) {
  internal::ReduceJacobianRate<T, CalcCentroidalMomentumMatrix<T>,
                               CalcCentroidalMomentumMatrixDerivative<T>>(
      model, workspace, "CalcCentroidalMomentumMatrixDerivative", Adot);
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template void CalcFrameJacobian<T>(const VelocitySpace&, const FramePoint&, ReferenceFrame,     \
                                     SpaceWorkspace<T>&, MatrixOut<T>);                           \
  template void CalcFrameJacobianDerivative<T>(const VelocitySpace&, const FramePoint&,           \
                                               ReferenceFrame, SpaceWorkspace<T>&, MatrixOut<T>); \
  template void CalcRelativeJacobian<T>(const VelocitySpace&, const Model::NamedFrame&,           \
                                        const FramePoint&, ReferenceFrame, SpaceWorkspace<T>&,    \
                                        MatrixOut<T>);                                            \
  template void CalcRelativeJacobianDerivative<T>(const VelocitySpace&, const Model::NamedFrame&, \
                                                  const FramePoint&, ReferenceFrame,              \
                                                  SpaceWorkspace<T>&, MatrixOut<T>);              \
  template Vector6<T> CalcFrameAcceleration<T>(const VelocitySpace&, const FramePoint&,           \
                                               ReferenceFrame, VectorIn<T>, SpaceWorkspace<T>&);  \
  template Vector6<T> CalcFrameClassicalAcceleration<T>(                                          \
      const VelocitySpace&, const FramePoint&, ReferenceFrame, VectorIn<T>, SpaceWorkspace<T>&);  \
  template void CalcCenterOfMassJacobian<T>(const VelocitySpace&, SpaceWorkspace<T>&,             \
                                            MatrixOut<T>);                                        \
  template void CalcCenterOfMassJacobianDerivative<T>(const VelocitySpace&, SpaceWorkspace<T>&,   \
                                                      MatrixOut<T>);                              \
  template void CalcCentroidalMomentumMatrix<T>(const VelocitySpace&, SpaceWorkspace<T>&,         \
                                                MatrixOut<T>);                                    \
  template void CalcCentroidalMomentumMatrixDerivative<T>(const VelocitySpace&,                   \
                                                          SpaceWorkspace<T>&, MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
