#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/verbs/eval/eval.h"
#include "app/verbs/options.h"
#include "civita/study/evaluate/eval_quantities.h"

namespace civita {
namespace {

constexpr const char* kEvalAbout =
    "Evaluates a model: numbers as JSON, one object for all states, on standard output or in a "
    "file.";

constexpr const char* kEvalFooter = R"(
TASK is BODY[:position|:rotation|:pose], the rows of its Jacobian; default: position of its origin.
States: {"states": [{"q": [...], "v": [...], "a": [...]}, ...]}; v and a default to zeros, q to the
model's own configuration. q, v, a are in MuJoCo's order and conventions, quaternions are [w x y z].
Some quantities need more keys: "v_r": [...], "vdot_r": [...], "tau": [...], and "wrenches":
[{"body": BODY, "point": [3], "force": [3], "moment": [3], "axes": "world"|"body"}, ...].
Armature of joints counts; damping, dry friction and springs are in passive alone.

Examples:
  civita eval arm7 --quantities H,C,g
  civita eval robot.urdf --base free --quantities Gamma --out gamma.json
  ./my_script | civita eval arm.xml --states - --quantities C,tau --factorization t:1
  civita eval four_bar --reduced --quantities H,C,torsion,A
  civita eval space_arm --coordinates body_twists --quantities H,C,A
  civita eval arm7 --states many.json --quantities all --format npz --out many.npz
)";

}  // namespace

std::function<int()> AddEval(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<EvalOptions>();
  command->description(kEvalAbout);
  command->footer("\nQuantities:\n" + DescribeQuantities() + kEvalFooter + kFactorizationForms);
  AddModel(command, &options->model);
  AddNames(command, "--quantities", "what to compute, names as below, or all",
           &options->quantities);
  command->add_option("--states", options->states, "states; default: the model's own configuration")
      ->type_name("FILE|-");
  command->add_option("--factorization", options->factorization, "which C")
      ->type_name("FORM")
      ->capture_default_str();
  AddBase(command, &options->base);
  command
      ->add_option("--coordinates", options->coordinates,
                   "all in v, or in velocities w, v = A(q) w: body_twists, com_decoupled, "
                   "mass_orthonormal, task:FRAME[:pose], or A in FILE.csv or FILE.yaml")
      ->type_name("SPEC")
      ->capture_default_str();
  command->add_flag("--reduced", options->reduced,
                    "closed loops (equalities of an MJCF): all in independent velocities");
  AddNames(command, "--independent",
           "coordinates that are to be independent with --reduced; default: chosen",
           &options->independent);
  AddOutFile(command, &options->out);
  command->add_option("--format", options->format, "of the output; npz needs --out")
      ->type_name("json|npz")
      ->capture_default_str();
  return [options] { return RunEval(*options); };
}

}  // namespace civita
