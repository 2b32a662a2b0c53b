#pragma once

#include <string>

#include "civita/study/survive/survival.h"

namespace civita {

/// Markdown: the definitions, then a row for each robot, variant and push.
std::string FormatSurvival(const SurvivalTable& table);

}  // namespace civita
