#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// The name of `names` that is nearest to `word` by edit distance; empty if none is similar enough
/// to suggest.
std::string NearestName(std::string_view word, const std::vector<std::string>& names);

/// Text of an error about an unknown name, such as
/// "unknown body 'hnad' (did you mean 'hand'?); valid: base, hand".
std::string UnknownName(std::string_view kind, std::string_view word,
                        const std::vector<std::string>& names);

}  // namespace civita
