#pragma once

#include <string>

#include "civita/model.h"

namespace civita::internal {

/// Throw UserError if a number is not allowed; `what` and `who` begin its text.
void CheckNotNegative(double value, const std::string& what);
void CheckPassive(const JointProperties& joint, const std::string& who);
void CheckPassive(const TendonProperties& tendon, const std::string& who);

}  // namespace civita::internal
