#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/factorization.h"
#include "civita/model.h"

namespace civita {

/// A formula such as "0.3*cos(q[1]) + 0.1", compiled once and evaluated without allocation. It has
/// + − * / ^, comparisons, a ? b : c, pi and the usual functions: sin, cos, tan, asin, acos, atan,
/// atan2, sinh, cosh, tanh, exp, ln, log10, sqrt, abs, sign, min, max. Copies are independent; one
/// object must not be evaluated by two threads at the same time.
class Formula {
 public:
  /// Name of an argument and its index; several names may stand for one argument.
  using Names = std::vector<std::pair<std::string, int>>;

  /// @throws UserError that names what is not understood, and the valid names.
  Formula(const std::string& text, const Names& names);
  Formula(const Formula& other);
  Formula(Formula&& other) noexcept;
  Formula& operator=(const Formula& other);
  Formula& operator=(Formula&& other) noexcept;
  ~Formula();

  /// The value; `arguments` has a number for each index. Not finite where the formula is not.
  double operator()(std::span<const double> arguments) const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// The names of the numbers of q in formulas: q[0] … q[nq − 1], and the name of each hinge and
/// slide whose name is an identifier.
Formula::Names PositionNames(const Model& model);

/// ParseFactorization with formulas, for configs, flags, the window and recordings alike: relative
/// files are taken from `directory`, the working folder if empty, and are absolute in the result,
/// whose text means the same wherever it is read. @throws UserError as ParseFactorization.
Factorization ReadFactorization(std::string_view text, const Model& model,
                                const std::filesystem::path& directory = {});

}  // namespace civita
