#pragma once

#include <span>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

struct LawConfig;
class ReferenceConfig;

/// The frame that laws of the task space move: `task`.
struct TaskConfig {
  std::string frame;  ///< site or body; empty: the reference's, otherwise the last body
  TaskKind kind = TaskKind::kPosition;
  std::vector<double> offset = {0, 0, 0};  ///< m, in the frame's axes
};
std::span<const KeyRow<TaskConfig>> TaskKeys();

/// Whether the law with its options moves a frame.
bool MovesFrame(const LawConfig& law);

/// The frame that a law moves; fills in the defaults in `task`. @throws KeyError.
TaskFrame FindTask(const ReferenceConfig& reference, const Model& plant, TaskConfig* task);

/// @throws KeyError for a task-space reference with a joint-space law, whose joints would not
/// move.
void CheckTaskPath(const ReferenceConfig& reference, const LawConfig& law);

}  // namespace civita
