#include "app/verbs/formulas/formulas.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/terminal.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/sim/output_file.h"
#include "civita/study/evaluate/eval_model.h"
#include "civita/study/evaluate/eval_quantities.h"
#include "civita/suggest.h"
#include "core/symbolic/algebra.h"
#include "core/symbolic/symbolic_model.h"
#include "study/formulas/formula_language.h"

namespace civita {
namespace {

/// A row of the table; shape and description are those of `civita eval`.
struct FormulaRow {
  std::string_view name;
  std::string_view state;  ///< a letter for each vector that it depends on
  Formulas (SymbolicModel::*calc)() const;
};
constexpr std::array kRows = {
    FormulaRow{"H", "q", &SymbolicModel::H},
    FormulaRow{"C", "qv", &SymbolicModel::C},
    FormulaRow{"Gamma", "q", &SymbolicModel::Gamma},
    FormulaRow{"Hdot", "qv", &SymbolicModel::Hdot},
    FormulaRow{"g", "q", &SymbolicModel::g},
    FormulaRow{"bias", "qv", &SymbolicModel::bias},
    FormulaRow{"tau", "qva", &SymbolicModel::tau},
    FormulaRow{"kinetic", "qv", &SymbolicModel::kinetic},
    FormulaRow{"potential", "q", &SymbolicModel::potential},
};

constexpr std::array kLanguages = {
    FormulaLanguage{"c", BeginC, WriteC},
    FormulaLanguage{"python", BeginPython, WritePython},
    FormulaLanguage{"latex", BeginLatex, WriteLatex},
};

/// The row with this name. @throws UserError that lists all.
template <typename Rows>
const auto& FindRow(const Rows& rows, const std::string& flag, const char* kind,
                    const std::string& name) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw UserError(flag + ": " + UnknownName(kind, name, names));
}

const Quantity& QuantityOf(const FormulaRow& row) {
  const auto quantities = Quantities();
  const auto found = std::ranges::find(quantities, row.name, &Quantity::name);
  CIVITA_CHECK(found != quantities.end(), row.name);
  return *found;
}

/// On one line and without the end of a comment in C.
std::string OneLine(std::string text) {
  for (std::size_t n = 0; n < text.size(); ++n) {
    const bool ends_comment = text[n] == '/' && n > 0 && text[n - 1] == '*';
    if (static_cast<unsigned char>(text[n]) < ' ' || ends_comment) text[n] = ' ';
  }
  return text;
}

/// "q[3..6]".
std::string Range(char letter, int first, int count) {
  const std::string last = count > 1 ? ".." + std::to_string(first + count - 1) : "";
  return std::string(1, letter) + "[" + std::to_string(first) + last + "]";
}

std::vector<std::string> Describe(const FormulasOptions& options, const Model& model,
                                  const Factorization& factorization) {
  std::vector<std::string> lines = {
      OneLine("Formulas of " + options.model + " by civita: H a + C v + g = tau, a the rate of v."),
      OneLine("Factorization: " + ToString(factorization) + ". SI units; arrays are row-major.")};
  for (const Model::NamedJoint& joint : model.joints()) {
    lines.push_back(OneLine(joint.name + ": " + ToString(joint.type) + ", " +
                            Range('q', joint.iq, NumPositions(joint.type)) + ", " +
                            Range('v', joint.iv, NumVelocities(joint.type))));
  }
  return lines;
}

/// Computes arrays, shows progress and notices an interrupt that a guard keeps.
class FormulaTask {
 public:
  FormulaTask(const SymbolicModel& model, bool expand, bool shown)
      : model_(model), expand_(expand), progress_(shown) {}

  /// nullopt if interrupted.
  std::optional<Formulas> Calc(const FormulaRow& row) {
    if (ShouldStop(row)) return std::nullopt;
    Formulas formulas = (model_.*row.calc)();
    if (expand_) return MultiplyOutBeside(row, std::move(formulas));
    if (InterruptGuard::raised()) return std::nullopt;
    return formulas;
  }

 private:
  bool ShouldStop(const FormulaRow& row, const std::string& more = "") {
    if (progress_.Due()) progress_.Show("formulas of " + std::string(row.name) + more);
    return InterruptGuard::raised();
  }

