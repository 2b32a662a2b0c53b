#pragma once

#include <span>
#include <vector>

#include "civita/factorization.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// The equations of motion are linear in the inertial parameters of the bodies, on which adaptive
// control and identification rest.

namespace civita {

/// Number of inertial parameters of one body, see BodyParameters.
constexpr int kNumBodyParameters = 10;

/// Inertial parameters of one body, expressed in its frame about the frame's origin: mass (kg),
/// first moment h = m·com (kg·m) and the entries of the rotational inertia matrix Ī (kg·m²),
///   π = [m, h_x, h_y, h_z, Ī_xx, Ī_yy, Ī_zz, Ī_xy, Ī_xz, Ī_yz].
using BodyParameters = Eigen::Matrix<double, kNumBodyParameters, 1>;

/// Inertial parameters π of a body from its mass properties, both given in the body's frame.
BodyParameters CalcBodyParameters(const MassProperties& mass);

/// Inertial parameters π of the body that carries `frame`, with everything that is fixed to it,
/// expressed in the frame about its origin; zero for a frame fixed in the world. Allocates nothing.
BodyParameters CalcFrameParameters(const Model& model, const Model::NamedFrame& frame);

/// One frame for each body that moves by itself: of Model::frames() the first on it, in their
/// order. The parameters of these frames are all that the motion depends on.
std::vector<Model::NamedFrame> BodyFrames(const Model& model);

/// Inertial parameters of `frames`, such as BodyFrames, ten each in their order. Frames that are
/// fixed to each other have only the sum of their inertias determined by the motion; the first of
/// them has all of it, the others zero. Frames fixed in the world have zero.
Eigen::VectorXd CalcModelParameters(const Model& model, std::span<const Model::NamedFrame> frames);

/// A copy of the model with these inertial parameters of BodyFrames, as CalcModelParameters gives
/// and identification finds them: the first body on each has all of its inertia, those that are
/// fixed to it none. @throws UserError with the body's name for parameters that are not finite, a
/// negative mass and, unless `any_moments`, moments that no body has.
Model WithModelParameters(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& parameters,
                          bool any_moments = false);

/// Slotine–Li regressor ([SL]; [WES], section IV-A) of the inertial parameters π of n `frames`,
/// such as BodyFrames: Y, nv × 10·n, and y₀, nv numbers, with H v̇_r + C(q,v) v_r + g = Y π + y₀ for
/// every π, if each body with mass has one of the frames; without it the body counts as massless. C
/// is CalcCoriolisMatrix of `factorization`; v_r and v̇_r (nv numbers each) are any reference
/// velocity and acceleration. Row k is zero for frames that coordinate k does not move. y₀ holds
/// the forces of armature and injections, which depend on no π; it is zero without them. O(N +
/// n·d). Needs Stage::kVelocity.
template <typename T>
void CalcRegressor(const Model& model, const Factorization& factorization,
                   std::span<const Model::NamedFrame> frames, VectorIn<T> v_r, VectorIn<T> vdot_r,
                   Workspace<T>& workspace, MatrixOut<T> Y, VectorOut<T> y_0);

/// The same with Yᵀ, 10·n × nv, in place of Y: what arrays with one row after the other hold.
template <typename T>
void CalcTransposedRegressor(const Model& model, const Factorization& factorization,
                             std::span<const Model::NamedFrame> frames, VectorIn<T> v_r,
                             VectorIn<T> vdot_r, Workspace<T>& workspace, MatrixOut<T> YT,
                             VectorOut<T> y_0);

/// Derivatives ∂v̇/∂π = −H⁻¹Y, nv × 10·n, of forward dynamics by the inertial parameters π of n
/// `frames`, with q, v and τ constant, at the acceleration `vdot` (nv numbers) of
/// CalcForwardDynamics, in O(N·d·n): Y is CalcRegressor at v_r = v, which is ∂τ/∂π of inverse
/// dynamics. Computes `factor`. Needs Stage::kVelocity. @returns kSingularMassMatrix if H is
/// singular; dvdot_dpi then stays as it is.
template <typename T>
Status CalcForwardDynamicsParameterDerivatives(const Model& model,
                                               std::span<const Model::NamedFrame> frames,
                                               VectorIn<T> vdot, Workspace<T>& workspace,
                                               MassMatrixCholesky<T>& factor,
                                               MatrixOut<T> dvdot_dpi);

/// Products Y x (nv numbers) and Yᵀs (10·n numbers) with the Slotine–Li regressor Y of
/// CalcRegressor, for x of 10·n and s of nv numbers, without the matrix: in the time of about one
/// CalcPassivityInverseDynamics, which Y x is with other parameters. x and Yx, or s and YTs, may
/// both be empty, and that product is left out. The control step of an adaptive law needs both.
/// Needs Stage::kVelocity.
template <typename T>
void CalcRegressorProducts(const Model& model, const Factorization& factorization,
                           std::span<const Model::NamedFrame> frames, VectorIn<T> v_r,
                           VectorIn<T> vdot_r, VectorIn<T> x, VectorIn<T> s,
                           Workspace<T>& workspace, VectorOut<T> Yx, VectorOut<T> YTs);

}  // namespace civita
