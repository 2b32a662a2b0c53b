#include "civita/centroidal.h"

#include <Eigen/Geometry>

#include "core/internal/inertia_rate.h"
#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita {

namespace {

/// Reference point of the tree that body b belongs to, in the world.
template <typename T>
const Vector3<T>& Reference(const Model& model, const Workspace<T>& workspace, size_t b) {
  return workspace.bodies[static_cast<size_t>(model.bodies()[b].root)].origin;
}

/// Total mass, and the centre of mass from the first tree's reference point: near it, so that
/// digits are kept far from the world's origin.
template <typename T>
struct MassCenter {
  MassCenter(const Model& model, const Workspace<T>& workspace)
      : mass(T(CalcTotalMass(model))), first(Reference(model, workspace, 0)) {
    CIVITA_CHECK(mass > T(0), "the model has no mass");
    Vector3<T> moment = Vector3<T>::Zero();
    for (size_t b = 0; b < workspace.bodies.size(); ++b) {
      const Inertia<T>& I = workspace.bodies[b].I;
      moment += I.h + I.m * (Reference(model, workspace, b) - first);
    }
    p = moment / mass;
  }

  /// F, about the reference point of body b's tree, taken about the centre of mass: [moment;
  /// force].
  Vector6<T> About(const Model& model, const Workspace<T>& workspace, size_t b,
                   const Force<T>& F) const {
    const Vector3<T> arm = p - (Reference(model, workspace, b) - first);
    Vector6<T> wrench;
    wrench.template head<3>() = F.n - arm.cross(F.f);
    wrench.template tail<3>() = F.f;
    return wrench;
  }

  T mass;
  Vector3<T> first;
  Vector3<T> p;
};

template <typename T>
void CheckSize(const Model& model, const MatrixOut<T>& A, int rows, const char* name) {
  CIVITA_CHECK(A.rows() == rows && A.cols() == model.nv(), name << " is " << A.rows() << "×"
                                                                << A.cols() << ", wanted " << rows
                                                                << " × nv = " << model.nv());
}

/// Calls `visit(b, k)` for every coordinate k and the body b that it moves first.
template <typename Visit>
void ForEachColumn(const Model& model, Visit visit) {
  for (size_t b = 0; b < model.bodies().size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    for (int k = body.iv; k < body.iv + body.nv; ++k) visit(b, k);
  }
}

}  // namespace

double CalcTotalMass(const Model& model) {
  double mass = 0;
  for (const Model::Body& body : model.bodies()) mass += body.inertia.m;
  return mass;
}

template <typename T>
Vector3<T> CalcCenterOfMass(const Model& model, const Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kPosition, "CalcCenterOfMass");
  const MassCenter<T> center(model, workspace);
  return center.first + center.p;
}

template <typename T>
void CalcCenterOfMassJacobian(const Model& model, Workspace<T>& workspace, MatrixOut<T> J) {
  internal::RequireBodies(model, workspace, Stage::kPosition, "CalcCenterOfMassJacobian");
  CheckSize<T>(model, J, 3, "J");
  internal::SumInertias(model, workspace);
  const T mass = MassCenter<T>(model, workspace).mass;
  ForEachColumn(model, [&](size_t b, int k) {
    J.template block<3, 1>(0, k) =
        (workspace.bodies[b].Ic * workspace.Phi[static_cast<size_t>(k)]).f / mass;
  });
}

/// d/dt (m^C u_k − h^C × ω_k), with ḣ^C the linear momentum of the subtree.
template <typename T>
void CalcCenterOfMassJacobianDerivative(const Model& model, Workspace<T>& workspace,
                                        MatrixOut<T> Jdot) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcCenterOfMassJacobianDerivative");
  CheckSize<T>(model, Jdot, 3, "Jdot");
  using Body = typename Workspace<T>::Body;
  internal::SumInertias(model, workspace);
  for (Body& body : workspace.bodies) body.P = body.I * body.V;
  internal::SumOverSubtrees(model, workspace,
                            [](Body& parent, const Body& body) { parent.P += body.P; });
  const T mass = MassCenter<T>(model, workspace).mass;
  ForEachColumn(model, [&](size_t b, int k) {
    const Body& body = workspace.bodies[b];
    const Motion<T>& Phi = workspace.Phi[static_cast<size_t>(k)];
    const Motion<T>& Phidot = workspace.Phidot[static_cast<size_t>(k)];
    Jdot.template block<3, 1>(0, k) = ((body.Ic * Phidot).f - body.P.f.cross(Phi.w)) / mass;
  });
}

