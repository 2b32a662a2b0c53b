#pragma once

#include <span>

namespace civita {

class Reproduction;

/// Formulas of all Christoffel symbols of mechanisms of tubes (see TubeTree): binary trees of
/// these sizes, axes twisted by π/3, and planar chains, by algorithm 2 and by partial derivatives
/// of H. Compares the times with table 2 of [EW]; passes when the formulas give the numeric
/// symbols at random states to 1e-12 and algorithm 2 is faster than partial derivatives.
void ReproduceSymbolicFor(Reproduction* reproduction, std::span<const int> trees,
                          std::span<const int> chains);

}  // namespace civita
