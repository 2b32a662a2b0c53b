#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace civita {

/// What --vary says: a key of the config and the values that it takes.
struct Variation {
  std::string key;
  std::vector<std::string> values;
};

/// A choice of one value of each variation.
struct Variant {
  std::string name;                                           ///< "t:1", "K_D=20", "plain, K_D=20"
  std::vector<std::pair<std::string, std::string>> settings;  ///< key, value
  std::vector<std::string> overrides;                         ///< "key=value"
};

/// A key of the config, or of a map in it ("reference"), from the whole of it or, where that is not
/// ambiguous, from its last word: "factorization", "K_D". @throws UserError: unknown, or ambiguous
/// (lists what it could be).
std::string ResolveConfigKey(std::string_view key);

/// "key=value" with the key resolved. @throws UserError; `flag` is where it stood: "--set".
std::string ResolveOverride(std::string_view text, std::string_view flag);

/// "key=a,b,c"; commas inside of brackets, braces and quotes belong to a value. @throws UserError:
/// no '=', no value, an empty one, one twice.
Variation ParseVariation(std::string_view text);

/// All combinations, the last variation's values running fastest. @throws UserError: a key twice,
/// fewer than two variants, more than kMaxVariants.
std::vector<Variant> CombineVariations(const std::vector<Variation>& variations);
inline constexpr std::size_t kMaxVariants = 64;

}  // namespace civita
