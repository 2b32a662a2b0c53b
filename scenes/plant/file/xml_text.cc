#include "civita/scenes/plant/xml_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "civita/error.h"

namespace civita::internal {
namespace {

// The text with a blank where NAME=" follows a quotation mark, as the next attribute may in MuJoCo
// and ROS, and not in pugixml.
std::string PartAttributes(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'", kNoName = "\"' \t\r\n<>=/";
  std::string parted;
  for (std::size_t at = 0; at < text.size(); ++at) {
    parted += text[at];
    if (kQuotes.find(text[at]) == kQuotes.npos) continue;
    const std::size_t end = text.find_first_of(kNoName, at + 1);
    const bool is_name = end != text.npos && end > at + 1 && text[end] == '=';
    if (is_name && text.find_first_of(kQuotes, end) == end + 1) parted += ' ';
  }
  return parted;
}

}  // namespace

XmlText::XmlText(std::filesystem::path file, std::string_view text) : file_(std::move(file)) {
  CheckUtf8(text, file_.string());
  const auto load = [this](std::string_view read) {
    line_ends_.clear();
    for (std::size_t at = read.find('\n'); at != read.npos; at = read.find('\n', at + 1)) {
      line_ends_.push_back(static_cast<std::ptrdiff_t>(at));
    }
    return document_.load_buffer(read.data(), read.size(), pugi::parse_default,
                                 pugi::encoding_utf8);
  };
  pugi::xml_parse_result result = load(text);
  if (result.status == pugi::status_bad_attribute) {
    const pugi::xml_parse_result again = load(PartAttributes(text));
    result = again ? again : load(text);
  }
  if (result.status == pugi::status_ok && root()) {
    CheckNesting();
    return;
  }
  const std::ptrdiff_t offset = std::min(result.offset, static_cast<std::ptrdiff_t>(text.size()));
  const std::size_t line = LineOf(offset);
  const std::ptrdiff_t begin = line > 1 ? line_ends_[line - 2] + 1 : 0;
  std::string what = result.description();
  what.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(what.front())));
  throw UserError(file_.string() + ":" + std::to_string(line) + ":" +
                  std::to_string(offset - begin + 1) + ": this is no XML: " + what);
}

void XmlText::CheckNesting() const {
  int depth = 0;
  for (pugi::xml_node node = root(); node;) {
    if (depth > kDeepest) RefuseNesting(node);
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    if (node) node = node.next_sibling();
  }
}

std::size_t XmlText::LineOf(std::ptrdiff_t offset) const {
  const auto end = std::lower_bound(line_ends_.begin(), line_ends_.end(), offset);
  return static_cast<std::size_t>(end - line_ends_.begin()) + 1;
}

void XmlText::Refuse(pugi::xml_node element, const std::string& what) const {
  throw UserError(file_.string() + ":" + std::to_string(Line(element)) + ": " + what);
}

void XmlText::RefuseNesting(pugi::xml_node element) const {
  Refuse(element, "elements are nested more than " + std::to_string(kDeepest) + " deep");
}

std::string XmlText::InLine(pugi::xml_node element) const {
  return ", line " + std::to_string(Line(element));
}

pugi::xml_node XmlText::KeepFirst(pugi::xml_node parent, const char* name, const std::string& of,
                                  std::vector<std::string>* removed) const {
  const pugi::xml_node first = parent.child(name);
  while (const pugi::xml_node next = first.next_sibling(name)) {
    removed->push_back("<" + std::string(name) + "> of " + of + InLine(next));
    parent.remove_child(next);
  }
  return first;
}

std::string XmlText::Write() {
  struct Breaker : pugi::xml_tree_walker {
    explicit Breaker(const XmlText& text) : xml(text), line(text.Line(text.root())) {}
    bool for_each(pugi::xml_node& node) override {
      if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
        node.set_value("");
        return true;
      }
      if (node.type() != pugi::node_element || node.offset_debug() < 0) return true;
      const std::size_t at = xml.Line(node);
      if (at <= line) return true;
      node.parent()
          .insert_child_before(pugi::node_pcdata, node)
          .set_value(std::string(at - line, '\n').c_str());
      line = at;
      return true;
    }
    const XmlText& xml;
    std::size_t line;  ///< the root's line breaks would stand before it, where no text is
  } breaker(*this);
  root().traverse(breaker);
  std::ostringstream text;
  text << std::string(Line(root()) - 1, '\n');
  root().print(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

std::optional<std::vector<double>> ReadNumbers(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != text.npos;
       at = text.find_first_not_of(kBlanks, at)) {
    if (text[at] == '+') ++at;
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    double number = 0;
    const auto [last, error] = std::from_chars(text.data() + at, text.data() + end, number);
    if (error != std::errc() || last != text.data() + end) return std::nullopt;
    numbers.push_back(number);
    at = end;
  }
  return numbers;
}

}  // namespace civita::internal
