#include "app/window/actions/action_table.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <iterator>

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
// Of the mouse, or of keys that are read elsewhere.
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
void StartTour(WindowState* state) { state->tour.Go(0); }
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

// In the order in which they are listed.
constexpr Action kActions[] = {
    {Key(ImGuiKey_Space), "Play or pause", TogglePlay, ListPart::kRun},
    {Held(Key(ImGuiKey_RightArrow)), "One control step", Do<StepForward, 1>, ListPart::kRun,
     Icon::kStep, IsNotDriven},
    {Held(Key(ImGuiKey_LeftArrow)), "One control step back", Do<StepBack, 1>, ListPart::kRun,
     Icon::kStepBack, IsNotDriven},
    {Held(Shift(ImGuiKey_RightArrow)), "Ten control steps", Do<StepForward, kManySteps>,
     ListPart::kRun, std::nullopt, IsNotDriven},
    {Held(Shift(ImGuiKey_LeftArrow)), "Ten control steps back", Do<StepBack, kManySteps>,
     ListPart::kRun, std::nullopt, IsNotDriven},
    {Held(Ctrl(ImGuiKey_RightArrow)), "A hundred control steps", Do<StepForward, kFarSteps>,
     ListPart::kRun, std::nullopt, IsNotDriven},
    {Held(Ctrl(ImGuiKey_LeftArrow)), "A hundred control steps back", Do<StepBack, kFarSteps>,
     ListPart::kRun, std::nullopt, IsNotDriven},
    {Ctrl(ImGuiKey_B), "To the other branch of time", SwitchBranch, ListPart::kRun, Icon::kBranch},
    {Key(ImGuiKey_Backspace), "Reset", ResetRun, ListPart::kRun, Icon::kReset},
    {Shift(ImGuiKey_Backspace), "Start anew at the end, again and again", ToggleRepeat,
     ListPart::kRun},
    {Held(Key(ImGuiKey_Equal)), "Faster", Do<ChangeSpeed, 1>, ListPart::kRun},
    {Held(Key(ImGuiKey_Minus)), "Slower", Do<ChangeSpeed, -1>, ListPart::kRun},
    {Ctrl(ImGuiKey_L), "Reload the scene", ReloadScene, ListPart::kRun},
    {Ctrl(ImGuiKey_O), "Open a file", OpenFiles, ListPart::kRun},
    {Ctrl(ImGuiKey_N), "Scenes", OpenLauncher, ListPart::kRun},
    {Key(ImGuiKey_F3), "Throw it off", ThrowOff, ListPart::kRun, Icon::kThrow},
    {Key(ImGuiKey_F10), "Push", PushNow, ListPart::kRun, Icon::kPush},
    {Key(ImGuiKey_F11), "Drive legs by keys, end it", ToggleDrive, ListPart::kRun},
    {Key(ImGuiKey_F12), "Record files and a video", ToggleRecording, ListPart::kRun, Icon::kRecord},
    {Ctrl(ImGuiKey_J), "What runs in the background", ToggleJobs, ListPart::kRun},
    {Ctrl(ImGuiKey_D), "Live link for Python: open, close", ToggleLink, ListPart::kRun},

    {Ctrl(ImGuiKey_Z), "Undo", UndoTuning, ListPart::kTune, Icon::kUndo},
    {Ctrl(ImGuiKey_Y), "Redo", RedoTuning, ListPart::kTune, Icon::kRedo},
    {Ctrl(ImGuiKey_R), "Revert to the profile", RevertTuning, ListPart::kTune, Icon::kReset},
    {Ctrl(ImGuiKey_C), "Copy as command", CopyAsCommand, ListPart::kTune, Icon::kCopy},

    {Key(ImGuiKey_F1), "Keys and actions", OpenPalette, ListPart::kView, Icon::kHelp},
    {Ctrl(ImGuiKey_K), "", OpenPalette, ListPart::kNone},
    {{}, "Take the tour", StartTour, ListPart::kView},
    {Key(ImGuiKey_F9), "Contact forces and balance of legs", ToggleStance, ListPart::kView},
    {Ctrl(ImGuiKey_F), "Friction cones of feet", ToggleCones, ListPart::kView},
    {Ctrl(ImGuiKey_G), "A robot at the reference", ToggleReferenceGhost, ListPart::kView},
    {Ctrl(ImGuiKey_T), "Arrows of torques", ToggleTorqueArrows, ListPart::kView},
    {Ctrl(ImGuiKey_E), "Arrows of s", ToggleSlidingArrows, ListPart::kView},
    {Key(ImGuiKey_F2), "What two runs differ in, over the picture", ToggleSentence,
     ListPart::kView},
    {Key(ImGuiKey_Home), "The first look", FrameAll, ListPart::kView},
    {Ctrl(ImGuiKey_A), "", FrameAll, ListPart::kNone},
    {Key(ImGuiKey_F6), "Next kind of frames", CycleFrames, ListPart::kView},
    {Key(ImGuiKey_F7), "Next kind of labels", CycleLabels, ListPart::kView},
    {Key(ImGuiKey_Tab), "Side panel", ToggleSidePanel, ListPart::kView},
    {Shift(ImGuiKey_Tab), "Plots", TogglePlotsPanel, ListPart::kView},
    {Ctrl(ImGuiKey_Tab), "Buttons by arrow keys and enter", ToggleByKeys, ListPart::kView},
    {Key(ImGuiKey_Enter), "", GoOnInTour, ListPart::kNone, std::nullopt, IsTouring},
    {Key(ImGuiKey_F5), "Full screen", ToggleFullscreen, ListPart::kView},
    {Key(ImGuiKey_F8), "Light or dark", ToggleTheme, ListPart::kView},
    {Held(Ctrl(ImGuiKey_Equal)), "Content larger", Do<Zoom, 1>, ListPart::kView},
    {Held(Ctrl(ImGuiKey_Minus)), "Content smaller", Do<Zoom, -1>, ListPart::kView},
    {Ctrl(ImGuiKey_0), "Content as large as at first", Do<Zoom, 0>, ListPart::kView},
    {Ctrl(ImGuiKey_P), "Screenshot", TakeScreenshot, ListPart::kView, Icon::kCamera},
    {Ctrl(ImGuiKey_Q), "Quit", Quit, ListPart::kView},

    {Gesture("left drag"), "Mouse in the view: orbit"},
    {Gesture("right drag"), "Mouse in the view: pan, with shift level"},
    {Gesture("wheel"), "Mouse in the view: zoom"},
    {Gesture("[ / ]"), "View: previous, next camera"},
    {Gesture("double click"), "Mouse in the view: select a body"},
    {Gesture("right double click"), "Mouse in the view: centre a point; with ctrl track a body"},
    {Gesture("ctrl-left drag"), "Mouse in the view: turn the selected body"},
    {Gesture("ctrl-right drag"), "Mouse in the view: pull the selected body"},
    {Key(ImGuiKey_Escape), "Close lists and sheets; free the camera", Leave, ListPart::kKeys},
    {Gesture("drag"), "Mouse in a plot: move in time"},
    {Gesture("shift-drag"), "Mouse in a plot: figures of a stretch; shift-click ends"},
    {Gesture("wheel"), "Mouse in a plot: zoom in time; with ctrl in value"},
    {Gesture("right drag"), "Mouse in a plot: zoom to a box"},
    {Gesture("double click"), "Mouse in a plot: fit"},
    {Gesture("click"), "Mouse in a plot, while paused: go to that moment"},
    {Gesture("title drag"), "Mouse in a plot: move a plot; onto another: join it"},
    {Gesture("drag"), "Slider: change, with shift a tenth as fast"},
    {Gesture("click on the number"), "Slider: type a number; ctrl-click, too"},
    {Gesture("↑ / ↓"), "Slider: nudge the one clicked last"},
    {Gesture("enter"), "Slider: type into it"},
    {Gesture("delete"), "Slider: its default"},
    // Replace the keys' other meanings while the user drives.
    {Held(Key(ImGuiKey_UpArrow)), "Driving: faster forward", Nudge<1, 0, 0>, ListPart::kKeys,
     std::nullopt, IsDriven},
    {Held(Key(ImGuiKey_DownArrow)), "Driving: faster backward", Nudge<-1, 0, 0>, ListPart::kKeys,
     std::nullopt, IsDriven},
    {Held(Key(ImGuiKey_LeftArrow)), "Driving: turn left", Nudge<0, 0, 1>, ListPart::kKeys,
     std::nullopt, IsDriven},
    {Held(Key(ImGuiKey_RightArrow)), "Driving: turn right", Nudge<0, 0, -1>, ListPart::kKeys,
     std::nullopt, IsDriven},
    {Held(Shift(ImGuiKey_LeftArrow)), "Driving: go left", Nudge<0, 1, 0>, ListPart::kKeys,
     std::nullopt, IsDriven},
    {Held(Shift(ImGuiKey_RightArrow)), "Driving: go right", Nudge<0, -1, 0>, ListPart::kKeys,
     std::nullopt, IsDriven},
    {Key(ImGuiKey_End), "Driving: in place", DriveInPlace, ListPart::kKeys, std::nullopt, IsDriven},
};

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
  const auto* found = std::ranges::find_if(kActions, [act](const Action& action) {
    return action.chord.key != ImGuiKey_None && action.act == ActionFunction(act);
  });
  return found == std::end(kActions) ? nullptr : found;
}

// Whether the key means something else with shift.
bool IsOtherWithShift(ImGuiKey key) {
  return std::ranges::any_of(kActions, [key](const Action& action) {
    return action.chord.key == key && action.chord.modifier == Modifier::kShift;
  });
}

}  // namespace

std::span<const Action> Actions() { return kActions; }

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

void Leave(WindowState* state, View3d* view) {
  if (state->jobs.is_open) {
    ToggleJobs(state);
  } else if (state->tour.is_open() || state->tour.is_offered) {
    state->tour.Finish();
  } else if (state->slider.focused == 0) {
    view->SetCamera(0);
    view->ClearSelection();
  }
}

}  // namespace civita
