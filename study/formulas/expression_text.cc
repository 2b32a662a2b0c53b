#include "study/formulas/expression_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace civita {
namespace {

using Kind = ExpressionGraph::Kind;
using Term = ExpressionGraph::Term;

/// Whether the language has a name for the node.
bool IsName(const ExpressionGraph& graph, int n, const ExpressionSyntax& syntax) {
  const ExpressionGraph::Node& node = graph.node(n);
  if (node.kind == Kind::kSymbol) return true;
  if (!syntax.names_sines || (node.kind != Kind::kSin && node.kind != Kind::kCos)) return false;
  const Term& argument = node.terms.front();
  return argument.factor == 1 && graph.node(argument.node).kind == Kind::kSymbol;
}

}  // namespace

std::size_t FirstEqual(const Formulas& formulas, std::size_t n) {
  const auto begin = formulas.entries.begin();
  const auto place = std::find(begin, begin + static_cast<std::ptrdiff_t>(n), formulas.entries[n]);
  return static_cast<std::size_t>(place - begin);
}

ExpressionText::ExpressionText(const Formulas& formulas, const ExpressionSyntax& syntax,
                               bool repeated)
    : formulas_(formulas), syntax_(syntax), uses_(CountUses(formulas)), names_(uses_.size()) {
  for (std::size_t n = 0; !repeated && n < formulas.entries.size(); ++n) {
    const int node = formulas.entries[n].node;
    if (node >= 0 && FirstEqual(formulas, n) < n) --uses_[static_cast<std::size_t>(node)];
  }
  for (std::size_t n = 0; n < uses_.size(); ++n) {
    const int node = static_cast<int>(n);
    if (uses_[n] < 2 || IsName(formulas.graph, node, syntax)) continue;
    std::string text = Node(node);
    names_[n] = syntax.temporary(static_cast<int>(temporaries_.size()));
    temporaries_.push_back({names_[n], std::move(text)});
  }
}

bool ExpressionText::Uses(char letter) const {
  for (std::size_t n = 0; n < uses_.size(); ++n) {
    const ExpressionGraph::Node& node = formulas_.graph.node(static_cast<int>(n));
    if (uses_[n] > 0 && node.kind == Kind::kSymbol && node.symbol.front() == letter) return true;
  }
  return false;
}

std::string ExpressionText::Text(const Term& term) const { return Sum({term}); }

std::string ExpressionText::Sum(const std::vector<Term>& terms) const {
  std::string text;
  for (const Term& term : terms) {
    const double factor = term.factor.convert_to<double>();
    if (text.empty()) {
      if (factor < 0) text = "-";
    } else {
      text += factor < 0 ? " - " : " + ";
    }
    // A sum begins with a plus.
    const bool plain = factor == 1 && !term.is_number();
    text += plain ? Node(term.node) : Scaled(std::abs(factor), term.node);
  }
  return text;
}

std::string ExpressionText::Scaled(double positive, int node) const {
  if (node < 0) return syntax_.number(positive);
  if (positive == 1) return Factor(node);
  return syntax_.product({syntax_.number(positive), Factor(node)});
}

std::string ExpressionText::Factor(int node) const {
  const bool named = !names_[static_cast<std::size_t>(node)].empty();
  const bool is_sum = formulas_.graph.node(node).kind == Kind::kSum;
  return !named && is_sum ? "(" + Node(node) + ")" : Node(node);
}

std::string ExpressionText::Node(int n) const {
  const std::string& name = names_[static_cast<std::size_t>(n)];
  if (!name.empty()) return name;
  const ExpressionGraph::Node& node = formulas_.graph.node(n);
  switch (node.kind) {
    case Kind::kSymbol:
      return syntax_.symbol(node.symbol);
    case Kind::kSum:
      return Sum(node.terms);
    case Kind::kProduct: {
      std::vector<std::string> factors;
      for (const int factor : node.nodes) factors.push_back(Factor(factor));
      return syntax_.product(factors);
    }
    case Kind::kReciprocal:
      return syntax_.reciprocal(Sum(node.terms));
    case Kind::kSin:
    case Kind::kCos:
      return syntax_.function(node.kind == Kind::kSin, Sum(node.terms));
  }
  return "";
}

std::string Wrap(const std::string& text, const std::string& end, const std::string& begin) {
  constexpr std::size_t kColumns = 100;
  std::string wrapped, line, part;
  const auto flush = [&] {
    if (!line.empty() && line.size() + part.size() > kColumns) {
      line.erase(line.find_last_not_of(' ') + 1);
      wrapped += line + end + "\n";
      line = begin;
    }
    line += std::exchange(part, "");
  };
  int depth = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] == '{') ++depth;
    if (text[n] == '}') --depth;
    part += text[n];
    if (depth > 0 || text[n] != ' ' || n == 0) continue;
    const bool sign = text.compare(n + 1, 2, "+ ") == 0 || text.compare(n + 1, 2, "- ") == 0;
    if (sign || text[n - 1] == ',') flush();
  }
  flush();
  return wrapped + line + "\n";
}

}  // namespace civita
