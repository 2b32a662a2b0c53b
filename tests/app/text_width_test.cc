#include "app/report/text_width.h"

#include <gtest/gtest.h>

namespace civita {
namespace text_width_test {

TEST(TextWidth, CombiningMarksTakeNoColumn) {
  EXPECT_EQ(TextWidth("V̇ ≤ 1"), 5u);
  EXPECT_EQ(PadRight("q̇", 3), "q̇  ");
  EXPECT_EQ(PadLeft("q̇", 3), "  q̇");
}

}  // namespace text_width_test
}  // namespace civita
