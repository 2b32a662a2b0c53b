#include "civita/describe.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace civita {
namespace describe_test {

using testing::HasSubstr;

TEST(Describe, TellsOfEachBodyWhatCarriesAndMovesIt) {
  ModelBuilder builder;
  const MassProperties mass{2.5, {0, 0, 0.1}, Eigen::Matrix3d::Identity()};
  const int base = builder.AddBody("base", ModelBuilder::kWorld, {}, mass);
  builder.AddJoint(base, JointType::kFree, {.name = "root"});
  const int arm = builder.AddBody("arm", base, {}, mass);
  builder.AddJoint(arm, JointType::kHinge, {.name = "shoulder"});
  const std::string text = Describe(builder.Build());
  EXPECT_THAT(text, HasSubstr("2 bodies, nq = 8, nv = 7\n"));
  EXPECT_THAT(text, testing::ContainsRegex("base +on world +free +q\\[0\\] v\\[0\\] 2.5 kg"));
  EXPECT_THAT(text, testing::ContainsRegex("arm +on base +hinge +q\\[7\\] v\\[6\\] 2.5 kg"));
}

}  // namespace describe_test
}  // namespace civita
