#include "civita/quantities.h"

#include <array>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "civita/centroidal.h"
#include "civita/rnea.h"
#include "civita/space_dynamics.h"
#include "civita/space_motion.h"
#include "civita/suggest.h"
#include "core/space/internal/reduce.h"

namespace civita {
namespace {

constexpr const char* kCaller = "StateQuantity::calc";
using Space = const VelocitySpace&;
using At = SpaceWorkspace<double>&;

// How quantities change, by functions of a tree's state.

/// Not at all: energies, points, momenta of the whole.
template <auto of_tree>
void Invariant(Space space, At at, MatrixOut<double> X) {
  auto& s = internal::RequireSpace<double>(space, at, Stage::kPosition, kCaller);
  const auto x = of_tree(space.tree(), s.tree);
  if constexpr (std::is_same_v<decltype(x), const double>) {
    X(0, 0) = x;
  } else {
    X = x;
  }
}

/// Aᵀx: forces, momenta.
template <internal::VectorOfTree<double> of_tree>
void Forces(Space space, At at, MatrixOut<double> X) {
  VectorOut<double> x = X.col(0);
  internal::ReduceForces<double, of_tree>(space, at, Stage::kPosition, kCaller, x);
}

/// J A: Jacobians.
template <internal::MatrixOfTree<double> of_tree>
void Rows(Space space, At at, MatrixOut<double> X) {
  internal::ReduceJacobian<double, of_tree>(space, at, kCaller, X);
}

/// J̇ A + J Ȧ: rates of Jacobians.
template <internal::MatrixOfTree<double> of_tree, internal::MatrixOfTree<double> rate_of_tree>
void RowsRate(Space space, At at, MatrixOut<double> X) {
  internal::ReduceJacobianRate<double, of_tree, rate_of_tree>(space, at, kCaller, X);
}

/// As a function of the space has it.
template <void (*of_space)(const VelocitySpace&, SpaceWorkspace<double>&, VectorOut<double>)>
void Vector(Space space, At at, MatrixOut<double> X) {
  of_space(space, at, X.col(0));
}

/// NaN where H is singular.
void MassMatrixInverse(Space space, At at, MatrixOut<double> X) {
  if (CalcMassMatrixInverse<double>(space, at, X)) return;
  X.setConstant(std::numeric_limits<double>::quiet_NaN());
}

constexpr auto kAtQ = Stage::kPosition, kAtQV = Stage::kVelocity;

constexpr std::array kQuantities = std::to_array<StateQuantity>({
    {"H", "", "nv × nv", "kg·m²", "kg", "mass matrix H(q), symmetric", kAtQ,
     CalcMassMatrix<double>},
    {"Hdot", "mass_matrix_derivative", "nv × nv", "kg·m²/s", "kg/s",
     "rate of H along v; it equals C + Cᵀ, but for alpha", kAtQV, CalcMassMatrixDerivative<double>},
    {"Hinv", "mass_matrix_inverse", "nv × nv", "1/(kg·m²)", "1/kg",
     "inverse of H; nan where H is singular", kAtQ, MassMatrixInverse},
    {"g", "gravity", "nv", "N·m", "N", "gravity forces g(q)", kAtQ,
     Forces<CalcGravityForces<double>>},
    {"bias", "bias_forces", "nv", "N·m", "N", "C v + g, the same for every factorization", kAtQV,
     Vector<CalcBiasForces<double>>},
    {"com", "center_of_mass", "3", "m", "m", "centre of mass of all that moves, in world axes",
     kAtQ, Invariant<CalcCenterOfMass<double>>, true},
    {"Jcom", "center_of_mass_jacobian", "3 × nv", "m", "1",
     "Jacobian of the centre of mass: Jcom v is its velocity", kAtQ,
     Rows<CalcCenterOfMassJacobian<double>>, true},
    {"Jcomdot", "center_of_mass_jacobian_derivative", "3 × nv", "m/s", "1/s",
     "rate along v of the Jacobian of the centre of mass", kAtQV,
     RowsRate<CalcCenterOfMassJacobian<double>, CalcCenterOfMassJacobianDerivative<double>>, true},
    {"hG", "centroidal_momentum", "6", "kg·m²/s; kg·m/s", "kg·m²/s; kg·m/s",
     "centroidal momentum [angular; linear], in world axes", kAtQV,
     Invariant<CalcCentroidalMomentum<double>>, true},
    {"AG", "centroidal_momentum_matrix", "6 × nv", "kg·m²; kg·m", "kg·m; kg",
     "centroidal momentum matrix: AG v = hG", kAtQ, Rows<CalcCentroidalMomentumMatrix<double>>,
     true},
    {"AGdot", "centroidal_momentum_matrix_derivative", "6 × nv", "kg·m²/s; kg·m/s", "kg·m/s; kg/s",
     "rate along v of the centroidal momentum matrix", kAtQV,
     RowsRate<CalcCentroidalMomentumMatrix<double>, CalcCentroidalMomentumMatrixDerivative<double>>,
     true},
    {"kinetic", "kinetic_energy", "1", "J", "J", "kinetic energy ½ vᵀH v", kAtQV,
     Invariant<CalcKineticEnergy<double>>},
    {"potential", "potential_energy", "1", "J", "J",
     "potential energy of gravity, zero at the world's origin", kAtQ,
     Invariant<CalcPotentialEnergy<double>>},
});

}  // namespace

std::span<const StateQuantity> StateQuantities() { return kQuantities; }

const StateQuantity& FindStateQuantity(std::string_view name) {
  std::vector<std::string> known;
  for (const StateQuantity& quantity : kQuantities) {
    if (quantity.name == name) return quantity;
    known.emplace_back(quantity.name);
  }
  throw UserError(UnknownName("quantity", std::string(name), known));
}

}  // namespace civita
