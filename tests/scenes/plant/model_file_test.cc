#include "civita/scenes/plant/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/error.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace model_file_test {

using testing::HasSubstr;

std::string Refusal(const std::string& elements) {
  const TemporaryFolder folder;
  const std::string file =
      folder.Write("model.xml", "<mujoco>\n<worldbody>\n<body name='b'><joint/><geom size='.1'/>" +
                                    elements + "</body></worldbody></mujoco>");
  std::vector<std::string> notices;
  try {
    LoadModelFile(file, {}, &notices);
  } catch (const UserError& error) {
    return std::string(error.what()).substr(folder.path().string().size());
  }
  return "";
}

// MuJoCo would make them for hours.
TEST(ModelFile, CopiesWithoutEndAreRefused) {
  const std::string told = "/model.xml:3: <replicate> makes more than 10000 copies";
  EXPECT_EQ(Refusal("<replicate count='2147483647'><site/></replicate>"), told);
  EXPECT_EQ(Refusal("<replicate\n count = \"200\"><replicate count='51'><site/></replicate>"
                    "</replicate>"),
            told.substr(0, 11) + "4" + told.substr(12));
  EXPECT_THAT(Refusal("<flexcomp name='f' type='grid' dim='3' count='600 600 600'/>"),
              HasSubstr("<flexcomp> makes more than 10000 copies"));
  EXPECT_EQ(Refusal("<replicate count='200'><site/></replicate>"
                    "<replicate count='51'><site/></replicate>"),
            "");
}

}  // namespace model_file_test
}  // namespace civita
