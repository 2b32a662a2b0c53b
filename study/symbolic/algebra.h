#pragma once

#include <functional>

#include "study/symbolic/expression_graph.h"

// Formulas by computer algebra (GiNaC), which a program may lack: GiNaC's licence is the GPL.

namespace civita {

/// Whether this program has it. Without it the functions below have a broken contract.
bool HasAlgebra();

/// Asked between entries; true ends the computation, which then has no result.
using ShouldStop = std::function<bool()>;

/// Every entry multiplied out and reduced by sin² = 1 − cos²: a polynomial in the sines and cosines
/// of angles in its one form. Short for a few joints; its length grows exponentially with them.
/// @returns no entries if stopped.
Formulas MultiplyOut(const Formulas& formulas, const ShouldStop& should_stop = {});

/// Christoffel symbols by their definition Γ_ijk = ½(∂_j H_ik + ∂_k H_ij − ∂_i H_jk) ([EW], (4)),
/// nv³ row-major, from the nv² formulas of H in the symbols q0, q1, …, nv of them, with q̇ = v. As
/// GiNaC leaves the derivatives, or `expanded`: H and the derivatives by MultiplyOut.
/// @returns no entries if stopped.
Formulas DifferentiateMassMatrix(const Formulas& H, int nv, bool expanded,
                                 const ShouldStop& should_stop = {});

}  // namespace civita
