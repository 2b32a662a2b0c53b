// The built program's `civita poe`: the numbers that the documentation of [LP]'s programs prints,
// files, errors and the documentation's examples.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "civita/study/poe/poe_functions.h"
#include "tests/app/document_block.h"
#include "tests/app/eval_shell.h"

namespace civita {
namespace poe_test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string kFile = CIVITA_SOURCE_DIR "/config/poe/ur5_three_links.yaml";
const std::string kChain = "'" + kFile + "'";  // for a shell
const std::string kState = " --theta 0.1,0.1,0.1 --dtheta 0.1,0.2,0.3 ";
const std::string kWrench = " --F-tip 1,1,1,1,1,1 ";
/// Numbers printed in full, by a program with another order of summation.
constexpr double kInFull = 1e-13;
/// Half a unit of the sixth digit, the last one printed, of a number that begins with 1.
constexpr double kSixDigits = 5e-6;

/// Output of a command that must succeed.
Json Poe(const Shell& shell, const std::string& arguments) {
  const ShellResult result = shell.Run("civita poe " + arguments);
  EXPECT_EQ(result.code, kExitDone) << arguments << "\n" << result.err;
  return result.code == kExitDone ? Json::parse(result.out) : Json();
}
/// The only state of that output.
Json PoeState(const std::string& arguments) {
  const Json json = Poe(Shell(), arguments);
  EXPECT_EQ(json["states"].size(), 1u);
  return json["states"][0];
}

/// Every number to the relative `tolerance`.
void ExpectNumbers(const Json& numbers, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(numbers.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(numbers[i].get<double>(), expected[i], tolerance * std::abs(expected[i])) << i;
  }
}

TEST(Poe, LieBracket) {
  const Json expected = {{0, -3, 2, 0, 0, 0},  {3, 0, -1, 0, 0, 0},  {-2, 1, 0, 0, 0, 0},
                         {0, -6, 5, 0, -3, 2}, {6, 0, -4, 3, 0, -1}, {-5, 4, 0, -2, 1, 0}};
  EXPECT_EQ(PoeState("ad --V 1,2,3,4,5,6")["ad"], expected);
}

TEST(Poe, EndEffectorForces) {
  ExpectNumbers(PoeState("end_effector_forces " + kChain + " --theta 0.1,0.1,0.1" + kWrench)["tau"],
                {1.4095460782639782, 1.8577149723180628, 1.392409}, kInFull);
}

TEST(Poe, EulerStep) {
  const Json state = PoeState("euler_step" + kState + "--ddtheta 2,1.5,1 --dt 0.1");
  ExpectNumbers(state["theta_next"], {0.11000000000000001, 0.12000000000000001, 0.13}, 0);
  ExpectNumbers(state["dtheta_next"], {0.30000000000000004, 0.35000000000000003, 0.4}, 0);
}

TEST(Poe, ForwardDynamics) {
  for (const char* by : {"aba", "crba", "rnea"}) {
    const Json state = PoeState("forward_dynamics_" + std::string(by) + " " + kChain + kState +
                                "--tau 0.5,0.6,0.7" + kWrench);
    ExpectNumbers(state["ddtheta"], {-0.9739290670855625, 25.584667840340547, -32.91499212478147},
                  kInFull);
  }
}

TEST(Poe, ForwardDynamicsTrajectory) {
  const Shell shell;
  shell.Write("torques.json", R"({"states": [{"tau": [3.63, -6.58, -5.57]},
      {"tau": [3.74, -5.55, -5.5]}, {"tau": [4.31, -0.68, -5.19]}]})");
  const Json states = Poe(shell, "forward_dynamics_trajectory " + kChain + kState + kWrench +
                                     "--states torques.json --dt 0.1 --resolution 8")["states"];
  ASSERT_EQ(states.size(), 3u);
  ExpectNumbers(states[0]["theta"], {0.1, 0.1, 0.1}, 0);
  ExpectNumbers(states[0]["dtheta"], {0.1, 0.2, 0.3}, 0);
  ExpectNumbers(states[1]["theta"], {0.106431, 0.2626, -0.226649}, kSixDigits);
  ExpectNumbers(states[2]["theta"], {0.10198, 0.715813, -1.22522}, kSixDigits);
}

TEST(Poe, GravityForces) {
  ExpectNumbers(PoeState("gravity_forces " + kChain + " --theta 0.1,0.1,0.1")["g"],
                {28.40331261821983, -37.64094817177068, -5.4415891999683605}, kInFull);
}

TEST(Poe, InverseDynamicsRnea) {
  ExpectNumbers(
      PoeState("inverse_dynamics_rnea " + kChain + kState + "--ddtheta 2,1.5,1" + kWrench)["tau"],
      {74.6961615528745, -33.067660158514585, -3.2305731379014246}, kInFull);
}

