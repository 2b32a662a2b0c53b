#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/verbs/geodesic/carry_options.h"

namespace civita {

struct Registry;

/// Options of `civita transport`: the curve is a motion in a file, or goes through waypoints.
struct TransportOptions {
  CarryOptions carry;
  std::string along;                   ///< a run's folder, or a CSV file as of ReadMotionFile
  std::vector<std::string> waypoints;  ///< nq numbers each
  bool loop = false;                   ///< back to the first waypoint
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddTransport(CLI::App* command, const Registry& registry);

/// Integrates and reports. @returns an ExitCode. @throws UserError.
int RunTransport(const TransportOptions& options);

}  // namespace civita
