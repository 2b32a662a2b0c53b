#pragma once

#include <filesystem>

#include "civita/model.h"
#include "civita/scenes/motion/spline.h"

namespace civita {

/// Reads a motion from a CSV file: one row for each time, numbers separated by commas, lines that
/// begin with # ignored. The first column is the time (s), then q (nq columns), and optionally v
/// and v̇ (nv columns each). A header line may name the columns: `t`, `/q/0` …, `/v/0` …,
/// `/vdot/0` …, in any order and among others, as in a run's signals.csv.
/// @throws UserError with file:line:column for text instead of numbers, a wrong number of columns,
/// times that do not increase, zero quaternions, and jumps (FindJump).
Knots ReadMotionFile(const std::filesystem::path& file, const Model& model);

}  // namespace civita
