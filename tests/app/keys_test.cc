#include "app/verbs/keys/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/yaml_value.h"
#include "tests/app/eval_shell.h"
#include "tests/scenes/read_all.h"

namespace civita {
namespace keys_test {

using Json = nlohmann::json;

Json ToJson(const YamlValue& value) {
  switch (value.kind) {
    case YamlValue::Kind::kNull:
      return nullptr;
    case YamlValue::Kind::kList: {
      Json list = Json::array();
      for (const YamlValue& item : value.items) list.push_back(ToJson(item));
      return list;
    }
    case YamlValue::Kind::kMap: {
      Json map = Json::object();
      for (const auto& entry : value.entries) map[entry.key] = ToJson(entry.value);
      return map;
    }
    case YamlValue::Kind::kScalar:
      break;
  }
  if (value.quoted) return value.text;
  if (value.text == "true" || value.text == "false") return value.text == "true";
  char* end = nullptr;
  const double number = std::strtod(value.text.c_str(), &end);
  if (value.text.empty() || *end != '\0') return value.text;
  if (value.text.find_first_not_of("0123456789") == std::string::npos) {
    return std::stoll(value.text);
  }
  return number;
}

bool HasType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  EXPECT_EQ(type, "null") << "a type that this test does not know";
  return value.is_null();
}

bool IsValid(const Json& value, const Json& schema);

bool HasValidMembers(const Json& value, const Json& schema) {
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [key, member] : value.items()) {
    if (schema.contains("propertyNames") && !IsValid(key, schema["propertyNames"])) return false;
    if (properties.contains(key)) {
      if (!IsValid(member, properties[key])) return false;
    } else if (schema.contains("additionalProperties")) {
      const Json& more = schema["additionalProperties"];
      if (more.is_boolean() ? !more.get<bool>() : !IsValid(member, more)) return false;
    }
  }
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return false;
  }
  return true;
}

// The subset of JSON Schema that the schema of configs uses.
bool IsValid(const Json& value, const Json& schema) {
  const auto matches = [&](const Json& part) { return IsValid(value, part); };
  for (const auto& [word, rule] : schema.items()) {
    if (word == "type") {
      const Json types = rule.is_array() ? rule : Json::array({rule});
      if (std::ranges::none_of(types, [&](const Json& t) { return HasType(value, t); })) {
        return false;
      }
    } else if (word == "enum") {
      if (std::ranges::find(rule, value) == rule.end()) return false;
    } else if (word == "const") {
      if (value != rule) return false;
    } else if (word == "minimum") {
      if (value.is_number() && value < rule) return false;
    } else if (word == "exclusiveMinimum") {
      if (value.is_number() && value <= rule) return false;
    } else if (word == "items") {
      if (value.is_array() && !std::ranges::all_of(value, [&rule = rule](const Json& item) {
            return IsValid(item, rule);
          })) {
        return false;
      }
    } else if (word == "anyOf") {
      if (std::ranges::none_of(rule, matches)) return false;
    } else if (word == "allOf") {
      if (!std::ranges::all_of(rule, matches)) return false;
    } else if (word == "if") {
      if (matches(rule) && !matches(schema.at("then"))) return false;
    }
  }
  return !value.is_object() || HasValidMembers(value, schema);
}

bool IsValidYaml(const std::string& yaml) {
  return IsValid(ToJson(ParseYaml(yaml, "c.yaml")), Json::parse(ConfigSchema()));
}

// By the program, since other tests of this process register laws with keys of their own.
TEST(Keys, DocumentIsWhatTheVerbWrites) {
  EXPECT_EQ(ReadAll(DataDirectory() / "docs/configuration.md"),
            Shell().Run("civita keys --markdown").out)
      << "civita keys --markdown > docs/configuration.md";
}

TEST(Keys, SayDefaultsRangesAndChoices) {
  const std::vector<ConfigKey> keys = DescribeKeys();
  const auto find = [&](const std::string& key) {
    const auto found = std::ranges::find(keys, key, &ConfigKey::key);
    EXPECT_NE(found, keys.end()) << key;
    return *found;
  };
  EXPECT_EQ(find("control.rate_hz").default_value, "1000");
  EXPECT_EQ(find("control.rate_hz").range, "> 0");
  EXPECT_THAT(find("control.mode").choices, testing::ElementsAre("held", "every_stage"));
  EXPECT_THAT(find("reference.radius_m").owners, testing::ElementsAre("task_circle"));
  EXPECT_THAT(find("reference.start_s").owners,
              testing::ElementsAre("quintic", "task_line", "task_circle", "task_eight"))
      << "as these say the same of it";
  EXPECT_THAT(find("gains.gamma").owners, testing::ElementsAre("adaptive", "adaptive_whole_body"));
  EXPECT_EQ(find("pushes.*.start_s").default_value, "0");
}

TEST(Schema, HoldsOfEveryConfig) {
  const Json schema = Json::parse(ConfigSchema());
  int count = 0;
  for (const char* folder : {"config", "config/bases", "examples/own_scene"}) {
    for (const auto& file : std::filesystem::directory_iterator(DataDirectory() / folder)) {
      if (file.path().extension() != ".yaml") continue;
      const YamlValue config = ParseYaml(ReadAll(file.path()), file.path().string());
      EXPECT_TRUE(IsValid(ToJson(config), schema)) << file.path();
      ++count;
    }
  }
  EXPECT_GE(count, 41);
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
  const std::string model = "model: m.xml\n";
  EXPECT_TRUE(IsValidYaml(model + "control: {rate_hz: 500}\ngains: {K_D: [1, 2]}\n"));
  EXPECT_TRUE(IsValidYaml(model + "gains: {Lambda: [1, 2]}\n")) << "one number in some laws only";
  for (const char* bad :
       {"control: {rate_hz: 0}\n", "control: {rate: 500}\n", "control: 5\n", "seed: 1.5\n",
        "control: {mode: hold}\n", "gains: {K_D: fast}\n", "pushes: [{body: a, force: [1]}]\n",
        "pushes: {body: a}\n", "reference: {type: hold, radius_m: 3}\n",
        "initial: {joints: {a: b}}\n", "physics: {contacts: 1}\n"}) {
    EXPECT_FALSE(IsValidYaml(model + bad)) << bad;
  }
}

}  // namespace keys_test
}  // namespace civita
