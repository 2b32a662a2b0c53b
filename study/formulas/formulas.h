#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/study/option_names.h"
#include "civita/study/watch.h"

namespace civita {

struct Formulas;  // study/symbolic/expression_graph.h

/// Which formulas of a model are written, and how.
struct FormulaOptions {
  std::string name;                                       ///< of the model, for the first comment
  std::vector<std::string> quantities = {"H", "C", "g"};  ///< of DescribeFormulas, or "all"
  std::string language = "c";                             ///< "c", "python", "latex"
  std::string factorization = "christoffel";
  /// MultiplyOut of study/symbolic, or null: formulas stay as the algorithms leave them.
  Formulas (*multiply_out)(const Formulas& formulas,
                           const std::function<bool()>& should_stop) = nullptr;
  OptionNames called = {};  ///< in errors
};

/// Refuses unknown quantities and languages. @throws UserError.
void CheckFormulas(const FormulaOptions& options);

/// The quantities as formulas of q, v and a, each a function such as civita_C(q, v), equal parts
/// computed once; numbers are those of the model, in SI units. Takes time of the number of
/// operations, multiplied out exponential time in the number of joints.
/// @returns nullopt when stopped. @throws UserError.
std::optional<std::string> WriteFormulas(const Model& model, const FormulaOptions& options,
                                         const Watch& watch = {});

/// The quantities as text, one line for each.
std::string DescribeFormulas();

}  // namespace civita
