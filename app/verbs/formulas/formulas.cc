#include "app/verbs/formulas/formulas.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/terminal.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/study/evaluate/eval_model.h"
#include "civita/suggest.h"
#include "core/symbolic/algebra.h"

namespace civita {

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
  if (options.base != "fixed" && options.base != "free") {
    throw UserError("--base: " + UnknownName("choice", options.base, {"fixed", "free"}));
  }
  const EvalModel loaded = LoadEvalModel(options.model, options.base == "free", false, kFlags);
  const InterruptGuard guard;  // before any file is created
  std::optional<OutputFile> file;
  if (!options.out.empty()) {
    file.emplace(options.out, OutputFile::Kind::kWhole, "--out " + options.out);
  }
  for (const std::string& notice : loaded.notices) {
    PrintNote(notice);
  }
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

}  // namespace civita
