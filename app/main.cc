#include "app/program.h"
#include "civita/scenes/registry.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/bench_window.h"
#include "app/window/run_in_window.h"
#endif

int main(int argc, char** argv) {
  civita::Registry registry = civita::BuiltinRegistry();
#ifdef CIVITA_WITH_WINDOW
  registry.run_in_window = civita::RunInWindow;
  registry.bench_window = civita::BenchWindow;
#endif
  return civita::RunProgram(argc, argv, registry);
}
