// Models in JSON at the program's door: what eval writes, verbs read to the same bits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/eval_shell.h"

namespace civita {
namespace app_model_json_test {

using testing::AllOf;
using testing::HasSubstr;

TEST(ModelJsonFile, IsAModelOfTheVerbs) {
  const Shell shell;
  for (const std::string flags : {"ball_arm ", "four_bar --reduced "}) {
    const std::string wanted = flags + "--quantities H,C,g,passive";
    const auto written = shell.Eval(wanted + " --save-model model.json");
    const auto read = shell.Eval("model.json" + wanted.substr(wanted.find(' ')));
    EXPECT_EQ(read["states"], written["states"]) << flags;
    EXPECT_EQ(read["joints"], written["joints"]) << flags;
  }
  const ShellResult formulas = shell.Run("civita formulas model.json --quantities g");
  EXPECT_EQ(formulas.code, kExitDone) << formulas.err;
}

TEST(ModelJsonFile, IsWrittenAloneOrBesideNumbersAndNotBesideAnError) {
  const Shell shell;
  const ShellResult alone = shell.Run("civita eval arm7 --save-model arm.json");
  EXPECT_EQ(alone.code, kExitDone) << alone.err;
  EXPECT_EQ(alone.out + alone.err, "");
  EXPECT_EQ(shell.CountFiles(), 1u);
  const ShellResult wrong = shell.Run("civita eval arm7 --quantities h --save-model other.json");
  EXPECT_EQ(wrong.code, kExitBadInput);
  EXPECT_EQ(shell.CountFiles(), 1u);
}

TEST(ModelJsonFile, IsRefusedInOneLine) {
  const Shell shell;
  shell.Write("bad.json", R"({"civita_model": 1, "bodies": [{"name": "a", "masses": 1}]})");
  const auto error = [&](const std::string& arguments) {
    const ShellResult result = shell.Run("civita " + arguments);
    EXPECT_EQ(result.code, kExitBadInput) << arguments;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(
      error("eval bad.json --quantities H"),
      HasSubstr("bad.json: bodies[0]: unknown key 'masses' (did you mean 'mass'?); valid: "));
  EXPECT_THAT(error("eval none.json --quantities H"), HasSubstr("none.json: "));
  EXPECT_THAT(error("eval arm7 --quantities H --save-model arm.xml"),
              HasSubstr("arm.xml: the name of a model's file must end with .json"));
  EXPECT_THAT(error("run bad.json --headless"),
              HasSubstr("bad.json: a model in JSON has no shapes to simulate"));
  shell.Write("arm.sdf", "<sdf version='1.6'><model name='arm'/></sdf>");
  for (const std::string verb : {"eval arm.sdf --quantities H", "run arm.sdf --headless"}) {
    EXPECT_THAT(error(verb), AllOf(HasSubstr("arm.sdf:1: <sdf> is no model"),
                                   HasSubstr("convert it by `sdf2mjcf FILE.sdf FILE.xml`")));
  }
}

TEST(ModelJsonFile, HasTheSchemaOfTheDocuments) {
  const Shell shell;
  EXPECT_EQ(shell.Run("civita schema --model").out,
            ReadAll(CIVITA_SOURCE_DIR "/docs/model.schema.json"));
}

}  // namespace app_model_json_test
}  // namespace civita
