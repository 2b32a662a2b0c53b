#pragma once

#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/workspace.h"

// Dynamics of serial chains given as products of exponentials: the functions of chapter 8 of Modern
// Robotics [LP], computed by the algorithms of core. θ, θ̇, θ̈ and τ have n numbers, n the number of
// joints. Twists are [angular; linear], wrenches [moment; force]. F_tip, 6 numbers, is the wrench
// that the tip exerts on its environment, expressed in the tip frame {n+1} about its origin (N·m,
// N):
//   τ = M(θ) θ̈ + c(θ, θ̇) + g(θ) + J_tip(θ)ᵀ F_tip.
// Every function takes its state as arguments and sets the workspace itself. It does not allocate
// unless its docstring says so, and throws ContractError for wrong sizes.

namespace civita::poe {

/// Matrix [ad_V], 6 × 6, of a twist V = [ω; v], with the Lie bracket [V, W] = [ad_V] W ([LP],
/// (8.38)).
template <typename T>
Matrix6<T> ad(const Vector6<T>& V);

/// A serial chain at its home configuration θ = 0, as lists in the notation of [LP]; lengths in m,
/// masses in kg.
struct Lists {
  /// Poses M_{i−1,i}, n + 1 of them: link frame i in link frame i − 1, where 0 is the space frame;
  /// the last one is the tip frame in the frame of the last link.
  std::vector<Eigen::Matrix4d> M_list;
  /// Spatial inertias G_i, n of them, expressed in the frame of link i: [I_i m[c]; −m[c] m·1] with
  /// the centre of mass at c.
  std::vector<Matrix6<double>> G_list;
  /// Screw axes S_i = [ω_i; v_i], expressed in the space frame, a column per joint. They need not
  /// be normalized: joint i turns by ‖ω_i‖θ_i and advances by its pitch; with ω_i = 0 it slides by
  /// ‖v_i‖θ_i.
  Eigen::Matrix<double, 6, Eigen::Dynamic> S_list;
};

/// An invalid entry of Lists.
class ListError : public UserError {
 public:
  /// Of this list and entry.
  ListError(const char* list_in, size_t entry_in, const std::string& what)
      : UserError(std::string(list_in) + ": entry " + std::to_string(entry_in + 1) + " " + what),
        list(list_in),
        entry(entry_in) {}

  const char* list;  ///< name of the list, such as "M_list"
  size_t entry;      ///< index of the entry from 0; the message counts from 1
};

/// A link of a serial chain at home and the joint that moves it, as a ModelBuilder takes them.
struct Link {
  Pose M;  ///< pose M_{i−1,i} of the link frame in that of the link before, or in the space frame
  MassProperties mass;                       ///< expressed in the link frame
  JointType joint_type = JointType::kHinge;  ///< hinge, slide or helical
  /// Expressed in the link frame; the axis is not normalized, the scale is ‖ω_i‖, of a slide ‖v_i‖.
  JointProperties joint;
};

/// A serial chain given as a product of exponentials, immutable and shared between threads like its
/// Model. The bodies of the model are link1 … linkn and tip, which is fixed to linkn; its joints
/// are joint1 … jointn, hinges, slides or helical joints.
class Robot {
 public:
  /// `gravity` in m/s², expressed in the space frame. @throws ListError for an M that is not a
  /// rigid transform, a G that is not a spatial inertia, a zero screw axis; UserError for lists of
  /// inconsistent lengths and for principal moments of a link that are not physical.
  Robot(const Lists& lists, const Eigen::Vector3d& gravity);

  const Model& model() const { return model_; }  ///< the same chain as a Model
  /// The model with zero gravity; it has the structure of model(), so that one Workspace works with
  /// both.
  const Model& weightless_model() const { return weightless_model_; }
  const Model::NamedFrame& tip() const { return model_.frames().back(); }
  /// What the model is built of: links 1 … n, and the tip's pose M_{n,n+1} in the last link.
  const std::vector<Link>& links() const { return links_; }
  const Pose& M_tip() const { return M_tip_; }

