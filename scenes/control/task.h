#pragma once

#include <span>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

struct LawConfig;
class ReferenceConfig;

/// What laws of the task space move: `task`.
struct TaskConfig {
  std::string frame;  ///< site or body; empty: the reference's, else the last body
  TaskKind kind = TaskKind::kPosition;
  std::vector<double> offset = {0, 0, 0};  ///< m
};
std::span<const KeyRow<TaskConfig>> TaskKeys();

/// Whether the law, with its options, moves a frame.
bool MovesFrame(const LawConfig& law);

/// The frame that a law moves; fills in which one where the config leaves it open. @throws
/// KeyError.
TaskFrame FindTask(const ReferenceConfig& reference, const mjModel& m, const Model& plant,
                   TaskConfig* task);

/// @throws KeyError for a path of a frame beside a law of the joints, which would stand still.
void CheckTaskPath(const ReferenceConfig& reference, const LawConfig& law);

}  // namespace civita
