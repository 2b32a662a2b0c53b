// How `civita eval` handles valid and invalid states and arguments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/eval_shell.h"

namespace civita {
namespace eval_input_test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(EvalInput, StandardInputIsAFile) {
  const Shell shell;
  shell.Write("states.json", R"({"states": [{"q": [0.3, 1.2], "v": [1, -2]}]})");
  const ShellResult file = shell.Run("civita eval planar_2r --quantities C --states states.json");
  const ShellResult pipe =
      shell.Run("cat states.json | civita eval planar_2r --quantities C --states -");
  EXPECT_EQ(file.code, kExitDone);
  EXPECT_EQ(file.out, pipe.out);
  shell.Run("civita eval planar_2r --quantities C --states states.json --out out.json");
  EXPECT_EQ(ReadAll(shell.path() / "out.json"), file.out);
  EXPECT_EQ(shell.CountFiles(), 2u);
}

constexpr const char* kBall =
    "<mujoco><worldbody><body><joint name='ball' type='ball'/><geom size='0.1' pos='1 0 0'/></body>"
    "</worldbody></mujoco>";

TEST(EvalInput, QuaternionsAreNormalizedWithOneNote) {
  const Shell shell;
  shell.Write("ball.xml", kBall);
  const ShellResult result = shell.Run(
      "echo '{\"states\": [{\"q\": [1, 0, 0, 1e-9]}, {\"q\": [0, 2, 0, 0]}, {\"q\": [0, 0, 0, "
      "3]}]}' "
      "| civita eval ball.xml --quantities H --states -");
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_EQ(result.err,
            "civita: note: standard input: states[1].q: the quaternion of joint 'ball' has length "
            "2, it is normalized (and 1 more)\n");
  const Json states = Json::parse(result.out)["states"];
  EXPECT_EQ(states[1]["q"], Json::parse("[0, 1, 0, 0]"));
  EXPECT_EQ(states[2]["q"], Json::parse("[0, 0, 0, 1]"));
}

struct BadStates {
  const char* text;
  const char* message;
};

TEST(EvalInput, RefusesBadStatesInOneLine) {
  const Shell shell;
  shell.Write("ball.xml", kBall);
  const std::vector<BadStates> cases = {
      {R"({"states": [{}, {"q": [1]}]})", "states[1].q: has 1 number, the model has nq = 4"},
      {R"({"states": [{"v": [1, 2, 3, 4]}]})", "states[0].v: has 4 numbers, the model has nv = 3"},
      {R"({"states": [{"a": []}]})", "states[0].a: has 0 numbers, the model has nv = 3"},
      {"{\"states\":\n [{\"q\": [1, NaN, 0, 0]}]}", "s.json:2:13: states[0].q[1] is NaN"},
      {R"({"states": [{"v": [1, 0, -Infinity]}]})", "states[0].v[2] is -Infinity"},
      {R"({"states": [{"v": [1, 0, 1e999]}]})", "states[0].v[2] is 1e999, too large"},
      {R"({"states": [{"q": [1, 0, 0, null]}]})", "states[0].q[3]: must be a number, not null"},
      {R"({"states": [{"q": null}]})", "states[0].q: must be a list of numbers, not null"},
      {R"({"states": [{"q": ["a"]}]})", "states[0].q[0]: must be a number, not the text 'a'"},
      {R"({"states": [{"q": [[1]]}]})", "states[0].q[0]: must be a number, not a list"},
      {R"({"states": [{"q": [true]}]})", "states[0].q[0]: must be a number, not true"},
      {R"({"states": [{"q": [0, 0, 0, 0]}]})", "the quaternion of joint 'ball' has length 0"},
      {R"({"states": [{"q": [1e308, 1e308, 1e308, 1e308]}]})",
       "the quaternion of joint 'ball' has length inf"},
      {R"({"states": [{}, {"qdot": [1, 2, 3]}]})", "states[1]: unknown key 'qdot'"},
      {R"({"states": [{"a\nb": 1}]})", "states[0]: unknown key 'a b'"},
      {R"({"states": [{"v": [1, 2, 3], "v": [1, 2, 3]}]})", "states[0].v: the key 'v' comes twice"},
      {R"({"states": [[1]]})", "states[0]: must be an object with q, v, a, not a list"},
      {R"({"states": {"q": []}})", "states: must be a list of states, not an object"},
      {R"({"state": []})", "unknown key 'state' (did you mean 'states'?)"},
      {R"({"states": [], "states": []})", "the key 'states' comes twice"},
      {"{}", "there is no key 'states'"},
      {"[1]", "must be an object {\"states\": […]}, not a list"},
      {"{\"states\": [\n  {\"q\": [1, 0, 0, 0]},\n]}", "s.json:3:1: malformed JSON"},
      {"{\"states\": [{}]} x", "s.json:1:18: malformed JSON"},
      {"", "s.json:1:1: malformed JSON"},
  };
  for (const BadStates& bad : cases) {
    SCOPED_TRACE(bad.text);
    shell.Write("s.json", bad.text);
    shell.Write("out.json", "earlier");
    const ShellResult result =
        shell.Run("civita eval ball.xml --quantities H --states s.json --out out.json");
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(bad.message));
    EXPECT_THAT(result.err, MatchesRegex("civita: s.json[^\n]+\n"));
    EXPECT_EQ(ReadAll(shell.path() / "out.json"), "earlier");
    EXPECT_EQ(shell.CountFiles(), 3u);
  }
}

