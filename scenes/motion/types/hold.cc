#include "civita/scenes/motion/types/types.h"

namespace civita {
namespace {

std::unique_ptr<Reference> HoldOf(NoKeys& /*keys*/, const MotionContext& context) {
  return MakeHold(context.plant, context.center);
}

}  // namespace

constinit const ReferenceType kHoldReference =
    ReferenceTypeOf<kNoKeys, HoldOf>("hold", "stands still");

}  // namespace civita
