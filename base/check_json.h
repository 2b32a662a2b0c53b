#pragma once

#include <string>
#include <string_view>

namespace civita::internal {

/// Refuses JSON that our readers would not take as a whole: a NUL, where they end and messages,
/// too, also as an escape, and lists and objects nested deeper than anything sensible, for
/// functions that copy or write a document call themselves once a level. @throws UserError "NAME:
/// …".
void CheckJson(std::string_view json, const std::string& name);

}  // namespace civita::internal
