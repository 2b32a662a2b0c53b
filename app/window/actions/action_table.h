// The table of actions. Keys, the list of keys and actions (F1, ctrl-K), buttons and their tooltips
// read it: a new key or action is a row of action_table.cc. An action is known by its function.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "app/window/model/window_state.h"
#include "app/window/render/view3d.h"
#include "app/window/widgets/widgets.h"

namespace civita {

using StateAction = void (*)(WindowState*);
using ActionFunction = std::variant<StateAction, void (*)(WindowState*, View3d*)>;

/// An action that is a function with arguments.
template <auto kFunction, auto... kArguments>
void Do(WindowState* state) {
  kFunction(state, kArguments...);
}

enum class Modifier {
  kNone,  ///< shift, too, where the key has no other meaning with it
  kShift,
  kCtrl,
};

/// A part of the list of actions; kKeys: what has its meaning where the mouse or a slider is.
enum class ListPart { kNone, kRun, kTune, kView, kKeys };

struct Chord {
  ImGuiKey key = ImGuiKey_None;  ///< of the layout's letter; none: a gesture
  Modifier modifier = Modifier::kNone;
  bool repeats = false;           ///< while the key is held
  std::string_view gesture = {};  ///< of the mouse, or of keys that are read elsewhere
};

struct Action {
  Chord chord;
  std::string_view name;  ///< in the list of actions and in tooltips
  ActionFunction act = {};
  ListPart list = ListPart::kKeys;
  std::optional<Icon> icon = {};                  ///< of its button
  bool (*applies)(const WindowState&) = nullptr;  ///< whether the key means this now; null: always
};

std::span<const Action> Actions();

/// The key of an action as text: "ctrl-P"; empty without one.
std::string KeyText(const Action& action);
/// The same of the action that does this; empty if none does.
std::string KeyText(StateAction act);
/// The row of an action that has one. @throws ContractError.
const Action& ActionOf(StateAction act);
/// "Reset  backspace", for DelayedTooltip; by another name than the table's if one is given.
std::string TipOf(StateAction act, std::string_view name = {});

/// Does the action.
void Act(const Action& action, WindowState* state, View3d* view);
/// Whether the action's key was pressed in this frame, with its modifier.
bool IsPressed(const Action& action);

/// What esc does outside of lists: closes a sheet or frees the camera.
void Leave(WindowState* state, View3d* view);

/// Does what the keys of this frame mean: the table of actions, and MuJoCo's own. None while text
/// is entered, few while a sheet is open.
void HandleKeys(WindowState* state, View3d* view);

}  // namespace civita
