#include "civita/scenes/control/law_loader.h"

#include <gmock/gmock.h>

#include <string>

#include "civita/error.h"
#include "civita/scenes/schema/config.h"

namespace civita {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& type) {
  try {
    ReadConfig("planar_2r", {"controller.type=" + type});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(LawLoader, WithoutOneALawInPythonSaysWhatItNeeds) {
  EXPECT_EQ(LoadLaw("slotine_li", "/tmp"), "slotine_li");
  const std::string error = ErrorOf("laws.py:Own");
  EXPECT_THAT(error, HasSubstr("--set controller.type"));
  EXPECT_THAT(error, HasSubstr("'laws.py:Own' is a law in Python"));
  EXPECT_THAT(error, HasSubstr("python -m civita"));
}

TEST(LawLoader, GivesTheTypeOfALaw) {
  SetLawLoader([](const std::string& name, const std::filesystem::path& /*directory*/) {
    return name == "laws.py:Own" ? "computed_torque" : name;
  });
  EXPECT_EQ(ReadConfig("planar_2r", {"controller.type=laws.py:Own"}).controller, "computed_torque");
  EXPECT_THAT(ErrorOf("laws.py:Other"), HasSubstr("unknown controller.type 'laws.py:Other'"));
  SetLawLoader(nullptr);
}

}  // namespace
}  // namespace civita