TEST(EvalInput, RefusesBadWrenchesAndMissingKeysInOneLine) {
  const Shell shell;
  const std::string place = "civita: s.json: states[1]", wrench = place + ".wrenches[1]";
  const auto of_wrench = [](const std::string& text) {
    return R"({"states": [{}, {"wrenches": [{"body": "hand"}, )" + text + "]}]}";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"states": [{}, {"wrenches": 3}]})",
       place + ".wrenches: must be a list of wrenches, not the number 3"},
      {R"({"states": [{}, {"wrenches": {}}]})",
       place + ".wrenches: must be a list of wrenches, not an object"},
      {of_wrench("3"),
       wrench + ": must be an object with body, point, force, moment, axes, not the number 3"},
      {of_wrench("[]"), wrench + ": must be an object with body, point, force"},
      {of_wrench("{}"), wrench + ": there is no key 'body'"},
      {of_wrench(R"({"body": "hnd"})"),
       wrench + ".body: unknown body or frame 'hnd' (did you mean 'hand'?); valid: "},
      {of_wrench(R"({"body": 3})"), wrench + ".body: must be a name, not the number 3"},
      {of_wrench(R"({"body": ["hand"]})"), wrench + ".body: must be a name, not a list"},
      {of_wrench(R"({"bod": "hand"})"),
       wrench +
           ": unknown key 'bod' (did you mean 'body'?); valid: body, axes, point, force, moment"},
      {of_wrench(R"({"body": "hand", "axes": "wrld"})"),
       wrench + ".axes: unknown choice 'wrld' (did you mean 'world'?); valid: world, body"},
      {of_wrench(R"({"body": "hand", "force": [1, 2]})"),
       wrench + ".force: has 2 numbers, must have 3"},
      {of_wrench(R"({"body": "hand", "force": 1})"),
       wrench + ".force: must be a list of 3 numbers, not the number 1"},
      {of_wrench(R"({"body": "hand", "force": "up"})"),
       wrench + ".force: must be a list of 3 numbers, not the text 'up'"},
      {of_wrench(R"({"body": "hand", "moment": [1, {}, 3]})"),
       wrench + ".moment[1]: must be a number, not an object"},
      {of_wrench(R"({"body": "hand", "force": [1, 2, 3], "force": [1, 2, 3]})"),
       wrench + ".force: the key 'force' comes twice"},
      {R"({"states": [{}, {"v_r": [1]}]})", place + ".v_r: has 1 number, the model has nv = 7"},
      {R"({"states": [{}, {"tau": [1], "wrenches": []}]})",
       place + ".tau: has 1 number, the model has nv = 7"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    shell.Write("s.json", text);
    const ShellResult result = shell.Run("civita eval arm7 --quantities H --states s.json");
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, testing::StartsWith(message));
    EXPECT_THAT(result.err, MatchesRegex("[^\n]+\n"));
  }
  shell.Write("s.json", R"({"states": [{"v_r": [1, 2, 3, 4, 5, 6, 7], "wrenches": []}]})");
  const std::vector<std::pair<std::string, std::string>> needs = {
      {"tau_r", "states[0]: there is no key 'vdot_r', which tau_r needs"},
      {"H,vdot", "states[0]: there is no key 'tau', which vdot needs"},
  };
  for (const auto& [quantities, message] : needs) {
    const std::string command = "civita eval arm7 --quantities " + quantities;
    EXPECT_EQ(shell.Run(command + " --states s.json").err, "civita: s.json: " + message + "\n");
  }
  EXPECT_EQ(shell.Run("civita eval arm7 --quantities vdot").err,
            "civita: --quantities: vdot needs the key 'tau' of states, see --states\n");
  EXPECT_TRUE(shell.Eval("arm7 --quantities Cv_r,tau_ext --states s.json").contains("states"));
}

