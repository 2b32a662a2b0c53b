#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// A term that the window shows somewhere: what it is in a line, and its formula.
struct Term {
  std::string_view name;  ///< as the window writes it
  std::string_view line;
  /// Its definition; empty: that of the metric `metric`.
  std::string_view formula;
  std::string_view metric = {};  ///< key in the table of metrics
};
std::span<const Term> Terms();

/// The hover text of a term: its line and its formula; empty if there is no such term.
std::string Explain(std::string_view name);
/// The term of a metric; null if it has none.
const Term* FindTermOfMetric(std::string_view key);
/// The hover texts of the terms that occur in a text as words, at most `most`.
std::string ExplainWordsOf(std::string_view text, std::size_t most = 3);

}  // namespace civita
