// civita_random_models FIRST COUNT: writes random models in MJCF, those of the seeds from FIRST on,
// as modelSEED.xml into the working folder.

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/campaign/random_mjcf.h"

int main(int argc, char** argv) {
  const long first = argc > 1 ? std::atol(argv[1]) : 0, count = argc > 2 ? std::atol(argv[2]) : 1;
  for (long seed = first; seed < first + count; ++seed) {
    std::ofstream file("model" + std::to_string(seed) + ".xml");
    if (!(file << civita::RandomMjcf(static_cast<unsigned>(seed))).flush()) return 1;
  }
  return 0;
}
