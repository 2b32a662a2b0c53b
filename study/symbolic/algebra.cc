#include "study/symbolic/algebra.h"

#include <ginac/ginac.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "civita/error.h"

namespace civita {
namespace {

using GiNaC::ex;
using Kind = ExpressionGraph::Kind;
using Node = ExpressionGraph::Node;
using Term = ExpressionGraph::Term;

/// Of an integer: its digits are the form that both libraries know.
template <typename Number>
std::string DigitsOf(const Number& integer) {
  internal::MessageStream digits;
  digits << integer;
  return digits.str();
}

GiNaC::numeric ToNumeric(const Rational& x) {
  return GiNaC::numeric(DigitsOf(numerator(x)).c_str()) /
         GiNaC::numeric(DigitsOf(denominator(x)).c_str());
}

Rational ToRational(const GiNaC::numeric& x) {
  using Integer = boost::multiprecision::cpp_int;
  return {Integer(DigitsOf(x.numer())), Integer(DigitsOf(x.denom()))};
}

/// Symbols for sin x and cos x, which GiNaC multiplies faster.
struct SinCos {
  ex angle;
  GiNaC::symbol s, c;
};

/// The expressions of a graph for GiNaC, with symbols for sines and cosines.
class Algebra {
 public:
  explicit Algebra(const ExpressionGraph& graph) {
    for (const Node& node : graph.nodes()) nodes_.push_back(Convert(node));
  }

  ex operator()(const Term& term) const {
    const ex factor = ToNumeric(term.factor);
    return term.is_number() ? factor : factor * nodes_[static_cast<std::size_t>(term.node)];
  }

  /// Multiplied out, with s² = 1 − c².
  ex Expand(const ex& e) const {
    ex polynomial = e.expand();
    for (const SinCos& pair : pairs_) polynomial = Reduce(polynomial, pair);
    return polynomial;
  }

  /// ∂e/∂q of the symbol with this name.
  ex Differentiate(const ex& e, const std::string& name) const {
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) return 0;
    ex derivative = e.diff(found->second);
    for (const SinCos& pair : pairs_) {
      const ex rate = pair.angle.diff(found->second);
      if (rate.is_zero()) continue;
      derivative += rate * (pair.c * e.diff(pair.s) - pair.s * e.diff(pair.c));
    }
    return derivative;
  }

  /// The expression in another graph.
  Term AddTo(ExpressionGraph* graph, const ex& e) {
    const auto found = added_.find(e);
    if (found != added_.end()) return found->second;
    const Term term = Add(graph, e);
    added_.emplace(e, term);
    return term;
  }

 private:
  ex Convert(const Node& node) {
    ex e = node.kind == Kind::kProduct ? 1 : 0;
    for (const Term& term : node.terms) e += (*this)(term);
    for (const int factor : node.nodes) e *= nodes_[static_cast<std::size_t>(factor)];
    if (node.kind == Kind::kReciprocal) return 1 / e;
    if (node.kind == Kind::kSymbol) {
      return symbols_.try_emplace(node.symbol, node.symbol).first->second;
    }
    if (node.kind != Kind::kSin && node.kind != Kind::kCos) return e;
    const SinCos& pair = PairOf(e);
    return node.kind == Kind::kSin ? pair.s : pair.c;
  }

  const SinCos& PairOf(const ex& angle) {
    for (const SinCos& pair : pairs_) {
      if (pair.angle.is_equal(angle)) return pair;
    }
    return pairs_.emplace_back(SinCos{angle, GiNaC::symbol("s"), GiNaC::symbol("c")});
  }

  static ex Reduce(const ex& polynomial, const SinCos& pair) {
    const int degree = polynomial.degree(pair.s);
    if (degree < 2) return polynomial;
    ex reduced;
    for (int n = 0; n <= degree; ++n) {
      reduced += polynomial.coeff(pair.s, n) * GiNaC::pow(1 - pair.c * pair.c, n / 2) *
                 GiNaC::pow(pair.s, n % 2);
    }
    return reduced.expand();
  }

