#pragma once

#include <string>
#include <vector>

#include "civita/scenes/schema/config.h"

namespace civita {

/// Documentation of a config key.
struct KeyInfo {
  std::string key;                        ///< "control.rate_hz", "pushes.*.body"
  ConfigType type;                        ///< type of its value
  std::string unit;                       ///< "" if dimensionless
  std::string default_value = {};         ///< as YAML; "" if there is none
  std::string range = {};                 ///< "> 0", "≥ 0" or "": any
  std::vector<std::string> choices = {};  ///< of ConfigType::kChoice
  std::string doc;
  std::vector<std::string> owners = {};  ///< laws or types of references that have it; empty: all

  bool operator==(const KeyInfo&) const = default;
};

/// Every key, in the order of the table: gains by name with the laws that have them, keys of a
/// reference with its types. A key that several laws or types document differently appears several
/// times.
std::vector<KeyInfo> DescribeKeys();

/// The options and gains of a law, as it documents them itself; without owners.
std::vector<KeyInfo> DescribeKeys(const LawInfo& law);

}  // namespace civita
