#include "civita/scenes/plant/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
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

TEST(ModelFile, BytesThatDifferInOneOrTwoBitsHaveOtherHashes) {
  const std::string bytes = "The inertia of a link, and 5 bytes";
  std::set<std::string> hashes = {HashBytes(bytes)};
  std::size_t number = 1;
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    std::string other = bytes;
    other[i / 8] = static_cast<char>(other[i / 8] ^ (1 << i % 8));
    hashes.insert(HashBytes(other));
    for (std::size_t k = 0; k < i; ++k) {
      std::string third = other;
      third[k / 8] = static_cast<char>(third[k / 8] ^ (1 << k % 8));
      hashes.insert(HashBytes(third));
    }
    number += i + 1;
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) hashes.insert(HashBytes(bytes.substr(0, n)));
  for (std::size_t n = 1; n < 20; ++n) hashes.insert(HashBytes(bytes + std::string(n, '\0')));
  EXPECT_EQ(hashes.size(), number + bytes.size() + 19);
  EXPECT_EQ(hashes.begin()->size(), 16u);
}

}  // namespace model_file_test
}  // namespace civita
