#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// What was measured of a motion, a column for each of N times.
struct MotionSamples {
  std::string name = {};         ///< in errors
  Eigen::VectorXd t = {};        ///< s, increasing, evenly or not
  Eigen::MatrixXd q = {};        ///< nq × N
  Eigen::MatrixXd v = {};        ///< nv × N
  Eigen::MatrixXd tau = {};      ///< nv × N, N·m or N; zero where nothing drives
  bool torque_is_held = false;   ///< each until the next time, else a torque that varies smoothly
  std::vector<bool> excluded{};  ///< where forces act that tau does not have; empty: nowhere
};

/// Standard deviations of white noise, one for each coordinate of v.
struct MotionNoise {
  Eigen::VectorXd q, v, tau;
};

/// That in the samples, by the medians of third differences, which a motion that is smooth within
/// four samples does not have; of quantized positions by their mean squares.
MotionNoise EstimateNoise(const Model& model, const MotionSamples& samples);

/// Adds normal noise, −1 or 1 times that of the seed.
MotionSamples WithNoise(const Model& model, const MotionSamples& samples, const MotionNoise& noise,
                        int seed, double sign = 1);

/// @throws UserError with the samples' name for sizes that are not the model's, fewer than 5
/// samples, numbers that are not finite, and times that do not increase.
void CheckSamples(const Model& model, const MotionSamples& samples);

}  // namespace civita
