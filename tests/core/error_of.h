#pragma once

#include <string>

#include "civita/error.h"

namespace civita {

/// The text of the UserError that f() throws; empty if it throws none.
template <typename F>
std::string ErrorOf(F&& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace civita
