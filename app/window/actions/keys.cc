
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <iterator>

#include "app/window/actions/action_table.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"

namespace civita {
namespace {

bool Pressed(ImGuiKey key) { return ImGui::IsKeyPressed(key, false); }

// Brackets are characters, which many layouts have on other keys with a modifier.
void HandleBrackets(View3d* view) {
  for (const ImWchar c : ImGui::GetIO().InputQueueCharacters) {
    if (c == '[') view->CycleCamera(-1);
    if (c == ']') view->CycleCamera(1);
  }
}

// An open list takes all keys; esc closes it.
bool IsTakenByList() {
  if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return false;
  if (Pressed(ImGuiKey_Escape)) ImGui::ClosePopupToLevel(0, true);
  return true;
}

bool HasSheet(const WindowState& state) { return state.launcher.is_open || state.jobs.is_open; }

// Whether the key of an action acts while a sheet is open.
bool ActsOnSheet(const WindowState& state, const Action& action) {
  if (state.launcher.is_open) return false;
  return action.act == ActionFunction(Leave) || action.act == ActionFunction(ToggleJobs);
}

// Function keys act while a number or a text is typed, too.
bool IsFunctionKey(const Chord& chord) {
  return chord.key >= ImGuiKey_F1 && chord.key <= ImGuiKey_F12;
}

// What Dear ImGui does while the keyboard goes through the buttons.
bool IsNavigation(const Chord& chord) {
  constexpr ImGuiKey kKeys[] = {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,
                                ImGuiKey_DownArrow, ImGuiKey_Enter,      ImGuiKey_Space,
                                ImGuiKey_Tab,       ImGuiKey_Escape};
  return chord.modifier != Modifier::kCtrl &&
         std::ranges::find(kKeys, chord.key) != std::end(kKeys);
}

// Lets Dear ImGui have the keys of its navigation, unless a slider, a list or a text takes them. A
// click of the mouse and esc end that. Otherwise tab is the side panel's, and does not lead into a
// text field, which would take the next keys.
void UpdateByKeys(WindowState* state) {
  ImGuiIO& io = ImGui::GetIO();
  const bool is_open = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) || state->launcher.is_open;
  const bool is_taken = is_open || state->slider.focused != 0 || io.WantTextInput;
  if (state->by_keys && (ImGui::IsMouseClicked(0) || (!is_taken && Pressed(ImGuiKey_Escape)))) {
    state->by_keys = false;
    ImGui::SetNavCursorVisible(false);
  }
  const bool navigates = state->by_keys && !is_taken;
  io.ConfigFlags = navigates ? io.ConfigFlags | ImGuiConfigFlags_NavEnableKeyboard
                             : io.ConfigFlags & ~ImGuiConfigFlags_NavEnableKeyboard;
  if (navigates) {
    ImGui::SetNavCursorVisible(true);
  } else if (!io.WantTextInput) {
    ImGui::SetKeyOwner(ImGuiKey_Tab, ImGui::GetID("side panel"));
  }
}

}  // namespace

void ToggleByKeys(WindowState* state) {
  state->by_keys = !state->by_keys;
  if (!state->by_keys) return;
  ImGuiContext& context = *ImGui::GetCurrentContext();
  context.ConfigNavWindowingKeyNext = context.ConfigNavWindowingKeyPrev = 0;  // is this action's
  if (context.NavWindow == nullptr) ImGui::FocusWindow(ImGui::FindWindowByName("root"));
  if (context.NavWindow != nullptr && context.NavId == 0) {
    ImGui::NavInitWindow(context.NavWindow, true);
  }
}

void HandleKeys(WindowState* state, View3d* view) {
  const bool by_keys = state->by_keys;
  UpdateByKeys(state);
  const bool types = ImGui::GetIO().WantTextInput || state->slider.editing != 0;
  if (types && ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  if (IsTakenByList()) return;
  const bool has_sheet = HasSheet(*state);
  for (const Action& action : Actions()) {
    if (!IsPressed(action) || (action.applies && !action.applies(*state))) continue;
    if (types && !IsFunctionKey(action.chord)) continue;
    if (has_sheet && !ActsOnSheet(*state, action)) continue;
    if (by_keys && IsNavigation(action.chord)) continue;
    Act(action, state, view);
  }
  if (!types && !has_sheet && !ImGui::GetIO().KeyCtrl) HandleBrackets(view);
}

}  // namespace civita
