#include "civita/study/compare/compare_variants.h"

#include <algorithm>

#include "civita/error.h"
#include "civita/scenes/schema/config.h"
#include "civita/suggest.h"

namespace civita {
namespace {

/// Every key that --set accepts except those of pushes, including the gains of all laws.
std::vector<std::string> KnownKeys() {
  std::vector<std::string> keys;
  for (const ConfigKey& row : ConfigKeys()) {
    if (row.key.find('*') == std::string_view::npos) keys.emplace_back(row.key);
  }
  for (const LawInfo* law : Laws()) {
    for (const ParameterInfo& parameter : law->parameters) {
      const std::string key = "gains." + std::string(parameter.key);
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::string_view LastWord(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

/// As UnknownName, but the suggestion may match the last word or the map alone.
[[noreturn]] void RefuseKey(std::string_view key, const std::vector<std::string>& known) {
  std::vector<std::string> words;
  words.reserve(2 * known.size());
  for (const std::string& candidate : known) {
    words.emplace_back(LastWord(candidate));
    words.push_back(candidate.substr(0, candidate.find('.')));
  }
  const std::string near = NearestName(key, words);
  if (near.empty()) throw UserError(UnknownName("key", key, known));
  throw UserError("unknown key '" + std::string(key) + "' (did you mean '" + near + "'?)");
}

/// Short name of a variant's value: the value if it is self-explanatory, else with the key's last
/// word.
std::string NameOf(const std::string& key, const std::string& value) {
  const bool speaks = key == "controller.factorization" || key == "controller.type" ||
                      key == "control.mode" || key == "reference.type";
  return speaks ? value : std::string(LastWord(key)) + "=" + value;
}

}  // namespace

std::vector<std::string> SplitOutsideBrackets(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  return parts;
}

std::string ResolveConfigKey(std::string_view key) {
  const std::vector<std::string> known = KnownKeys();
  const auto lies_below = [below = std::string(key) + "."](const ConfigKey& row) {
    return row.key.starts_with(below);
  };
  const bool is_map = std::ranges::any_of(ConfigKeys(), lies_below);  // or a list, such as pushes
  if (is_map || std::find(known.begin(), known.end(), key) != known.end() ||
      key.find('.') != std::string_view::npos) {
    return std::string(key);  // a key with dots is checked where it is read
  }
  std::vector<std::string> meant;
  for (const std::string& candidate : known) {
    if (LastWord(candidate) == key) meant.push_back(candidate);
  }
  if (meant.size() == 1) return meant.front();
  if (meant.empty()) RefuseKey(key, known);
  std::string message = "'" + std::string(key) + "' is ambiguous: ";
  for (std::size_t i = 0; i < meant.size(); ++i) message += (i > 0 ? ", " : "") + meant[i];
  throw UserError(message);
}

std::string ResolveOverride(std::string_view text, std::string_view option) {
  const std::string called(option);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw UserError(called + " " + std::string(text) + ": write key=value, as in " + called +
                    " gains.K_D=5");
  }
  try {
    return ResolveConfigKey(text.substr(0, equals)) + std::string(text.substr(equals));
  } catch (const UserError& error) {
    throw UserError(called + ": " + error.what());
  }
}

Variation ParseVariation(std::string_view text, const OptionNames& called) {
  const std::string vary = called("vary");
  const std::string resolved = ResolveOverride(text, vary);
  const std::size_t equals = resolved.find('=');
  Variation variation{resolved.substr(0, equals),
                      SplitOutsideBrackets(resolved.substr(equals + 1), ',')};
  for (auto value = variation.values.begin(); value != variation.values.end(); ++value) {
    if (value->empty()) {
      throw UserError(vary + " " + std::string(text) + ": an empty value; write key=a,b,c");
    }
    if (std::find(variation.values.begin(), value, *value) != value) {
      throw UserError(vary + " " + std::string(text) + ": '" + *value + "' twice");
    }
  }
  return variation;
}

std::vector<Variant> CombineVariations(const std::vector<std::string>& texts,
                                       const OptionNames& called) {
  const std::string vary = called("vary");
  std::vector<Variation> variations;
  for (const std::string& text : texts) variations.push_back(ParseVariation(text, called));
  std::vector<Variant> variants(1);
  for (auto variation = variations.begin(); variation != variations.end(); ++variation) {
    const auto same = [&](const Variation& other) { return other.key == variation->key; };
    if (std::any_of(variations.begin(), variation, same)) {
      throw UserError(vary + " " + variation->key + ": given twice; list all values in one");
    }
    std::vector<Variant> longer;
    for (const Variant& variant : variants) {
      for (const std::string& value : variation->values) {
        Variant next = variant;
        next.name += (next.name.empty() ? "" : ", ") + NameOf(variation->key, value);
        next.settings.emplace_back(variation->key, value);
        next.overrides.push_back(variation->key + "=" + value);
        longer.push_back(std::move(next));
      }
    }
    variants = std::move(longer);
    if (variants.size() > kMaxVariants) {
      throw UserError(vary + ": more than " + std::to_string(kMaxVariants) + " variants");
    }
  }
  if (variants.size() < 2) {
    throw UserError(vary + ": nothing to compare; give a key two values or more, as in " + vary +
                    " factorization=christoffel,t:1");
  }
  return variants;
}

std::vector<std::string> Variant::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : settings) keys.push_back(key);
  return keys;
}

SceneConfig ReadVariant(SceneChoice choice, const Variant& variant) {
  const std::string set = choice.called("set");
  for (std::string& text : choice.overrides) text = ResolveOverride(text, set);
  choice.overrides.insert(choice.overrides.end(), variant.overrides.begin(),
                          variant.overrides.end());
  return ReadConfig(choice, variant.keys());
}

}  // namespace civita
