#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/keys/keys.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/json/model_json.h"
#include "civita/scenes/control/law_loader.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/config.h"
#include "civita/study/table.h"
#include "civita/suggest.h"

namespace civita {
namespace {

/// Options of `civita keys`.
struct KeysOptions {
  /// "control", "reference.amplitude", or what has keys of its own: a law, "adaptive" or
  /// "laws.py:Law", or a type of reference, "sinusoid"; empty: all
  std::string prefix;
  bool markdown = false;  ///< docs/configuration.md instead of a table for terminals
};

std::string TypeText(const ConfigKey& info) {
  if (!info.choices.empty()) return internal::Join(info.choices, " | ");
  return ToString(info.type) + (info.range.empty() ? "" : " " + info.range);
}

std::string DocText(const ConfigKey& info) {
  return info.doc + (info.owners.empty() ? "" : " (" + internal::Join(info.owners, ", ") + ")");
}

bool BeginsWith(const std::string& key, const std::string& prefix) {
  return prefix.empty() || key == prefix || key.starts_with(prefix + ".");
}

std::string SectionOf(const std::string& key) {
  const std::size_t dot = key.find('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

Table KeysTable(const std::vector<ConfigKey>& keys) {
  Table table;
  table.names = {.title = "key", .is_text = true, .is_code = true};
  table.columns = {{.title = "takes", .is_text = true},
                   {.title = "unit", .is_text = true},
                   {.title = "default", .is_text = true, .is_code = true},
                   {.title = "meaning", .is_text = true}};
  for (const ConfigKey& info : keys) {
    table.AddRow(info.key, {TypeText(info), info.unit, info.default_value, DocText(info)});
  }
  return table;
}

// What a law or a type of reference, of which it prints the first line, adds to the keys.
std::vector<ConfigKey> KeysOfRow(const std::string& name, const std::vector<ConfigKey>& all) {
  std::vector<std::string> names;
  for (const ConfigKey& info : all) names.push_back(info.key);
  for (const LawInfo* law : Laws()) {
    names.emplace_back(law->type);
    if (law->type != name) continue;
    std::printf("%s: %s\n", std::string(law->title).c_str(), std::string(law->law).c_str());
    return DescribeKeys(*law);
  }
  for (const ReferenceType* type : ReferenceTypes()) {
    names.emplace_back(type->name);
    if (type->name != name) continue;
    std::printf("%s\n", std::string(type->doc).c_str());
    std::vector<ConfigKey> keys;
    for (ConfigKey info : all) {
      if (std::ranges::find(info.owners, name) == info.owners.end()) continue;
      info.owners.clear();
      keys.push_back(std::move(info));
    }
    return keys;
  }
  throw UserError(UnknownName("key", name, names));
}

/// Prints the keys of a config. @returns an ExitCode. @throws UserError: nothing has this name.
int RunKeys(const KeysOptions& options) {
  if (options.markdown) {
    std::printf("%s", KeysAsMarkdown().c_str());
    return kExitDone;
  }
  const std::string name = LoadLaw(options.prefix, std::filesystem::current_path());
  const std::vector<ConfigKey> all = DescribeKeys();
  std::vector<ConfigKey> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen),
                       [&](const ConfigKey& info) { return BeginsWith(info.key, name); });
  if (chosen.empty()) chosen = KeysOfRow(name, all);
  PrintOut(ToTerminal(KeysTable(chosen), kAnyWidth, 0));
  return kExitDone;
}

/// Prints a JSON schema. @returns an ExitCode.
int RunSchema(bool model) {
  std::printf("%s\n", (model ? ModelSchema() : ConfigSchema()).c_str());
  return kExitDone;
}

}  // namespace

std::function<int()> AddKeys(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<KeysOptions>();
  command->description("Prints the keys of a config: type, range, unit, default and meaning.");
  AddValue(command, "prefix", "NAME",
           "a section or a key, a law or a type of reference; default: all", &options->prefix);
  command->add_flag("--markdown", options->markdown, "as docs/configuration.md");
  return [options] { return RunKeys(*options); };
}

std::function<int()> AddSchema(CLI::App* command, const Registry& /*registry*/) {
  const auto model = std::make_shared<bool>(false);
  command->description("Prints a JSON schema of configs, for editors.");
  command->add_flag("--model", *model, "of models in JSON, as docs/model.schema.json");
  return [model] { return RunSchema(*model); };
}

std::string KeysAsMarkdown() {
  std::string text =
      "# Keys of a config\n\nWritten by `civita keys --markdown`. `*` stands for a number from 0 "
      "in "
      "a list, or for a name.\nKeys that name laws or types of references in brackets belong to "
      "those only.\n";
  const std::vector<ConfigKey> keys = DescribeKeys();
  Table table = KeysTable(keys);
  std::string section = "none";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string now = SectionOf(keys[i].key);
    if (now != section) table.rows[i].heading = now.empty() ? "A scene" : "`" + now + "`";
    section = now;
  }
  Table types;
  types.names = {.title = "type", .is_text = true, .is_code = true};
  types.columns = {{.title = "motion", .is_text = true}, {.title = "keys", .is_text = true}};
  for (const ReferenceType* type : ReferenceTypes()) {
    types.AddRow(std::string(type->name),
                 {std::string(type->doc), internal::Join(KeyNames(*type), ", ")});
  }
  return text + "\n" + ToMarkdown(table, "##") + "\n## Types of references\n\n" + ToMarkdown(types);
}

}  // namespace civita
