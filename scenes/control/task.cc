#include "scenes/control/task.h"

#include "scenes/schema/key_row.h"

namespace civita {

std::span<const KeyRow<TaskConfig>> TaskKeys() {
  using C = TaskConfig;
  static constexpr Choice<TaskKind> kKinds[] = {{"position", TaskKind::kPosition},
                                                {"pose", TaskKind::kPose}};
  static constexpr KeyRow<C> kKeys[] = {
      {"frame", &C::frame, "",
       "laws of a task: site or body; else reference.frame or the last body"},
      {"kind", OneOf<&C::kind, kKinds>(), "",
       "laws of a task: the frame's position, or its orientation too"},
      {"offset_m", &C::offset, "m", "laws of a task: from the frame's origin, in its axes"},
  };
  return kKeys;
}

}  // namespace civita
