#pragma once

#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Dynamics of serial chains given as products of exponentials, the functions of chapter 8 of
// Modern Robotics [LP] on the algorithms of the core. θ, θ̇, θ̈ and τ have n numbers, n the number
// of joints. Twists are [angular; linear], wrenches [moment; force]. F_tip, 6 numbers, is the
// wrench that the tip exerts on its surroundings, in the axes of the tip's frame {n+1} and about
// its origin (N·m, N):
//   τ = M(θ) θ̈ + c(θ, θ̇) + g(θ) + J_tip(θ)ᵀ F_tip.
// All functions evaluate at the state that they are given: they set the workspace themselves, and
// allocate nothing unless they say so. Scalars as in the rest of the core.

namespace civita::poe {

/// [ad_V], 6 × 6, with the Lie bracket [V, W] = [ad_V] W ([LP], (8.38)).
template <typename T>
Matrix6<T> ad(const Vector6<T>& V);

/// A serial chain at home, θ = 0, as lists of [LP]; lengths in m, masses in kg.
struct Lists {
  /// M_{i−1,i}, n + 1 of them: link frame i in link frame i − 1 (0 is the space frame); the last
  /// one is the tip's in the last link's.
  std::vector<Eigen::Matrix4d> M_list;
  /// G_i, n of them: spatial inertia of link i in its frame, [I_i m[c]; −m[c] m·1] with the centre
  /// of mass at c.
  std::vector<Matrix6<double>> G_list;
  /// Screw axes S_i in the space frame, a column each. Any length: joint i turns by ‖ω_i‖θ_i, and
  /// advances by its pitch; with ω_i = 0 it moves by ‖v_i‖θ_i.
  Eigen::Matrix<double, 6, Eigen::Dynamic> S_list;
};

/// What is wrong with an entry of the lists.
class ListError : public UserError {
 public:
  ListError(const char* list_in, size_t entry_in, const std::string& what)
      : UserError(std::string(list_in) + ": entry " + std::to_string(entry_in + 1) + " " + what),
        list(list_in),
        entry(entry_in) {}

  const char* list;  ///< "M_list"
  size_t entry;      ///< from 0; the message counts from 1
};

/// A serial chain, built once; shared between threads like its Model. The bodies of the model are
/// link1 … linkn and, fixed to the last one, tip; its joints joint1 … jointn, hinges, slides or
/// helical joints.
class Robot {
 public:
  /// @throws ListError for an M that is no rigid transform, a G that no rigid body has, a screw
  /// that is zero; UserError for lengths that do not go together and for principal moments of a
  /// link that no body has.
  Robot(const Lists& lists, const Eigen::Vector3d& gravity);

  const Model& model() const { return model_; }
  /// The same without gravity; a Workspace serves both.
  const Model& weightless_model() const { return weightless_model_; }
  const Model::NamedFrame& tip() const { return model_.frames().back(); }

 private:
  Model model_, weightless_model_;
};

/// A trajectory: N instants, a row each.
template <typename T>
using Rows = const Eigen::Ref<const MatrixX<std::type_identity_t<T>>>&;

/// τ for the motion θ, θ̇, θ̈, by recursive Newton–Euler ([LP], section 8.3).
template <typename T>
void InverseDynamicsRnea(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                         VectorIn<T> ddtheta, VectorIn<T> F_tip, Workspace<T>& workspace,
                         VectorOut<T> tau);

/// The same for a trajectory of N × n matrices, F_tip N × 6. Allocates.
template <typename T>
void InverseDynamicsTrajectory(const Robot& robot, Rows<T> theta, Rows<T> dtheta, Rows<T> ddtheta,
                               Rows<T> F_tip, Workspace<T>& workspace, MatrixOut<T> tau);

/// M(θ), n × n, by composite rigid bodies in one pass.
template <typename T>
void MassMatrixCrba(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace, MatrixOut<T> M);

/// The same as the textbook has it, n inverse dynamics with unit accelerations. Allocates.
template <typename T>
void MassMatrixRnea(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace, MatrixOut<T> M);

/// c(θ, θ̇) = C θ̇, the velocity-quadratic forces, without gravity and F_tip.
template <typename T>
void VelocityQuadraticForces(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                             Workspace<T>& workspace, VectorOut<T> c);

/// g(θ), what holds the chain against gravity.
template <typename T>
void GravityForces(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace, VectorOut<T> g);

/// J_tip(θ)ᵀ F_tip, what makes the tip exert F_tip.
template <typename T>
void EndEffectorForces(const Robot& robot, VectorIn<T> theta, VectorIn<T> F_tip,
                       Workspace<T>& workspace, VectorOut<T> tau);

/// θ̈ under τ, by articulated bodies, in O(n).
template <typename T>
void ForwardDynamicsAba(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta, VectorIn<T> tau,
                        VectorIn<T> F_tip, Workspace<T>& workspace, VectorOut<T> ddtheta);

/// The same by the factor of M, which stays in `factor`. @returns false where M is singular;
/// ddtheta then means nothing.
template <typename T>
[[nodiscard]] bool ForwardDynamicsCrba(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                                       VectorIn<T> tau, VectorIn<T> F_tip, Workspace<T>& workspace,
                                       MassMatrixCholesky<T>& factor, VectorOut<T> ddtheta);

/// The same as the textbook has it, M⁻¹(τ − c − g − J_tipᵀF_tip) with M and each term by itself
/// ([LP], section 8.5). Allocates.
template <typename T>
void ForwardDynamicsRnea(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta, VectorIn<T> tau,
                         VectorIn<T> F_tip, Workspace<T>& workspace, VectorOut<T> ddtheta);

/// θ ← θ + θ̇ dt, then θ̇ ← θ̇ + θ̈ dt: Euler's explicit step of `dt` seconds.
template <typename T>
void EulerStep(VectorIn<T> ddtheta, T dt, VectorOut<T> theta, VectorOut<T> dtheta);

/// The motion from theta_0, dtheta_0 under τ and F_tip (N × n and N × 6, instants dt apart, each
/// held for dt): `resolution` ≥ 1 Euler steps an instant with ForwardDynamicsAba. Row 0 of theta
/// and dtheta (N × n) is the start; the last τ and F_tip are not used. Allocates.
template <typename T>
void ForwardDynamicsTrajectory(const Robot& robot, VectorIn<T> theta_0, VectorIn<T> dtheta_0,
                               Rows<T> tau, Rows<T> F_tip, std::type_identity_t<T> dt,
                               int resolution, Workspace<T>& workspace, MatrixOut<T> theta,
                               MatrixOut<T> dtheta);

}  // namespace civita::poe
