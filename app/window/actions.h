#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/window/window_state.h"

namespace civita {

/// The actions of keys and buttons.

void TogglePlay(WindowState* state);
void StepForward(WindowState* state);
/// Back to the latest saved state before the present one.
void StepBack(WindowState* state);
bool CanStepBack(const WindowState& state);
void ResetRun(WindowState* state);
void RewindTo(WindowState* state, double t);

/// Selectable speeds as multiples of real time; the last one is 0: unlimited.
std::span<const double> Speeds();
std::string SpeedLabel(double speed);
void SetSpeed(WindowState* state, double speed);
/// Moves one entry up or down the list.
void ChangeSpeed(WindowState* state, int direction);

/// Starts a comparison of two runs of the scene, the second torsion-free if the first is not and
/// vice versa; or returns to the first run alone. Both restart with the present tuning.
void ToggleComparison(WindowState* state);
/// Sends the differences from the tuning last sent.
void PostTuning(WindowState* state);
/// Ends an edit: one undo step, a line in the log and a mark on the time axis.
void CommitTuning(WindowState* state);
void UndoTuning(WindowState* state);
void RedoTuning(WindowState* state);
void RevertTuning(WindowState* state);

/// Makes the form's push now; a repeating one goes on until StopPushes.
void PushNow(WindowState* state);
void StopPushes(WindowState* state);
/// Throws the robot off by the velocity error of the config's `throw`, both runs of a comparison
/// alike, and zooms the plots on what follows.
void ThrowOff(WindowState* state);
/// Adds repeated pushes to the list. Call once a frame.
void NoteRepeatedPushes(WindowState* state);

/// Overrides the reference's walk by the user's command; nullopt: no override. Legged robots only.
void SetDrive(WindowState* state, const std::optional<DriveCommand>& wanted);
/// Switches between the reference and stepping in place.
void ToggleDrive(WindowState* state);
/// Changes the user's command by so many steps of 0.1 m/s forward and to the left, and of 0.2
/// rad/s to the left.
void NudgeDrive(WindowState* state, int forward, int left, int turn);
inline constexpr double kMaxDriveSpeed = 1;    ///< m/s, forward and sideways each
inline constexpr double kMaxDriveYawRate = 1;  ///< rad/s

void OpenLauncher(WindowState* state);
/// Loads a scene by name, or a file, in the background; the present one keeps running.
void OpenScene(WindowState* state, const std::string& name_or_path);
void ReloadScene(WindowState* state);
/// Reopens the present scene with another control law.
void ChangeLaw(WindowState* state, const std::string& type);

void ToggleTheme(WindowState* state);
/// Shows or hides the stance of a legged robot: contact forces, support, balance.
void ToggleStance(WindowState* state);
void ShowToast(WindowState* state, std::string text, bool is_error = false);

/// "civita-signals-20260314-150926.csv": sorts by time and is unique.
std::string TimestampedName(const std::string& what, const std::string& extension);

/// Takes loaded scenes, new snapshots and traces, failures and refused commands. Call once a
/// frame.
/// @returns true when the scene was replaced.
bool UpdateState(WindowState* state);

}  // namespace civita
