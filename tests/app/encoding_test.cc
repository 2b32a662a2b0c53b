// Text that is no UTF-8 at every door of the program: a message of one line with the place, exit
// code 2, and nothing written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/program.h"
#include "base/utf8.h"
#include "tests/app/child_program.h"
#include "tests/app/eval_shell.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace encoding_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

ChildResult Execute(const std::vector<std::string>& arguments) {
  return ChildProgram(arguments).Wait();
}

/// An MJCF of one link whose joint has this name.
std::string Pendulum(const std::string& joint) {
  return "<mujoco>\n<worldbody><body><joint name='" + joint +
         "'/><geom size='.1'/></body></worldbody>\n</mujoco>\n";
}

class Encoding : public testing::Test {
 protected:
  Encoding() { folder_.Write("good.xml", Pendulum("hinge")); }

  /// Expects the refusal of the folder's file `name`, with this content, at line:column.
  void ExpectRefused(const std::vector<std::string>& arguments, const std::string& name,
                     const std::string& content, const std::string& place) {
    const std::string file = folder_.Write(name, content);
    const ChildResult result = Execute(arguments);
    EXPECT_EQ(result.code, kExitBadInput) << name;
    EXPECT_THAT(result.err, testing::ContainsRegex("civita: .*" + file + ":" + place +
                                                   ": is no UTF-8 text: byte 0x[0-9A-F]+\n$"));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out"));
  }
  std::string Path(const std::string& name) const { return folder_.path() / name; }
  std::vector<std::string> Run(const std::string& config) const {
    return {"run", Path(config), "--headless", "--duration", "0.01", "--out", Path("out")};
  }

  TemporaryFolder folder_;
};

TEST_F(Encoding, OfConfigsInKeysValuesAndBases) {
  ExpectRefused(Run("c.yaml"), "c.yaml", "model: good.xml\nseed\xC0: 1\n", "2:5");
  ExpectRefused(Run("c.yaml"), "c.yaml", "model: good.xml\ntitle: 'a\xFF'\n", "2:10");
  ExpectRefused(Run("c.yaml"), "c.yaml", "# M\xFCller\nmodel: good.xml\n", "1:4");
  folder_.Write("d.yaml", "base: base.yaml\n");
  ExpectRefused(Run("d.yaml"), "base.yaml", "title: x\n\nmodel: \xE9.xml\n", "3:8");
  ExpectRefused({"compare", Path("c.yaml"), "--vary", "seed=1,2", "--duration", "0.01"}, "c.yaml",
                "model: good.xml\n title\x80", "2:7");
}

TEST_F(Encoding, OfModelsAndWhatTheyInclude) {
  const std::string bad = Pendulum("hinge\xC3\xA9\xC3");
  ExpectRefused({"eval", Path("m.xml"), "--quantities", "H"}, "m.xml", bad, "2:37");
  ExpectRefused(Run("m.xml"), "m.xml", bad, "2:37");
  ExpectRefused({"eval", Path("r.urdf"), "--quantities", "H"}, "r.urdf",
                "<robot name='r'>\n<link name='\xF8'/></robot>\n", "2:13");
  folder_.Write("outer.xml",
                "<mujoco><!-- <include file='none.xml'/> -->\n"
                "<include\n file = \"parts/middle.xml\"/></mujoco>\n");
  folder_.Write("parts/middle.xml", "<mujoco><include file='inner.xml'/></mujoco>\n");
  ExpectRefused({"eval", Path("outer.xml"), "--quantities", "H"}, "parts/inner.xml",
                "<mujoco>\n\n  <!-- \xB5m -->\n</mujoco>\n", "3:8");
}

