#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/motion/body_motion.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// One command of a walk's course.
struct CommandConfig {
  double at_s = 0;
  std::vector<double> velocity = {0, 0};  ///< m/s
  double yaw_rate = 0;                    ///< rad/s
  bool walk = true;
};
std::span<const KeyRow<CommandConfig>> CommandKeys();

/// The desired motion: `reference`. Which keys a type has, ReferenceType says.
struct ReferenceConfig {
  std::string type = "sinusoid";
  /// Sinusoid, one number or nv each; empty: gentle ones that suit the model, filled in by
  /// LoadScene.
  std::vector<double> amplitude, frequency_hz, phase;
  double fade_s = 1;
  std::vector<double> to;  ///< quintic: nq
  double start_s = 0, duration_s = 2;
  bool repeat = true;
  int coordinate = 0;                          ///< line
  std::vector<std::vector<double>> waypoints;  ///< nq each
  std::vector<double> times_s;                 ///< of the waypoints
  std::string file;                            ///< CSV
  double base_hz = 0.1;                        ///< excitation
  int harmonics = 5;
  // Task paths, see TaskPath.
  std::string frame = "ee";
  std::vector<double> offset = {0, 0, 0}, by = {0, 0, 0}, size = {0.3, 0.15}, normal = {1, 0, 0},
                      turn = {0, 0, 0};
  double radius = 0.1;
  // Bodies of legged robots, see BodyMotion.
  BodyMotion::Kind motion = BodyMotion::Kind::kStand;
  std::optional<double> for_s;  ///< else to the end of the run
  double depth = 0.1;           ///< m
  std::string foot;
  std::vector<double> velocity = {0, 0};  ///< m/s
  double yaw_rate = 0;                    ///< rad/s
  /// A course; in place of start_s, for_s, velocity and yaw_rate.
  std::vector<CommandConfig> commands;
};
std::span<const KeyRow<ReferenceConfig>> ReferenceKeys();

}  // namespace civita
