#include "app/window/panels/panels.h"

namespace civita {

void ActionButton(WindowState* state, const char* id, StateAction act, const Rect& r,
                  const ActionButtonOptions& options) {
  const Icon icon = options.icon ? *options.icon : ActionOf(act).icon.value();
  if (IconButton(state->ui, id, icon, r, TipOf(act, options.name),
                 {.on = options.on, .enabled = options.enabled})) {
    act(state);
  }
}

}  // namespace civita
