#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace civita {

struct Registry;

/// Options of `civita formulas`.
struct FormulasOptions {
  std::string model;  ///< as of `civita eval`
  std::vector<std::string> quantities = {"H", "C", "g"};
  std::string language = "c";
  std::string factorization = "christoffel";
  std::string base = "fixed";
  bool expand = false;
  std::string out;  ///< empty: standard output
};

/// Adds the verb's options and help, see Verb::add.
std::function<int()> AddFormulas(CLI::App* command, const Registry& registry);

/// Writes the formulas; notices and progress go to standard error. @returns an ExitCode.
/// @throws UserError.
int RunFormulas(const FormulasOptions& options);

/// The quantities as text, one line for each.
std::string DescribeFormulas();

}  // namespace civita
