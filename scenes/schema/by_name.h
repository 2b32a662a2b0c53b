#pragma once

#include <map>
#include <string>

namespace civita {

/// A value for all names, or one for each name: a key takes either form.
template <typename Value>
struct ByName {
  Value all = {};                      ///< of names that have none of their own
  std::map<std::string, Value> own{};  ///< by name

  const Value& Of(const std::string& name) const {
    const auto found = own.find(name);
    return found == own.end() ? all : found->second;
  }
};

}  // namespace civita