 private:
  std::vector<Link> links_;
  Pose M_tip_;
  Model model_, weightless_model_;
};

/// A trajectory of N instants, a row per instant.
template <typename T>
using Rows = MatrixIn<T>;

/// Inverse dynamics: joint forces τ (n numbers) for the motion θ, θ̇, θ̈ (n numbers each) under
/// F_tip, by the recursive Newton–Euler algorithm ([LP], section 8.3), O(n).
template <typename T>
void InverseDynamicsRnea(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                         VectorIn<T> ddtheta, VectorIn<T> F_tip, Workspace<T>& workspace,
                         VectorOut<T> tau);

/// Inverse dynamics along a trajectory: τ (N × n) for θ, θ̇, θ̈ (N × n each) under F_tip (N × 6), a
/// row per instant, by InverseDynamicsRnea. Allocates.
template <typename T>
void InverseDynamicsTrajectory(const Robot& robot, Rows<T> theta, Rows<T> dtheta, Rows<T> ddtheta,
                               Rows<T> F_tip, Workspace<T>& workspace, MatrixOut<T> tau);

/// Mass matrix M(θ), n × n, by the composite-rigid-body algorithm, O(n²).
template <typename T>
void MassMatrixCrba(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace, MatrixOut<T> M);

/// Mass matrix M(θ), n × n, by n inverse dynamics with unit accelerations, as in [LP], section 8.3.
/// Allocates.
template <typename T>
void MassMatrixRnea(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace, MatrixOut<T> M);

/// Velocity-quadratic forces c(θ, θ̇) = C θ̇ (n numbers), without gravity and F_tip, O(n).
template <typename T>
void VelocityQuadraticForces(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                             Workspace<T>& workspace, VectorOut<T> c);

/// Gravity forces g(θ) (n numbers): the joint forces that hold the chain at rest against gravity,
/// O(n).
template <typename T>
void GravityForces(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace, VectorOut<T> g);

/// Joint forces J_tip(θ)ᵀ F_tip (n numbers) that make the tip exert F_tip on its environment, O(n).
template <typename T>
void EndEffectorForces(const Robot& robot, VectorIn<T> theta, VectorIn<T> F_tip,
                       Workspace<T>& workspace, VectorOut<T> tau);

/// Forward dynamics: θ̈ (n numbers) at θ, θ̇ under τ and F_tip by the articulated-body algorithm,
/// O(n).
template <typename T>
void ForwardDynamicsAba(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta, VectorIn<T> tau,
                        VectorIn<T> F_tip, Workspace<T>& workspace, VectorOut<T> ddtheta);

/// Forward dynamics: θ̈ (n numbers) at θ, θ̇ under τ and F_tip by the factor of M, which it leaves in
/// `factor`. @returns kSingularMassMatrix if M is singular; ddtheta then stays as it is.
template <typename T>
Status ForwardDynamicsCrba(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                           VectorIn<T> tau, VectorIn<T> F_tip, Workspace<T>& workspace,
                           MassMatrixCholesky<T>& factor, VectorOut<T> ddtheta);

/// Forward dynamics: θ̈ = M⁻¹(τ − c − g − J_tipᵀF_tip) (n numbers) from MassMatrixRnea,
/// VelocityQuadraticForces, GravityForces and EndEffectorForces ([LP], section 8.5). Allocates.
template <typename T>
void ForwardDynamicsRnea(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta, VectorIn<T> tau,
                         VectorIn<T> F_tip, Workspace<T>& workspace, VectorOut<T> ddtheta);

/// Explicit Euler step of `dt` seconds: θ ← θ + θ̇ dt, then θ̇ ← θ̇ + θ̈ dt (n numbers each).
template <typename T>
void EulerStep(VectorIn<T> ddtheta, T dt, VectorOut<T> theta, VectorOut<T> dtheta);

/// Simulates the motion from theta_0, dtheta_0 under τ (N × n) and F_tip (N × 6), a row per
/// instant; instants are `dt` seconds apart, and each row is held for dt. Each instant takes
/// `resolution` ≥ 1 Euler steps with ForwardDynamicsAba. Row 0 of theta and dtheta (N × n each) is
/// the start; the last rows of τ and F_tip are not used. Allocates.
template <typename T>
void ForwardDynamicsTrajectory(const Robot& robot, VectorIn<T> theta_0, VectorIn<T> dtheta_0,
                               Rows<T> tau, Rows<T> F_tip, std::type_identity_t<T> dt,
                               int resolution, Workspace<T>& workspace, MatrixOut<T> theta,
                               MatrixOut<T> dtheta);

}  // namespace civita::poe
