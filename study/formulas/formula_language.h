#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "study/symbolic/expression_graph.h"

namespace civita {

/// An array of formulas to be written.
struct FormulaArray {
  std::string name;                ///< "H"
  std::string doc;                 ///< one line
  std::vector<std::string> state;  ///< what it depends on: "q", "v", "a"
  std::vector<std::size_t> shape;  ///< empty: one number
  Formulas formulas;
};

/// A language of `civita formulas`.
struct FormulaLanguage {
  std::string_view name;
  /// The file up to the first array: `comments`, a line each, and what the rest needs.
  std::string (*begin)(const std::vector<std::string>& comments);
  std::string (*write)(const FormulaArray& array);
};

/// C: `void civita_H(const double q[], double H[])`, row-major.
std::string BeginC(const std::vector<std::string>& comments);
std::string WriteC(const FormulaArray& array);
/// Python without modules but math: `civita_H(q)` returns nested lists.
std::string BeginPython(const std::vector<std::string>& comments);
std::string WritePython(const FormulaArray& array);
/// LaTeX: an align* of amsmath, indices from 1, s_1 = sin q_1; what is zero is left out.
std::string BeginLatex(const std::vector<std::string>& comments);
std::string WriteLatex(const FormulaArray& array);

}  // namespace civita
