#include "civita/scenes/control/task.h"

#include <algorithm>
#include <string>

#include "civita/scenes/control/law.h"
#include "civita/scenes/motion/named_frame.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {
namespace {

// The laws that move a frame, and those that do so with one of their options set.
std::string ListTaskLaws() {
  std::string list;
  const auto add = [&list](const std::string& law) { list += (list.empty() ? "" : ", or ") + law; };
  for (const LawInfo* law : Laws()) {
    if (law->MovesFrame({})) add(std::string(law->type));
  }
  for (const LawInfo* law : Laws()) {
    if (law->MovesFrame({})) continue;
    for (const OptionInfo& option : law->options) {
      const std::string key(option.key);
      for (const std::string_view choice : option.choices) {
        if (!law->MovesFrame({{key, std::string(choice)}})) continue;
        add(std::string(law->type) + " with controller." + key + " " + std::string(choice));
      }
    }
  }
  return list;
}

}  // namespace

std::span<const KeyRow<TaskConfig>> TaskKeys() {
  using C = TaskConfig;
  static constexpr Choice<TaskKind> kKinds[] = {{"position", TaskKind::kPosition},
                                                {"pose", TaskKind::kPose},
                                                {"xy", TaskKind::kXY},
                                                {"xz", TaskKind::kXZ},
                                                {"yz", TaskKind::kYZ}};
  static constexpr KeyRow<C> kKeys[] = {
      {"frame", &C::frame, "",
       "laws of a task: site or body; default: reference.frame or the last body that moves"},
      {"kind", OneOf<&C::kind, kKinds>(), "",
       "laws of a task: the frame's position, its orientation too, or its position in a plane of "
       "the world"},
      {"offset_m", &C::offset, "m", "laws of a task: from the frame's origin, in its axes"},
  };
  return kKeys;
}

bool MovesFrame(const LawConfig& law) {
  return FindLaw(law.controller).MovesFrame(law.law_options);
}

TaskFrame FindTask(const ReferenceConfig& reference, const Model& plant, TaskConfig* task) {
  if (const MovedFrame* moved = reference.moved_frame(); moved && task->frame.empty()) {
    task->frame = moved->frame;
    task->offset = moved->offset;
  }
  if (task->frame.empty()) {
    const auto moves = [](const Model::NamedFrame& frame) { return frame.body >= 0; };
    const auto last = std::ranges::find_if(plant.frames().rbegin(), plant.frames().rend(), moves);
    task->frame = last->name;
  }
  return {FindFrameOf(plant, task->frame, internal::CheckedPoint("task.offset_m", task->offset),
                      "task.frame"),
          task->kind};
}

void CheckTaskPath(const ReferenceConfig& reference, const LawConfig& law) {
  if (reference.moved_frame() == nullptr || MovesFrame(law)) return;
  RefuseValue("reference.type", " " + std::string(reference.type().name) +
                                    " moves a frame, which controller.type " + law.controller +
                                    " cannot follow; valid: " + ListTaskLaws());
}

}  // namespace civita
