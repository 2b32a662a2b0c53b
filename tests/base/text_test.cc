#include "base/text.h"

#include <gtest/gtest.h>

namespace civita {
namespace text_test {

using internal::PadLeft, internal::PadRight, internal::TextWidth;

TEST(TextWidth, CombiningMarksTakeNoColumn) {
  EXPECT_EQ(TextWidth("V̇ ≤ 1"), 5u);
  EXPECT_EQ(PadRight("q̇", 3), "q̇  ");
  EXPECT_EQ(PadLeft("q̇", 3), "  q̇");
}

}  // namespace text_test
}  // namespace civita
