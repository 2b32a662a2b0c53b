#include <string>

#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/schema/key_error.h"

namespace civita {
namespace {

struct LineKeys {
  int coordinate = 0;
};

constexpr KeyRow<LineKeys> kLineKeys[] = {
    {"coordinate", &LineKeys::coordinate, "", "which coordinate of v, from 0",
     NumberRange::kNotNegative},
};

std::unique_ptr<Reference> LineOf(LineKeys& keys, const MotionContext& context) {
  const int nv = context.plant.nv();
  if (keys.coordinate >= nv) {
    RefuseValue("reference.coordinate", " is " + std::to_string(keys.coordinate) +
                                            ", the model has nv = " + std::to_string(nv) +
                                            " (counted from 0)");
  }
  return MakeLine(context.plant, context.center, keys.coordinate);
}

}  // namespace

constinit const ReferenceType kLineReference =
    ReferenceTypeOf<kLineKeys, LineOf>("line", "one coordinate runs ahead by t + sin t");

}  // namespace civita
