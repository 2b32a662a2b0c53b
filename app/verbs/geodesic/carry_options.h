// Options of the verbs that carry vectors along curves, `civita geodesic` and `civita transport`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

struct CarryOptions {
  std::string model;  ///< as for `civita eval`
  std::string base = "fixed";
  std::string factorizations = "christoffel";  ///< forms, with commas
  std::vector<std::string> carry;  ///< vectors of nv numbers; empty: an orthonormal frame
  double step_s = 0.002;           ///< longest
  std::string out;                 ///< folder; empty: no files
  std::string format = "csv";      ///< of the curves in the folder
};

/// Adds MODEL, --factorization, --carry, --step, --base, --out and --format.
void AddCarryOptions(CLI::App* command, CarryOptions* options);

}  // namespace civita
