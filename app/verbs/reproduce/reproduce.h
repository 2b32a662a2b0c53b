#pragma once

#include <span>
#include <string_view>

#include "civita/model.h"

namespace civita {

class Reproduction;

using Reproduce = void(Reproduction* reproduction);

/// A result of the papers that this program recomputes.
struct ReproductionInfo {
  std::string_view name;
  std::string_view line;    ///< description
  std::string_view source;  ///< of its expected numbers, where they do not name another
  Reproduce* run;
};

/// All reproductions, in app/verbs/reproduce/reproduce_….cc.
std::span<const ReproductionInfo> Reproductions();

Reproduce ReproduceArm7, ReproduceClusters, ReproduceConnections, ReproduceFigure2,
    ReproduceFigure3, ReproduceFigure4, ReproducePayload, ReproducePointMass, ReproduceSymbolic,
    ReproduceTable1, ReproduceVerification;

// Parts of `civita reproduce connections`.

/// A mass of 1 kg that slides along the first `axes` of x, y and z.
Model PointMass(int axes);
/// Section I of [WES]: αC_a + (1 − α)C_b.
Reproduce ReproduceTwoFactorizations;
/// Figure 1 of [WES]: which connection has which of the properties, in a robot and constrained.
Reproduce ReproduceRoadmap;
/// Figure 2 of [WES]: a geodesic of a particle on a surface.
Reproduce ReproduceSurface;
/// Hamel's equations (6) and C by differentiation (29) to (32) of [WES].
Reproduce ReproduceEquations;

/// Formulas of all Christoffel symbols of mechanisms of tubes (see TubeTree): binary trees of these
/// sizes, axes twisted by π/3, and planar chains, by algorithm 2 and by partial derivatives of H;
/// of the chains in `expanded` multiplied out, too. Passes when the formulas give the numeric
/// symbols at random states to 1e-12 and, for trees, algorithm 2 is faster ([EW], table 2). Times
/// of chains are recorded without verdict.
void ReproduceSymbolicFor(Reproduction* reproduction, std::span<const int> trees,
                          std::span<const int> chains, std::span<const int> expanded);

}  // namespace civita
