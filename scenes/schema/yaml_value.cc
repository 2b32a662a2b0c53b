#include "civita/scenes/schema/yaml_value.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "base/number_text.h"
#include "base/read_file.h"
#include "base/utf8.h"
#include "civita/error.h"

namespace civita {
namespace {

// Limit on values, since aliases let a small file stand for a huge or endless tree.
constexpr int kMaxValues = 100'000;
constexpr size_t kMaxDepth = 32;

/// Builds a value from the parser's events. YAML::Load would take a second reading to see whether
/// there is another document, and YAML::LoadAll finds documents without end in some malformed
/// texts.
class Builder : public YAML::EventHandler {
 public:
  // `fixed`: `name` is the place of every value; otherwise places are name:line:column.
  Builder(std::string name, bool fixed) : name_(std::move(name)), fixed_(fixed) {
    root_.where = name_;
    if (!fixed_) root_.file = name_;
  }

  /// @returns the value of the text's only document; null if it has none.
  YamlValue Build(const std::string& text) && {
    if (!IsWide(text)) internal::CheckUtf8(text, name_);
    try {
      Read(text);
    } catch (const YAML::Exception& error) {
      throw UserError(Where(error.mark) + ": malformed YAML: " +
                      internal::KeepCharacters(error.msg));  // which names single bytes
    }
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark&) override { ++num_documents_; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(MakeValue(YamlValue::Kind::kNull, mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    YamlValue value = MakeValue(YamlValue::Kind::kScalar, mark);
    // Of UTF-16 and UTF-32 the parser does not ask whether there are such characters.
    if (internal::FindNoUtf8(text) != text.npos) {
      throw UserError(value.where + ": the text has characters that do not exist");
    }
    value.text = text;
    value.quoted = tag == "!";
    Add(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) RefuseSize(Where(mark));  // an alias in its own value
    CheckSize(found->second, open_.size());
    Add(found->second, 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(YamlValue::Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(YamlValue::Kind::kMap, mark, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  /// Whether a byte order mark says that the text is UTF-16 or UTF-32, which YAML may be.
  static bool IsWide(std::string_view text) {
    return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
           text.starts_with(std::string_view("\0\0\xFE\xFF", 4));
  }

  /// A list or map whose end is still to come.
  struct Unfinished {
    YamlValue value;
    YAML::anchor_t anchor;
    std::optional<YamlValue::Entry> entry;  ///< of a map: has its key, and waits for its value
    std::unordered_set<std::string> keys;   ///< of a map: all up to here
  };

  void Read(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    try {
      while (parser.HandleNextDocument(*this)) {
      }
    } catch (const UserError&) {
      YAML::Load(text);  // throws if malformed: an entry without key may be a bracket's lack
      throw;
    }
  }

  std::string Where(const YAML::Mark& mark) const {
    if (fixed_ || mark.is_null()) return name_;
    return name_ + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  }

  YamlValue MakeValue(YamlValue::Kind kind, const YAML::Mark& mark) {
    YamlValue value;
    value.kind = kind;
    value.where = Where(mark);
    if (num_documents_ > 1) {
      throw UserError(value.where + ": a second YAML document; only one is read");
    }
    if (!fixed_) value.file = name_;
    CheckSize(value, open_.size());
    return value;
  }

  [[noreturn]] static void RefuseSize(const std::string& where) {
    throw UserError(where + ": too many or too deeply nested values");
  }

  /// Counts a value with all below it. @throws UserError at the first too many or too deep.
  void CheckSize(const YamlValue& value, size_t depth) {
    if (++num_values_ > kMaxValues || depth > kMaxDepth) RefuseSize(value.where);
    for (const YamlValue& item : value.items) CheckSize(item, depth + 1);
    for (const YamlValue::Entry& entry : value.entries) CheckSize(entry.value, depth + 1);
  }

  void Open(YamlValue::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    YamlValue value = MakeValue(kind, mark);
    if (ExpectsKey()) throw UserError(value.where + ": a key must be a word");
    open_.push_back({std::move(value), anchor, {}, {}});
  }

  void Close() {
    Unfinished last = std::move(open_.back());
    open_.pop_back();
    Add(std::move(last.value), last.anchor);
  }

  bool ExpectsKey() const {
    return !open_.empty() && open_.back().value.kind == YamlValue::Kind::kMap &&
           !open_.back().entry;
  }

  /// Puts a finished value where the parser is.
  void Add(YamlValue value, YAML::anchor_t anchor) {
    if (anchor != 0) {
      CheckSize(value, open_.size());
      anchored_[anchor] = value;
    }
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (ExpectsKey()) {
      AddKey(value);
    } else if (Unfinished& in = open_.back(); in.entry) {
      if (value.kind == YamlValue::Kind::kNull) value.where = in.entry->where;
      in.entry->value = std::move(value);
      in.value.entries.push_back(std::move(*in.entry));
      in.entry.reset();
    } else {
      in.value.items.push_back(std::move(value));
    }
  }

  void AddKey(const YamlValue& key) {
    if (key.kind != YamlValue::Kind::kScalar) {
      throw UserError(key.where + ": a key must be a word");
    }
    if (key.text == "<<") throw UserError(key.where + ": merge keys ('<<') are not supported");
    Unfinished& map = open_.back();
    if (!map.keys.insert(key.text).second) {
      const auto first = std::ranges::find(map.value.entries, key.text, &YamlValue::Entry::key);
      throw UserError(key.where + ": duplicate key '" + key.text + "'" +
                      (fixed_ ? "" : ", first at " + first->where));
    }
    map.entry = YamlValue::Entry{key.text, key.where, {}};
  }

  std::string name_;
  bool fixed_;
  YamlValue root_;
  std::vector<Unfinished> open_;  ///< from the outermost
  std::map<YAML::anchor_t, YamlValue> anchored_;
  int num_documents_ = 0, num_values_ = 0;
};

std::optional<size_t> ParseIndex(std::string_view text) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

// Whether the emitter would write a text as it is, told for most texts in a hundredth of its time.
bool IsPlain(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_plain = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '/' || c == '.' || c == ' ';
  };
  if (text.empty() || text.back() == ' ' || !(is_letter(text[0]) || text[0] == '/')) return false;
  return std::ranges::all_of(text, is_plain) && text != "null" && text != "Null" && text != "NULL";
}

}  // namespace

const YamlValue* YamlValue::Find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

YamlValue* YamlValue::Find(std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

std::string YamlValue::Describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      break;
  }
  constexpr size_t kShown = 40;
  return std::string(quoted ? "the text " : "") + "'" +
         (text.size() > kShown ? std::string(internal::FirstBytes(text, kShown)) + "…" : text) +
         "'";
}

YamlValue ParseYaml(const std::string& text, const std::string& name) {
  return Builder(name, false).Build(text);
}

YamlValue ReadYaml(const std::string& file) {
  return ParseYaml(internal::ReadFile(file, internal::kMostYamlBytes), file);
}

YamlValue ParseYamlArgument(const std::string& text, const std::string& where) {
  return Builder(where, true).Build(text);
}

void SetYamlValue(YamlValue& root, std::string_view path, const YamlValue& value) {
  if (std::ranges::count(path, '.') > static_cast<std::ptrdiff_t>(kMaxDepth)) {
    throw UserError(value.where + ": too many dots");
  }
  YamlValue* at = &root;
  std::string_view rest = path;
  while (true) {
    const size_t dot = rest.find('.');
    const std::string_view key = rest.substr(0, dot);
    if (key.empty()) {
      throw UserError(value.where + ": '" + std::string(path) + "' is no key; write key=value");
    }
    if (at->kind == YamlValue::Kind::kList) {
      const std::optional<size_t> index = ParseIndex(key);
      if (!index || *index > at->items.size()) {
        throw UserError(value.where + ": '" + std::string(key) + "' is no entry of a list of " +
                        std::to_string(at->items.size()) + " (counted from 0), nor the next one");
      }
      if (*index == at->items.size()) at->items.emplace_back().where = value.where;
      at = &at->items[*index];
    } else {
      if (at->kind != YamlValue::Kind::kMap)
        *at = {YamlValue::Kind::kMap, value.where, {}, {}, {}, {}, {}};
      const auto found = std::ranges::find(at->entries, key, &YamlValue::Entry::key);
      if (found != at->entries.end()) {
        found->where = value.where;
        at = &found->value;
      } else {
        at->entries.push_back({std::string(key), value.where, {}});
        at = &at->entries.back().value;
      }
    }
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  *at = value;
}

std::string ToYamlText(double number) { return internal::ExactNumber(number); }

std::string ToYamlText(std::string_view text) {
  if (IsPlain(text)) return std::string(text);
  YAML::Emitter emitter;
  emitter << std::string(text);
  return emitter.c_str();
}

}  // namespace civita
