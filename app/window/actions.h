#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/window/window_state.h"

namespace civita {

/// What keys and buttons do, each once.

void TogglePlay(WindowState* state);
void StepForward(WindowState* state);
/// Back to the newest saved state before the present one.
void StepBack(WindowState* state);
bool CanStepBack(const WindowState& state);
void ResetRun(WindowState* state);
void RewindTo(WindowState* state, double t);

/// Speeds of the list, times real time; the last one is 0: as fast as it can.
std::span<const double> Speeds();
std::string SpeedLabel(double speed);
void SetSpeed(WindowState* state, double speed);
/// One entry up or down the list.
void ChangeSpeed(WindowState* state, int direction);

/// Two runs of the scene side by side, the second torsion-free where the first is not and the other
/// way about; or the first one alone again. Both start anew, as tuned now.
void ToggleComparison(WindowState* state);
/// Sends what differs from the last tuning sent.
void PostTuning(WindowState* state);
/// Ends an edit: one step of undo, a line in the log and a mark on the time axis.
void CommitTuning(WindowState* state);
void UndoTuning(WindowState* state);
void RedoTuning(WindowState* state);
void RevertTuning(WindowState* state);

/// The form's push, now; with repetition until StopPushes.
void PushNow(WindowState* state);
void StopPushes(WindowState* state);
/// Lists the pushes that came again. Call once a frame.
void NoteRepeatedPushes(WindowState* state);

/// Walking as the user wants in place of the reference; nothing: the reference. Of legs alone.
void SetDrive(WindowState* state, const std::optional<DriveCommand>& wanted);
/// From the reference to stepping in place, and back.
void ToggleDrive(WindowState* state);
/// By so many steps of 0.1 m/s forward and to the left, and of 0.2 rad/s to the left, while the
/// user drives.
void NudgeDrive(WindowState* state, int forward, int left, int turn);
inline constexpr double kMaxDriveSpeed = 1;    ///< m/s, forward and sideways each
inline constexpr double kMaxDriveYawRate = 1;  ///< rad/s

void OpenLauncher(WindowState* state);
/// Loads a scene by name, or a file, in the background; the present one keeps running.
void OpenScene(WindowState* state, const std::string& name_or_path);
void ReloadScene(WindowState* state);
/// Opens the present scene anew with another control law.
void ChangeLaw(WindowState* state, const std::string& type);

void ToggleTheme(WindowState* state);
/// Shows or hides how a legged robot stands: contact forces, support, balance.
void ToggleStance(WindowState* state);
void ShowToast(WindowState* state, std::string text, bool is_error = false);

/// "civita-signals-20260314-150926.csv": sorts by time, clashes with nothing.
std::string TimestampedName(const std::string& what, const std::string& extension);

/// Takes over a loaded scene, new snapshots and traces, failures and refused commands. Call once a
/// frame.
/// @returns true when the scene was replaced.
bool UpdateState(WindowState* state);

}  // namespace civita
