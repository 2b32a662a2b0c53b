#include "app/program.h"
#include "app/verbs/verb.h"
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
    {"identify", AddIdentify},
    {"legs", AddLegs},
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

Registry BuiltinRegistry() { return MakeRegistry(kVerbs); }

}  // namespace civita
