#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace civita {

/// The root of all that civita throws, which the edges of a program catch: windows, threads, other
/// languages. what() is one line, ready to print; programs end with exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Invalid input of a user (file, key, flag). what() names the place and the valid values; programs
/// end with exit code 2.
class UserError : public Error {
 public:
  using Error::Error;
};

/// Broken contract of a function: a caller passed sizes, stages or values that its docstring
/// forbids.
class ContractError : public Error {
 public:
  using Error::Error;
};

namespace internal {
/// A stream whose numbers are the same in every locale of the program.
class MessageStream : public std::ostringstream {
 public:
  MessageStream();
};

[[noreturn]] void ThrowContractError(const char* file, int line, const char* condition,
                                     const std::string& values);
}  // namespace internal

/// Checks a contract in all builds; throws ContractError if `condition` is false. The optional rest
/// is streamed into the message: `CIVITA_CHECK(q.size() == nq, "q has " << q.size() << " numbers,
/// the model wants " << nq)`.
#define CIVITA_CHECK(condition, ...)                                         \
  do {                                                                       \
    if (!(condition)) {                                                      \
      ::civita::internal::MessageStream civita_check_message;                \
      __VA_OPT__(civita_check_message << __VA_ARGS__;)                       \
      ::civita::internal::ThrowContractError(__FILE__, __LINE__, #condition, \
                                             civita_check_message.str());    \
    }                                                                        \
  } while (false)

}  // namespace civita
