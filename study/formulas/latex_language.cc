#include <algorithm>

#include "base/number_text.h"
#include "civita/sim/output_file.h"
#include "study/formulas/expression_text.h"
#include "study/formulas/formula_language.h"

namespace civita {
namespace {

/// An index as a subscript.
std::string Subscript(const std::string& index) {
  return index.size() == 1 ? "_" + index : "_{" + index + "}";
}

std::string Number(double x) {
  const std::string text = internal::ExactNumber(x);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const std::string power = "10^{" + std::to_string(std::stoi(text.substr(e + 1))) + "}";
  return text.substr(0, e) + " \\cdot " + power;
}

/// q0 is q_1.
std::string Symbol(const std::string& name) {
  const std::string index = Subscript(std::to_string(std::stoi(name.substr(1)) + 1));
  return (name.front() == 'a' ? "\\dot v" : name.substr(0, 1)) + index;
}

std::string Temporary(int number) { return "x" + Subscript(std::to_string(number + 1)); }

std::string Function(bool sine, const std::string& argument) {
  const bool plain = argument.starts_with("q_") && argument.find(' ') == std::string::npos;
  if (plain) return (sine ? "s" : "c") + argument.substr(1);
  return (sine ? "\\sin(" : "\\cos(") + argument + ")";
}

std::string Reciprocal(const std::string& x) { return "\\frac{1}{" + x + "}"; }

/// Equal neighbours as a power.
std::string Product(const std::vector<std::string>& factors) {
  std::string text;
  for (std::size_t n = 0; n < factors.size();) {
    const auto first = factors.begin() + static_cast<std::ptrdiff_t>(n);
    const auto count = static_cast<std::size_t>(
        std::find_if(first, factors.end(), [&](const auto& f) { return f != *first; }) - first);
    // A sum in parentheses or an atom: both take a superscript.
    text += (text.empty() ? "" : " \\, ") + *first +
            (count > 1 ? "^{" + std::to_string(count) + "}" : "");
    n += count;
  }
  return text;
}

constexpr ExpressionSyntax kLatex = {true,     Number,     Symbol, Temporary,
                                     Function, Reciprocal, Product};

/// H_{12}; indices from 1.
std::string EntryName(const FormulaArray& array, std::size_t n) {
  std::string name = array.name;
  if (name == "Gamma") name = "\\Gamma";
  if (name == "Hdot") name = "\\dot H";
  if (name == "tau") name = "\\tau";
  if (name.size() > 1 && name.front() != '\\') name = "\\mathrm{" + name + "}";
  std::string index;
  const bool wide = std::ranges::any_of(array.shape, [](std::size_t size) { return size > 9; });
  std::size_t rest = n;
  for (std::size_t d = array.shape.size(); d-- > 0; rest /= array.shape[d]) {
    const std::string number = std::to_string(rest % array.shape[d] + 1);
    index.insert(0, index.empty() || !wide ? number : number + ",");
  }
  return index.empty() ? name : name + Subscript(index);
}

std::string Equation(const std::string& name, const std::string& value) {
  return name + " &= " + value;
}

}  // namespace

std::string BeginLatex(const std::vector<std::string>& comments) {
  std::string text;
  for (const std::string& comment : comments) text += "% " + comment + "\n";
  return text + "% Needs amsmath. In formulas indices begin at 1; s_k = sin q_k, c_k = cos q_k.\n";
}

std::string WriteLatex(const FormulaArray& array) {
  const ExpressionText expressions(array.formulas, kLatex, false);
  const std::vector<ExpressionGraph::Term>& entries = array.formulas.entries;
  std::vector<std::string> lines;
  for (const auto& [name, value] : expressions.temporaries()) {
    lines.push_back(Equation(name, value));
  }
  bool zeros = false;
  for (std::size_t n = 0; n < entries.size(); ++n) {
    zeros = zeros || entries[n].is_zero();
    if (entries[n].is_zero()) continue;
    const std::size_t first = FirstEqual(array.formulas, n);
    lines.push_back(EntryName(array, n) +
                    " &= " + (first < n ? EntryName(array, first) : expressions.Text(entries[n])));
  }
  std::string text = "\n% " + array.doc + (zeros ? "; the others are zero" : "") + ".\n";
  if (lines.empty()) return text;
  text += "\\begin{align*}\n";
  for (std::size_t n = 0; n < lines.size(); ++n) {
    text += Wrap("  " + lines[n] + (n + 1 < lines.size() ? " \\\\" : ""), " \\\\", "    &\\quad ");
  }
  return text + "\\end{align*}\n";
}

}  // namespace civita
