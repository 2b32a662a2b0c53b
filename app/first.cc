// civita_first, which scripts/run opens while the other verbs are compiled: the same window, and
// what it starts is done by the program civita beside it once that is there.

#include "app/child_process.h"
#include "app/program.h"
#include "app/verbs/verb.h"
#include "civita/scenes/registry.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/run_in_window.h"
#endif

namespace {

constexpr civita::Verb kVerbs[] = {{"run", civita::AddRun}, {"compare", civita::AddCompare}};

}  // namespace

int main(int argc, char** argv) {
  civita::SetProgramCommand({civita::BesideThisProgram("civita").string()});
  civita::Registry registry = civita::MakeRegistry(kVerbs);
#ifdef CIVITA_WITH_WINDOW
  civita::AddWindow(&registry);
#endif
  return civita::RunProgram(argc, argv, registry);
}
