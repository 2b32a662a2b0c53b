#include "app/program.h"
#include "civita/scenes/registry.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/run_in_window.h"
#endif

int main(int argc, char** argv) {
  civita::Registry registry = civita::BuiltinRegistry();
#ifdef CIVITA_WITH_WINDOW
  civita::AddWindow(&registry);
#endif
  return civita::RunProgram(argc, argv, registry);
}
