#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace civita {

/// Invalid input of a user (file, key, flag). what() is one line that names the place and the valid
/// values, ready to print; programs end with exit code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Broken contract of a function: a caller passed sizes, stages or values that its docstring
/// forbids.
class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace internal {
[[noreturn]] void ThrowContractError(const char* file, int line, const char* condition,
                                     const std::string& values);
}  // namespace internal

/// Checks a contract in all builds; throws ContractError if `condition` is false. The optional rest
/// is streamed into the message: `CIVITA_CHECK(q.size() == nq, "q has " << q.size() << " numbers,
/// the model wants " << nq)`.
#define CIVITA_CHECK(condition, ...)                                         \
  do {                                                                       \
    if (!(condition)) {                                                      \
      std::ostringstream civita_check_message;                               \
      __VA_OPT__(civita_check_message << __VA_ARGS__;)                       \
      ::civita::internal::ThrowContractError(__FILE__, __LINE__, #condition, \
                                             civita_check_message.str());    \
    }                                                                        \
  } while (false)

}  // namespace civita
