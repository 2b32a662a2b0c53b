#pragma once

#include <optional>
#include <string>

#include "civita/sim/simulation.h"

namespace civita {

/// Pushes, throws and pulls, as commands to a running simulation; session.h has the others.
namespace command {
struct AddPush {
  Push push;           ///< start_s is from now
  double every_s = 0;  ///< period of repetition until StopPushes; 0: once
};
/// Ends the repetition of pushes.
struct StopPushes {};
/// Throws the robot off at the start of the next step; both runs alike. Metrics then begin anew.
struct ThrowOff {
  Throw thrown;
};
/// Force of the mouse on one body, until the next one; body 0: none. Adds to pushes.
struct Perturb {
  int body = 0;
  double xfrc[6] = {0, 0, 0, 0, 0, 0};
};
}  // namespace command

/// A change of a running simulation by hand, as run.json has it in `events`.
struct InputEvent {
  double t = 0;       ///< time of the run at the start of the step that it changes first, s
  std::string what;   ///< in words
  std::string input;  ///< what RepeatInput does: a JSON object with one key
};

/// The inputs of events.
std::string InputText(const std::string& gain, const Eigen::VectorXd& value);
std::string InputText(const Factorization& factorization);
std::string InputText(const command::AddPush& push);
std::string InputText(const command::StopPushes& stop);
std::string InputText(const command::ThrowOff& thrown);
std::string InputText(const std::optional<DriveCommand>& wanted);
std::string InputText(const command::Perturb& pull);

/// Whether an input is a pull of the mouse, which lasts until the next one.
bool IsPull(const std::string& input);

/// The key of a setting, which stays until it is set again, as "gains.K_D", "factorization" and
/// "drive"; empty of a push or a throw, which are of their time.
std::string SettingOf(const std::string& input);

/// Does it again, before the next step. @throws UserError where the text is damaged or does not fit
/// the simulation's scene.
void RepeatInput(const std::string& input, Simulation* simulation);

}  // namespace civita
