#include "civita/scenes/control/law_loader.h"

#include <gmock/gmock.h>

#include <string>

#include "civita/error.h"
#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/trust.h"
#include "tests/scenes/temporary_folder.h"

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

TEST(LawLoader, IsCalledForAConfigOnlyWhereItIsTrusted) {
  const TemporaryFolder folder;
  const std::string model = CIVITA_SOURCE_DIR "/scenes/planar_2r/scene.xml";
  const std::string file =
      folder.Write("own.yaml", "model: " + model + "\ncontroller: {type: laws.py:Own}\n");
  bool called = false;
  SetLawLoader([&called](const std::string& /*name*/, const std::filesystem::path& /*directory*/) {
    called = true;
    return std::string("computed_torque");
  });
  try {
    ReadConfig(file);
    ADD_FAILURE() << "an untrusted config runs code";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              file +
                  ":2:20: controller.type: laws.py:Own is code, which would run with your rights; "
                  "files may name code only with --trust");
  }
  EXPECT_FALSE(called);
  TrustConfigs(true);
  EXPECT_EQ(ReadConfig(file).controller, "computed_torque");
  EXPECT_TRUE(called);
  TrustConfigs(false);
  SetLawLoader(nullptr);
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