TEST_F(Encoding, OfNamesByCharacterReferences) {
  const std::string file = folder_.Write("m.xml", Pendulum("elbow&#xD800;"));
  const ChildResult result = Execute({"eval", file, "--quantities", "H"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, StartsWith("civita: " + file));
  EXPECT_THAT(result.err, testing::ContainsRegex("UTF-8|D800"));
}

TEST_F(Encoding, OfStatesMotionsCoordinatesAndFactorizations) {
  const std::vector<std::string> eval = {"eval", "planar_2r", "--quantities", "C"};
  const auto with = [&eval](const std::string& flag, const std::string& value) {
    std::vector<std::string> words = eval;
    words.insert(words.end(), {flag, value});
    return words;
  };
  ExpectRefused(with("--states", Path("s.json")), "s.json", "{\"states\": [\n{\"\xA0\": 1}]}",
                "2:3");
  ExpectRefused(with("--coordinates", Path("a.csv")), "a.csv", "1 0\n0 1\x99\n", "2:4");
  ExpectRefused(with("--coordinates", Path("a.yaml")), "a.yaml", "A: [[\xFE]]\n", "1:6");
  ExpectRefused(with("--factorization", "form:" + Path("f.csv")), "f.csv", "0 1 2 3\n\xFF", "2:1");
  ExpectRefused(with("--factorization", "joint:1:" + Path("S.csv")), "S.csv", "1,\xFF\n", "1:3");
  ExpectRefused({"run", "planar_2r", "--headless", "--duration", "0.01", "--set",
                 "reference={type: file, file: " + Path("m.csv") + "}"},
                "m.csv", "t,q\xC1\n0,0\n", "1:4");
  ExpectRefused({"poe", "mass_matrix_crba", Path("p.yaml")}, "p.yaml", "M_list: \xD0\n", "1:9");
  ExpectRefused({"poe", "ad", "--states", Path("p.json")}, "p.json", "{\"\xD0\"}", "1:3");
  ExpectRefused({"run", "planar_2r", "--headless", "--duration", "0.01", "--set",
                 "controller.estimate=" + Path("e.yaml")},
                "e.yaml", "masses: \xBF\n", "1:9");
}

TEST_F(Encoding, OfRunFolders) {
  ASSERT_EQ(
      Execute({"run", "planar_2r", "--headless", "--duration", "0.01", "--out", Path("run")}).code,
      kExitDone);
  for (const char* name : {"run.json", "signals.csv", "timing.csv", "config.yaml"}) {
    const std::string whole = ReadAll(Path("run") + "/" + name);
    ExpectRefused({"verify", Path("run")}, std::string("run/") + name, "t\xFF" + whole, "1:2");
    folder_.Write(std::string("run/") + name, whole);
  }
  EXPECT_EQ(Execute({"verify", Path("run")}).code, kExitDone);
}

TEST_F(Encoding, OfArguments) {
  const auto error_of = [](const std::vector<std::string>& arguments) {
    const ChildResult result = Execute(arguments);
    EXPECT_EQ(result.code, kExitBadInput);
    return result.err;
  };
  EXPECT_EQ(error_of({"run", "arm7", "--headless", "--set", "title=\xC3\xA9\xFF"}),
            "civita: argument 5, 'title=é\\xff', column 8: is no UTF-8 text\n");
  EXPECT_EQ(error_of({"\x80"}), "civita: argument 1, '\\x80', column 1: is no UTF-8 text\n");
  EXPECT_THAT(error_of({"eval", "a\xE9.xml", "--quantities", "H"}),
              EndsWith("argument 2, 'a\\xe9.xml', column 2: is no UTF-8 text\n"));
}

/// A folder of such a name is told where a result would name it; nothing is written there.
TEST_F(Encoding, OfTheWorkingFolder) {
  const Shell shell;
  folder_.Write("c.yaml", "model: good.xml\n");
  const ShellResult result = shell.Run(
      "d=$(printf 'a\\377'); mkdir \"$d\"; cd \"$d\"; cp " + Path("good.xml") + " " +
      Path("c.yaml") +
      " .; civita run c.yaml --headless --duration 0.01 --out out; code=$?; ls; exit $code");
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_EQ(result.err, "civita: c.yaml: the path of its folder is no UTF-8 text\n");
  EXPECT_EQ(result.out, "c.yaml\ngood.xml\n");
}

/// What YAML may be beside UTF-8 stays readable.
TEST_F(Encoding, AConfigMayBeUtf16WithItsMark) {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("model: good.xml\ntitle: '\xE9'\n")) wide += {c, '\0'};
  folder_.Write("wide.yaml", wide);
  const ChildResult result = Execute(Run("wide.yaml"));
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(ReadAll(Path("out/config.yaml")), HasSubstr("é"));
}

/// What is cut from a long text for a message ends with a character.
TEST_F(Encoding, ShortenedTextsStayText) {
  std::string many;
  for (int i = 0; i < 60; ++i) many += "é";
  for (const std::string& text : {many, "a" + many}) {
    const ChildResult result =
        Execute({"run", "arm7", "--headless", "--set", "duration_s=" + text});
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_THAT(result.err, HasSubstr("é…'"));
    EXPECT_THAT(result.err, testing::Not(HasSubstr("\\x")));
  }
}

/// A reader's message that names the bytes up to its error ends with a character, too.
TEST_F(Encoding, MessagesOfReadersAreText) {
  folder_.Write("s.json", "{\"states\": ढ");
  folder_.Write("c.yaml", "model: good.xml\ntitle: \"\\ö\"\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"eval", Path("good.xml"), "--states", Path("s.json"),
                                 "--quantities", "H"},
        {"poe", "gravity_forces", CIVITA_SOURCE_DIR "/config/poe/ur5_three_links.yaml", "--states",
         Path("s.json")},
        Run("c.yaml")}) {
    const ChildResult result = Execute(arguments);
    EXPECT_EQ(result.code, kExitBadInput) << arguments[0];
    EXPECT_THAT(result.err, HasSubstr("malformed ")) << arguments[0];
    EXPECT_EQ(internal::FindNoUtf8(result.err), std::string::npos) << result.err;
    EXPECT_THAT(result.err, testing::Not(HasSubstr("\\x"))) << arguments[0];
  }
}

}  // namespace encoding_test
}  // namespace civita
