#pragma once

#include <string>

#include "civita/study/table.h"

namespace civita {

/// The table, which scrolls where the page is narrow; its numbers as the window shows them.
std::string ToHtml(const Table& table);

}  // namespace civita
