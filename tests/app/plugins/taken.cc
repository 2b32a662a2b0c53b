// A plug-in whose law has the name of another one.
#include "civita/scenes/registry.h"

constexpr civita::LawInfo kTaken = {
    .type = "pd_gravity",
    .title = "",
    .law = "",
    .parameters = {},
    .make = +[](const civita::Model&, const civita::ControllerOptions&) {
      return std::unique_ptr<civita::Controller>();
    }};

CIVITA_PLUGIN(registry) { registry->laws.push_back(&kTaken); }
