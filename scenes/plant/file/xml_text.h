#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace civita::internal {

/// The elements of an XML file with their lines. Comments and processing instructions are left out.
class XmlText {
 public:
  /// MuJoCo's bound of nesting; pugixml calls itself once a level to remove an element.
  static constexpr int kDeepest = 500;

  /// @throws UserError with file, line and column when the text is no UTF-8 or no XML, with the
  /// line of an element that is nested too deep.
  XmlText(std::filesystem::path file, std::string_view text);

  const std::filesystem::path& file() const { return file_; }
  pugi::xml_node root() const { return document_.document_element(); }

  /// From 1.
  std::size_t Line(pugi::xml_node element) const { return LineOf(element.offset_debug()); }
  /// @throws UserError "FILE:LINE: what".
  [[noreturn]] void Refuse(pugi::xml_node element, const std::string& what) const;
  [[noreturn]] void RefuseNesting(pugi::xml_node element) const;
  /// ", line LINE".
  std::string InLine(pugi::xml_node element) const;
  /// The first child of this name; others are removed, each as "<NAME> of OF, line LINE" in
  /// `removed`.
  pugi::xml_node KeepFirst(pugi::xml_node parent, const char* name, const std::string& of,
                           std::vector<std::string>* removed) const;

  /// Writes the elements, each in its line, without the texts, which the document loses.
  std::string Write();

 private:
  std::size_t LineOf(std::ptrdiff_t offset) const;
  void CheckNesting() const;

  std::filesystem::path file_;
  std::vector<std::ptrdiff_t> line_ends_;
  pugi::xml_document document_;
};

/// The numbers of a text that are separated by blanks; nothing if there is anything else.
std::optional<std::vector<double>> ReadNumbers(std::string_view text);

}  // namespace civita::internal
