#pragma once

#include <functional>
#include <string_view>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Gives the command its options and help. The function that it returns executes the verb once the
/// options are parsed. @returns an ExitCode. @throws UserError.
using AddVerb = std::function<int()>(CLI::App* command, const Registry& registry);

/// A verb of the program, `civita <name>`: a row of the table in app/verbs/verbs.cc or of another
/// Registry.
struct Verb {
  std::string_view name;
  AddVerb* add;
};

// Those of app/verbs, each in NAME/NAME_command.cc, but transport beside geodesic and schema beside
// keys. Registry::run_in_window shows what AddRun and AddReplay open.
AddVerb AddAdvise, AddBench, AddCompare, AddEval, AddFormulas, AddGeodesic, AddIdentify, AddKeys,
    AddLegs, AddPoe, AddReplay, AddReproduce, AddRun, AddScenes, AddSchema, AddSurvive,
    AddTransport, AddVerify;

}  // namespace civita