  Term Add(ExpressionGraph* graph, const ex& e) {
    if (GiNaC::is_a<GiNaC::numeric>(e)) return {ToRational(GiNaC::ex_to<GiNaC::numeric>(e)), -1};
    if (GiNaC::is_a<GiNaC::symbol>(e)) return AddSymbol(graph, e);
    if (GiNaC::is_a<GiNaC::power>(e)) return AddPower(graph, e.op(0), e.op(1));
    CIVITA_CHECK(GiNaC::is_a<GiNaC::add>(e) || GiNaC::is_a<GiNaC::mul>(e),
                 "an expression of another kind: " << e);
    std::vector<Term> operands;
    for (std::size_t n = 0; n < e.nops(); ++n) {
      const Term term = AddTo(graph, e.op(n));
      // A power beside other factors is factors repeated.
      if (GiNaC::is_a<GiNaC::mul>(e) && !term.is_number() &&
          graph->node(term.node).kind == Kind::kProduct) {
        operands.push_back({term.factor, -1});
        for (const int node : graph->node(term.node).nodes) operands.push_back({1, node});
      } else {
        operands.push_back(term);
      }
    }
    return GiNaC::is_a<GiNaC::add>(e) ? graph->Sum(std::move(operands)) : graph->Product(operands);
  }

  Term AddSymbol(ExpressionGraph* graph, const ex& e) {
    for (const SinCos& pair : pairs_) {
      if (e.is_equal(pair.s)) return graph->Sin(AddTo(graph, pair.angle));
      if (e.is_equal(pair.c)) return graph->Cos(AddTo(graph, pair.angle));
    }
    return graph->Symbol(GiNaC::ex_to<GiNaC::symbol>(e).get_name());
  }

  Term AddPower(ExpressionGraph* graph, const ex& base, const ex& exponent) {
    CIVITA_CHECK(exponent.info(GiNaC::info_flags::integer), "a broken power: " << exponent);
    const int power = GiNaC::ex_to<GiNaC::numeric>(exponent).to_int();
    const Term term = graph->Product(
        std::vector<Term>(static_cast<std::size_t>(std::abs(power)), AddTo(graph, base)));
    return power > 0 ? term : graph->Reciprocal(term);
  }

  std::vector<ex> nodes_;
  std::map<std::string, GiNaC::symbol> symbols_;
  std::vector<SinCos> pairs_;
  std::map<ex, Term, GiNaC::ex_is_less> added_;
};

bool Stopped(const ShouldStop& should_stop) { return should_stop && should_stop(); }

/// ∂_j H_ik by [j][i·nv + k]; empty if stopped.
std::vector<std::vector<ex>> CalcPartials(const Algebra& algebra, const Formulas& H, int nv,
                                          bool expanded, const ShouldStop& should_stop) {
  std::vector<ex> entries;
  for (const Term& entry : H.entries) {
    if (Stopped(should_stop)) return {};
    entries.push_back(expanded ? algebra.Expand(algebra(entry)) : algebra(entry));
  }
  std::vector<std::vector<ex>> partials;
  for (int j = 0; j < nv; ++j) {
    std::vector<ex>& partial = partials.emplace_back(entries.size());
    for (std::size_t n = 0; n < entries.size(); ++n) {
      if (Stopped(should_stop)) return {};
      const auto above = n % static_cast<std::size_t>(nv) * static_cast<std::size_t>(nv) +
                         n / static_cast<std::size_t>(nv);  // its mirror
      partial[n] =
          above < n ? partial[above] : algebra.Differentiate(entries[n], "q" + std::to_string(j));
    }
  }
  return partials;
}

}  // namespace

bool HasAlgebra() { return true; }

Formulas MultiplyOut(const Formulas& formulas, const ShouldStop& should_stop) {
  Algebra algebra(formulas.graph);
  Formulas expanded;
  for (const Term& entry : formulas.entries) {
    if (Stopped(should_stop)) return {};
    expanded.entries.push_back(algebra.AddTo(&expanded.graph, algebra.Expand(algebra(entry))));
  }
  return expanded;
}

Formulas DifferentiateMassMatrix(const Formulas& H, int nv, bool expanded,
                                 const ShouldStop& should_stop) {
  CIVITA_CHECK(H.entries.size() == static_cast<std::size_t>(nv) * static_cast<std::size_t>(nv),
               H.entries.size() << " formulas of H, nv = " << nv);
  Algebra algebra(H.graph);
  const auto dH = CalcPartials(algebra, H, nv, expanded, should_stop);
  if (dH.empty()) return {};
  const auto d = [&](int along, int row, int column) -> const ex& {
    const int entry = row * nv + column;
    return dH[static_cast<std::size_t>(along)][static_cast<std::size_t>(entry)];
  };
  Formulas Gamma;
  for (int i = 0; i < nv; ++i) {
    for (int j = 0; j < nv; ++j) {
      for (int k = 0; k < nv; ++k) {
        if (Stopped(should_stop)) return {};
        const ex symbol = (d(j, i, k) + d(k, i, j) - d(i, j, k)) / 2;
        Gamma.entries.push_back(
            algebra.AddTo(&Gamma.graph, expanded ? algebra.Expand(symbol) : symbol));
      }
    }
  }
  return Gamma;
}

}  // namespace civita
