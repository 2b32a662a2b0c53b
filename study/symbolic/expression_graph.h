#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace civita {

/// An exact number.
using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend,
                                               boost::multiprecision::et_off>;

/// Expressions as a directed acyclic graph in which equal parts are one node, up to a numeric
/// factor: a + b and −a − b share theirs. Nothing is multiplied out.
class ExpressionGraph {
 public:
  enum class Kind { kSymbol, kSum, kProduct, kReciprocal, kSin, kCos };

  /// A number, times a node unless node is −1.
  struct Term {
    Rational factor;
    int node = -1;

    bool is_number() const { return node < 0; }
    bool is_zero() const { return factor.is_zero(); }
    bool operator==(const Term& other) const {
      return node == other.node && factor == other.factor;
    }
  };

  struct Node {
    Kind kind;
    std::string symbol;       ///< kSymbol: its name
    std::vector<Term> terms;  ///< kSum: the summands. kReciprocal, kSin, kCos: the argument
    std::vector<int> nodes;   ///< kProduct: two factors or more, powers repeated
  };

  const std::vector<Node>& nodes() const { return nodes_; }  ///< operands before what uses them
  const Node& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }

  Term Symbol(const std::string& name);
  Term Sum(std::vector<Term> terms);
  Term Product(const std::vector<Term>& factors);
  Term Reciprocal(const Term& x);
  Term Sin(Term x);
  Term Cos(Term x);

 private:
  /// The node with this content, a new one if there is none.
  int Intern(Node node);

  std::vector<Node> nodes_;
  std::unordered_map<std::string, int> interned_;  ///< by content
};

/// The formulas of an array, row-major, with the graph that they share.
struct Formulas {
  ExpressionGraph graph;
  std::vector<ExpressionGraph::Term> entries;
};

/// How often each node is used by nodes that the entries need and by the entries.
std::vector<int> CountUses(const Formulas& formulas);

/// The values of the entries where the symbols have these values.
std::vector<double> Evaluate(const Formulas& formulas,
                             const std::map<std::string, double>& symbols);

}  // namespace civita
