#include <nlohmann/json.hpp>
#include <string_view>

#include "app/verbs/keys/keys.h"
#include "base/text.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/key_table.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

Json NumberSchema(const KeyInfo& info) {
  Json schema = {{"type", info.type == ConfigType::kInteger ? "integer" : "number"}};
  if (info.type == ConfigType::kInteger || info.range == "≥ 0") schema["minimum"] = 0;
  if (info.range == "> 0") schema["exclusiveMinimum"] = 0;
  return schema;
}

Json ListOf(const Json& items) { return {{"type", "array"}, {"items", items}}; }

Json OrByName(const Json& value) {
  return {{"anyOf", Json::array({value, {{"type", "object"}, {"additionalProperties", value}}})}};
}

Json ValueSchema(const KeyInfo& info) {
  const Json number = NumberSchema(info);
  switch (info.type) {
    case ConfigType::kText:
      return {{"type", Json::array({"string", "number"})}};
    case ConfigType::kTexts:
      return ListOf({{"type", "string"}});
    case ConfigType::kChoice:
      return {{"enum", info.choices}};
    case ConfigType::kBoolean:
      return {{"type", "boolean"}};
    case ConfigType::kNumber:
    case ConfigType::kInteger:
      return number;
    case ConfigType::kNumbers:
      return ListOf(number);
    case ConfigType::kRows:
      return ListOf(ListOf(number));
    case ConfigType::kNumberByName:
      return OrByName(number);
    case ConfigType::kSkewMatrix: {
      const Json entries = {{"type", "object"}, {"additionalProperties", number}};
      const Json rows = {{"type", "object"}, {"additionalProperties", entries}};
      return {{"anyOf", Json::array({ListOf(ListOf(number)), rows, {{"const", 0}}})}};
    }
    case ConfigType::kRowsByName:
      return OrByName(ListOf(ListOf(number)));
    case ConfigType::kNumberOrNumbers:
      break;
  }
  return {{"anyOf", Json::array({number, ListOf(number)})}};
}

std::string Description(const KeyInfo& info) {
  const std::string owners = internal::Join(info.owners, ", ");
  return info.doc + (info.unit.empty() ? "" : " [" + info.unit + "]") +
         (owners.empty() ? "" : " (" + owners + ")");
}

// The map or list that contains `key`'s last part, created if missing; `*` is a list's item if the
// part before it is a list of maps, else any name in a map.
Json* FindParent(Json* root, std::string_view path) {
  Json* at = root;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string part(path.substr(0, dot));
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    const bool is_list = path == "*" || path.starts_with("*.");
    Json& next = (*at)["properties"][part];
    if (next.is_null() && is_list) next = {{"type", Json::array({"array", "null"})}};
    if (next.is_null())
      next = {{"type", Json::array({"object", "null"})}, {"additionalProperties", false}};
    at = &next;
    if (!is_list) continue;
    path = path == "*" ? "" : path.substr(2);
    Json& items = (*at)["items"];
    if (items.is_null()) items = {{"type", "object"}, {"additionalProperties", false}};
    at = &items;
  }
  return at;
}

Json WithoutDescription(Json schema) {
  schema.erase("description");
  return schema;
}

// A key that several laws or types define differently accepts the values of any of them.
void AddProperty(Json& property, const Json& value) {
  if (property.is_null()) {
    property = value;
  } else if (WithoutDescription(property) == WithoutDescription(value)) {
    property["description"] =
        property["description"].get<std::string>() + "; " + value["description"].get<std::string>();
  } else {
    property = {{"anyOf", Json::array({property, value})}};
  }
}

// Rules that refuse keys which a reference's type does not have.
Json ReferenceRules() {
  Json rules = Json::array();
  for (const ReferenceType* type : ReferenceTypes()) {
    Json names = Json::array({"type"});
    for (const std::string& key : KeyNames(*type)) names.push_back(key);
    const Json is_type = {{"properties", {{"type", {{"const", type->name}}}}},
                          {"required", Json::array({"type"})}};
    const Json has_names = {{"propertyNames", {{"enum", names}}}};
    rules.push_back({{"if", is_type}, {"then", has_names}});
  }
  return rules;
}

}  // namespace

std::string ConfigSchema() {
  Json root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", "A config of civita"},
               {"type", "object"},
               {"additionalProperties", false}};
  for (const KeyInfo& info : DescribeKeys()) {
    const std::size_t dot = info.key.rfind('.');
    const std::string parent = dot == std::string::npos ? "" : info.key.substr(0, dot);
    const std::string name = dot == std::string::npos ? info.key : info.key.substr(dot + 1);
    Json value = ValueSchema(info);
    value["description"] = Description(info);
    if (name == "*") {
      (*FindParent(&root, parent))["additionalProperties"] = value;
    } else {
      AddProperty((*FindParent(&root, parent))["properties"][name], value);
    }
  }
  root["properties"]["reference"]["allOf"] = ReferenceRules();
  return root.dump(2);
}

}  // namespace civita
