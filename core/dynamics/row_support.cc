#include <algorithm>

#include "civita/error.h"
#include "civita/velocity_map.h"

namespace civita {

RowSupport::RowSupport(const std::vector<std::vector<int>>& rows, int nw)
    : nv_(static_cast<int>(rows.size())), nw_(nw) {
  for (const std::vector<int>& row : rows) {
    for (const int place : row)
      CIVITA_CHECK(place >= 0 && place < nw, "place " << place << " of " << nw << " numbers");
  }
  std::vector<bool> is_first(rows.size(), false);
  for (int c = 0; c < nw; ++c) {
    const auto row = std::find(rows.begin(), rows.end(), std::vector<int>{c});
    if (row == rows.end()) continue;
    is_first[static_cast<size_t>(row - rows.begin())] = true;
    entries_.push_back({static_cast<int>(row - rows.begin()), c});
  }
  for (size_t k = 0; k < rows.size(); ++k) {
    if (is_first[k]) continue;
    for (const int place : rows[k]) entries_.push_back({static_cast<int>(k), place});
  }
}

}  // namespace civita
