// A run without the program: a config's scene, two seconds of it, and how well it tracks.
#include <cstdio>
#include <exception>
#include <utility>

#include "civita/scenes/scene.h"
#include "civita/sim/simulation.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: simulate CONFIG.yaml\n");
    return 2;
  }
  try {
    civita::Simulation simulation(civita::LoadScene(civita::ReadConfig(argv[1])));
    const long steps = simulation.RunFor(static_cast<long>(2 / simulation.control_dt()));
    const civita::StepRecord& record = simulation.record();
    std::printf("%ld steps, t = %g s, |e| = %.3g, V = %.3g J\n", steps, simulation.time(),
                record.e.norm(), record.V);
    return simulation.failure().failed ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
