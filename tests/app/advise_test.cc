// `civita advise`: its page, its files, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/child_program.h"

namespace civita {
namespace advise_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ChildResult Advise(std::vector<std::string> words) {
  words.insert(words.begin(), "advise");
  ChildProgram program(words);
  return program.Wait();
}

TEST(Advise, WritesItsFiles) {
  ChildProgram program({"advise", "ball_arm", "--factorization", "t:0.5", "--out", "page"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("Assumptions:"), HasSubstr("advice.html")));
  const auto json = nlohmann::json::parse(ReadAll(program.folder() / "page/advice.json"));
  EXPECT_EQ(json["assumptions"]["factorization"], "t:0.5");
  EXPECT_EQ(json["command"], "civita advise ball_arm --factorization t:0.5");
  const std::string html = ReadAll(program.folder() / "page/advice.html");
  EXPECT_THAT(html, AllOf(HasSubstr("<p class=\"lead\">"), HasSubstr("<table>"),
                          HasSubstr("√(tr Q / tr Q_0)"), Not(HasSubstr("nan"))));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("src=")), Not(HasSubstr("href=")))) << "nothing is fetched";
}

TEST(Advise, InterruptedItLeavesNothing) {
  for (int k = 0; k < 6; ++k) {
    ChildProgram program({"advise", "chain20", "--out", "page"});
    for (int tries = 0; tries < 2000 && program.CpuSeconds() < 0.04 * k; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.Interrupt();
    const ChildResult result = program.Wait();
    const std::filesystem::path page = program.folder() / "page";
    EXPECT_FALSE(std::filesystem::exists(page / ".lock")) << k;
    EXPECT_EQ(std::filesystem::exists(page), std::filesystem::exists(page / "advice.json")) << k;
    EXPECT_THAT(result.code, testing::AnyOf(0, 130, -1)) << result.err;  // -1: before main
  }
}

TEST(Advise, TheMeasuredLimitIsInItsFilesAndRefusedBeforeThePage) {
  ChildProgram program({"advise", "planar_2r", "--set", "control.mode=held", "--set",
                        "duration_s=0.05", "--measure-limit", "--out", "page"});
  EXPECT_THAT(program.Wait().out, HasSubstr("Measured by "));
  const auto json = nlohmann::json::parse(ReadAll(program.folder() / "page/advice.json"));
  EXPECT_GT(json["measured_limit"]["stable"], 1) << "two coordinates have one C";
  EXPECT_TRUE(json["measured_limit"]["grows"].is_null());
  EXPECT_THAT(ReadAll(program.folder() / "page/advice.html"), HasSubstr("Measured by "));
  const ChildResult refused = Advise({"arm7_twist", "--measure-limit"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.out, "");
}

TEST(Advise, NamesTheFactorizationAsItWasWritten) {
  EXPECT_THAT(Advise({"ball_arm", "--factorization", "t:1"}).out, HasSubstr(" with t:1, "));
  EXPECT_THAT(Advise({"ball_arm", "--factorization", "plain"}).out,
              HasSubstr(" with plain (t:1), "));
  EXPECT_THAT(Advise({"ball_arm"}).out, HasSubstr(" with t:1, "));
}

TEST(Advise, ARobotAloneHasTheDefaultsOfARun) {
  const ChildResult result =
      Advise({std::string(CIVITA_SOURCE_DIR) + "/tests/data/robots/damping.xml"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("is a robot alone"), HasSubstr("defaults of civita run"),
                                HasSubstr("The reference, sinusoid, from 0 to 10 s")));
  EXPECT_THAT(Advise({"arm7"}).out, Not(HasSubstr("is a robot alone")));
}

TEST(Advise, RefusesInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"arm7_circle"}, "moves a frame"},
      {{"chain20", "--set", "controller.type=pd_gravity"}, "does not use C"},
      {{"quadruped_trot"}, "stands on feet"},
      {{"ball_arm", "--set", "duration_s=-1"}, "duration_s must be a number > 0"},
      {{"ball_arm", "--factorization", "plain+alpha:0.2"}, "not admissible"},
      {{"chain20", "--set", "gains.Lambda=0"}, "gains.Lambda is 0"},
      {{"arm7", "--factorization", "t:x"}, "--factorization"},
      {{"no_such_scene"}, "no_such_scene"},
  };
  for (const auto& [words, why] : cases) {
    SCOPED_TRACE(words[0] + " " + words.back());
    const ChildResult result = Advise(words);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(why));
    std::string errors;
    for (std::istringstream lines(result.err); std::getline(lines, errors);) {
      if (!errors.starts_with("civita: note:")) break;
    }
    EXPECT_THAT(errors, HasSubstr(why)) << "one line, after the notes";
  }
}

/// Whether a text has the word "nan" or "inf", with a sign or without.
bool HasNoNumber(const std::string& text) {
  return std::regex_search(text, std::regex("(^|[^A-Za-z])(nan|inf)([^A-Za-z]|$)"));
}

TEST(Advise, PrintsNumbersAloneWhateverTheGains) {
  for (const char* scene : {"arm7_twist", "chain20"}) {
    for (const char* key : {"gains.K_D", "gains.Lambda"}) {
      for (const char* size : {"1e300", "1e200", "1e100", "1e-100", "1e-200", "1e-300"}) {
        const ChildResult result =
            Advise({scene, "--set", std::string(key) + "=" + size, "--set", "duration_s=0.5"});
        SCOPED_TRACE(std::string(scene) + " " + key + "=" + size + ": " + result.out + result.err);
        EXPECT_FALSE(HasNoNumber(result.out));
        if (result.code == 0) continue;
        EXPECT_EQ(result.code, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_FALSE(HasNoNumber(result.err));
      }
    }
  }
}

}  // namespace advise_test
}  // namespace civita
