#include "app/program.h"
#include "app/verbs/advise/advise.h"
#include "app/verbs/bench/bench.h"
#include "app/verbs/compare/compare.h"
#include "app/verbs/eval/eval.h"
#include "app/verbs/formulas/formulas.h"
#include "app/verbs/geodesic/geodesic.h"
#include "app/verbs/keys/keys.h"
#include "app/verbs/poe/poe.h"
#include "app/verbs/replay/replay.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/run/run.h"
#include "app/verbs/scenes/scenes.h"
#include "app/verbs/survive/survive.h"
#include "app/verbs/transport/transport.h"
#include "app/verbs/verb.h"
#include "app/verbs/verify/verify.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/registry.h"

namespace civita {
namespace {

/// In the order of the help; the program without a verb runs the first one.
// One line for each verb.
// clang-format off
constexpr Verb kVerbs[] = {
    {"run", AddRun},
    {"replay", AddReplay},
    {"verify", AddVerify},
    {"compare", AddCompare},
    {"advise", AddAdvise},
    {"survive", AddSurvive},
    {"scenes", AddScenes},
    {"keys", AddKeys},
    {"eval", AddEval},
    {"geodesic", AddGeodesic},
    {"transport", AddTransport},
    {"formulas", AddFormulas},
    {"poe", AddPoe},
    {"reproduce", AddReproduce},
    {"bench", AddBench},
    {"schema", AddSchema},
};
// clang-format on

}  // namespace

Registry BuiltinRegistry() {
  Registry registry;
  registry.laws = Laws();
  registry.references = ReferenceTypes();
  for (const Verb& verb : kVerbs) registry.verbs.push_back(&verb);
  return registry;
}

}  // namespace civita
