#pragma once

#include <optional>
#include <span>
#include <type_traits>

#include "civita/external_forces.h"
#include "civita/factorization.h"
#include "civita/frame_motion.h"
#include "civita/model.h"
#include "civita/types.h"
#include "core/dynamics/internal/scratch.h"
#include "core/kernels/kernels.h"

// The functions of core for double, by the kernels of the workspace. Each does what the public one
// says, after whose checks it is called, and returns whether it did: false where the workspace or
// the model has no kernel for it, and the plain algorithm serves.

namespace civita::kernels {

/// Nothing of other scalars, for which there are no kernels.
template <typename Matrix>
MatrixView ViewOf(Matrix& M) {
  if constexpr (std::is_same_v<typename Matrix::Scalar, double>) {
    return {M.data(), M.outerStride()};
  } else {
    return {};
  }
}

/// R_WB and r of all bodies.
bool CalcBodyPoses(internal::Scratch<double>& s);

bool CalcMassMatrix(internal::Scratch<double>& s, MatrixOut<double>& H);
bool CalcMassMatrixDerivative(internal::Scratch<double>& s, MatrixOut<double>& Hdot);

/// All but the joint injection.
bool CalcCoriolisMatrix(const Factorization& factorization, internal::Scratch<double>& s,
                        MatrixOut<double>& C, MatrixOut<double>& H);

/// H v̇ + C v + g; v and vdot have nv numbers, nullptr stands for zeros. tau may be vdot.
bool CalcInverseDynamics(const double* v, const double* vdot, internal::Scratch<double>& s,
                         VectorOut<double>& tau);

/// v̇ under τ and external forces, whose bodies are the model's; vdot may be tau.
bool CalcForwardDynamics(VectorIn<double> tau, ExternalForces<double> forces,
                         internal::Scratch<double>& s, VectorOut<double>& vdot);

bool CalcInverseDynamicsDerivatives(const double* vdot, internal::Scratch<double>& s,
                                    MatrixOut<double>& dtau_dq, MatrixOut<double>& dtau_dv,
                                    MatrixOut<double>& H);

/// H, and C v + g; not where coordinates are in another order than slots.
bool CalcMassMatrixAndBias(internal::Scratch<double>& s, Eigen::MatrixXd& H, Eigen::VectorXd& bias);
/// After it and before other kernels: pose and velocity of a body, in the scratch. @returns Σ Φ̇_k
/// v_k of all coordinates that move it.
Motion<double> SetBodyMotion(int body, internal::Scratch<double>& s);
void AddJacobian(const JacobianRows& rows, internal::Scratch<double>& s, double* X,
                 std::ptrdiff_t stride);

/// −H⁻¹ ∂τ/∂q, −H⁻¹ ∂τ/∂v and H⁻¹ in place of the three matrices, and the factor's rows and 1/D.
/// @returns nothing if it did not, else whether H is positive definite.
std::optional<bool> CalcForwardDynamicsDerivatives(internal::Scratch<double>& s,
                                                   Eigen::MatrixXd& rows, Eigen::VectorXd& inverse,
                                                   MatrixOut<double>& dtau_dq,
                                                   MatrixOut<double>& dtau_dv,
                                                   MatrixOut<double>& H);

/// H v̇_r + C v_r + g; not with injections at bodies.
bool CalcPassivityInverseDynamics(const Factorization& factorization, VectorIn<double> v_r,
                                  VectorIn<double> vdot_r, internal::Scratch<double>& s,
                                  VectorOut<double>& tau);

/// The bodies' part, of admissible factorizations; without gravity where `has_gravity` is false.
bool CalcPassivityDerivatives(const Factorization& factorization, VectorIn<double> v_r,
                              VectorIn<double> vdot_r, bool has_gravity,
                              internal::Scratch<double>& s, MatrixOut<double>& dtau_dq,
                              MatrixOut<double>& dtau_dv);

/// Y of the frames, or with `transposed` Yᵀ, but for y₀; not with injections at bodies, and not Y
/// where coordinates are in another order than slots.
bool CalcRegressor(const Factorization& factorization, std::span<const Model::NamedFrame> frames,
                   VectorIn<double> v_r, VectorIn<double> vdot_r, internal::Scratch<double>& s,
                   bool transposed, MatrixOut<double>& Y);

/// Those of Y x and Yᵀσ that are not empty; not with injections at bodies.
bool CalcRegressorProducts(const Factorization& factorization,
                           std::span<const Model::NamedFrame> frames, VectorIn<double> v_r,
                           VectorIn<double> vdot_r, VectorIn<double> x, VectorIn<double> sigma,
                           internal::Scratch<double>& s, VectorOut<double>& Yx,
                           VectorOut<double>& YTs);
/// What is wanted of a frame that some body carries, where there are kernels: J, J̇ or both (6 × nv,
/// nullptr for none), by CalcFrameJacobians of many frames at once.
FrameQuery QueryOf(const FramePoint& at, ReferenceFrame reference,
                   const internal::Scratch<double>& s, MatrixOut<double>* J,
                   MatrixOut<double>* Jdot);
/// Of these, computing each path once; `with_rates` where one of them wants J̇.
void CalcFrameJacobians(std::span<const FrameQuery> queries, bool with_rates,
                        internal::Scratch<double>& s);
/// J or, if `is_rate`, J̇ of one frame.
bool CalcFrameJacobian(const FramePoint& at, ReferenceFrame reference, bool is_rate,
                       internal::Scratch<double>& s, MatrixOut<double>& J);

/// Velocity and spatial acceleration of a frame that some body carries; nullptr stands for vdot =
/// 0, and for no acceleration.
bool CalcFrameMotion(const FramePoint& at, ReferenceFrame reference, const double* vdot,
                     internal::Scratch<double>& s, Motion<double>* velocity,
                     Motion<double>* acceleration);

/// What the query wants, rates with `with_rates`. The model must have mass.
bool CalcCentroidal(const CentroidalQuery& query, bool with_rates, internal::Scratch<double>& s);

bool CalcCentroidalMomentumRateDerivatives(const double* vdot, internal::Scratch<double>& s,
                                           MatrixOut<double>& by_q, MatrixOut<double>& by_v,
                                           MatrixOut<double>& by_vdot);

bool CalcChristoffelSymbols(internal::Scratch<double>& s, std::span<double> Gamma);
bool CalcPackedChristoffelSymbols(internal::Scratch<double>& s, std::span<double> packed);

/// internal::CalcCongruence of an A of any numbers, by the fastest kernels: it has no workspace.
bool CalcCongruence(const Eigen::MatrixXd& A, const Eigen::MatrixXd* Adot, double s,
                    MatrixIn<double> C, MatrixIn<double> H, Eigen::MatrixXd& products,
                    MatrixOut<double> out);

}  // namespace civita::kernels
