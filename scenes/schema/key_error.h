#pragma once

#include <string>
#include <utility>

#include "civita/error.h"

namespace civita {

/// A value of a config that cannot be used. Its text says what is wrong; LoadScene, which knows
/// file, line and column of the key, prepends these.
class KeyError : public UserError {
 public:
  KeyError(std::string key, const std::string& what) : UserError(what), key_(std::move(key)) {}
  /// "ground.friction", "pushes.0.body".
  const std::string& key() const { return key_; }

 private:
  std::string key_;
};

/// Refuses the key's value. @throws KeyError "KEYwhat".
[[noreturn]] inline void RefuseValue(const std::string& key, const std::string& what) {
  throw KeyError(key, key + what);
}

}  // namespace civita
