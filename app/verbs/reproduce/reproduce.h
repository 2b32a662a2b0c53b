#pragma once

#include <span>
#include <string_view>

#include "civita/model.h"

namespace civita {

class Reproduction;

/// A result of the papers that this program recomputes.
struct ReproductionInfo {
  std::string_view name;
  std::string_view line;    ///< description
  std::string_view source;  ///< of its expected numbers, where they do not name another
  void (*run)(Reproduction* reproduction);
};

/// All reproductions, in app/verbs/reproduce/reproduce_….cc.
std::span<const ReproductionInfo> Reproductions();

void ReproduceArm7(Reproduction* reproduction);
void ReproduceClusters(Reproduction* reproduction);
void ReproduceConnections(Reproduction* reproduction);
void ReproduceFigure2(Reproduction* reproduction);
void ReproduceFigure3(Reproduction* reproduction);
void ReproduceFigure4(Reproduction* reproduction);
void ReproducePayload(Reproduction* reproduction);
void ReproducePointMass(Reproduction* reproduction);
void ReproduceSymbolic(Reproduction* reproduction);
void ReproduceTable1(Reproduction* reproduction);
void ReproduceVerification(Reproduction* reproduction);

// Parts of `civita reproduce connections`.

/// A mass of 1 kg that slides along the first `axes` of x, y and z.
Model PointMass(int axes);
/// Section I of [WES]: αC_a + (1 − α)C_b.
void ReproduceTwoFactorizations(Reproduction* reproduction);
/// Figure 1 of [WES]: which connection has which of the properties, in a robot and constrained.
void ReproduceRoadmap(Reproduction* reproduction);
/// Figure 2 of [WES]: a geodesic of a particle on a surface.
void ReproduceSurface(Reproduction* reproduction);
/// Hamel's equations (6) and C by differentiation (29) to (32) of [WES].
void ReproduceEquations(Reproduction* reproduction);

/// Formulas of all Christoffel symbols of mechanisms of tubes (see TubeTree): binary trees of these
/// sizes, axes twisted by π/3, and planar chains, by algorithm 2 and by partial derivatives of H;
/// of the chains in `expanded` multiplied out, too. Passes when the formulas give the numeric
/// symbols at random states to 1e-12 and, for trees, algorithm 2 is faster ([EW], table 2). Times
/// of chains are recorded without verdict.
void ReproduceSymbolicFor(Reproduction* reproduction, std::span<const int> trees,
                          std::span<const int> chains, std::span<const int> expanded);

}  // namespace civita
