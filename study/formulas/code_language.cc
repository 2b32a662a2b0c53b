// C and Python, which write expressions alike.
#include <algorithm>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/sim/output_file.h"
#include "study/formulas/expression_text.h"
#include "study/formulas/formula_language.h"

namespace civita {
namespace {

std::string Assignment(const std::string& name, const std::string& value) {
  return name + " = " + value;
}

/// A literal of a floating-point number.
std::string Number(double x) {
  const std::string text = internal::ExactNumber(x);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string Symbol(const std::string& name) {
  return name.substr(0, 1) + "[" + name.substr(1) + "]";
}

std::string Temporary(int number) { return "x" + std::to_string(number); }

std::string Function(bool sine, const std::string& argument) {
  return (sine ? "sin(" : "cos(") + argument + ")";
}

std::string Reciprocal(const std::string& x) { return "(1.0/(" + x + "))"; }

std::string Product(const std::vector<std::string>& factors) {
  return internal::Join(factors, "*");
}

constexpr ExpressionSyntax kCode = {false,    Number,     Symbol, Temporary,
                                    Function, Reciprocal, Product};

/// Entries as nested lists, from `place` on, which moves behind them.
std::string NestedList(const FormulaArray& array, const ExpressionText& text, std::size_t dimension,
                       std::size_t* place) {
  if (dimension == array.shape.size()) return text.Text(array.formulas.entries[(*place)++]);
  std::string list;
  for (std::size_t n = 0; n < array.shape[dimension]; ++n) {
    list += (n == 0 ? "" : ", ") + NestedList(array, text, dimension + 1, place);
  }
  return "[" + list + "]";
}

std::string Entry(const FormulaArray& array, std::size_t n) {
  return array.name + "[" + std::to_string(n) + "]";
}

/// In parentheses if it takes several lines.
std::string PythonLine(const std::string& begin, const std::string& value) {
  const std::string line = Wrap(begin + value, "", "");
  if (std::count(line.begin(), line.end(), '\n') == 1) return line;
  return Wrap(begin + "(" + value + ")", "", "        ");
}

}  // namespace

std::string BeginC(const std::vector<std::string>& comments) {
  std::string text = "/*\n";
  for (const std::string& comment : comments) text += " * " + comment + "\n";
  return text + " */\n#include <math.h>\n";
}

std::string WriteC(const FormulaArray& array) {
  const ExpressionText expressions(array.formulas, kCode, false);
  std::string text = "\n/* " + array.doc + ". */\nvoid civita_" + array.name + "(";
  for (const std::string& name : array.state) text += "const double " + name + "[], ";
  text += "double " + array.name + "[]) {\n";
  for (const std::string& name : array.state) {
    if (!expressions.Uses(name.front())) text += "  (void)" + name + ";\n";
  }
  for (const auto& [name, value] : expressions.temporaries()) {
    text += Wrap(Assignment("  const double " + name, value + ";"), "", "      ");
  }
  for (std::size_t n = 0; n < array.formulas.entries.size(); ++n) {
    const ExpressionGraph::Term& entry = array.formulas.entries[n];
    const std::size_t first = FirstEqual(array.formulas, n);
    const bool known = first < n && !entry.is_number();
    text += Wrap("  " + Entry(array, n) + " = " +
                     (known ? Entry(array, first) : expressions.Text(entry)) + ";",
                 "", "      ");
  }
  return text + "}\n";
}

std::string BeginPython(const std::vector<std::string>& comments) {
  std::string text;
  for (const std::string& comment : comments) text += "# " + comment + "\n";
  return text + "from math import cos, sin\n";
}

std::string WritePython(const FormulaArray& array) {
  const ExpressionText expressions(array.formulas, kCode, true);
  std::string text = "\n\ndef civita_" + array.name + "(" + internal::Join(array.state, ", ") +
                     "):\n" + "    \"\"\"" + array.doc + ".\"\"\"\n";
  for (const auto& [name, value] : expressions.temporaries()) {
    text += PythonLine("    " + name + " = ", value);
  }
  std::size_t place = 0;
  return text + PythonLine("    return ", NestedList(array, expressions, 0, &place));
}

}  // namespace civita
