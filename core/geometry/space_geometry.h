#pragma once

#include "civita/space_kinematics.h"
#include "civita/tensor3.h"

// What a connection in velocities w is compared with (civita/geometry/torsion.h): the frame's
// brackets and the rates of the metric. Both allocate.

namespace civita {

/// Structure constants s(a, b, c) of the frame of w at the state of the workspace, nw³ numbers:
/// with A_b column b of A, [A_b, A_c] = Σ_a s(a, b, c) A_a. Where the frame is not integrable, its
/// brackets leave its span: then of their projection along the metric H, ⟨A_a, [A_b, A_c]⟩ =
/// Σ_d H̄_ad s(d, b, c), which are those that the connection of CalcConnection has ([WES] (8),
/// (17)). Needs Stage::kPosition of the tree.
Tensor3 CalcStructureConstants(const VelocitySpace& space, SpaceWorkspace<double>& workspace);

/// Rates of the metric along the frame of w at the state of the workspace, e_b(H̄_ac) = h(a, b, c),
/// nw³ numbers, by derivatives of H alone. Needs Stage::kPosition of the tree.
Tensor3 CalcMetricRates(const VelocitySpace& space, SpaceWorkspace<double>& workspace);

}  // namespace civita
