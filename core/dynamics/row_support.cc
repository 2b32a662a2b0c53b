#include "civita/error.h"
#include "civita/velocity_map.h"

namespace civita {

RowSupport::RowSupport(const std::vector<std::vector<int>>& rows, int nw) : first_{0}, nw_(nw) {
  for (const std::vector<int>& row : rows) {
    for (const int place : row) {
      CIVITA_CHECK(place >= 0 && place < nw, "place " << place << " of " << nw << " numbers");
      places_.push_back(place);
    }
    first_.push_back(static_cast<int>(places_.size()));
  }
}

}  // namespace civita
