#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/study/open_scene.h"

namespace civita {

/// A key of the config and the values that it takes.
struct Variation {
  std::string key;
  std::vector<std::string> values;
};

/// One combination of the variations' values.
struct Variant {
  std::string name;                                           ///< "t:1", "K_D=20", "plain, K_D=20"
  std::vector<std::pair<std::string, std::string>> settings;  ///< key, value
  std::vector<std::string> overrides;                         ///< "key=value"

  std::vector<std::string> keys() const;  ///< of the settings
};

/// The full name of a key of the config, or of a map in it ("reference"), given in full or, if
/// unambiguous, by its last word: "factorization", "K_D". @throws UserError: unknown, or ambiguous
/// (lists the candidates).
std::string ResolveConfigKey(std::string_view key);

/// "key=value" with the key resolved. @throws UserError; `option` is called what gave it: "set".
std::string ResolveOverride(std::string_view text, std::string_view option);

/// The parts between separators; those inside brackets, braces and quotes belong to a part.
std::vector<std::string> SplitOutsideBrackets(std::string_view text, char separator);

/// Parses "key=a,b,c"; commas inside brackets, braces and quotes belong to a value. @throws
/// UserError: no '=', no value, an empty or duplicate value.
Variation ParseVariation(std::string_view text, const OptionNames& called = {});

/// All combinations of what ParseVariation reads; the last text's values vary fastest. @throws
/// UserError of it, for a duplicate key, fewer than two variants, more than kMaxVariants.
std::vector<Variant> CombineVariations(const std::vector<std::string>& texts,
                                       const OptionNames& called = {});
inline constexpr std::size_t kMaxVariants = 64;

/// The config of the choice, whose keys may be short, as a variant sets it. @throws UserError.
SceneConfig ReadVariant(SceneChoice choice, const Variant& variant);

}  // namespace civita