TEST(EvalInput, RefusesBadArgumentsInOneLine) {
  const Shell shell;
  shell.Write("free.xml",
              "<mujoco><worldbody><body name='box'><joint name='f' type='free'/>"
              "<geom size='1'/></body></worldbody></mujoco>");
  shell.Write("two.xml",
              "<mujoco><worldbody><body name='a'><joint/><geom size='1'/></body>"
              "<body name='b'><joint/><geom size='1'/></body></worldbody></mujoco>");
  shell.Write("broken.xml", "<mujoco>\n<worldbody>\n<bod/></worldbody></mujoco>");
  const std::vector<BadStates> cases = {
      {"", "model is required"},
      {"arm7", "--quantities: says what to compute; valid: H, Hdot, Hinv, g, bias, com, Jcom"},
      {"arm7 --quantities H,Hdt", "unknown quantity 'Hdt' (did you mean 'Hdot'?); valid: H, Hdot"},
      {"arm7 --quantities gama", "did you mean 'Gamma'?"},
      {"arm8 --quantities H", "unknown scene 'arm8' (did you mean 'arm7'?)"},
      {"none.urdf --quantities H", "none.urdf"},
      {"broken.xml --quantities H", "broken.xml:3: "},
      {"arm7 --quantities H --format yaml", "--format: unknown choice 'yaml'; valid: json, npz"},
      {"arm7 --quantities H --format npz", "--format npz: needs --out FILE"},
      {"arm7 --quantities H --base flying", "--base: unknown choice 'flying'; valid: fixed, free"},
      {"free.xml --quantities H --base free",
       "body 'box' is not fixed in the world, its joint 'f'"},
      {"two.xml --quantities H --base free", "more than one body hangs on the world: 'a', 'b'"},
      {"arm7 --quantities C --factorization t", "--factorization 't': not one of the forms"},
      {"arm7 --quantities C --factorization body:hnd:ang:1", "did you mean 'hand'?"},
      {"arm7 --quantities H --states none.json",
       "--states none.json: cannot be read: No such file"},
      {"arm7 --quantities H --states .", "--states .: is a folder, not a file"},
      {"arm7 --quantities H --out .", "--out .: is a directory"},
      {"arm7 --quantities H --out none/x.json", "--out none/x.json: there is no directory none"},
      {"arm7 --quantities H --states", "--states"},
      {"arm7 --quantity H", "--quantity"},
  };
  for (const BadStates& bad : cases) {
    SCOPED_TRACE(bad.text);
    const ShellResult result = shell.Run("civita eval " + std::string(bad.text));
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(bad.message));
    EXPECT_THAT(result.err, MatchesRegex("civita: [^\n]+\n"));
    EXPECT_EQ(shell.CountFiles(), 3u);
  }
}

TEST(EvalInput, AFullDiskIsNoBadInput) {
  const Shell shell;
  const ShellResult file = shell.Run("civita eval arm7 --quantities H --out /dev/full");
  EXPECT_EQ(file.code, kExitFailed);
  EXPECT_THAT(file.err, MatchesRegex("civita: --out /dev/full: cannot be written: No space.*\n"));
  const ShellResult standard = shell.Run("civita eval arm7 --quantities H > /dev/full");
  EXPECT_EQ(standard.code, kExitFailed);
  EXPECT_THAT(standard.err, MatchesRegex("civita: standard output cannot be written: No .*\n"));
}

TEST(EvalInput, WhatIsNoFileIsRefused) {
  const Shell shell;
  for (const char* name : {"loop", "zero", "memory"}) {
    const char* target = name == std::string("loop")   ? "loop.yaml"
                         : name == std::string("zero") ? "/dev/zero"
                                                       : "/proc/self/mem";
    std::filesystem::create_symlink(target, shell.path() / (std::string(name) + ".yaml"));
  }
  for (const char* command :
       {"eval loop.yaml --quantities H", "eval zero.yaml --quantities H",
        "eval memory.yaml --quantities H", "run zero.yaml --headless", "run memory.yaml --headless",
        "run loop.yaml --headless", "eval planar_2r --quantities H --states /dev/zero",
        "eval planar_2r --quantities H --states - < /dev/zero",
        "eval planar_2r --quantities H --out loop.yaml",
        "run arm7 --headless --set reference.type=file --set reference.file=loop.yaml",
        "run arm7 --headless --set reference.type=file --set reference.file=/dev/zero",
        "bench --models loop.yaml", "compare zero.yaml --vary seed=1,2",
        "mkdir gone && cd gone && rmdir ../gone && civita eval planar_2r --quantities H --out x"}) {
    SCOPED_TRACE(command);
    const std::string line = command;
    const ShellResult result = shell.Run(line.starts_with("mkdir") ? line : "civita " + line);
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_THAT(result.err, MatchesRegex("civita: [^\n]+\n"));
    EXPECT_THAT(result.err, testing::Not(HasSubstr("internal error")));
  }
}

TEST(EvalInput, NumbersThatAreNotFiniteFail) {
  const Shell shell;
  const ShellResult result = shell.Run(
      "echo '{\"states\": [{}, {\"v\": [1e200, 1e200], \"q\": [0, 1]}]}' "
      "| civita eval planar_2r --quantities bias --states -");
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_EQ(result.err, "civita: states[1]: bias is not a finite number\n");
  EXPECT_TRUE(Json::parse(result.out)["states"][1]["bias"][0].is_null());
}

TEST(EvalInput, NoStatesGiveNoStates) {
  const Shell shell;
  shell.Write("s.json", R"({"states": []})");
  EXPECT_TRUE(shell.Eval("arm7 --quantities H --states s.json")["states"].empty());
}

}  // namespace eval_input_test
}  // namespace civita
