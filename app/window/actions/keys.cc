#include "app/window/actions/keys.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cctype>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"

namespace civita {
namespace {

constexpr ShortcutRow kRunKeys[] = {
    {"space", "Play or pause"},
    {"→ / ←", "One control step, and back"},
    {"shift-→ / ctrl-→", "Ten, a hundred"},
    {"ctrl-B", "To the other branch of time"},
    {"backspace", "Reset"},
    {"+ / −", "Faster, slower"},
    {"ctrl-L", "Reload the scene"},
    {"ctrl-O", "Scenes"},
    {"F3", "Throw the robot off its motion"},
    {"F10", "Push"},
    {"F11", "Drive legs by keys, end it"},
};
// Replace the keys' other meanings while the user drives.
constexpr ShortcutRow kDriveKeys[] = {
    {"↑ / ↓", "Faster forward, backward"},
    {"← / →", "Turn left, right"},
    {"shift-← / shift-→", "Go left, right"},
    {"end", "In place"},
};
constexpr ShortcutRow kViewKeys[] = {
    {"F9", "Contact forces and balance of legs"},
    {"ctrl-G", "A robot at the reference"},
    {"ctrl-T / ctrl-E", "Arrows of torques, of s"},
    {"ctrl-F", "Friction cones of feet"},
    {"esc", "Closes lists; frees the camera"},
    {"home / ctrl-A", "The first camera"},
    {"F6 / F7", "Next kind of frames, of labels"},
    {"[ / ]", "Previous, next camera"},
    {"left drag", "Orbit"},
    {"right drag", "Pan, with shift level"},
    {"wheel", "Zoom"},
    {"double click", "Select a body"},
    {"right double", "Centre; with ctrl track"},
    {"ctrl-left drag", "Twist the selected body"},
    {"ctrl-right drag", "Pull the selected body"},
    {"0 / … / 5", "Geometry groups, with shift sites"},
    {"letters", "MuJoCo's visual flags, as in simulate"},
};
constexpr ShortcutRow kTuneKeys[] = {
    {"drag", "With shift a tenth as fast"},
    {"ctrl-click", "Type a number; double click, too"},
    {"↑ / ↓", "Nudge the slider clicked last"},
    {"enter", "Type into it"},
    {"delete", "Its default"},
    {"ctrl-Z / ctrl-Y", "Undo, redo"},
    {"ctrl-R", "Revert to the profile"},
    {"F4", "The other settings of this run"},
};
constexpr ShortcutRow kWindowKeys[] = {
    {"tab", "Side panel, with shift plots"},
    {"F1", "This table"},
    {"ctrl-K", "All actions, tabs and plots"},
    {"F5", "Full screen"},
    {"F8", "Light or dark"},
    {"ctrl-+ / ctrl-−", "Larger, smaller"},
    {"ctrl-0", "As large as at first"},
    {"ctrl-P", "Screenshot"},
    {"F12", "Record files and a video"},
    {"ctrl-J", "Jobs in the background"},
    {"ctrl-Q", "Quit"},
};
constexpr ShortcutRow kPlotKeys[] = {
    {"drag", "Move in time"},
    {"wheel", "Zoom in time; with ctrl in value"},
    {"right drag", "Zoom to a box"},
    {"double click", "Fit"},
    {"click", "While paused: go to that moment"},
};
// In an order that fills three columns evenly.
constexpr KeyGroup kGroups[] = {{"Simulation", kRunKeys}, {"Driving, after F11", kDriveKeys},
                                {"Plots", kPlotKeys},     {"View", kViewKeys},
                                {"Window", kWindowKeys},  {"Sliders", kTuneKeys}};

constexpr int kManySteps = 10, kFarSteps = 100;  // with shift, with ctrl

bool Pressed(int key, bool repeat = false) { return ImGui::IsKeyPressed(key, repeat); }

// Leaps of so many control steps.
void HandleTimeKeys(WindowState* state, int steps) {
  if (Pressed(GLFW_KEY_RIGHT, true)) StepForward(state, steps);
  if (Pressed(GLFW_KEY_LEFT, true)) StepBack(state, steps);
}

void HandleControlKeys(WindowState* state, View3d* view) {
  if (Pressed(GLFW_KEY_Q)) state->requests.quit = true;
  if (Pressed(GLFW_KEY_P)) state->requests.screenshot = true;
  if (Pressed(GLFW_KEY_L)) ReloadScene(state);
  if (Pressed(GLFW_KEY_Z)) UndoTuning(state);
  if (Pressed(GLFW_KEY_Y)) RedoTuning(state);
  if (Pressed(GLFW_KEY_R)) RevertTuning(state);
  if (Pressed(GLFW_KEY_O)) OpenLauncher(state);
  if (Pressed(GLFW_KEY_EQUAL, true) || Pressed(GLFW_KEY_KP_ADD, true)) Zoom(state, 1);
  if (Pressed(GLFW_KEY_MINUS, true) || Pressed(GLFW_KEY_KP_SUBTRACT, true)) Zoom(state, -1);
  if (Pressed(GLFW_KEY_0) || Pressed(GLFW_KEY_KP_0)) Zoom(state, 0);
  if (Pressed(GLFW_KEY_A)) view->FrameAll();
  if (Pressed(GLFW_KEY_G)) ToggleReferenceGhost(state);
  if (Pressed(GLFW_KEY_T)) ToggleTorqueArrows(state);
  if (Pressed(GLFW_KEY_E)) ToggleSlidingArrows(state);
  if (Pressed(GLFW_KEY_F)) ToggleCones(state);
  if (Pressed(GLFW_KEY_B)) SwitchBranch(state);
  if (Pressed(GLFW_KEY_J)) ToggleJobs(state);
  if (Pressed(GLFW_KEY_K)) state->opens_palette = true;
  if (!state->scene->drive) HandleTimeKeys(state, kFarSteps);
}

// While the user drives, the arrows control the robot, not time or a slider.
void HandleDriveKeys(WindowState* state) {
  const int ahead = Pressed(GLFW_KEY_UP, true) - Pressed(GLFW_KEY_DOWN, true);
  const int left = Pressed(GLFW_KEY_LEFT, true) - Pressed(GLFW_KEY_RIGHT, true);
  const bool sideways = ImGui::GetIO().KeyShift;
  if (ahead != 0 || left != 0) {
    state->slider.focused = 0;
    NudgeDrive(state, ahead, sideways ? left : 0, sideways ? 0 : left);
  }
  if (Pressed(GLFW_KEY_END)) SetDrive(state, DriveCommand{});
}

void HandleRunKeys(WindowState* state) {
  if (Pressed(GLFW_KEY_SPACE)) TogglePlay(state);
  if (state->scene->drive) {
    HandleDriveKeys(state);
  } else {
    HandleTimeKeys(state, ImGui::GetIO().KeyShift ? kManySteps : 1);
  }
  if (Pressed(GLFW_KEY_BACKSPACE)) ResetRun(state);
  if (Pressed(GLFW_KEY_EQUAL, true) || Pressed(GLFW_KEY_KP_ADD, true)) ChangeSpeed(state, 1);
  if (Pressed(GLFW_KEY_MINUS, true) || Pressed(GLFW_KEY_KP_SUBTRACT, true)) ChangeSpeed(state, -1);
}

// The flag whose shortcut in MuJoCo's table is `letter`.
template <std::size_t N>
int FindFlag(const char* (&table)[N][3], char letter) {
  for (std::size_t i = 0; i < N; ++i) {
    if (table[i][2][0] == letter && table[i][2][1] == '\0') return static_cast<int>(i);
  }
  return -1;
}

template <typename Flag>
void Flip(WindowState* state, const char* name, Flag* flag) {
  *flag = *flag == 0 ? 1 : 0;
  ShowToast(state, std::string(name) + (*flag != 0 ? ": on" : ": off"));
}

void HandleFlagKeys(WindowState* state, View3d* view) {
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    if (!Pressed(letter)) continue;  // GLFW's codes of letters are ASCII
    if (const int flag = FindFlag(mjVISSTRING, letter); flag >= 0) {
      Flip(state, mjVISSTRING[flag][0], &view->options().flags[flag]);
    } else if (const int effect = FindFlag(mjRNDSTRING, letter); effect >= 0) {
      Flip(state, mjRNDSTRING[effect][0], &view->render_flags()[effect]);
    } else {
      continue;
    }
    view->Invalidate();
  }
  for (int group = 0; group < mjNGROUP; ++group) {
    if (!Pressed(GLFW_KEY_0 + group)) continue;
    const bool sites = ImGui::GetIO().KeyShift;
    mjtByte* groups = sites ? view->options().sitegroup : view->options().geomgroup;
    const std::string name = (sites ? "Site group " : "Geometry group ") + std::to_string(group);
    Flip(state, name.c_str(), &groups[group]);
    view->Invalidate();
  }
}

// MuJoCo's kinds of frames or labels, one after the other.
void CycleHelper(WindowState* state, const char* what, const char** names, int count, int* kind,
                 View3d* view) {
  *kind = (*kind + 1) % count;
  ShowToast(state, std::string(what) + ": " + names[*kind]);
  view->Invalidate();
}

void HandleCameraKeys(WindowState* state, View3d* view) {
  if (Pressed(GLFW_KEY_ESCAPE) && state->slider.focused == 0) {
    view->SetCamera(0);
    view->ClearSelection();
  }
  if (Pressed(GLFW_KEY_HOME)) view->FrameAll();
  // Brackets are characters, which many layouts have on other keys with a modifier.
  for (const ImWchar c : ImGui::GetIO().InputQueueCharacters) {
    if (c == '[') view->CycleCamera(-1);
    if (c == ']') view->CycleCamera(1);
  }
  if (Pressed(GLFW_KEY_F6)) {
    CycleHelper(state, "Frames", mjFRAMESTRING, mjNFRAME, &view->options().frame, view);
  }
  if (Pressed(GLFW_KEY_F7)) {
    CycleHelper(state, "Labels", mjLABELSTRING, mjNLABEL, &view->options().label, view);
  }
}

void HandleWindowKeys(WindowState* state, View3d* view) {
  if (Pressed(GLFW_KEY_TAB)) {
    bool& shown = ImGui::GetIO().KeyShift ? state->panels.plots : state->panels.side;
    shown = !shown;
  }
  if (Pressed(GLFW_KEY_F4)) SwapTuning(state);
  if (Pressed(GLFW_KEY_F5)) state->requests.toggle_fullscreen = true;
  if (Pressed(GLFW_KEY_F3)) ThrowOff(state);
  if (Pressed(GLFW_KEY_F8)) ToggleTheme(state);
  if (Pressed(GLFW_KEY_F9)) ToggleStance(state);
  if (Pressed(GLFW_KEY_F10)) PushNow(state);
  if (Pressed(GLFW_KEY_F11)) ToggleDrive(state);
  if (Pressed(GLFW_KEY_F12)) ToggleRecording(state);
  HandleCameraKeys(state, view);
}

// An open list takes all keys; esc closes it.
bool IsTakenByList() {
  if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return false;
  if (Pressed(GLFW_KEY_ESCAPE)) ImGui::ClosePopupToLevel(0, true);
  return true;
}

}  // namespace

std::span<const KeyGroup> KeyGroups() { return kGroups; }

void HandleKeys(WindowState* state, View3d* view) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || state->slider.editing != 0) return;
  if (IsTakenByList()) return;
  if (Pressed(GLFW_KEY_F1)) state->is_help_open = !state->is_help_open;
  if (state->is_help_open) {
    if (Pressed(GLFW_KEY_ESCAPE)) state->is_help_open = false;
    return;
  }
  if (state->launcher.is_open) return;
  if (state->jobs.is_open) {
    const bool closes = Pressed(GLFW_KEY_ESCAPE) || (io.KeyCtrl && Pressed(GLFW_KEY_J));
    if (closes) ToggleJobs(state);
    return;
  }
  if (io.KeyCtrl) return HandleControlKeys(state, view);
  HandleWindowKeys(state, view);
  HandleRunKeys(state);
  HandleFlagKeys(state, view);
}

}  // namespace civita
