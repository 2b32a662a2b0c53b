#pragma once

#include <span>

namespace civita {

class Reproduction;

/// Formulas of all Christoffel symbols of mechanisms of tubes (see TubeTree): binary trees of these
/// sizes, axes twisted by π/3, and planar chains, by algorithm 2 and by partial derivatives of H;
/// of the chains in `expanded` multiplied out, too. Passes when the formulas give the numeric
/// symbols at random states to 1e-12 and, for trees, algorithm 2 is faster ([EW], table 2). Times
/// of chains are recorded without verdict.
void ReproduceSymbolicFor(Reproduction* reproduction, std::span<const int> trees,
                          std::span<const int> chains, std::span<const int> expanded);

}  // namespace civita
