#pragma once

#include <string>

#include "civita/study/advise/advice.h"

namespace civita {

/// Contents of advice.html: the terminal's page with its tables. `command` reproduces it.
std::string FormatAdviceHtml(const Advice& advice, const std::string& command);

}  // namespace civita
