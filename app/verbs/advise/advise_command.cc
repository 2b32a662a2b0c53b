#include <CLI/CLI.hpp>
#include <memory>

#include "app/flags.h"
#include "app/verbs/advise/advise.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"

namespace civita {
namespace {

constexpr const char* kAdviseAbout =
    "Tells without a run whether the choice of the Coriolis matrix C matters for a scene: for "
    "which errors, by how much, what it costs, and what to do instead.";

constexpr const char* kAdviseFooter = R"(
The numbers come from the linear error equations along the scene's reference,
  de/dt = -Lambda e + s,  H ds/dt = -(C + K_D + D) s,
with C and with the torsion-free C; each sentence has its formula in brackets. For laws with
s = v - v_d + Lambda e; others are refused. A robot's file has the law, gains, reference and rate
that civita run gives it; --set reference.type=… and other keys change them as there.

Examples:
  civita advise arm7_twist
  civita advise quadruped_float --factorization t:-3 --set gains.K_D=40
  civita advise chain20 --set control.actuation_delay_s=0.002 --out results/advice
  civita advise arm7_twist --set control.mode=held --measure-limit
  civita advise robot.urdf --set reference.frequency_hz=1

The folder (--out) gets advice.json with every number and advice.html; files of the same names are
replaced.
Exit codes: 0 done, 2 bad input, 130 interrupted.
)";

}  // namespace

std::function<int()> AddAdvise(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<AdviseOptions>();
  const auto out = std::make_shared<std::string>();
  options->scene.called = kFlags;
  command->description(kAdviseAbout);
  command->footer(kAdviseFooter + std::string(kFactorizationForms));
  AddValue(command, "scene", "SCENE|MODEL", "a scene, a config, an MJCF or a URDF file",
           &options->scene.scene)
      ->required();
  AddValue(command, "--factorization", "FORM",
           "the C to be judged; default: the scene's, t:1 where that is torsion-free",
           &options->factorization);
  command->add_flag("--measure-limit", options->measures_limit,
                    "find by runs, too, from which multiple of the torsion on errors grow at the "
                    "scene's control rate and delay");
  AddDuration(command, &options->scene.duration_s);
  AddSeed(command, "of unknown masses and random forms of C", &options->scene.seed);
  AddRepeatable(command, "--set", "KEY=VALUE", "override a key of the config",
                &options->scene.overrides);
  AddOutDirectory(command, "write the files into DIR", out.get());
  return [options, out] { return RunAdvise(*options, *out); };
}

}  // namespace civita
