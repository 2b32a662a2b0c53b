#pragma once

#include <string>
#include <string_view>

namespace civita::internal {

/// Refuses lists and objects of JSON that are nested deeper than anything sensible: functions that
/// copy or write a document call themselves once a level, so that the stack bounds what they take.
/// @throws UserError "NAME: …".
void CheckNesting(std::string_view json, const std::string& name);

}  // namespace civita::internal
