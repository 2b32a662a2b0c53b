#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace civita {

/// The name among `names` that is nearest to `word` by edit distance, empty when none is near
/// enough to be what was meant.
std::string NearestName(std::string_view word, const std::vector<std::string>& names);

/// "unknown body 'hnad' (did you mean 'hand'?); valid: base, hand"
std::string UnknownName(std::string_view kind, std::string_view word,
                        const std::vector<std::string>& names);

}  // namespace civita
