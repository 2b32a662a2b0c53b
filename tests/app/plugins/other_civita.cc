// A plug-in for a civita with another interface.
#include "civita/scenes/registry.h"

extern "C" {
extern const civita::PluginAbi civita_plugin_abi;
const civita::PluginAbi civita_plugin_abi{.interface = -1};
void civita_register(civita::Registry* registry);
}

void civita_register(civita::Registry* /*registry*/) { throw 1; }