TEST(Poe, InverseDynamicsTrajectory) {
  const Shell shell;
  shell.Write("motion.json", R"({"states": [{"theta": [0, 0, 0], "dtheta": [0, 0, 0]},
      {"theta": [0.5, 0.5, 0.5], "dtheta": [0.5, 0.5, 0.5]},
      {"theta": [1, 1, 1], "dtheta": [1, 1, 1]}]})");
  const Json states = Poe(shell, "inverse_dynamics_trajectory " + kChain + kWrench +
                                     "--states motion.json --ddtheta 0.5,0.5,0.5")["states"];
  ASSERT_EQ(states.size(), 3u);
  ExpectNumbers(states[0]["tau"], {23.7113, -35.2321, -3.87345}, kSixDigits);
  ExpectNumbers(states[1]["tau"], {105.336, -27.6441, -1.41169}, kSixDigits);
  ExpectNumbers(states[2]["tau"], {129.143, -17.3084, 2.30991}, kSixDigits);
}

TEST(Poe, MassMatrix) {
  for (const char* by : {"crba", "rnea"}) {
    const Json M =
        PoeState("mass_matrix_" + std::string(by) + " " + kChain + " --theta 0.1,0.1,0.1")["M"];
    ASSERT_EQ(M.size(), 3u);
    ExpectNumbers(M[0], {22.5433, -0.307147, -0.00718426}, kSixDigits);
    ExpectNumbers(M[1], {-0.307147, 1.96851, 0.432157}, kSixDigits);
    ExpectNumbers(M[2], {-0.00718426, 0.432157, 0.191631}, kSixDigits);
  }
}

TEST(Poe, VelocityQuadraticForces) {
  ExpectNumbers(PoeState("velocity_quadratic_forces " + kChain + kState)["c"],
                {0.26453118054501235, -0.0550515682891655, -0.006891320068248912}, kInFull);
}

/// The output of one function is the input of another: forward dynamics under the torques that
/// inverse dynamics computed gives the accelerations back.
TEST(Poe, OutputIsReadAgain) {
  const ShellResult result =
      Shell().Run("civita poe inverse_dynamics_rnea " + kChain + kState + "--ddtheta 2,1.5,1" +
                  kWrench + "| civita poe forward_dynamics_aba " + kChain + " --states -");
  ASSERT_EQ(result.code, kExitDone) << result.err;
  ExpectNumbers(Json::parse(result.out)["states"][0]["ddtheta"], {2, 1.5, 1}, 1e-12);
}

TEST(Poe, FlagsApplyToEveryStateBeforeTheFile) {
  const Shell shell;
  shell.Write("s.json", R"({"states": [{"theta": [1, 2, 3]}, {}]})");
  const Json states =
      Poe(shell, "gravity_forces " + kChain + " --theta [0.1,0.1,0.1] --states s.json")["states"];
  EXPECT_EQ(states[0], states[1]);
  const Json at_home = Poe(shell, "gravity_forces " + kChain + " --states s.json")["states"][1];
  ExpectNumbers(at_home["theta"], {0, 0, 0}, 0);
}

TEST(Poe, NpzHoldsArraysByInstant) {
  const Shell shell;
  const ShellResult result = shell.Run("civita poe mass_matrix_crba " + kChain +
                                       " --format npz --out M.npz && python3 -m zipfile -l M.npz");
  ASSERT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, testing::ContainsRegex("theta.npy .*\nM.npy "));
}

