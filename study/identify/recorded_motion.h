#pragma once

#include <filesystem>
#include <string>

#include "civita/scenes/schema/config.h"
#include "civita/study/identify/motion_samples.h"

namespace civita {

/// The model of the law that a run's folder is of. @throws UserError for a folder that is no run,
/// and robots with closed loops.
Model ReadRunModel(const std::filesystem::path& directory);

/// The motion of a model in a run's folder, or in a CSV file with the columns t, /q/i, /v/i and
/// /tau/i, as signals.csv has them, in any order and among others. Of a run, samples with contacts,
/// at limits, under a push, at a throw or before the payload is grasped are excluded, and positions
/// are those at which the steps of its physics take the velocities to be.
/// @throws UserError.
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
