#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/study/identify/motion_samples.h"

namespace civita {

/// Rows of numbers, each led by its time.
struct MotionTable {
  std::string name = {};                  ///< in errors
  std::vector<std::string> columns = {};  ///< the first is t
  std::size_t size = 0;                   ///< rows
  std::function<std::span<const double>(std::size_t)> row = {};
  bool torque_is_held = false;
};

/// The model of the law that a run's folder is of. @throws UserError for a folder that is no run,
/// and robots with closed loops.
Model ReadRunModel(const std::filesystem::path& directory);

/// The motion of a model in a table with the columns t, /q/i, /v/i and /tau/i, as signals.csv has
/// them, in any order and among others. Of a run of a scene, samples with contacts, at limits,
/// under a push, at a throw or before the payload is grasped are excluded, and positions are those
/// at which the steps of its physics take the velocities to be. @throws UserError.
MotionSamples ReadMotion(const MotionTable& table, const Model& model, const Scene* run = nullptr);

/// That in a run's folder, in a CSV file, or in an NPZ file, which may have matrices q, v and tau
/// with a row a time, too, and "held". @throws UserError.
MotionSamples ReadMotion(const std::filesystem::path& path, const Model& model);

/// A scene whose reference tells parameters apart.
struct Excitation {
  SceneConfig config;
  double condition = 0;  ///< CalcExcitation of the reference
  int tried = 0;
};
/// The best of `tried` random Fourier series (reference type excitation, seeds from 1 on) about the
/// home of a run's scene, as wide as is moderate, within limits and without collisions; free bodies
/// only where the motion has a force on them. @throws UserError.
Excitation ProposeExcitation(const std::filesystem::path& directory, const MotionSamples& motion,
                             double window, int tried = 64);

}  // namespace civita
