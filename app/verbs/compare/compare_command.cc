#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/flags.h"
#include "app/verbs/compare/compare.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"

namespace civita {
namespace {

constexpr const char* kCompareAbout =
    "Runs a scene once for each variant, in step from the same start with the same seed and "
    "pushes, and puts the figures side by side.";

constexpr const char* kCompareFooter = R"(
Examples:
  civita compare arm7_twist --vary factorization=christoffel,t:1,t:-1 --out results/twist
  civita compare chain20 --vary controller.type=slotine_li,pd_gravity --initial-states 10
  civita compare point_mass --vary factorization=christoffel,joint:-5 --vary K_D=1,2
  civita compare planar_2r --vary K_D=5,10 --states states.json
  civita compare arm7 --vary "reference.amplitude=[0.1,0.1,0.1,0.1,0.1,0.1,0.1],0.2"

KEY is a key of the config, as for --set, or its last word where that is not ambiguous
(factorization, K_D, rate_hz). Values are separated by commas; lists stand in brackets. Several
--vary make all combinations.
The folder (--out) gets compare.json, compare.csv, plots.svg, report.html that holds all of it, and
of each variant its resolved config and the curves of its first run; files of the same names are
replaced.
Exit codes: 0 done, 1 a variant failed (the others are compared), 2 bad input, 130 interrupted (what
was done is kept).
)";

}  // namespace

std::function<int()> AddCompare(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<CompareOptions>();
  const auto out = std::make_shared<std::string>();
  options->called = kFlags;
  command->description(kCompareAbout);
  command->footer(kCompareFooter);
  AddValue(command, "scene", "SCENE", "a scene, a config.yaml, an MJCF or a URDF file",
           &options->scene)
      ->required();
  AddRepeatable(command, "--vary", "KEY=A,B,…", "what differs", &options->variations);
  AddRepeatable(command, "--set", "KEY=VALUE", "override a key for all variants",
                &options->overrides);
  AddFactorization(command, &options->overrides);
  AddDuration(command, &options->duration_s);
  AddSeed(command, "first seed", &options->seed);
  AddValue(command, "--seeds", "N", "run with this many seeds, one after the other",
           &options->seeds)
      ->check(CLI::Range(1, 10000));
  CLI::Option* random_starts =
      AddValue(command, "--initial-states", "N",
               "run from this many starts: the scene's, and random ones within 0.1 rad and 0.5 "
               "rad/s (m, m/s) of it",
               &options->initial_states)
          ->check(CLI::Range(1, 10000));
  AddValue(command, "--states", "FILE",
           "run from each state of FILE, written as for civita eval, in place of the scene's start",
           &options->states)
      ->excludes(random_starts);
  AddJobs(command, &options->jobs);
  AddOutDirectory(command, "write the files into DIR", out.get());
  return [options, out] { return RunCompare(*options, *out); };
}

}  // namespace civita
