#include "civita/suggest.h"

#include <algorithm>
#include <cctype>

namespace civita {

namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i])) ==
                        std::tolower(static_cast<unsigned char>(b[j]));
      const size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(std::string_view word, const std::vector<std::string>& names) {
  std::string nearest;
  size_t best = std::max<size_t>(1, word.size() / 2) + 1;
  for (const std::string& name : names) {
    const bool abbreviated = word.size() >= 3 && name.starts_with(word);
    const auto [shorter, longer] = std::minmax({word.size(), name.size()});
    size_t distance = abbreviated ? 1 : longer - shorter;  // at least
    if (!abbreviated && distance < best) distance = EditDistance(word, name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string UnknownName(std::string_view kind, std::string_view word,
                        const std::vector<std::string>& names) {
  std::string text = "unknown " + std::string(kind) + " '" + std::string(word) + "'";
  const std::string nearest = NearestName(word, names);
  if (!nearest.empty()) text += " (did you mean '" + nearest + "'?)";
  if (names.empty()) return text;
  text += "; valid: ";
  for (size_t i = 0; i < names.size(); ++i) text += (i ? ", " : "") + names[i];
  return text;
}

}  // namespace civita