template <typename T>
Vector6<T> CalcCentroidalMomentum(const Model& model, const Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcCentroidalMomentum");
  const MassCenter<T> center(model, workspace);
  Vector6<T> momentum = Vector6<T>::Zero();
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const typename Workspace<T>::Body& body = workspace.bodies[b];
    momentum += center.About(model, workspace, b, body.I * body.V);
  }
  return momentum;
}

template <typename T>
void CalcCentroidalMomentumMatrix(const Model& model, Workspace<T>& workspace, MatrixOut<T> A) {
  internal::RequireBodies(model, workspace, Stage::kPosition, "CalcCentroidalMomentumMatrix");
  CheckSize<T>(model, A, 6, "A");
  internal::SumInertias(model, workspace);
  const MassCenter<T> center(model, workspace);
  ForEachColumn(model, [&](size_t b, int k) {
    A.template block<6, 1>(0, k) = center.About(
        model, workspace, b, workspace.bodies[b].Ic * workspace.Phi[static_cast<size_t>(k)]);
  });
}

/// d/dt (I^C Φ_k) about the reference point, moved to the centre of mass, which moves on with ċ.
template <typename T>
void CalcCentroidalMomentumMatrixDerivative(const Model& model, Workspace<T>& workspace,
                                            MatrixOut<T> Adot) {
  internal::RequireBodies(model, workspace, Stage::kVelocity,
                          "CalcCentroidalMomentumMatrixDerivative");
  CheckSize<T>(model, Adot, 6, "Adot");
  using Body = typename Workspace<T>::Body;
  Vector3<T> momentum = Vector3<T>::Zero();
  for (Body& body : workspace.bodies) {
    body.Ic = body.I;
    body.Idot = internal::InertiaRate(body.I, body.V);
    momentum += body.Idot.h;
  }
  internal::SumOverSubtrees(model, workspace, [](Body& parent, const Body& body) {
    parent.Ic += body.Ic;
    parent.Idot += body.Idot;
  });
  const MassCenter<T> center(model, workspace);
  const Vector3<T> velocity = momentum / center.mass;
  ForEachColumn(model, [&](size_t b, int k) {
    const Body& body = workspace.bodies[b];
    const Motion<T>& Phi = workspace.Phi[static_cast<size_t>(k)];
    const Motion<T>& Phidot = workspace.Phidot[static_cast<size_t>(k)];
    Adot.template block<6, 1>(0, k) =
        center.About(model, workspace, b, body.Ic * Phidot + body.Idot * Phi);
    Adot.template block<3, 1>(0, k) -= velocity.cross((body.Ic * Phi).f);
  });
}

/// Net forces of all bodies at v̇ = 0, about the centre of mass, whose own motion adds nothing:
/// ċ × mċ = 0.
template <typename T>
Vector6<T> CalcCentroidalMomentumBias(const Model& model, Workspace<T>& workspace) {
  internal::RequireBodies(model, workspace, Stage::kVelocity, "CalcCentroidalMomentumBias");
  const MassCenter<T> center(model, workspace);
  Vector6<T> bias = Vector6<T>::Zero();
  for (size_t b = 0; b < workspace.bodies.size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    typename Workspace<T>::Body& state = workspace.bodies[b];
    state.A =
        body.parent < 0 ? Motion<T>::Zero() : workspace.bodies[static_cast<size_t>(body.parent)].A;
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      state.A += workspace.Phidot[static_cast<size_t>(k)] * workspace.v[k];
    }
    bias += center.About(model, workspace, b,
                         state.I * state.A + CrossForce(state.V, state.I * state.V));
  }
  return bias;
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template Vector3<T> CalcCenterOfMass<T>(const Model&, const Workspace<T>&);                     \
  template void CalcCenterOfMassJacobian<T>(const Model&, Workspace<T>&, MatrixOut<T>);           \
  template void CalcCenterOfMassJacobianDerivative<T>(const Model&, Workspace<T>&, MatrixOut<T>); \
  template Vector6<T> CalcCentroidalMomentum<T>(const Model&, const Workspace<T>&);               \
  template void CalcCentroidalMomentumMatrix<T>(const Model&, Workspace<T>&, MatrixOut<T>);       \
  template void CalcCentroidalMomentumMatrixDerivative<T>(const Model&, Workspace<T>&,            \
                                                          MatrixOut<T>);                          \
  template Vector6<T> CalcCentroidalMomentumBias<T>(const Model&, Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
