#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// States to evaluate at, checked and complete.
class EvalStates {
 public:
  EvalStates(int nq, int nv) : nq_(nq), nv_(nv) {}

  std::size_t size() const { return q_.size() / static_cast<std::size_t>(nq_); }
  std::span<const double> q(std::size_t state) const { return Row(q_, nq_, state); }
  std::span<const double> v(std::size_t state) const { return Row(v_, nv_, state); }
  std::span<const double> a(std::size_t state) const { return Row(a_, nv_, state); }

  /// Adds a state: q (nq), v and a (nv numbers; nw for a mechanism with closed loops).
  void Add(std::span<const double> q, std::span<const double> v, std::span<const double> a);

 private:
  static std::span<const double> Row(const std::vector<double>& rows, int width, std::size_t row) {
    const auto n = static_cast<std::size_t>(width);
    return std::span(rows).subspan(row * n, n);
  }

  int nq_, nv_;
  std::vector<double> q_, v_, a_;
};

/// One state: the model's own configuration, at rest.
EvalStates DefaultStates(const Model& model, std::optional<int> nw = {});

/// The text of a file of states, "-" for standard input. @throws UserError.
std::string ReadStatesText(const std::string& file);

/// Parses {"states": [{"q": [nq], "v": [nv], "a": [nv]}, …]}; v and a default to zeros, q to the
/// model's own configuration. v and a have `nw` numbers if given. Quaternions are normalized, with
/// a line in `notices` if they differed noticeably. @throws UserError: malformed JSON with
/// name:line:column, otherwise the state's index and the key.
EvalStates ParseStates(const std::string& text, const std::string& name, const Model& model,
                       std::vector<std::string>* notices, std::optional<int> nw = {});

}  // namespace civita
