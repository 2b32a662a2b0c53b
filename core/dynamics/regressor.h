#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

// The equations of motion are linear in the bodies' inertias: what adaptive control and
// identification build on.

namespace civita {

/// Inertial parameters of one body, in the axes of its frame and about its frame's origin: mass
/// (kg), first moment m·com (kg·m), rotational inertia (kg·m²)
///   π = [m, h_x, h_y, h_z, Ī_xx, Ī_yy, Ī_zz, Ī_xy, Ī_xz, Ī_yz],
/// Ī_xy the entry of the matrix.
constexpr int kNumBodyParameters = 10;
using BodyParameters = Eigen::Matrix<double, kNumBodyParameters, 1>;

/// π of a body from its mass properties in its own frame.
BodyParameters CalcBodyParameters(const MassProperties& mass);

/// π of the body that carries the frame, of all that is fixed together there, in the frame's axes
/// and about its origin; zeros for a frame fixed in the world. Allocates nothing.
BodyParameters CalcFrameParameters(const Model& model, const Model::NamedFrame& frame);

/// The parameters of all of the model's frames, 10·(number of frames) in their order, that give
/// the model's motion: where several frames are fixed together their inertias cannot be told
/// apart, and all of it is given to the first; frames fixed in the world have zeros.
Eigen::VectorXd CalcModelParameters(const Model& model);

/// Y and y₀ with H v̇_r + C(q,v) v_r + g = Y π + y₀ for every π, nv × 10·(number of frames) and nv
/// numbers, π the parameters of all frames in their order: the Slotine–Li regressor ([SL]; [WES],
/// section IV-A) of CalcPassivityInverseDynamics with the same factorization. Row k is zero for
/// frames that coordinate k does not move. y₀ is what no body's inertia is in: armature and
/// injections (whose β is not a parameter); zero without them. Needs Stage::kVelocity.
template <typename T>
void CalcRegressor(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                   VectorIn<T> vdot_r, Workspace<T>& workspace, MatrixOut<T> Y, VectorOut<T> y_0);

/// Y x (nv numbers) and Yᵀs (10·(number of frames), as x) of that regressor without Y itself, whose
/// entries are as many as paths have coordinates: what an adaptive law's control step needs. Needs
/// Stage::kVelocity.
template <typename T>
void CalcRegressorProducts(const Model& model, const Factorization& factorization, VectorIn<T> v_r,
                           VectorIn<T> vdot_r, VectorIn<T> x, VectorIn<T> s,
                           Workspace<T>& workspace, VectorOut<T> Yx, VectorOut<T> YTs);

}  // namespace civita
