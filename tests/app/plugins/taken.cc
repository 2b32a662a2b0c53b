// A plug-in whose law has the name of another one.
#include "civita/scenes/registry.h"

constexpr civita::LawInfo kTaken = {
    .type = "pd_gravity", .title = "", .law = "", .parameters = {}, .make = nullptr};

CIVITA_PLUGIN(registry) { registry->laws.push_back(&kTaken); }
