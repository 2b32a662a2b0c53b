// Actions that switch the marks in the view.
#include <string>

#include "app/window/actions/actions.h"

namespace civita {
namespace {

void ToggleMark(WindowState* state, const char* name, bool* is_shown) {
  *is_shown = !*is_shown;
  ShowToast(state, std::string(name) + (*is_shown ? ": on" : ": off"));
}

}  // namespace

void ToggleStance(WindowState* state) {
  if (state->scene->session.scene().legs == nullptr) {
    ShowToast(state, "This scene has no feet");
    return;
  }
  state->shows_stance = !state->shows_stance;
  ShowToast(state, state->shows_stance ? "Contact forces and balance: on"
                                       : "Contact forces and balance: off");
}

void ToggleReferenceGhost(WindowState* state) {
  if (state->scene->session.scene().legs != nullptr) {
    ShowToast(state, "A walking robot has no given path");
    return;
  }
  ToggleMark(state, "Robot at the reference", &state->marks.reference_ghost);
}

void ToggleTorqueArrows(WindowState* state) {
  ToggleMark(state, "Arrows of the torques", &state->marks.torques);
}

void ToggleSlidingArrows(WindowState* state) {
  ToggleMark(state, "Arrows of s", &state->marks.sliding);
}

void ToggleCones(WindowState* state) {
  if (state->scene->session.scene().legs == nullptr) {
    ShowToast(state, "This scene has no feet");
    return;
  }
  ToggleMark(state, "Friction cones", &state->marks.cones);
  if (state->marks.cones) state->shows_stance = true;
}

}  // namespace civita
