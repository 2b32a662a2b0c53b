#include "app/verbs/keys/keys.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "app/program.h"
#include "app/report/text_width.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/control/law_loader.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/key_table.h"
#include "civita/suggest.h"

namespace civita {
namespace {

std::string TypeText(const KeyInfo& info) {
  if (!info.choices.empty()) return internal::Join(info.choices, " | ");
  return ToString(info.type) + (info.range.empty() ? "" : " " + info.range);
}

std::string DocText(const KeyInfo& info) {
  return info.doc + (info.owners.empty() ? "" : " (" + internal::Join(info.owners, ", ") + ")");
}

bool BeginsWith(const std::string& key, const std::string& prefix) {
  return prefix.empty() || key == prefix || key.starts_with(prefix + ".");
}

// Columns are as wide as their widest cell; very long cells shift the rest of their line.
void PrintTable(const std::vector<KeyInfo>& keys) {
  std::vector<std::vector<std::string>> rows = {{"key", "takes", "unit", "default", "meaning"}};
  for (const KeyInfo& info : keys) {
    rows.push_back({info.key, TypeText(info), info.unit, info.default_value, DocText(info)});
  }
  constexpr std::size_t kMaxWidth = 30;
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t width = TextWidth(row[i]);
      if (width <= kMaxWidth) widths[i] = std::max(widths[i], width);
    }
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      const std::size_t width = TextWidth(row[i]);
      if (i + 1 < row.size()) line.append(2 + (width < widths[i] ? widths[i] - width : 0), ' ');
    }
    std::printf("%s\n", line.c_str());
  }
}

// What a law or a type of reference, of which it prints the first line, adds to the keys.
std::vector<KeyInfo> KeysOfRow(const std::string& name, const std::vector<KeyInfo>& all) {
  std::vector<std::string> names;
  for (const KeyInfo& info : all) names.push_back(info.key);
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
    std::vector<KeyInfo> keys;
    for (KeyInfo info : all) {
      if (std::ranges::find(info.owners, name) == info.owners.end()) continue;
      info.owners.clear();
      keys.push_back(std::move(info));
    }
    return keys;
  }
  throw UserError(UnknownName("key", name, names));
}

std::string Cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

std::string Code(const std::string& text) { return "`" + text + "`"; }

std::string SectionOf(const std::string& key) {
  const std::size_t dot = key.find('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

}  // namespace

std::string KeysAsMarkdown() {
  std::string text =
      "# Keys of a config\n\nWritten by `civita keys --markdown`. `*` stands for a number from 0 "
      "in "
      "a list, or for a name.\nKeys that name laws or types of references in brackets belong to "
      "those only.\n";
  const std::string head = "\n| key | takes | unit | default | meaning |\n|---|---|---|---|---|\n";
  std::string section = "none";
  for (const KeyInfo& info : DescribeKeys()) {
    const std::string now = SectionOf(info.key);
    if (now != section) {
      text.append("\n## ").append(now.empty() ? "A scene" : Code(now)).append("\n");
      text += head;
    }
    section = now;
    const std::string value = info.default_value.empty() ? "" : Code(info.default_value);
    for (const std::string& cell : {Code(std::string(info.key)), Cell(TypeText(info)),
                                    std::string(info.unit), value, Cell(DocText(info))}) {
      text.append("| ").append(cell).append(" ");
    }
    text += "|\n";
  }
  text += "\n## Types of references\n\n| type | motion | keys |\n|---|---|---|\n";
  for (const ReferenceType* type : ReferenceTypes()) {
    text += "| `" + std::string(type->name) + "` | " + std::string(type->doc) + " | " +
            internal::Join(KeyNames(*type), ", ") + " |\n";
  }
  return text;
}

int RunKeys(const KeysOptions& options) {
  if (options.markdown) {
    std::printf("%s", KeysAsMarkdown().c_str());
    return kExitDone;
  }
  const std::string name = LoadLaw(options.prefix, std::filesystem::current_path());
  const std::vector<KeyInfo> all = DescribeKeys();
  std::vector<KeyInfo> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen),
                       [&](const KeyInfo& info) { return BeginsWith(info.key, name); });
  if (chosen.empty()) chosen = KeysOfRow(name, all);
  PrintTable(chosen);
  return kExitDone;
}

int RunSchema() {
  std::printf("%s\n", ConfigSchema().c_str());
  return kExitDone;
}

}  // namespace civita
