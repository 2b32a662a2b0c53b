#pragma once

#include <functional>
#include <string>

#include "app/verbs/geodesic/carry_options.h"

namespace civita {

struct Registry;

/// Options of `civita geodesic`.
struct GeodesicOptions {
  CarryOptions carry;
  std::string q;  ///< nq numbers; empty: the model's own configuration
  std::string v;  ///< nv numbers; empty: 1 each
  double duration_s = 1;
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddGeodesic(CLI::App* command, const Registry& registry);

/// Integrates and reports. @returns an ExitCode. @throws UserError.
int RunGeodesic(const GeodesicOptions& options);

}  // namespace civita
