#include "app/window/actions/action_table.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"
#include "app/window/actions/take_along.h"
#include "civita/error.h"

namespace civita {
namespace {

constexpr Chord Key(int key) { return {key}; }
constexpr Chord Shift(int key) { return {key, Modifier::kShift}; }
constexpr Chord Ctrl(int key) { return {key, Modifier::kCtrl}; }
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
  return (state.tour.is_open() || state.tour.is_offered()) && state.slider.focused == 0;
}

void Quit(WindowState* state) { state->requests.quit = true; }
void ToggleFullscreen(WindowState* state) { state->requests.toggle_fullscreen = true; }
void OpenPalette(WindowState* state) { state->opens_palette = true; }
void FrameAll(WindowState* /*state*/, View3d* view) { view->FrameAll(); }

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
    {Key(GLFW_KEY_SPACE), "Play or pause", "", TogglePlay, ListPart::kRun},
    {Held(Key(GLFW_KEY_RIGHT)), "One control step", "One control step, and back",
     Do<StepForward, 1>, ListPart::kNone, Icon::kStep, IsNotDriven},
    {Held(Key(GLFW_KEY_LEFT)), "One control step back", kJoined, Do<StepBack, 1>, ListPart::kNone,
     Icon::kStepBack, IsNotDriven},
    {Held(Shift(GLFW_KEY_RIGHT)), "", "Ten, a hundred", Do<StepForward, kManySteps>,
     ListPart::kNone, std::nullopt, IsNotDriven},
    {Held(Ctrl(GLFW_KEY_RIGHT)), "", kJoined, Do<StepForward, kFarSteps>, ListPart::kNone,
     std::nullopt, IsNotDriven},
    {Held(Shift(GLFW_KEY_LEFT)), "", kUntold, Do<StepBack, kManySteps>, ListPart::kNone,
     std::nullopt, IsNotDriven},
    {Held(Ctrl(GLFW_KEY_LEFT)), "", kUntold, Do<StepBack, kFarSteps>, ListPart::kNone, std::nullopt,
     IsNotDriven},
    {Ctrl(GLFW_KEY_B), "To the other branch of time", "", SwitchBranch, ListPart::kRun,
     Icon::kBranch},
    {Key(GLFW_KEY_BACKSPACE), "Reset", "", ResetRun, ListPart::kRun, Icon::kReset},
    {Shift(GLFW_KEY_BACKSPACE), "Start anew at the end, again and again", "Again and again",
     ToggleRepeat, ListPart::kRun},
    {Held(Key(GLFW_KEY_EQUAL)), "", "Faster, slower", Do<ChangeSpeed, 1>},
    {Held(Key(GLFW_KEY_MINUS)), "", kJoined, Do<ChangeSpeed, -1>},
    {Ctrl(GLFW_KEY_L), "Reload the scene", "", ReloadScene, ListPart::kRun},
    {Ctrl(GLFW_KEY_O), "Scenes", "", OpenLauncher, ListPart::kRun},
    {Key(GLFW_KEY_F3), "Throw it off", "Throw the robot off its motion", ThrowOff, ListPart::kRun,
     Icon::kThrow},
    {Key(GLFW_KEY_F10), "Push", "", PushNow, ListPart::kRun, Icon::kPush},
    {Key(GLFW_KEY_F11), "Drive legs by keys, end it", "", ToggleDrive, ListPart::kRun},
};
// Replace the keys' other meanings while the user drives.
constexpr Action kDrive[] = {
    {Held(Key(GLFW_KEY_UP)), "", "Faster forward, backward", Nudge<1, 0, 0>, ListPart::kNone,
     std::nullopt, IsDriven},
    {Held(Key(GLFW_KEY_DOWN)), "", kJoined, Nudge<-1, 0, 0>, ListPart::kNone, std::nullopt,
     IsDriven},
    {Held(Key(GLFW_KEY_LEFT)), "", "Turn left, right", Nudge<0, 0, 1>, ListPart::kNone,
     std::nullopt, IsDriven},
    {Held(Key(GLFW_KEY_RIGHT)), "", kJoined, Nudge<0, 0, -1>, ListPart::kNone, std::nullopt,
     IsDriven},
    {Held(Shift(GLFW_KEY_LEFT)), "", "Go left, right", Nudge<0, 1, 0>, ListPart::kNone,
     std::nullopt, IsDriven},
    {Held(Shift(GLFW_KEY_RIGHT)), "", kJoined, Nudge<0, -1, 0>, ListPart::kNone, std::nullopt,
     IsDriven},
    {Key(GLFW_KEY_END), "", "In place", DriveInPlace, ListPart::kNone, std::nullopt, IsDriven},
};
constexpr Action kPlots[] = {
    {Gesture("drag"), "", "Move in time"},
    {Gesture("shift-drag"), "", "Figures of a stretch; shift-click ends"},
    {Gesture("wheel"), "", "Zoom in time; with ctrl in value"},
    {Gesture("right drag"), "", "Zoom to a box"},
    {Gesture("double click"), "", "Fit"},
    {Gesture("click"), "", "While paused: go to that moment"},
};
constexpr Action kView[] = {
    {Key(GLFW_KEY_F9), "", "Contact forces and balance of legs", ToggleStance},
    {Ctrl(GLFW_KEY_G), "A robot at the reference", "", ToggleReferenceGhost, ListPart::kView},
    {Ctrl(GLFW_KEY_T), "Arrows of torques", "Arrows of torques, of s", ToggleTorqueArrows,
     ListPart::kView},
    {Ctrl(GLFW_KEY_E), "Arrows of s", kJoined, ToggleSlidingArrows, ListPart::kView},
    {Ctrl(GLFW_KEY_F), "", "Friction cones of feet", ToggleCones},
    {Key(GLFW_KEY_ESCAPE), "", "Closes lists; frees the camera", Leave},
    {Key(GLFW_KEY_F2), "What two runs differ in, over the picture", "What two runs differ in",
     ToggleSentence, ListPart::kView},
    {Key(GLFW_KEY_HOME), "The first camera", "", FrameAll, ListPart::kView},
    {Ctrl(GLFW_KEY_A), "", kJoined, FrameAll},
    {Key(GLFW_KEY_F6), "", "Next kind of frames, of labels", CycleFrames},
    {Key(GLFW_KEY_F7), "", kJoined, CycleLabels},
    {Gesture("[ / ]"), "", "Previous, next camera"},
    {Gesture("left drag"), "", "Orbit"},
    {Gesture("right drag"), "", "Pan, with shift level"},
    {Gesture("wheel"), "", "Zoom"},
    {Gesture("double click"), "", "Select a body"},
    {Gesture("right double"), "", "Centre; with ctrl track"},
    {Gesture("ctrl-left drag"), "", "Twist the selected body"},
    {Gesture("ctrl-right drag"), "", "Pull the selected body"},
    {Gesture("0 / … / 5"), "", "Geometry groups, with shift sites"},
    {Gesture("letters"), "", "MuJoCo's visual flags, as in simulate"},
};
constexpr Action kWindow[] = {
    {Key(GLFW_KEY_TAB), "Side panel", "Side panel, with shift plots", ToggleSidePanel},
    {Shift(GLFW_KEY_TAB), "Plots", kUntold, TogglePlotsPanel},
    {Key(GLFW_KEY_F1), "Keys and mouse", "This table", ToggleHelp, ListPart::kView, Icon::kHelp},
    {Key(GLFW_KEY_ENTER), "", kUntold, GoOnInTour, ListPart::kNone, std::nullopt, IsTouring},
    {Ctrl(GLFW_KEY_K), "", "All actions, tabs and plots", OpenPalette},
    {Key(GLFW_KEY_F5), "", "Full screen", ToggleFullscreen},
    {Key(GLFW_KEY_F8), "Light or dark", "", ToggleTheme, ListPart::kView},
    {Held(Ctrl(GLFW_KEY_EQUAL)), "", "Larger, smaller", Do<Zoom, 1>},
    {Held(Ctrl(GLFW_KEY_MINUS)), "", kJoined, Do<Zoom, -1>},
    {Ctrl(GLFW_KEY_0), "", "As large as at first", Do<Zoom, 0>},
    {Ctrl(GLFW_KEY_P), "Screenshot", "", TakeScreenshot, ListPart::kView, Icon::kCamera},
    {Key(GLFW_KEY_F12), "Record files and a video", "", ToggleRecording, ListPart::kRun,
     Icon::kRecord},
    {Ctrl(GLFW_KEY_J), "Compare, survive, bench in the background", "Jobs in the background",
     ToggleJobs, ListPart::kRun, Icon::kJobs},
    {Ctrl(GLFW_KEY_Q), "", "Quit", Quit},
};
constexpr Action kSliders[] = {
    {Gesture("drag"), "", "With shift a tenth as fast"},
    {Gesture("ctrl-click"), "", "Type a number; double click, too"},
    {Gesture("↑ / ↓"), "", "Nudge the slider clicked last"},
    {Gesture("enter"), "", "Type into it"},
    {Gesture("delete"), "", "Its default"},
    {Ctrl(GLFW_KEY_Z), "Undo", "Undo, redo", UndoTuning, ListPart::kTune, Icon::kUndo},
    {Ctrl(GLFW_KEY_Y), "Redo", kJoined, RedoTuning, ListPart::kTune, Icon::kRedo},
    {Ctrl(GLFW_KEY_R), "Revert to the profile", "", RevertTuning, ListPart::kTune, Icon::kReset},
    {Ctrl(GLFW_KEY_C), "Copy as command", "Copy all settings as a command", CopyAsCommand,
     ListPart::kTune, Icon::kCopy},
    {Key(GLFW_KEY_F4), "The other settings of this run", "", SwapTuning, ListPart::kTune},
};
// In an order that fills three columns evenly.
constexpr ActionGroup kGroups[] = {{"Simulation", kRun}, {"Driving", kDrive},
                                   {"Plots", kPlots},    {"View", kView},
                                   {"Window", kWindow},  {"Sliders", kSliders}};

