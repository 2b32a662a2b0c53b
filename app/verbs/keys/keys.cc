#include "app/verbs/keys/keys.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/program.h"
#include "app/report/text_width.h"
#include "civita/error.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/schema/key_table.h"
#include "civita/scenes/schema/text.h"
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
void PrintTable(const std::vector<std::vector<std::string>>& rows) {
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
  std::vector<std::vector<std::string>> rows = {{"key", "takes", "unit", "default", "meaning"}};
  std::vector<std::string> names;
  for (const KeyInfo& info : DescribeKeys()) {
    names.push_back(info.key);
    if (!BeginsWith(info.key, options.prefix)) continue;
    rows.push_back({info.key, TypeText(info), info.unit, info.default_value, DocText(info)});
  }
  if (rows.size() == 1) throw UserError(UnknownName("key", options.prefix, names));
  PrintTable(rows);
  return kExitDone;
}

int RunSchema() {
  std::printf("%s\n", ConfigSchema().c_str());
  return kExitDone;
}

}  // namespace civita
