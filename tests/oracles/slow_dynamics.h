#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/factorization.h"
#include "tests/oracles/tree_spec.h"

namespace civita {

/// Dynamics of a TreeSpec independent of the core: poses and Jacobians body by body, everything as
/// dense 6×6 or 6×nv matrices about the world's origin, rates by differences along motions on the
/// manifold. Shares no code with the core. Slow.

/// q ⊕ v·dt by an independent quaternion algebra.
Eigen::VectorXd SlowIntegrate(const TreeSpec& spec, const Eigen::VectorXd& q,
                              const Eigen::VectorXd& v, double dt);

/// Pose and 6×nv Jacobian [angular; linear at the world's origin] of every body of the spec.
struct SlowBody {
  Pose X_WB;
  Eigen::MatrixXd J;
};
std::vector<SlowBody> SlowBodies(const TreeSpec& spec, const Eigen::VectorXd& q);

/// d/dt f(q ⊕ v t) at t = 0 by the four-point rule: error about 1e-12 relative to f, for v of
/// order 1.
template <typename F>
auto SlowRate(const TreeSpec& spec, const Eigen::VectorXd& q, const Eigen::VectorXd& v, F&& f,
              double h = 2e-3) {
  const auto at = [&](double t) { return f(SlowIntegrate(spec, q, v, t)); };
  using Value = std::decay_t<decltype(at(h))>;
  return Value((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h));
}

Eigen::MatrixXd SlowMassMatrix(const TreeSpec& spec, const Eigen::VectorXd& q);
double SlowPotentialEnergy(const TreeSpec& spec, const Eigen::VectorXd& q);
/// Energy of the springs of joints and tendons.
double SlowSpringEnergy(const TreeSpec& spec, const Eigen::VectorXd& q);
/// g_i as the rate of the potential energy along coordinate i.
Eigen::VectorXd SlowGravityForces(const TreeSpec& spec, const Eigen::VectorXd& q);

/// Options that violate a law on purpose.
struct SlowOptions {
  double alpha = 0;          ///< B + α·I(ξ×): valid but not admissible
  double armature_sign = 1;  ///< of the term ½aE
};

/// C = Σ Jᵀ(I J̇ + B J) + injections + armature ([EW], (8)), B of the factorization's t.
Eigen::MatrixXd SlowCoriolis(const TreeSpec& spec, const Factorization& factorization,
                             const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                             const SlowOptions& options = {});

/// Structure constants of the velocity coordinates: c[l](j, k) with [e_j, e_k] = Σ_l c[l](j,k) e_l.
std::vector<Eigen::MatrixXd> SlowStructureConstants(const TreeSpec& spec);

/// The Riemannian C_ik = Σ_j Γ_ijk v_j by Koszul's formula, from differences of the mass matrix and
/// the structure constants alone.
Eigen::MatrixXd SlowKoszulCoriolis(const TreeSpec& spec, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& v);

}  // namespace civita