// Keys that are no letter, digit or function key; some are there twice.
struct NamedKey {
  int key;
  std::string_view text;
  int twin = 0;
};
constexpr NamedKey kNamedKeys[] = {{GLFW_KEY_SPACE, "space"},
                                   {GLFW_KEY_BACKSPACE, "backspace"},
                                   {GLFW_KEY_TAB, "tab"},
                                   {GLFW_KEY_ESCAPE, "esc"},
                                   {GLFW_KEY_ENTER, "enter", GLFW_KEY_KP_ENTER},
                                   {GLFW_KEY_HOME, "home"},
                                   {GLFW_KEY_END, "end"},
                                   {GLFW_KEY_LEFT, "←"},
                                   {GLFW_KEY_RIGHT, "→"},
                                   {GLFW_KEY_UP, "↑"},
                                   {GLFW_KEY_DOWN, "↓"},
                                   {GLFW_KEY_0, "0", GLFW_KEY_KP_0},
                                   {GLFW_KEY_EQUAL, "+", GLFW_KEY_KP_ADD},
                                   {GLFW_KEY_MINUS, "−", GLFW_KEY_KP_SUBTRACT}};

const NamedKey* FindNamed(int key) {
  const auto* found = std::ranges::find(kNamedKeys, key, &NamedKey::key);
  return found == std::end(kNamedKeys) ? nullptr : found;
}

