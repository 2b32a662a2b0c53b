#include "study/symbolic/expression_graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "civita/error.h"

namespace civita {
namespace {

using Kind = ExpressionGraph::Kind;
using Node = ExpressionGraph::Node;
using Term = ExpressionGraph::Term;

/// Two nodes are the same if and only if these texts are.
std::string ContentOf(const Node& node) {
  internal::MessageStream content;
  content << static_cast<int>(node.kind) << node.symbol;
  for (const Term& term : node.terms) content << ' ' << term.factor << '*' << term.node;
  for (const int factor : node.nodes) content << ' ' << factor;
  return content.str();
}

/// Sorted by node, with one term for each node and no zeros.
std::vector<Term> Collect(std::vector<Term> terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.node < b.node; });
  std::vector<Term> collected;
  for (const Term& term : terms) {
    if (!collected.empty() && collected.back().node == term.node) {
      collected.back().factor += term.factor;
    } else {
      collected.push_back(term);
    }
  }
  std::erase_if(collected, [](const Term& term) { return term.is_zero(); });
  return collected;
}

/// The number that all terms have in common but for signs, with the sign of the first; else ±1.
Rational CommonFactor(const std::vector<Term>& terms) {
  const Rational& first = terms.front().factor;
  const bool common = std::all_of(terms.begin(), terms.end(), [&first](const Term& term) {
    return abs(term.factor) == abs(first);
  });
  return common ? first : Rational(first.sign());
}

}  // namespace

Term ExpressionGraph::Symbol(const std::string& name) {
  return {1, Intern({Kind::kSymbol, name, {}, {}})};
}

Term ExpressionGraph::Sum(std::vector<Term> terms) {
  terms = Collect(std::move(terms));
  if (terms.empty()) return {};
  if (terms.size() == 1) return terms.front();
  const Rational common = CommonFactor(terms);
  for (Term& term : terms) term.factor /= common;
  return {common, Intern({Kind::kSum, "", std::move(terms), {}})};
}

Term ExpressionGraph::Product(const std::vector<Term>& factors) {
  Term product{1, -1};
  std::vector<int> nodes;
  for (const Term& factor : factors) {
    product.factor *= factor.factor;
    if (!factor.is_number()) nodes.push_back(factor.node);
  }
  if (nodes.empty() || product.is_zero()) return {product.factor, -1};
  if (nodes.size() == 1) return {product.factor, nodes.front()};
  std::sort(nodes.begin(), nodes.end());
  return {product.factor, Intern({Kind::kProduct, "", {}, std::move(nodes)})};
}

Term ExpressionGraph::Reciprocal(const Term& x) {
  const Rational inverse = 1 / x.factor;
  if (x.is_number()) return {inverse, -1};
  return {inverse, Intern({Kind::kReciprocal, "", {{1, x.node}}, {}})};
}

Term ExpressionGraph::Sin(Term x) {
  if (x.is_zero()) return {};
  const int sign = x.factor.sign() < 0 ? -1 : 1;
  x.factor *= sign;
  return {sign, Intern({Kind::kSin, "", {x}, {}})};
}

Term ExpressionGraph::Cos(Term x) {
  if (x.is_zero()) return {1, -1};
  x.factor = abs(x.factor);
  return {1, Intern({Kind::kCos, "", {x}, {}})};
}

int ExpressionGraph::Intern(Node node) {
  const auto [place, is_new] =
      interned_.try_emplace(ContentOf(node), static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back(std::move(node));
  return place->second;
}

std::vector<int> CountUses(const Formulas& formulas) {
  const std::vector<Node>& nodes = formulas.graph.nodes();
  std::vector<int> uses(nodes.size());
  const auto use = [&uses](int node) {
    if (node >= 0) ++uses[static_cast<std::size_t>(node)];
  };
  for (const Term& entry : formulas.entries) use(entry.node);
  for (std::size_t n = nodes.size(); n-- > 0;) {
    if (uses[n] == 0) continue;
    for (const Term& term : nodes[n].terms) use(term.node);
    for (const int factor : nodes[n].nodes) use(factor);
  }
  return uses;
}

std::vector<double> Evaluate(const Formulas& formulas,
                             const std::map<std::string, double>& symbols) {
  std::vector<double> values;
  values.reserve(formulas.graph.nodes().size());
  const auto value = [&values](const Term& term) {
    const double factor = term.factor.convert_to<double>();
    return term.is_number() ? factor : factor * values[static_cast<std::size_t>(term.node)];
  };
  for (const Node& node : formulas.graph.nodes()) {
    double x = node.kind == Kind::kProduct ? 1 : 0;
    for (const Term& term : node.terms) x += value(term);
    for (const int factor : node.nodes) x *= values[static_cast<std::size_t>(factor)];
    if (node.kind == Kind::kSymbol) x = symbols.at(node.symbol);
    if (node.kind == Kind::kReciprocal) x = 1 / x;
    if (node.kind == Kind::kSin) x = std::sin(x);
    if (node.kind == Kind::kCos) x = std::cos(x);
    values.push_back(x);
  }
  std::vector<double> results;
  for (const Term& entry : formulas.entries) results.push_back(value(entry));
  return results;
}

}  // namespace civita
