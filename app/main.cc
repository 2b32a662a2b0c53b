#include "app/program.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/run_in_window.h"
#endif

int main(int argc, char** argv) {
#ifdef CIVITA_WITH_WINDOW
  return civita::RunProgram(argc, argv, civita::RunInWindow);
#else
  return civita::RunProgram(argc, argv, nullptr);
#endif
}
