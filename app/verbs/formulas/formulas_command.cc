#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/verbs/formulas/formulas.h"
#include "app/verbs/options.h"

namespace civita {
namespace {

constexpr const char* kFormulasAbout =
    "Writes the equations of motion of a model as formulas: C, Python or LaTeX.";

constexpr const char* kFormulasFooter = R"(
Each is a function civita_H(q), civita_C(q, v), ... with equal parts computed once; numbers are those
of civita eval at the same state. In LaTeX indices begin at 1.

Examples:
  civita formulas planar_2r --expand --language latex
  civita formulas arm7 --quantities H,C,g --out arm7.c
  civita formulas robot.urdf --quantities Gamma --language python --out gamma.py

Exit codes: 0 done, 2 bad input, 3 --expand in a civita that was built without GiNaC, 130 interrupted
(nothing is written).
)";

}  // namespace

std::function<int()> AddFormulas(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<FormulasOptions>();
  command->description(kFormulasAbout);
  command->footer("\nQuantities:\n" + DescribeFormulas() + kFormulasFooter);
  AddModel(command, &options->model);
  AddNames(command, "--quantities", "which, names as below, or all", &options->written.quantities)
      ->capture_default_str();
  command->add_option("--language", options->written.language, "what to write")
      ->type_name("c|python|latex")
      ->capture_default_str();
  command->add_option("--factorization", options->written.factorization, "which C and Gamma")
      ->type_name("FORM")
      ->capture_default_str();
  AddBase(command, &options->base);
  command->add_flag(
      "--expand", options->expand,
      "multiply out and use sin² + cos² = 1: short for a few joints, endless for many");
  AddOutFile(command, &options->out);
  return [options] { return RunFormulas(*options); };
}

}  // namespace civita
