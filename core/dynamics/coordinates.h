#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/status.h"
#include "civita/velocity_map.h"

namespace civita {

/// Velocities w of a change v = A(q) w, and how A and Ȧ are computed. A is square for other
/// coordinates or another frame, tall for a submanifold ([WES], section V). An object has scratch
/// memory, and a copy its own: each thread needs one.
struct Coordinates {
  std::string text;                ///< in the grammar of ReadCoordinates
  std::vector<std::string> names;  ///< of the numbers of w
  std::uint64_t model = 0;         ///< Model::id of the one whose velocities v are
  int nw() const { return static_cast<int>(names.size()); }  ///< numbers of w

  /// Sets map.A and map.Adot (nv × nw) at the workspace's q and v; needs Stage::kVelocity and
  /// allocates nothing. A space calls it at v = 0, to know v = A w, and then at v. @returns why,
  /// where A does not have full column rank; both are then undefined. What the function needs as
  /// scratch it holds by value, so that copies of it do not share it.
  std::function<Status(Workspace<double>& workspace, VelocityMap<double>& map)> update;

  /// Sets column b of `rates` (nv × nw) to the rate of Ȧ x along A e_b at q (nq numbers), with Ȧ
  /// along A w, and w and x (nw numbers each) constant: what derivatives of the equations of motion
  /// need of coordinates (civita/space_derivatives.h). It may allocate. @returns as `update`.
  /// Empty: there are no such derivatives. Those of this header have it by dual numbers, to working
  /// precision.
  using Rates = std::function<Status(VectorIn<double> q, VectorIn<double> w, VectorIn<double> x,
                                     MatrixOut<double> rates)>;
  Rates rates = {};
};

/// The twist [ω; u] of each free joint's body, expressed in body axes; other velocities unchanged
/// (SetFromBodyTwists).
Coordinates BodyTwistCoordinates(const Model& model);

/// The velocity of the centre of mass (world axes) in place of a floating base's linear velocity
/// (SetComVelocities, [EW], remark 6). @throws UserError of CheckComDecoupling.
Coordinates ComCoordinates(const Model& model);

/// w = [ẋ; n]: the velocity ẋ of a frame's origin in world axes (3 numbers), or with `pose` its
/// twist [ω; ẋ] (6 numbers), and velocities n of the dynamically consistent null space (TaskSpace,
/// [WES], remark 8), by a basis chosen at the configuration q. @throws UserError of TaskSpace.
Coordinates TaskCoordinates(const Model& model, const Model::NamedFrame& frame, bool pose,
                            const Eigen::VectorXd& q);

/// A frame that is orthonormal in the metric H: A = L⁻ᵀ with H = LLᵀ (Cholesky), so that H̄ = 1 and
/// every admissible C̄ is skew.
Coordinates MassOrthonormalCoordinates(const Model& model);

}  // namespace civita
