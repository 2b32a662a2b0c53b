#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <utility>

#include "civita/controllers/replace_law.h"
#include "civita/error.h"
#include "civita/scenes/schema/config_keys.h"
#include "python/src/bind/python_law.h"

namespace civita::python {
namespace {

// LawInfo::make is a plain function, so that each law's type has one of its own.
constexpr std::size_t kMaxTypes = 64;
std::array<std::atomic<const PythonLawRow*>, kMaxTypes> rows;

template <std::size_t type>
std::unique_ptr<Controller> Make(const Model& model, const ControllerOptions& options) {
  return std::make_unique<PythonLaw>(model, *rows[type].load(), options);
}

using MakeFunction = decltype(LawInfo::make);

template <std::size_t... types>
constexpr std::array<MakeFunction, kMaxTypes> MakeFunctions(std::index_sequence<types...>) {
  return {&Make<types>...};
}

constexpr std::array<MakeFunction, kMaxTypes> kMakes =
    MakeFunctions(std::make_index_sequence<kMaxTypes>());

/// The number of the type, of a law in Python or of a new one.
std::size_t FindType(const std::string& type) {
  std::size_t index = 0;
  for (; index < kMaxTypes && rows[index].load() != nullptr; ++index) {
    if (rows[index].load()->info.type == type) return index;
  }
  for (const LawInfo* law : Laws()) {
    if (law->type == type) {
      throw UserError("the law '" + type + "' is civita's own; give yours another name");
    }
  }
  if (index == kMaxTypes) {
    throw UserError("more than " + std::to_string(kMaxTypes) + " laws in Python");
  }
  return index;
}

/// Reads tuples (attribute, unit, doc, width).
std::vector<LawNumbers> ReadNumbers(nb::handle list) {
  std::vector<LawNumbers> numbers;
  for (nb::handle each : list) {
    numbers.push_back({nb::cast<std::string>(each[0]), nb::cast<std::string>(each[1]),
                       nb::cast<std::string>(each[2]), nb::cast<int>(each[3])});
  }
  return numbers;
}

/// Reads a tuple (key, unit, doc, default, range, choices); the texts are the row's.
OptionInfo ReadOption(nb::handle each, PythonLawRow* row) {
  const auto keep = [row](nb::handle text) -> std::string_view {
    return row->texts.emplace_back(nb::cast<std::string>(text));
  };
  const auto keep_all = [&](nb::handle list) -> std::span<const std::string_view> {
    std::vector<std::string_view>& texts = row->text_lists.emplace_back();
    for (nb::handle text : list) texts.push_back(keep(text));
    return texts;
  };
  OptionInfo option = {
      .key = keep(each[0]), .unit = keep(each[1]), .doc = keep(each[2]), .default_value = false};
  if (internal::IsOfEveryLaw(option.key)) {
    throw UserError(row->name + "." + std::string(option.key) + ": controller." +
                    std::string(option.key) +
                    " is a key of all laws; give the option another name");
  }
  const nb::object value = each[3];
  if (nb::isinstance<nb::bool_>(value)) {
    option.default_value = nb::cast<bool>(value);
  } else if (nb::isinstance<nb::float_>(value)) {
    option.default_value = nb::cast<double>(value);
  } else if (nb::isinstance<nb::str>(value)) {
    option.default_value = keep(value);
  } else if (nb::len(value) > 0 && nb::isinstance<nb::float_>(value[0])) {
    option.default_value = std::span<const double>(
        row->number_lists.emplace_back(nb::cast<std::vector<double>>(value)));
  } else {
    option.default_value = keep_all(value);
  }
  option.range = static_cast<NumberRange>(nb::cast<int>(each[4]));
  option.choices = keep_all(each[5]);
  return option;
}

}  // namespace

void RegisterPythonLaw(const std::string& type, nb::handle law_class, nb::dict description) {
  const std::size_t index = FindType(type);
  // Never freed: the table of laws and controllers refer to it. What its class refers to remains,
  // too.
  nb::set_leak_warnings(false);
  auto* const row = new PythonLawRow;
  row->law_class = nb::borrow(law_class);
  const auto keep = [row](nb::handle text) -> std::string_view {
    return row->texts.emplace_back(nb::cast<std::string>(text));
  };
  row->name = nb::cast<std::string>(description["name"]);
  for (nb::handle each : nb::list(description["parameters"])) {
    const std::string_view unit = keep(each[3]);
    row->parameters.push_back(
        {keep(each[0]), keep(each[1]), keep(each[2]), unit, unit, keep(each[4]),
         nb::cast<double>(each[5]), nb::cast<double>(each[6]), nb::cast<double>(each[7]),
         nb::cast<bool>(each[8]) ? GainShape::kScalar : GainShape::kCoordinates,
         static_cast<NumberRange>(nb::cast<int>(each[9]))});
  }
  for (nb::handle each : nb::list(description["options"])) {
    row->options.push_back(ReadOption(each, row));
  }
  row->signals = ReadNumbers(description["signals"]);
  row->states = ReadNumbers(description["states"]);
  row->info = {.type = row->texts.emplace_back(type),
               .title = keep(description["title"]),
               .law = keep(description["law"]),
               .parameters = row->parameters,
               .options = row->options,
               .make = kMakes.at(index),
               .uses_factorization = nb::cast<bool>(description["uses_factorization"]),
               .knows_loops = nb::cast<bool>(description["knows_loops"])};
  rows.at(index).store(row);
  ReplaceLaw(row->info);
}

}  // namespace civita::python
