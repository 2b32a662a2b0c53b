#pragma once

#include <Eigen/Core>

#include "study/symbolic/expression_graph.h"

namespace civita {

/// An expression of a graph as a scalar of core's templates. A number stands for the shortest
/// decimal that reads back to it, exactly: what cancels in the model's numbers cancels in formulas.
class Expression {
 public:
  using Term = ExpressionGraph::Term;

  Expression() = default;  ///< zero
  /// @throws ContractError if x is not finite.
  Expression(double x);  // NOLINT(google-explicit-constructor): numbers are formulas
  /// The graph must outlive it.
  Expression(ExpressionGraph* graph, Term term) : graph_(graph), term_(std::move(term)) {}

  const Term& term() const { return term_; }

  Expression& operator+=(const Expression& other) { return *this = *this + other; }
  Expression& operator-=(const Expression& other) { return *this = *this - other; }
  Expression& operator*=(const Expression& other) { return *this = *this * other; }
  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b) { return a + (-b); }
  friend Expression operator*(const Expression& a, const Expression& b);
  /// @throws std::overflow_error if b is zero.
  friend Expression operator/(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a) {
    return {a.graph_, {-a.term_.factor, a.term_.node}};
  }
  /// Whether they are the same expression.
  friend bool operator==(const Expression& a, const Expression& b) { return a.term_ == b.term_; }
  friend Expression sin(const Expression& a);
  friend Expression cos(const Expression& a);

 private:
  ExpressionGraph* graph_ = nullptr;  ///< of a number perhaps none
  Term term_;
};

}  // namespace civita

template <>
struct Eigen::NumTraits<civita::Expression> : Eigen::GenericNumTraits<civita::Expression> {
  using Real = civita::Expression;
  using NonInteger = civita::Expression;
  using Nested = civita::Expression;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 100,
    MulCost = 100
  };
};
