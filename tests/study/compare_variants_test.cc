#include "civita/study/compare/compare_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "civita/error.h"

namespace civita {
namespace compare_variants_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string ErrorOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CompareVariants, SplitsValuesAtCommasOfTheirOwn) {
  const Variation v = ParseVariation("factorization=t:1,joint:-5,body:hand:ang:0.5+t:2");
  EXPECT_EQ(v.key, "controller.factorization");
  EXPECT_THAT(v.values, ElementsAre("t:1", "joint:-5", "body:hand:ang:0.5+t:2"));
  EXPECT_THAT(ParseVariation("initial.q=[1,2],[3, 4]").values, ElementsAre("[1,2]", "[3, 4]"));
  EXPECT_THAT(ParseVariation("title='a,b',c").values, ElementsAre("'a,b'", "c"));
}

TEST(CompareVariants, KeysMayBeShortWhereThatIsNotAmbiguous) {
  EXPECT_EQ(ResolveConfigKey("K_D"), "gains.K_D");
  EXPECT_EQ(ResolveConfigKey("rate_hz"), "control.rate_hz");
  EXPECT_EQ(ResolveConfigKey("duration_s"), "duration_s") << "a whole key goes before";
  EXPECT_EQ(ResolveConfigKey("pushes.0.start_s"), "pushes.0.start_s");
  EXPECT_EQ(ResolveConfigKey("reference"), "reference") << "a whole map, as in reference={…}";
  EXPECT_EQ(ResolveConfigKey("pushes"), "pushes") << "a whole list";
  EXPECT_THAT(
      ErrorOf([] { ResolveConfigKey("type"); }),
      AllOf(HasSubstr("ambiguous"), HasSubstr("controller.type"), HasSubstr("reference.type")));
  EXPECT_THAT(ErrorOf([] { ResolveConfigKey("factorisation"); }),
              HasSubstr("did you mean 'factorization'"));
}

TEST(CompareVariants, CombinesAll) {
  const std::vector<Variant> variants = CombineVariations({"factorization=plain,t:2", "K_D=5,10"});
  ASSERT_EQ(variants.size(), 4u);
  EXPECT_EQ(variants[0].name, "plain, K_D=5");
  EXPECT_EQ(variants[3].name, "t:2, K_D=10");
  EXPECT_THAT(variants[1].overrides, ElementsAre("controller.factorization=plain", "gains.K_D=10"));
}

TEST(CompareVariants, RefusesWhatCannotBeCompared) {
  for (const char* text : {"t:1,plain", "=1,2", "K_D=", "K_D=1,,2", "K_D=1,1", "nope=1,2"}) {
    EXPECT_NE(ErrorOf([text] { ParseVariation(text); }), "") << text;
  }
  EXPECT_THAT(ErrorOf([] { CombineVariations({std::string("K_D=5")}); }),
              HasSubstr("nothing to compare"));
  EXPECT_THAT(ErrorOf([] { CombineVariations({"K_D=5", "gains.K_D=1,2"}); }), HasSubstr("twice"));
}

}  // namespace compare_variants_test
}  // namespace civita
