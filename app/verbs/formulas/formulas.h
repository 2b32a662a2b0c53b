#pragma once

#include <functional>
#include <string>

#include "civita/study/formulas/formulas.h"

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Options of `civita formulas`.
struct FormulasOptions {
  std::string model;  ///< as of `civita eval`
  FormulaOptions written;
  std::string base = "fixed";
  bool expand = false;
  std::string out;  ///< empty: standard output
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddFormulas(CLI::App* command, const Registry& registry);

/// Writes the formulas; notices and progress go to standard error. @returns an ExitCode.
/// @throws UserError.
int RunFormulas(const FormulasOptions& options);

}  // namespace civita
