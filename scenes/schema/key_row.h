#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "civita/controllers/law_info.h"
#include "civita/scenes/schema/by_name.h"
#include "civita/scenes/schema/key_row_fwd.h"

// Rows that describe the keys of a section. A section is a struct; each row binds a key to a
// member, and reading, writing and documentation are driven by the rows. The member's type
// determines the type of the key's value.

namespace civita {

/// A name that a key accepts, and the value it stands for.
template <typename Value>
struct Choice {
  std::string_view name;
  Value value;
};

/// A list of numbers that may be given as one number for all coordinates.
template <typename Section>
struct OneOrAll {
  std::vector<double> Section::*numbers;
};
template <typename Section>
OneOrAll(std::vector<double> Section::*) -> OneOrAll<Section>;

/// A member whose values have names, see OneOf.
template <typename Section>
struct NamedMember {
  std::vector<std::string> (*names)();
  std::string (*get)(const Section& section);
  void (*set)(Section& section, const std::string& name);  ///< one of `names`
};

namespace internal {
struct BoundKey;
}

/// A member that is a list of sections, see ListOf.
template <typename Section>
struct ListMember {
  size_t (*size)(const Section& section);
  std::vector<internal::BoundKey> (*bind)(Section& section, size_t item);
  std::vector<internal::BoundKey> (*add)(Section& section);  ///< appends an item with its defaults
};

/// A key: `key` is its name below the section's. Empty strings, lists and optional members count
/// as unset. A map of numbers stands for keys `key.*`, a ByName for `key` and `key.*`.
template <typename Section>
struct KeyRow {
  using Member =
      std::variant<std::string Section::*, std::filesystem::path Section::*, double Section::*,
                   std::optional<double> Section::*, int Section::*, bool Section::*,
                   std::optional<bool> Section::*, std::vector<double> Section::*,
                   std::optional<std::vector<double>> Section::*, OneOrAll<Section>,
                   std::vector<std::vector<double>> Section::*, ByName<double> Section::*,
                   ByName<std::vector<std::vector<double>>> Section::*,
                   std::vector<std::string> Section::*, std::map<std::string, double> Section::*,
                   std::map<std::string, std::vector<double>> Section::*, LawOptions Section::*,
                   NamedMember<Section>, ListMember<Section>>;

  std::string_view key;
  Member member;
  std::string_view unit;  ///< "" if dimensionless
  std::string_view doc;
  NumberRange range = NumberRange::kAny;  ///< of a number, or of each number in a list
};

namespace internal {

template <typename Section, typename Value>
Section SectionOf(Value Section::*);  // to deduce Section
template <auto kMember>
using SectionOfMember = decltype(SectionOf(kMember));

struct OneOrAllRef {
  std::vector<double>* numbers;
};
struct NamedRef {
  std::vector<std::string> (*names)();
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;
};
struct ListRef {
  std::function<size_t()> size;
  std::function<std::vector<BoundKey>(size_t)> bind;
  std::function<std::vector<BoundKey>()> add;
};

/// Reference to the member of a section that a key sets.
using ValueRef =
    std::variant<std::string*, std::filesystem::path*, double*, std::optional<double>*, int*, bool*,
                 std::optional<bool>*, std::vector<double>*, std::optional<std::vector<double>>*,
                 OneOrAllRef, std::vector<std::vector<double>>*, ByName<double>*,
                 ByName<std::vector<std::vector<double>>>*, std::vector<std::string>*,
                 std::map<std::string, double>*, std::map<std::string, std::vector<double>>*,
                 LawOptions*, NamedRef, ListRef>;

/// A row with its full name and the member in a given section.
struct BoundKey {
  std::string key;  ///< "ground.friction"
  ValueRef value;
  std::string_view unit, doc;
  NumberRange range;
  std::string_view owner = {};  ///< type of reference that has it; "": every config
};

template <typename Section, typename Value>
ValueRef Refer(Value Section::*member, Section& section) {
  return &(section.*member);
}
template <typename Section>
ValueRef Refer(const OneOrAll<Section>& member, Section& section) {
  return OneOrAllRef{&(section.*member.numbers)};
}
template <typename Section>
ValueRef Refer(const NamedMember<Section>& member, Section& section) {
  return NamedRef{member.names, [get = member.get, &section] { return get(section); },
                  [set = member.set, &section](const std::string& name) { set(section, name); }};
}
template <typename Section>
ValueRef Refer(const ListMember<Section>& member, Section& section) {
  return ListRef{[size = member.size, &section] { return size(section); },
                 [bind = member.bind, &section](size_t item) { return bind(section, item); },
                 [add = member.add, &section] { return add(section); }};
}

/// Appends the rows of `section`, below `prefix` ("": at the top), to `keys`.
template <typename Section>
void Bind(std::string_view prefix, std::span<const KeyRow<Section>> rows, Section* section,
          std::vector<BoundKey>* keys) {
  const std::string start = prefix.empty() ? "" : std::string(prefix) + ".";
  for (const KeyRow<Section>& row : rows) {
    keys->push_back(
        {start + std::string(row.key),
         std::visit([section](const auto& member) { return Refer(member, *section); }, row.member),
         row.unit, row.doc, row.range});
  }
}

}  // namespace internal

/// A member whose value is one of `kChoices`, an array of Choice: OneOf<&GroundConfig::type,
/// kTypes>().
template <auto kMember, const auto& kChoices>
constexpr auto OneOf() {
  using Section = internal::SectionOfMember<kMember>;
  return NamedMember<Section>{[] {
                                std::vector<std::string> names;
                                for (const auto& c : kChoices) names.emplace_back(c.name);
                                return names;
                              },
                              [](const Section& section) {
                                for (const auto& c : kChoices) {
                                  if (c.value == section.*kMember) return std::string(c.name);
                                }
                                return std::string();
                              },
                              [](Section& section, const std::string& name) {
                                for (const auto& c : kChoices) {
                                  if (c.name == name) section.*kMember = c.value;
                                }
                              }};
}

/// A string member that is one of the names that the function `kNames` returns.
template <auto kMember, std::vector<std::string> (*kNames)()>
constexpr auto OneOfNames() {
  using Section = internal::SectionOfMember<kMember>;
  return NamedMember<Section>{
      kNames, [](const Section& section) { return section.*kMember; },
      [](Section& section, const std::string& name) { section.*kMember = name; }};
}

/// A list member whose items have the rows that the function `kRows` returns.
template <auto kMember, auto kRows>
constexpr auto ListOf() {
  using Section = internal::SectionOfMember<kMember>;
  return ListMember<Section>{[](const Section& section) { return (section.*kMember).size(); },
                             [](Section& section, size_t item) {
                               std::vector<internal::BoundKey> keys;
                               internal::Bind("", kRows(), &(section.*kMember)[item], &keys);
                               return keys;
                             },
                             [](Section& section) {
                               std::vector<internal::BoundKey> keys;
                               internal::Bind("", kRows(), &(section.*kMember).emplace_back(),
                                              &keys);
                               return keys;
                             }};
}

}  // namespace civita
