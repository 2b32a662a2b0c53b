#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "civita/sim/output_file.h"
#include "civita/study/formulas/formulas.h"
#include "civita/study/model/load_model.h"
#include "study/symbolic/algebra.h"

namespace civita {
namespace {

/// Options of `civita formulas`.
struct FormulasOptions {
  std::string model;  ///< as of `civita eval`
  FormulaOptions written;
  std::string base = "fixed";
  bool expand = false;
  std::string out;  ///< empty: standard output
};

/// Writes the formulas; notices and progress go to standard error. @returns an ExitCode.
/// @throws UserError.
int RunFormulas(const FormulasOptions& options) {
  if (options.expand && !HasAlgebra()) {
    PrintError("--expand needs a build of civita with Debian's libginac-dev; this one is without");
    return kExitSkipped;
  }
  FormulaOptions written = options.written;
  written.name = options.model;
  written.called = kFlags;
  if (options.expand) written.multiply_out = MultiplyOut;
  CheckFormulas(written);
  const LoadedModel loaded = LoadModel(
      options.model, {.free_base = options.base == "free", .loops = false, .called = kFlags});
  const InterruptGuard guard;  // before any file is created
  std::optional<OutputFile> file;
  if (!options.out.empty()) {
    file.emplace(options.out, OutputFile::Kind::kNamed, "--out " + options.out);
  }
  for (const std::string& notice : loaded.notices) PrintNote(notice);
  const std::optional<std::string> text = [&] {
    ProgressLine progress(file.has_value() || isatty(STDOUT_FILENO) == 0);
    return WriteFormulas(loaded.model, written, progress.watch());
  }();
  if (!text) {
    file.reset();
    PrintError("interrupted, nothing is written");
    if (options.expand) {  // a thread may go on with an entry
      std::fflush(nullptr);
      std::_Exit(kExitInterrupted);
    }
    return kExitInterrupted;
  }
  if (!file) {
    PrintOut(*text);
    return kExitDone;
  }
  file->Write(*text);
  file->Commit();
  return kExitDone;
}

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
  AddValue(command, "--language", "c|python|latex", "what to write", &options->written.language)
      ->capture_default_str();
  AddValue(command, "--factorization", "FORM", "which C and Gamma", &options->written.factorization)
      ->capture_default_str();
  AddBase(command, &options->base);
  command->add_flag(
      "--expand", options->expand,
      "multiply out and use sin² + cos² = 1: short for a few joints, endless for many");
  AddOutFile(command, &options->out);
  return [options] { return RunFormulas(*options); };
}

}  // namespace civita
