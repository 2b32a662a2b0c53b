#pragma once

#include <string>
#include <vector>

#include "study/symbolic/expression_graph.h"

namespace civita {

/// How a language writes the parts of an expression.
struct ExpressionSyntax {
  bool names_sines;  ///< the sine of a symbol has a name of its own and needs no temporary
  std::string (*number)(double positive);
  std::string (*symbol)(const std::string& name);  ///< of q0, v11, a2
  std::string (*temporary)(int number);            ///< from 0
  std::string (*function)(bool sine, const std::string& argument);
  std::string (*reciprocal)(const std::string& x);
  std::string (*product)(const std::vector<std::string>& factors);
};

/// The first entry that equals entry n, or n itself.
std::size_t FirstEqual(const Formulas& formulas, std::size_t n);

/// Formulas as texts. What is used more than once is a temporary; with `repeated` = false equal
/// entries are one use.
class ExpressionText {
 public:
  ExpressionText(const Formulas& formulas, const ExpressionSyntax& syntax, bool repeated);

  struct Assignment {
    std::string name, text;
  };
  /// The temporaries, those that others need first.
  const std::vector<Assignment>& temporaries() const { return temporaries_; }
  /// Of an entry.
  std::string Text(const ExpressionGraph::Term& term) const;
  /// Whether the formulas contain a symbol that begins with the letter.
  bool Uses(char letter) const;

 private:
  std::string Scaled(double positive, int node) const;
  std::string Factor(int node) const;
  std::string Node(int node) const;
  std::string Sum(const std::vector<ExpressionGraph::Term>& terms) const;

  const Formulas& formulas_;
  const ExpressionSyntax& syntax_;
  std::vector<int> uses_;
  std::vector<std::string> names_;  ///< of temporaries, by node
  std::vector<Assignment> temporaries_;
};

/// The line `text` in lines of about 100 columns, broken before a plus or minus and behind a comma
/// outside of braces, each but the last one ended by `end`, each but the first one begun by
/// `begin`.
std::string Wrap(const std::string& text, const std::string& end, const std::string& begin);

}  // namespace civita
