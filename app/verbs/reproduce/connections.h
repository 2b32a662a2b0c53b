// Parts of `civita reproduce connections`.
#pragma once

namespace civita {

class Reproduction;

/// Section I of [WES]: αC_a + (1 − α)C_b.
void ReproduceTwoFactorizations(Reproduction* reproduction);
/// Figure 1 of [WES]: which connection has which of the properties, in a robot and constrained.
void ReproduceRoadmap(Reproduction* reproduction);
/// Figure 2 of [WES]: a geodesic of a particle on a surface.
void ReproduceSurface(Reproduction* reproduction);
/// Hamel's equations (6) and C by differentiation (29) to (32) of [WES].
void ReproduceEquations(Reproduction* reproduction);

}  // namespace civita
