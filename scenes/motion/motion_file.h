#pragma once

#include <filesystem>

#include "civita/model.h"
#include "civita/scenes/motion/spline.h"

namespace civita {

/// Reads a motion from a CSV file: a row for each time, numbers between commas, lines that begin
/// with # left aside. The first column is the time (s), then q (nq columns), and if wanted v and v̇
/// (nv columns each). A first line of names may say where they are: `t`, `/q/0` …, `/v/0` …,
/// `/vdot/0` …, in any order and among others, as in a run's signals.csv. @throws UserError with
/// file:line:column for what is no motion: text, wrong counts, times that do not grow, zero
/// quaternions, jumps (FindJump).
Knots ReadMotionFile(const std::filesystem::path& file, const Model& model);

}  // namespace civita