TEST(Poe, ErrorsAreOneLine) {
  const Shell shell;
  shell.Write("no_chain.yaml", "model: x.xml\n");
  shell.Write("short.json", R"({"states": [{}, {"theta": [1, 2]}]})");
  shell.Write("word.json", R"({"states": [{"theta": [1, "two", 3]}]})");
  shell.Write("key.json", R"({"states": [{"thta": [1, 2, 3]}]})");
  shell.Write("none.json", R"({"states": []})");
  shell.Write("torn.json", "{\"states\": [\n{\"theta\": [1, 2,");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gravity_force " + kChain,
       "unknown function 'gravity_force' (did you mean 'gravity_forces'?); valid: ad, "},
      {"gravity_forces", "gravity_forces needs FILE, a product of exponentials"},
      {"gravity_forces no_chain.yaml",
       "no_chain.yaml: is no product of exponentials: lacks M_list"},
      {"gravity_forces none.yaml", "none.yaml: cannot be read"},
      {"gravity_forces " + kChain + " --theta 1,2", "--theta: has 2 numbers, must have 3, one for"},
      {"gravity_forces " + kChain + " --theta 1,2,x",
       "--theta: theta[2] must be a number, not 'x'"},
      {"gravity_forces " + kChain + " --theta 1,2,.nan", "--theta: theta[2] must be a finite"},
      {"gravity_forces " + kChain + " --tau 1,2,3", "--tau: gravity_forces takes --theta"},
      {"euler_step --theta 1 --dtheta 1,2 --dt 1", "--dtheta: has 2 numbers, must have 1"},
      {"euler_step --theta 1", "euler_step needs --dt SECONDS"},
      {"euler_step --theta 1 --dt -0.1", "--dt: must be a number of seconds > 0"},
      {"euler_step --theta 1 --dt 1 --resolution 2",
       "--resolution: euler_step takes --theta, --dtheta, --ddtheta, --dt"},
      {"forward_dynamics_trajectory " + kChain + " --dt 1 --resolution 0", "--resolution: "},
      {"gravity_forces " + kChain + " --format npz", "--format npz: needs --out FILE"},
      {"gravity_forces " + kChain + " --format csv",
       "--format: unknown choice 'csv'; valid: json, npz"},
      {"gravity_forces " + kChain + " --states short.json",
       "short.json: states[1].theta: has 2 numbers, must have 3, one for each joint"},
      {"gravity_forces " + kChain + " --states word.json",
       "word.json: states[0].theta[1]: must be a number, not \"two\""},
      {"gravity_forces " + kChain + " --states key.json",
       "key.json: states[0]: unknown key 'thta' (did you mean 'theta'?); valid: theta, dtheta"},
      {"gravity_forces " + kChain + " --states none.json", "none.json: states: is empty"},
      {"gravity_forces " + kChain + " --states torn.json",
       "torn.json: malformed JSON: parse error at line 2"}};
  for (const auto& [arguments, error] : cases) {
    const ShellResult result = shell.Run("civita poe " + arguments);
    EXPECT_EQ(result.code, kExitBadInput) << arguments;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, StartsWith("civita: " + error)) << arguments;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

/// A massless link has no acceleration: the number is null and the exit code says so.
TEST(Poe, SingularMassMatrixFails) {
  const Shell shell;
  shell.Write("m.yaml", R"(
M_list: [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
         [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]]
G_list: [[0, 0, 0, 0, 0, 0]]
S_list: [[0, 0, 1, 0, 0, 0]]
)");
  const ShellResult result = shell.Run("civita poe forward_dynamics_crba m.yaml --tau 1");
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_EQ(Json::parse(result.out)["states"][0]["ddtheta"][0], nullptr);
  EXPECT_EQ(result.err, "civita: states[0]: a result is not a finite number\n");
}

/// A chain of screws runs as any robot, and tracks.
TEST(Poe, ChainsRun) {
  for (const char* name : {"ur5", "ur5_three_links"}) {
    const Shell shell;
    const ShellResult result =
        shell.Run("civita run '" CIVITA_SOURCE_DIR "/config/poe/" + std::string(name) +
                  ".yaml' --headless --duration 1 --out run");
    ASSERT_EQ(result.code, kExitDone) << result.err;
    const Json run = Json::parse(ReadAll(shell.path() / "run/run.json"));
    EXPECT_LT(run["summary"]["error_rms"].get<double>(), 1e-3);
  }
}

TEST(Poe, TheDocumentedExamplesComeOut) {
  const std::string document = ReadAll(CIVITA_SOURCE_DIR "/docs/poe.md");
  for (const std::string verb : {"poe", "eval"}) {
    const ShellResult result =
        Shell().Run("cd '" CIVITA_SOURCE_DIR "'\n" + Block(document, "sh " + verb));
    ASSERT_EQ(result.code, kExitDone) << result.err;
    ExpectAlike(Json::parse(result.out)["states"][0],
                Json::parse(Block(document, "json " + verb + " output")));
  }
}

TEST(Poe, EveryFunctionIsDocumentedAndInTheHelp) {
  const std::string document = ReadAll(CIVITA_SOURCE_DIR "/docs/poe.md");
  const ShellResult help = Shell().Run("civita poe --help");
  EXPECT_EQ(help.code, kExitDone);
  EXPECT_THAT(help.out, HasSubstr(DescribePoeFunctions()));
  for (const PoeFunction& function : PoeFunctions()) {
    std::string line = "| `" + std::string(function.name) + "` |";
    for (const PoeInput input : function.inputs) line += " " + std::string(InfoOf(input).name);
    line += " |";
    for (const PoeOutput& output : function.outputs) line += " " + std::string(output.name);
    EXPECT_THAT(document, HasSubstr(line + " | " + std::string(function.doc) + " |\n"));
  }
}

}  // namespace poe_test
}  // namespace civita
