// A type of reference with its own keys: stands still at an offset from the start.
#include <string>
#include <vector>

#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/registry.h"
#include "civita/scenes/schema/checked.h"

enum class Side { kLeft, kRight };

struct BesideKeys {
  Side side = Side::kLeft;
  double way = 0.1;
  std::vector<double> shares;  // one number or nv
};

constexpr civita::Choice<Side> kSides[] = {{"left", Side::kLeft}, {"right", Side::kRight}};
constexpr civita::KeyRow<BesideKeys> kBesideKeys[] = {
    {"side", civita::OneOf<&BesideKeys::side, kSides>(), "", "which way"},
    {"way", &BesideKeys::way, "rad, m", "how far", civita::NumberRange::kPositive},
    {"shares", civita::OneOrAll{&BesideKeys::shares}, "", "share of the displacement; default: 1"},
};

std::unique_ptr<civita::Reference> BesideOf(BesideKeys& keys,
                                            const civita::MotionContext& context) {
  if (keys.shares.empty()) keys.shares = {1};
  const double way = keys.side == Side::kLeft ? keys.way : -keys.way;
  return civita::MakeHold(context.plant, context.center + way * civita::internal::Spread(
                                                                    "reference.shares", keys.shares,
                                                                    context.plant.nv()));
}

constinit const civita::ReferenceType kBeside =
    civita::ReferenceTypeOf<kBesideKeys, BesideOf>("beside", "stands still beside the start");

CIVITA_PLUGIN(registry) { registry->references.push_back(&kBeside); }
