#include "app/window/actions/action_table.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"
#include "app/window/actions/link_actions.h"
#include "app/window/actions/take_along.h"
#include "civita/error.h"

namespace civita {
namespace {

constexpr Chord Key(ImGuiKey key) { return {key}; }
constexpr Chord Shift(ImGuiKey key) { return {key, Modifier::kShift}; }
constexpr Chord Ctrl(ImGuiKey key) { return {key, Modifier::kCtrl}; }
constexpr Chord Held(Chord chord) {
  chord.repeats = true;
  return chord;
}
constexpr Chord Gesture(std::string_view text) { return {.gesture = text}; }

constexpr int kManySteps = 10, kFarSteps = 100;  // with shift, with ctrl

bool IsDriven(const WindowState& state) { return state.scene->drive.has_value(); }
bool IsNotDriven(const WindowState& state) { return !IsDriven(state); }

// While the user drives, the arrows control the robot, not time or a slider.
template <int kForward, int kLeft, int kTurn>
void Nudge(WindowState* state) {
  state->slider.focused = 0;
  NudgeDrive(state, kForward, kLeft, kTurn);
}
void DriveInPlace(WindowState* state) { SetDrive(state, DriveCommand{}); }

// A slider that was clicked takes enter to type.
bool IsTouring(const WindowState& state) {
  return (state.tour.is_open() || state.tour.is_offered) && state.slider.focused == 0;
}

void Quit(WindowState* state) { state->requests.quit = true; }
void ToggleFullscreen(WindowState* state) { state->requests.toggle_fullscreen = true; }
void OpenPalette(WindowState* state) { state->opens_palette = true; }
void FrameAll(WindowState* /*state*/, View3d* view) {
  view->ResetFlags();
  view->FrameAll();
}

// MuJoCo's kinds of frames or labels, one after the other.
void CycleHelper(WindowState* state, const char* what, std::span<const char* const> names,
                 int* kind, View3d* view) {
  *kind = (*kind + 1) % static_cast<int>(names.size());
  ShowToast(state, std::string(what) + ": " + names[static_cast<std::size_t>(*kind)]);
  view->Invalidate();
}
void CycleFrames(WindowState* state, View3d* view) {
  CycleHelper(state, "Frames", mjFRAMESTRING, &view->options().frame, view);
}
void CycleLabels(WindowState* state, View3d* view) {
  CycleHelper(state, "Labels", mjLABELSTRING, &view->options().label, view);
}

constexpr Action kRun[] = {
    {Key(ImGuiKey_Space), "Play or pause", "", TogglePlay, ListPart::kRun},
    {Held(Key(ImGuiKey_RightArrow)), "One control step", "One control step, and back",
     Do<StepForward, 1>, ListPart::kNone, Icon::kStep, IsNotDriven},
    {Held(Key(ImGuiKey_LeftArrow)), "One control step back", kJoined, Do<StepBack, 1>,
     ListPart::kNone, Icon::kStepBack, IsNotDriven},
    {Held(Shift(ImGuiKey_RightArrow)), "", "Ten, a hundred", Do<StepForward, kManySteps>,
     ListPart::kNone, std::nullopt, IsNotDriven},
    {Held(Ctrl(ImGuiKey_RightArrow)), "", kJoined, Do<StepForward, kFarSteps>, ListPart::kNone,
     std::nullopt, IsNotDriven},
    {Held(Shift(ImGuiKey_LeftArrow)), "", kUntold, Do<StepBack, kManySteps>, ListPart::kNone,
     std::nullopt, IsNotDriven},
    {Held(Ctrl(ImGuiKey_LeftArrow)), "", kUntold, Do<StepBack, kFarSteps>, ListPart::kNone,
     std::nullopt, IsNotDriven},
    {Ctrl(ImGuiKey_B), "To the other branch of time", "", SwitchBranch, ListPart::kRun,
     Icon::kBranch},
    {Key(ImGuiKey_Backspace), "Reset", "", ResetRun, ListPart::kRun, Icon::kReset},
    {Shift(ImGuiKey_Backspace), "Start anew at the end, again and again", "Again and again",
     ToggleRepeat, ListPart::kRun},
    {Held(Key(ImGuiKey_Equal)), "", "Faster, slower", Do<ChangeSpeed, 1>},
    {Held(Key(ImGuiKey_Minus)), "", kJoined, Do<ChangeSpeed, -1>},
    {Ctrl(ImGuiKey_L), "Reload the scene", "", ReloadScene, ListPart::kRun},
    {Ctrl(ImGuiKey_O), "Open a file", "", OpenFiles, ListPart::kRun},
    {Ctrl(ImGuiKey_N), "Scenes", "", OpenLauncher, ListPart::kRun},
    {Key(ImGuiKey_F3), "Throw it off", "Throw the robot off its motion", ThrowOff, ListPart::kRun,
     Icon::kThrow},
    {Key(ImGuiKey_F10), "Push", "", PushNow, ListPart::kRun, Icon::kPush},
    {Key(ImGuiKey_F11), "Drive legs by keys, end it", "", ToggleDrive, ListPart::kRun},
};
// Replace the keys' other meanings while the user drives.
constexpr Action kDrive[] = {
    {Held(Key(ImGuiKey_UpArrow)), "", "Faster forward, backward", Nudge<1, 0, 0>, ListPart::kNone,
     std::nullopt, IsDriven},
    {Held(Key(ImGuiKey_DownArrow)), "", kJoined, Nudge<-1, 0, 0>, ListPart::kNone, std::nullopt,
     IsDriven},
    {Held(Key(ImGuiKey_LeftArrow)), "", "Turn left, right", Nudge<0, 0, 1>, ListPart::kNone,
     std::nullopt, IsDriven},
    {Held(Key(ImGuiKey_RightArrow)), "", kJoined, Nudge<0, 0, -1>, ListPart::kNone, std::nullopt,
     IsDriven},
    {Held(Shift(ImGuiKey_LeftArrow)), "", "Go left, right", Nudge<0, 1, 0>, ListPart::kNone,
     std::nullopt, IsDriven},
    {Held(Shift(ImGuiKey_RightArrow)), "", kJoined, Nudge<0, -1, 0>, ListPart::kNone, std::nullopt,
     IsDriven},
    {Key(ImGuiKey_End), "", "In place", DriveInPlace, ListPart::kNone, std::nullopt, IsDriven},
};
constexpr Action kPlots[] = {
    {Gesture("drag"), "", "Move in time"},
    {Gesture("shift-drag"), "", "Figures of a stretch; shift-click ends"},
    {Gesture("wheel"), "", "Zoom in time; with ctrl in value"},
    {Gesture("right drag"), "", "Zoom to a box"},
    {Gesture("double click"), "", "Fit"},
    {Gesture("click"), "", "While paused: go to that moment"},
    {Gesture("title drag"), "", "Move the plot; onto another: join it"},
};
constexpr Action kView[] = {
    {Key(ImGuiKey_F9), "", "Contact forces and balance of legs", ToggleStance},
    {Ctrl(ImGuiKey_G), "A robot at the reference", "", ToggleReferenceGhost, ListPart::kView},
    {Ctrl(ImGuiKey_T), "Arrows of torques", "Arrows of torques, of s", ToggleTorqueArrows,
     ListPart::kView},
    {Ctrl(ImGuiKey_E), "Arrows of s", kJoined, ToggleSlidingArrows, ListPart::kView},
    {Ctrl(ImGuiKey_F), "", "Friction cones of feet", ToggleCones},
    {Key(ImGuiKey_Escape), "", "Closes lists; frees the camera", Leave},
    {Key(ImGuiKey_F2), "What two runs differ in, over the picture", "What two runs differ in",
     ToggleSentence, ListPart::kView},
    {Key(ImGuiKey_Home), "The first look", "", FrameAll, ListPart::kView},
    {Ctrl(ImGuiKey_A), "", kJoined, FrameAll},
    {Key(ImGuiKey_F6), "", "Next kind of frames, of labels", CycleFrames},
    {Key(ImGuiKey_F7), "", kJoined, CycleLabels},
    {Gesture("[ / ]"), "", "Previous, next camera"},
    {Gesture("left drag"), "", "Orbit"},
    {Gesture("right drag"), "", "Pan, with shift level"},
    {Gesture("wheel"), "", "Zoom"},
    {Gesture("double click"), "", "Select a body"},
    {Gesture("right double"), "", "Centre; with ctrl track"},
    {Gesture("ctrl-left drag"), "", "Twist the selected body"},
    {Gesture("ctrl-right drag"), "", "Pull the selected body"},
};
constexpr Action kWindow[] = {
    {Key(ImGuiKey_Tab), "Side panel", "Side panel, with shift plots", ToggleSidePanel},
    {Shift(ImGuiKey_Tab), "Plots", kUntold, TogglePlotsPanel},
    {Ctrl(ImGuiKey_Tab), "Buttons by arrow keys and enter", "Buttons by arrows and enter",
     ToggleByKeys, ListPart::kView},
    {Key(ImGuiKey_F1), "Keys and mouse", "This table", ToggleHelp, ListPart::kView, Icon::kHelp},
    {Key(ImGuiKey_Enter), "", kUntold, GoOnInTour, ListPart::kNone, std::nullopt, IsTouring},
    {Ctrl(ImGuiKey_K), "", "All actions, plots, scenes, keys", OpenPalette},
    {Key(ImGuiKey_F5), "", "Full screen", ToggleFullscreen},
    {Key(ImGuiKey_F8), "Light or dark", "", ToggleTheme, ListPart::kView},
    {Held(Ctrl(ImGuiKey_Equal)), "", "Larger, smaller", Do<Zoom, 1>},
    {Held(Ctrl(ImGuiKey_Minus)), "", kJoined, Do<Zoom, -1>},
    {Ctrl(ImGuiKey_0), "", "As large as at first", Do<Zoom, 0>},
    {Ctrl(ImGuiKey_P), "Screenshot", "", TakeScreenshot, ListPart::kView, Icon::kCamera},
    {Key(ImGuiKey_F12), "Record files and a video", "", ToggleRecording, ListPart::kRun,
     Icon::kRecord},
    {Ctrl(ImGuiKey_J), "Compare, survive, bench in the background", "Jobs in the background",
     ToggleJobs, ListPart::kRun, Icon::kJobs},
    {Ctrl(ImGuiKey_D), "Live link for Python: open, close", "Live link for Python", ToggleLink,
     ListPart::kRun},
    {Ctrl(ImGuiKey_Q), "", "Quit", Quit},
};
constexpr Action kSliders[] = {
    {Gesture("drag"), "", "With shift a tenth as fast"},
    {Gesture("click on the number"), "", "Type a number; ctrl-click, too"},
    {Gesture("↑ / ↓"), "", "Nudge the slider clicked last"},
    {Gesture("enter"), "", "Type into it"},
    {Gesture("delete"), "", "Its default"},
    {Ctrl(ImGuiKey_Z), "Undo", "Undo, redo", UndoTuning, ListPart::kTune, Icon::kUndo},
    {Ctrl(ImGuiKey_Y), "Redo", kJoined, RedoTuning, ListPart::kTune, Icon::kRedo},
    {Ctrl(ImGuiKey_R), "Revert to the profile", "", RevertTuning, ListPart::kTune, Icon::kReset},
    {Ctrl(ImGuiKey_C), "Copy as command", "Copy all settings as a command", CopyAsCommand,
     ListPart::kTune, Icon::kCopy},
};
// In an order that fills three columns evenly.
constexpr ActionGroup kGroups[] = {{"Simulation", kRun}, {"Plots", kPlots},
                                   {"View", kView},      {"Driving", kDrive},
                                   {"Window", kWindow},  {"Sliders", kSliders}};

// Keys that are no letter, digit or function key; some are there twice.
struct NamedKey {
  ImGuiKey key;
  std::string_view text;
  ImGuiKey twin = ImGuiKey_None;
};
constexpr NamedKey kNamedKeys[] = {{ImGuiKey_Space, "space"},
                                   {ImGuiKey_Backspace, "backspace"},
                                   {ImGuiKey_Tab, "tab"},
                                   {ImGuiKey_Escape, "esc"},
                                   {ImGuiKey_Enter, "enter", ImGuiKey_KeypadEnter},
                                   {ImGuiKey_Home, "home"},
                                   {ImGuiKey_End, "end"},
                                   {ImGuiKey_LeftArrow, "←"},
                                   {ImGuiKey_RightArrow, "→"},
                                   {ImGuiKey_UpArrow, "↑"},
                                   {ImGuiKey_DownArrow, "↓"},
                                   {ImGuiKey_0, "0", ImGuiKey_Keypad0},
                                   {ImGuiKey_Equal, "+", ImGuiKey_KeypadAdd},
                                   {ImGuiKey_Minus, "−", ImGuiKey_KeypadSubtract}};

const NamedKey* FindNamed(ImGuiKey key) {
  const auto* found = std::ranges::find(kNamedKeys, key, &NamedKey::key);
  return found == std::end(kNamedKeys) ? nullptr : found;
}

std::string NameOfKey(ImGuiKey key) {
  if (const NamedKey* named = FindNamed(key)) return std::string(named->text);
  return ImGui::GetKeyName(key);
}

const Action* Find(StateAction act) {
  for (const ActionGroup& group : kGroups) {
    for (const Action& action : group.actions) {
      if (action.chord.key != ImGuiKey_None && action.act == ActionFunction(act)) return &action;
    }
  }
  return nullptr;
}

// Whether the key means something else with shift.
bool IsOtherWithShift(ImGuiKey key) {
  return std::ranges::any_of(kGroups, [key](const ActionGroup& group) {
    return std::ranges::any_of(group.actions, [key](const Action& action) {
      return action.chord.key == key && action.chord.modifier == Modifier::kShift;
    });
  });
}

}  // namespace

std::span<const ActionGroup> ActionGroups() { return kGroups; }

std::string KeyText(const Action& action) {
  const Chord& chord = action.chord;
  if (chord.key == ImGuiKey_None) return std::string(chord.gesture);
  constexpr std::array<const char*, 3> kPrefixes = {"", "shift-", "ctrl-"};
  return kPrefixes[static_cast<std::size_t>(chord.modifier)] + NameOfKey(chord.key);
}

std::string KeyText(StateAction act) {
  const Action* action = Find(act);
  return action == nullptr ? "" : KeyText(*action);
}

const Action& ActionOf(StateAction act) {
  const Action* action = Find(act);
  CIVITA_CHECK(action != nullptr, "an action that is no row of the table");
  return *action;
}

std::string TipOf(StateAction act, std::string_view name) {
  const Action& action = ActionOf(act);
  return std::string(name.empty() ? action.name : name) + "  " + KeyText(action);
}

void Act(const Action& action, WindowState* state, View3d* view) {
  if (const auto* act = std::get_if<StateAction>(&action.act)) {
    (*act)(state);
  } else {
    std::get<1>(action.act)(state, view);
  }
}

bool IsPressed(const Action& action) {
  const auto& [key, modifier, repeats, gesture] = action.chord;
  if (key == ImGuiKey_None) return false;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl != (modifier == Modifier::kCtrl)) return false;
  if (!io.KeyCtrl && io.KeyShift != (modifier == Modifier::kShift) &&
      (!io.KeyShift || IsOtherWithShift(key))) {
    return false;
  }
  const NamedKey* named = FindNamed(key);
  return ImGui::IsKeyPressed(key, repeats) || (named != nullptr && named->twin != ImGuiKey_None &&
                                               ImGui::IsKeyPressed(named->twin, repeats));
}

std::vector<KeyGroup> KeyGroups() {
  std::vector<KeyGroup> groups;
  for (const ActionGroup& group : kGroups) {
    KeyGroup& shown = groups.emplace_back();
    shown.title = group.title;
    if (group.actions.data() == kDrive) shown.title += ", after " + KeyText(ToggleDrive);
    for (const Action& action : group.actions) {
      if (action.help == kJoined) {
        shown.rows.back().keys += " / " + KeyText(action);
      } else if (action.help != kUntold) {
        shown.rows.push_back(
            {KeyText(action), std::string(action.help.empty() ? action.name : action.help)});
      }
    }
  }
  return groups;
}

void Leave(WindowState* state, View3d* view) {
  if (state->is_help_open) {
    state->is_help_open = false;
  } else if (state->jobs.is_open) {
    ToggleJobs(state);
  } else if (state->tour.is_open() || state->tour.is_offered) {
    state->tour.Finish();
  } else if (state->slider.focused == 0) {
    view->SetCamera(0);
    view->ClearSelection();
  }
}

}  // namespace civita
