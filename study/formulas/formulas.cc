#include "civita/study/formulas/formulas.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/study/evaluate/eval_quantities.h"
#include "civita/suggest.h"
#include "study/formulas/formula_language.h"
#include "study/symbolic/symbolic_model.h"

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
const auto& FindRow(const Rows& rows, const std::string& option, const char* kind,
                    const std::string& name) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw UserError(option + ": " + UnknownName(kind, name, names));
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

std::vector<std::string> Describe(const FormulaOptions& options, const Model& model,
                                  const Factorization& factorization) {
  std::vector<std::string> lines = {
      OneLine("Formulas of " + options.name + " by civita: H a + C v + g = tau, a the rate of v."),
      OneLine("Factorization: " + ToString(factorization) + ". SI units; arrays are row-major.")};
  for (const Model::NamedJoint& joint : model.joints()) {
    lines.push_back(OneLine(joint.name + ": " + ToString(joint.type) + ", " +
                            Range('q', joint.iq, NumPositions(joint.type)) + ", " +
                            Range('v', joint.iv, NumVelocities(joint.type))));
  }
  return lines;
}

const FormulaLanguage& LanguageOf(const FormulaOptions& options) {
  return FindRow(kLanguages, options.called("language"), "language", options.language);
}

std::vector<const FormulaRow*> FindRows(const FormulaOptions& options) {
  std::vector<const FormulaRow*> rows;
  for (const std::string& name : options.quantities) {
    for (const FormulaRow& row : kRows) {
      if (name == "all" || row.name == name) rows.push_back(&row);
    }
    if (name != "all") FindRow(kRows, options.called("quantities"), "quantity", name);
  }
  return rows;
}

Factorization ReadFactorization(const FormulaOptions& options, const Model& model) {
  try {
    return ParseFactorization(options.factorization, model);
  } catch (const UserError& error) {  // which begins with the option's name
    throw UserError((options.called.as_flags ? "--" : "") + std::string(error.what()));
  }
}

/// Multiplies out in a thread of its own, as one entry can take longer than anyone waits and is not
/// to be stopped; after a stop the thread is left to itself, and ends after its entry.
/// @returns nullopt when stopped.
std::optional<Formulas> MultiplyOutBeside(Formulas formulas, const FormulaOptions& options,
                                          const Watch& watch, const std::string& what) {
  struct Shared {
    std::atomic<std::size_t> begun = 0;
    std::atomic<bool> stopped = false;
  };
  const auto shared = std::make_shared<Shared>();
  const auto entry = [&what, all = formulas.entries.size()](std::size_t begun) {
    return what + ": entry " + std::to_string(begun) + " of " + std::to_string(all);
  };
  std::packaged_task<Formulas()> task([shared, formulas = std::move(formulas),
                                       multiply_out = options.multiply_out] {
    return multiply_out(formulas, [&shared] { return ++shared->begun, shared->stopped.load(); });
  });
  std::future<Formulas> expanded = task.get_future();
  std::thread(std::move(task)).detach();
  while (expanded.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    watch.Show(entry(shared->begun), kUnknownShare);
    if (!watch.stopped()) continue;
    shared->stopped = true;
    return std::nullopt;
  }
  return expanded.get();
}

}  // namespace

void CheckFormulas(const FormulaOptions& options) {
  LanguageOf(options);
  FindRows(options);
}

std::optional<std::string> WriteFormulas(const Model& model, const FormulaOptions& options,
                                         const Watch& watch) {
  const FormulaLanguage& language = LanguageOf(options);
  const std::vector<const FormulaRow*> rows = FindRows(options);
  const Factorization factorization = ReadFactorization(options, model);
  std::string text = language.begin(Describe(options, model, factorization));
  const SymbolicModel symbolic(model, factorization);
  for (const FormulaRow* row : rows) {
    const std::string what = "formulas of " + std::string(row->name);
    watch.Show(what, kUnknownShare);
    if (watch.stopped()) return std::nullopt;
    std::optional<Formulas> formulas = (symbolic.*row->calc)();
    if (options.multiply_out != nullptr) {
      formulas = MultiplyOutBeside(*std::move(formulas), options, watch, what);
    }
    if (!formulas || watch.stopped()) return std::nullopt;
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
