#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace civita {

/// Options of `civita bench`.
struct BenchOptions {
  std::vector<std::string> models = {"chain20", "tree20", "biped20", "quadruped20"};
  bool scaling = false;
  bool peer = false;
  double seconds = 0.2;            ///< per measurement
  bool window = false;             ///< the window instead
  std::string scene = "arm7";      ///< in the window
  int switches = 12;               ///< of the scene in the window
  std::string json;                ///< file; empty: none
  std::string out;                 ///< folder; empty: none
  nlohmann::ordered_json machine;  ///< on which the window is timed: BenchReport::machine
};

}  // namespace civita
