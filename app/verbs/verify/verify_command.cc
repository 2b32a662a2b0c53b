#include <CLI/CLI.hpp>
#include <memory>

#include "app/verbs/verify/verify.h"

namespace civita {
namespace {

constexpr const char* kVerifyAbout =
    "Simulates a recorded run anew from its config.yaml and compares every row with the recorded "
    "one, bit for bit.";

constexpr const char* kVerifyFooter = R"(
Exit code 1: the first number that differs is told, or that signals.csv is not what the run wrote,
by the hash in its run.json, or that signals.npz or timing.csv do not go with it. A recording that
begins within a run is compared from there on. What was changed by hand during a run is not
repeated. Another machine or compiler may give other bits.
)";

}  // namespace

std::function<int()> AddVerify(CLI::App* command, const Registry&) {
  const auto directory = std::make_shared<std::string>();
  command->description(kVerifyAbout)->footer(kVerifyFooter);
  command->add_option("directory", *directory, "a run folder")->required()->type_name("DIR");
  return [directory] { return RunVerify(*directory); };
}

}  // namespace civita