std::string NameOfKey(int key) {
  if (const NamedKey* named = FindNamed(key)) return std::string(named->text);
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25) return "F" + std::to_string(key - GLFW_KEY_F1 + 1);
  return {static_cast<char>(key)};  // GLFW's codes of letters are ASCII
}

const Action* Find(StateAction act) {
  for (const ActionGroup& group : kGroups) {
    for (const Action& action : group.actions) {
      if (action.chord.key != 0 && action.act == ActionFunction(act)) return &action;
    }
  }
  return nullptr;
}

// Whether the key means something else with shift.
bool IsOtherWithShift(int key) {
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
  if (chord.key == 0) return std::string(chord.gesture);
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
  if (key == 0) return false;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl != (modifier == Modifier::kCtrl)) return false;
  if (!io.KeyCtrl && io.KeyShift != (modifier == Modifier::kShift) &&
      (!io.KeyShift || IsOtherWithShift(key))) {
    return false;
  }
  const NamedKey* named = FindNamed(key);
  return ImGui::IsKeyPressed(key, repeats) ||
         (named != nullptr && named->twin != 0 && ImGui::IsKeyPressed(named->twin, repeats));
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
  } else if (state->tour.is_open() || state->tour.is_offered()) {
    state->tour.Finish();
  } else if (state->slider.focused == 0) {
    view->SetCamera(0);
    view->ClearSelection();
  }
}

}  // namespace civita
