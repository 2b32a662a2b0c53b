#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "app/window/model/window_state.h"

namespace civita {

/// The actions of keys and buttons.

/// Sends a command to the simulation.
void Post(WindowState* state, Command command);
/// Of a replay says that it takes no input. @returns whether it is one.
bool RefuseInReplay(WindowState* state);

void TogglePlay(WindowState* state);
/// So many control steps; they pause. Inverse of one another.
void StepForward(WindowState* state, int steps = 1);
void StepBack(WindowState* state, int steps = 1);
bool CanStepBack(const WindowState& state);
void ResetRun(WindowState* state);
/// Lets the run start anew at the end of the scene's duration, while nothing is recorded;
/// ToggleRepeat also ends that.
void RepeatRun(WindowState* state);
void ToggleRepeat(WindowState* state);
/// Starts anew at the end of a run that repeats. A recording would lose its rows. Call once a
/// frame.
void RepeatAtEnd(WindowState* state);
/// Pauses and goes to a time within what is known, back or forward.
void RewindTo(WindowState* state, double t);
/// Exchanges the future for the one before the last branching.
void SwitchBranch(WindowState* state);
/// Lets marks and pushes follow the branches of the traces. Call after each Traces::Drain.
void FollowBranches(WindowState* state);

/// Selectable speeds as multiples of real time; the last one is 0: unlimited.
std::span<const double> Speeds();
std::string SpeedLabel(double speed);
void SetSpeed(WindowState* state, double speed);
/// Moves one entry up or down the list.
void ChangeSpeed(WindowState* state, int direction);

/// Starts a comparison of two runs of the scene, the second with the settings that it had before,
/// or torsion-free if the first is not and vice versa; or returns to the first run alone. Both
/// restart with the present tuning.
void ToggleComparison(WindowState* state);
/// The runs' configs including later changes of the tuning.
std::vector<SceneConfig> TunedConfigs(const ActiveScene& scene);
/// Sends the differences from the tuning last sent.
void PostTuning(WindowState* state);
/// Makes it that of the edited run, as one step of undo.
void SetFactorization(WindowState* state, Factorization factorization);
/// Ends an edit: one undo step, a line in the log and a mark on the time axis.
void CommitTuning(WindowState* state);
void UndoTuning(WindowState* state);
void RedoTuning(WindowState* state);
void RevertTuning(WindowState* state);
/// Undo and redo go on across changes of the law and of Compare, which start the run anew.
bool CanUndo(const WindowState& state);
bool CanRedo(const WindowState& state);
/// Ends such a change once its runs are there.
void FinishChange(WindowState* state);
/// The settings of a profile of the law, or with "" the scene's own, which ChooseProfile loads.
/// @throws UserError.
Tuning ReadProfile(const WindowState& state, const std::string& name);
void ChooseProfile(WindowState* state, const std::string& name);
/// @returns whether it could be stored.
bool StoreProfile(WindowState* state, const std::string& name);

/// Makes the form's push now; a repeating one goes on until StopPushes.
void PushNow(WindowState* state);
/// Makes a push; its start_s is from now.
void PushOnce(WindowState* state, Push push);
void StopPushes(WindowState* state);
/// Throws the robot off by the velocity error of the config's `throw`, both runs of a comparison
/// alike, and zooms the plots on what follows.
void ThrowOff(WindowState* state);
/// Shows in the plots what follows a throw at `t`.
void ShowThrow(WindowState* state, double t);
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
/// Opens the sheet of files, in the folder that it showed last or of the newest recent file.
void OpenFiles(WindowState* state);
/// Loads a scene by name, or a file, in the background; the present one keeps running.
void OpenScene(WindowState* state, const std::string& name_or_path);
void ReloadScene(WindowState* state);
/// Loads what `civita` alone shows, see kFirstScene.
void OpenFirst(WindowState* state);
/// Starts the present scene anew with all that is set and one more key of its config, given as for
/// --set; undo goes back to before.
void SetConfigKey(WindowState* state, const std::string& key, const std::string& value);
/// Reopens the present scene with another control law.
void ChangeLaw(WindowState* state, const std::string& type);

/// Starts or stops recording: a run folder, and a video of the window in it.
void ToggleRecording(WindowState* state);

/// Opens the list of all actions and keys.
void OpenPalette(WindowState* state);
/// Begins or ends going through the buttons by keys.
void ToggleByKeys(WindowState* state);
void TakeScreenshot(WindowState* state);
void ToggleSidePanel(WindowState* state);
void TogglePlotsPanel(WindowState* state);
void ToggleTheme(WindowState* state);
/// Makes the content a step larger or smaller, or with 0 as large as the monitor's scale says.
void Zoom(WindowState* state, int direction);
/// Shows or hides the stance of a legged robot: contact forces, support, balance.
void ToggleStance(WindowState* state);
/// Switch marks in the view: a translucent robot at the reference, arrows of the torques and of s
/// at the joints, the friction cones of feet in contact.
void ToggleReferenceGhost(WindowState* state);
void ToggleTorqueArrows(WindowState* state);
void ToggleSlidingArrows(WindowState* state);
void ToggleCones(WindowState* state);
/// What two runs differ in, in large type over the picture.
void ToggleSentence(WindowState* state);
void ShowToast(WindowState* state, std::string text, bool is_error = false);
/// Adds a line to the log, at the time of the run.
void AddLine(WindowState* state, std::string text, LogLine::Kind kind = LogLine::Kind::kAction);
/// Both: a line and a toast.
void Tell(WindowState* state, const std::string& text, bool is_error = false);

/// Says where a file of the user's was saved: a toast with its folder, and a line of the log.
void TellSaved(WindowState* state, const std::filesystem::path& file);

/// A mark and a line of the log for a pull of the mouse at a body.
void NotePull(WindowState* state, int body);
/// Its row in the list of pushes tells how long it has lasted since its begin `since`, s, and its
/// largest force.
void GrowPull(WindowState* state, double since, const command::Perturb& pull);

/// "civita-signals-20260314-150926.csv", in a folder if one is given: sorts by time and is unique.
std::string TimestampedName(const std::string& what, const std::string& extension,
                            const std::filesystem::path& directory = {});

/// Takes loaded scenes, new snapshots and traces, failures and refused commands. Call once a
/// frame.
/// @returns true when the scene was replaced.
bool UpdateState(WindowState* state);

}  // namespace civita