  /// In a thread, as one entry can take longer than anyone waits and is not to be stopped. After an
  /// interrupt it is left to itself: the process must then end without another word.
  std::optional<Formulas> MultiplyOutBeside(const FormulaRow& row, Formulas formulas) {
    const auto begun = std::make_shared<std::atomic<std::size_t>>(0);
    const std::string all = " of " + std::to_string(formulas.entries.size());
    std::packaged_task<Formulas()> task([begun, formulas = std::move(formulas)] {
      return MultiplyOut(formulas, [&begun] { return ++*begun, false; });
    });
    std::future<Formulas> expanded = task.get_future();
    std::thread(std::move(task)).detach();
    while (expanded.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
      const std::string entry = ": entry " + std::to_string(begun->load()) + all;
      if (ShouldStop(row, entry)) return std::nullopt;
    }
    return expanded.get();
  }

  const SymbolicModel& model_;
  bool expand_;
  ProgressLine progress_;
};

Factorization ReadFactorization(const FormulasOptions& options, const Model& model) {
  try {
    return ParseFactorization(options.factorization, model);
  } catch (const UserError& error) {
    throw UserError("--" + std::string(error.what()));
  }
}

std::vector<const FormulaRow*> FindRows(const FormulasOptions& options) {
  std::vector<const FormulaRow*> rows;
  for (const std::string& name : options.quantities) {
    for (const FormulaRow& row : kRows) {
      if (name == "all" || row.name == name) rows.push_back(&row);
    }
    if (name != "all") FindRow(kRows, "--quantities", "quantity", name);
  }
  return rows;
}

/// The whole text; nullopt if interrupted.
std::optional<std::string> WriteAll(const FormulasOptions& options, const Model& model,
                                    const std::vector<const FormulaRow*>& rows) {
  const FormulaLanguage& language = FindRow(kLanguages, "--language", "language", options.language);
  const Factorization factorization = ReadFactorization(options, model);
  std::string text = language.begin(Describe(options, model, factorization));
  const SymbolicModel symbolic(model, factorization);
  FormulaTask task(symbolic, options.expand, !options.out.empty() || isatty(STDOUT_FILENO) == 0);
  for (const FormulaRow* row : rows) {
    std::optional<Formulas> formulas = task.Calc(*row);
    if (!formulas) return std::nullopt;
    const Quantity& quantity = QuantityOf(*row);
    FormulaArray array{std::string(row->name),
                       std::string(quantity.doc),
                       {},
                       ShapeOf({&quantity, std::string(row->name)}, model, model.nv()),
                       *std::move(formulas)};
    for (const char letter : row->state) array.state.emplace_back(1, letter);
    text += language.write(array);
  }
  return text;
}

}  // namespace

int RunFormulas(const FormulasOptions& options) {
  if (options.expand && !HasAlgebra()) {
    PrintError("--expand needs a build of civita with Debian's libginac-dev; this one is without");
    return kExitSkipped;
  }
  FindRow(kLanguages, "--language", "language", options.language);
  const std::vector<const FormulaRow*> rows = FindRows(options);
  if (options.base != "fixed" && options.base != "free") {
    throw UserError("--base: " + UnknownName("choice", options.base, {"fixed", "free"}));
  }
  const EvalModel loaded = LoadEvalModel(options.model, options.base == "free", false);
  const InterruptGuard guard;  // before any file is created
  std::optional<OutputFile> file;
  if (!options.out.empty()) {
    file.emplace(options.out, OutputFile::Kind::kWhole, "--out " + options.out);
  }
  for (const std::string& notice : loaded.notices) {
    PrintNote(notice);
  }
  const std::optional<std::string> text = WriteAll(options, loaded.model, rows);
  if (!text) {
    file.reset();
    PrintError("interrupted, nothing is written");
    if (options.expand) {  // see MultiplyOutBeside
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

std::string DescribeFormulas() {
  std::string text;
  for (const FormulaRow& row : kRows) {
    std::string state;
    for (const char letter : row.state)
      state += (state.empty() ? "" : ",") + std::string(1, letter);
    std::string line = "  " + std::string(row.name) + "(" + state + ")";
    line.resize(18, ' ');
    text += line + std::string(QuantityOf(row).doc) + "\n";
  }
  return text;
}

}  // namespace civita
