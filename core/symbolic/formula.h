#pragma once

#include <Eigen/Core>

#include "core/symbolic/expression_graph.h"

namespace civita {

/// An expression of a graph as a scalar of core's templates. A number stands for the shortest
/// decimal that reads back to it, exactly: what cancels in the model's numbers cancels in formulas.
class Formula {
 public:
  using Term = ExpressionGraph::Term;

  Formula() = default;  ///< zero
  /// @throws ContractError if x is not finite.
  Formula(double x);  // NOLINT(google-explicit-constructor): numbers are formulas
  /// The graph must outlive it.
  Formula(ExpressionGraph* graph, Term term) : graph_(graph), term_(std::move(term)) {}

  const Term& term() const { return term_; }

  Formula& operator+=(const Formula& other) { return *this = *this + other; }
  Formula& operator-=(const Formula& other) { return *this = *this - other; }
  Formula& operator*=(const Formula& other) { return *this = *this * other; }
  friend Formula operator+(const Formula& a, const Formula& b);
  friend Formula operator-(const Formula& a, const Formula& b) { return a + (-b); }
  friend Formula operator*(const Formula& a, const Formula& b);
  /// @throws std::overflow_error if b is zero.
  friend Formula operator/(const Formula& a, const Formula& b);
  friend Formula operator-(const Formula& a) { return {a.graph_, {-a.term_.factor, a.term_.node}}; }
  /// Whether they are the same expression.
  friend bool operator==(const Formula& a, const Formula& b) { return a.term_ == b.term_; }
  friend Formula sin(const Formula& a);
  friend Formula cos(const Formula& a);

 private:
  ExpressionGraph* graph_ = nullptr;  ///< of a number perhaps none
  Term term_;
};

}  // namespace civita

template <>
struct Eigen::NumTraits<civita::Formula> : Eigen::GenericNumTraits<civita::Formula> {
  using Real = civita::Formula;
  using NonInteger = civita::Formula;
  using Nested = civita::Formula;
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
