// civita_peers: what is timed for civita's own pages and is no part of it.

#include "app/program.h"
#include "civita/scenes/registry.h"
#include "tests/peers/verbs.h"

namespace {

constexpr civita::Verb kVerbs[] = {
    {"bench", civita::AddBenchWithPeers},
#ifdef CIVITA_WITH_WINDOW
    {"window", civita::AddWindowTimes},
#endif
};

}  // namespace

int main(int argc, char** argv) {
  return civita::RunProgram(argc, argv, civita::MakeRegistry(kVerbs));
}
