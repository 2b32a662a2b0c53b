#include "study/symbolic/expression.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "civita/error.h"

namespace civita {
namespace {

/// The shortest decimal that reads back to x, as a rational.
Rational ShortestDecimal(double x) {
  CIVITA_CHECK(std::isfinite(x), x);
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific)
          .ptr;
  std::string digits(buffer.data(), end);  // d.ddde±xx
  const std::size_t e = digits.find('e');
  int exponent = std::atoi(digits.c_str() + e + 1);
  digits.resize(e);
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  using Integer = boost::multiprecision::cpp_int;
  const Integer power = pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  return exponent < 0 ? Rational(Integer(digits), power) : Rational(Integer(digits) * power);
}

}  // namespace

Expression::Expression(double x) : term_{ShortestDecimal(x), -1} {}

Expression operator+(const Expression& a, const Expression& b) {
  const Expression::Term &x = a.term_, &y = b.term_;
  if (x.is_number() && y.is_number()) return {nullptr, {x.factor + y.factor, -1}};
  if (x.is_zero()) return b;
  if (y.is_zero()) return a;
  ExpressionGraph* graph = a.graph_ != nullptr ? a.graph_ : b.graph_;
  return {graph, graph->Sum({x, y})};
}

Expression operator*(const Expression& a, const Expression& b) {
  const Expression::Term &x = a.term_, &y = b.term_;
  if (x.is_number() && y.is_number()) return {nullptr, {x.factor * y.factor, -1}};
  ExpressionGraph* graph = a.graph_ != nullptr ? a.graph_ : b.graph_;
  return {graph, graph->Product({x, y})};
}

Expression operator/(const Expression& a, const Expression& b) {
  if (b.term_.is_number()) return a * Expression(nullptr, {1 / b.term_.factor, -1});
  return a * Expression(b.graph_, b.graph_->Reciprocal(b.term_));
}

Expression sin(const Expression& a) {
  if (a.term_.is_number()) return std::sin(a.term_.factor.convert_to<double>());
  return {a.graph_, a.graph_->Sin(a.term_)};
}

Expression cos(const Expression& a) {
  if (a.term_.is_number()) return std::cos(a.term_.factor.convert_to<double>());
  return {a.graph_, a.graph_->Cos(a.term_)};
}

}  // namespace civita
