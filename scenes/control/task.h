#pragma once

#include <span>
#include <string>
#include <vector>

#include "controllers/controller.h"
#include "scenes/schema/key_row_fwd.h"

namespace civita {

/// What laws of the task space move: `task`.
struct TaskConfig {
  std::string frame;  ///< site or body; empty: the reference's, else the last body
  TaskKind kind = TaskKind::kPosition;
  std::vector<double> offset = {0, 0, 0};  ///< m
};
std::span<const KeyRow<TaskConfig>> TaskKeys();

}  // namespace civita
