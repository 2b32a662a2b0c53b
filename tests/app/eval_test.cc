// The built program's `civita eval`: numbers against the core and the reference data, identities
// from the JSON alone, models of all kinds, files, and the documentation's example.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "civita/factorization_text.h"
#include "civita/mujoco/convert.h"
#include "civita/passivity_rnea.h"
#include "civita/study/evaluate/eval_quantities.h"
#include "tests/app/document_block.h"
#include "tests/app/eval_reference.h"
#include "tests/app/eval_shell.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/random_model.h"
#include "tests/oracles/reference_model.h"

namespace civita {
namespace eval_test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

/// Σ_j Γ_ijk v_j from nested lists [i][j][k].
Eigen::MatrixXd Contract(const Json& Gamma, const Eigen::VectorXd& v) {
  Eigen::MatrixXd C(v.size(), v.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    C.row(i) = v.transpose() * ToMatrix(Gamma.at(static_cast<size_t>(i)));
  }
  return C;
}

/// Identities between the numbers of one state that hold for every model.
void ExpectIdentities(const Json& state, double tolerance) {
  const Eigen::VectorXd v = ToVector(state["v"]), a = ToVector(state["a"]);
  const Eigen::MatrixXd H = ToMatrix(state["H"]), C = ToMatrix(state["C"]);
  const Eigen::VectorXd bias = ToVector(state["bias"]);
  EXPECT_LE(RelativeError(C * v + ToVector(state["g"]), bias), tolerance);
  EXPECT_LE(RelativeError(H * a + bias, ToVector(state["tau"])), tolerance);
  EXPECT_LE(RelativeError(C.transpose() * v, ToVector(state["CTv"])), tolerance);
  EXPECT_LE(RelativeError(C + C.transpose(), ToMatrix(state["Hdot"])), tolerance);
  EXPECT_LE(RelativeError(Contract(state["Gamma"], v), C), tolerance);
  EXPECT_LE(RelativeError(H.transpose(), H), tolerance);
}

/// The numbers are bit for bit the core's.
void ExpectCoreNumbers(const Json& state, const Model& model, const Factorization& factorization) {
  const Eigen::VectorXd q = ToVector(state["q"]), v = ToVector(state["v"]);
  const CoreDynamics d = CalcCoreDynamics(model, q, v, factorization);
  EXPECT_EQ(ToMatrix(state["H"]), d.H);
  EXPECT_EQ(ToMatrix(state["C"]), d.C);
  EXPECT_EQ(ToMatrix(state["Hdot"]), d.Hdot);
  EXPECT_EQ(ToVector(state["g"]), d.g);
  EXPECT_EQ(ToVector(state["bias"]), d.bias);
  EXPECT_EQ(ToVector(state["tau"]), CalcCoreInverseDynamics(model, q, v, ToVector(state["a"])));
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  Eigen::VectorXd CTv(model.nv());
  CalcCoriolisTransposeProduct(model, factorization, v, workspace, CTv);
  EXPECT_EQ(ToVector(state["CTv"]), CTv);
}

TEST(Eval, GivesTheCoresNumbersOfRandomTrees) {
  const Shell shell;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const TreeSpec spec = RandomTree(seed, {.passive = true, .helical = false});
    const MujocoTree tree = LoadInMujoco(spec);
    const Model model = BuildModel(*tree.model);
    std::mt19937 random(seed + 77);
    Json states = {{"states", Json::array()}};
    for (int k = 0; k < 3; ++k) {
      states["states"].push_back({{"q", ToList(tree.ToQpos(RandomPosition(spec, &random)))},
                                  {"v", ToList(RandomVector(spec.nv, &random))},
                                  {"a", ToList(RandomVector(spec.nv, &random))}});
    }
    shell.Write("tree.xml", ToMjcf(spec));
    shell.Write("states.json", states.dump());
    std::string S;
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < spec.nv; ++k) S += (k > 0 ? "," : "") + std::to_string(0.1 * (i + k) - 1);
      S += "\n";
    }
    shell.Write("S.csv", S);
    for (const std::string form :
         {"christoffel", "plain", "t:0.3", "body:b4:ang:0.7+body:b5:lin:-2", "joint:1.5:S.csv"}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + form);
      const Json json =
          shell.Eval("tree.xml --states states.json --quantities all --factorization " + form);
      ASSERT_EQ(json["states"].size(), 3u);
      const Factorization factorization = ParseFactorization(form, model, shell.path());
      for (const Json& state : json["states"]) {
        ExpectCoreNumbers(state, model, factorization);
        ExpectIdentities(state, 1e-12);
      }
    }
  }
}

/// For free joints the reference data use other velocities.
bool HasFreeJoint(const TreeSpec& spec) {
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      if (joint.type == JointType::kFree) return true;
    }
  }
  return false;
}

TEST(Eval, AgreesWithTheReferenceData) {
  const Shell shell;
  int symbols_compared = 0;
  for (const std::string& name : ReferenceModelNames()) {
    SCOPED_TRACE(name);
    const ReferenceModel reference = LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", name);
    if (reference.cluster) continue;
    const MujocoTree tree = LoadInMujoco(reference.spec);
    WriteReferenceStates(reference, tree, shell);
    const std::string command = "model.xml --states states.json --quantities ";
    const Json all = shell.Eval(command + "all");
    const Json plain = shell.Eval(command + "C --factorization plain");
    const Json other = shell.Eval(command + "C --factorization other");
    const Json file = Json::parse(ReadAll(CIVITA_TEST_DATA_DIR "/reference/" + name + ".json"));
    const bool free = HasFreeJoint(reference.spec);
    constexpr double kTolerance = 1e-12;
    for (size_t k = 0; k < reference.states.size(); ++k) {
      const ReferenceModel::Values& values = reference.states[k];
      const Json& state = all["states"].at(k);
      const auto error = [&](const Json& matrix, const char* key) {
        return RelativeError(tree.FromQvel(ToMatrix(matrix)), values.at(key));
      };
      const auto vector_error = [&](const Json& vector, const char* key) {
        return RelativeError(tree.FromQvel(ToVector(vector)), values.at(key));
      };
      EXPECT_LE(error(state["H"], "H"), kTolerance);
      EXPECT_LE(error(state["C"], "C"), kTolerance);
      EXPECT_LE(error(plain["states"][k]["C"], "C_vxI"), kTolerance);
      EXPECT_LE(error(other["states"][k]["C"], "C_alt"), kTolerance);
      EXPECT_LE(error(state["Hdot"], "Hdot"), kTolerance);
      EXPECT_LE(vector_error(state["g"], "g"), kTolerance);
      EXPECT_LE(vector_error(state["tau"], "tau"), kTolerance);
      EXPECT_LE(vector_error(state["CTv"], "CTv"), kTolerance);
      const Json& Gamma = file["states"][k]["Gamma"];
      if (free || !Gamma.is_array()) continue;
      ++symbols_compared;
      for (size_t j = 0; j < tree.v_of.size();
           ++j) {  // rows and columns by i, k for one direction j
        Eigen::MatrixXd ours(tree.v_of.size(), tree.v_of.size()), theirs = ours;
        for (size_t i = 0; i < tree.v_of.size(); ++i) {
          const auto row = static_cast<Eigen::Index>(i);
          const auto of = [&](size_t n) { return static_cast<size_t>(tree.v_of[n]); };
          ours.row(row) = ToVector(state["Gamma"][of(i)][of(j)])(tree.v_of);
          theirs.row(row) = ToVector(Gamma[i][j]);
        }
        EXPECT_LE(RelativeError(ours, theirs), kTolerance);
      }
    }
  }
  EXPECT_GT(symbols_compared, 10);
}

/// A fixed base and two links that move as one body.
std::string PendulumUrdf(const std::string& geometry, const std::string& inertia) {
  return R"(<robot name="pendulum"><link name="base"><inertial><mass value="3"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="arm">)" +
         geometry + R"(</link>
    <link name="bob"><inertial><origin xyz="0 0 -0.1" rpy="0.3 0 0"/><mass value="2"/>)" +
         inertia +
         R"(</inertial></link>
    <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
      <axis xyz="0 1 0"/><dynamics damping="3" friction="2"/></joint>
    <joint name="glue" type="fixed"><parent link="arm"/><child link="bob"/>
      <origin xyz="0 0 -0.4" rpy="0 0 0"/></joint></robot>)";
}

constexpr const char* kInertia =
    R"(<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>)";

TEST(Eval, DescribesTheModel) {
  const Shell shell;
  shell.Write("bare.urdf", PendulumUrdf("", kInertia));
  const Json json = shell.Eval("bare.urdf --base free --quantities H,tau,H --factorization t:0.25");
  EXPECT_EQ(json["model"], "bare.urdf");
  EXPECT_EQ(json["factorization"], "t:0.25");
  const auto nq = json["nq"].get<size_t>(), nv = json["nv"].get<size_t>();
  size_t q_count = 0, v_count = 0;
  for (const Json& joint : json["joints"]) {
    EXPECT_EQ(joint["q"][0], q_count);
    EXPECT_EQ(joint["v"][0], v_count);
    q_count += joint["q"][1].get<size_t>();
    v_count += joint["v"][1].get<size_t>();
  }
  EXPECT_EQ(q_count, nq);
  EXPECT_EQ(v_count, nv);
  EXPECT_EQ(json["joints"][0].dump(), R"({"name":"root_joint","type":"free","q":[0,7],"v":[0,6]})");
  EXPECT_EQ(json["joints"][1].dump(), R"({"name":"hinge","type":"hinge","q":[7,1],"v":[6,1]})");
  EXPECT_TRUE(json["conventions"].contains("Gamma"));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["states"][0].items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("q", "v", "a", "H", "tau"));
}

TEST(Eval, UrdfNeedsNoGeometry) {
  const Shell shell;
  const std::string mesh = R"(<collision><geometry><mesh filename="package://nowhere/a.stl"/>
      </geometry></collision><visual><geometry><mesh filename="b.dae"/></geometry></visual>
      <collision><geometry><sphere radius="1"/></geometry></collision>)";
  shell.Write("bare.urdf", PendulumUrdf("", kInertia));
  shell.Write("meshes.urdf", PendulumUrdf(mesh, kInertia));
  const ShellResult bare = shell.Run("civita eval bare.urdf --quantities all");
  const ShellResult meshes = shell.Run("civita eval meshes.urdf --quantities all");
  EXPECT_THAT(meshes.err, IsEmpty());
  ASSERT_EQ(bare.code, kExitDone) << bare.err;
  ASSERT_EQ(meshes.code, kExitDone) << meshes.err;
  const Json states = Json::parse(meshes.out)["states"];
  EXPECT_EQ(Json::parse(bare.out)["states"], states);
  EXPECT_NEAR(states[0]["H"][0][0].get<double>(), 0.02 + 2 * 0.5 * 0.5, 1e-15);
  EXPECT_EQ(states[0]["q"], Json::parse("[0]"));
  // The name of a fixed link is still valid.
  EXPECT_EQ(shell.Eval("bare.urdf --quantities C --factorization body:bob:ang:2")["factorization"],
            "body:bob:ang:2");
}

TEST(Eval, ImpossibleInertiasAreTakenAsTheyStandAndNamed) {
  const Shell shell;
  const auto inertia = [](double Iyy) {
    std::ostringstream text;
    text << "<inertia ixx='0.02' iyy='" << Iyy << "' izz='0.02' ixy='0' ixz='0' iyz='0'/>";
    return text.str();
  };
  for (const double moment : {0.05, -0.01, 0.0}) {
    SCOPED_TRACE(moment);
    shell.Write("bob.urdf", PendulumUrdf("", inertia(moment)));
    const ShellResult result = shell.Run(
        "civita eval bob.urdf --quantities H,C --states -  <<EOF\n"
        "{\"states\": [{\"q\": [0.4]}]}\nEOF");
    ASSERT_EQ(result.code, kExitDone) << result.err;
    // Inertia about y, rotated by 0.3 about x.
    const double Iyy = moment * std::pow(std::cos(0.3), 2) + 0.02 * std::pow(std::sin(0.3), 2);
    EXPECT_NEAR(Json::parse(result.out)["states"][0]["H"][0][0].get<double>(), Iyy + 0.5, 1e-12);
    const bool possible = moment == 0;
    const std::string what =
        moment < 0
            ? "inertias with a negative eigenvalue, which no body can have, are taken as they "
              "stand: bob (-0.01 kg·m²)"
            : "inertias that no body can have (A + B < C) are taken as they stand: bob";
    EXPECT_EQ(result.err, possible ? "" : "civita: note: " + what + "\n");
  }
}

TEST(Eval, MasslessLinksAreNamed) {
  const Shell shell;
  shell.Write("massless.urdf", R"(<robot name="m"><link name="base"/><link name="feather"/>
    <joint name="hinge" type="continuous"><parent link="base"/><child link="feather"/>
      <axis xyz="0 1 0"/></joint></robot>)");
  const ShellResult result = shell.Run("civita eval massless.urdf --quantities H");
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.err, HasSubstr("without mass or inertia, which makes H singular: feather"));
  EXPECT_EQ(Json::parse(result.out)["states"][0]["H"], Json::parse("[[0]]"));
}

TEST(Eval, FreeBaseCarriesTheWholeMass) {
  const Shell shell;
  shell.Write("bare.urdf", PendulumUrdf("", kInertia));
  shell.Write("states.json", R"({"states": [{}, {"q": [1, 2, 3, 0.5, -0.5, 0.5, 0.5, 0.7],
      "v": [1, -1, 2, 0.5, 1.5, -1, 2], "a": [1, 2, 3, 4, 5, 6, 7]}]})");
  for (const char* form : {"christoffel", "plain", "body:arm:lin:3"}) {
    SCOPED_TRACE(form);
    const Json json = shell.Eval(
        "bare.urdf --base free --states states.json --quantities all "
        "--factorization " +
        std::string(form));
    for (const Json& state : json["states"]) {
      ExpectIdentities(state, 1e-13);
      const Eigen::Matrix3d total = ToMatrix(state["H"]).topLeftCorner<3, 3>();
      EXPECT_LE(RelativeError(total, 5 * Eigen::Matrix3d::Identity()), 1e-15);
      EXPECT_NEAR(state["g"][2].get<double>(), 5 * 9.81, 1e-13);
    }
    EXPECT_EQ(json["states"][0]["q"], Json::parse("[0, 0, 0, 1, 0, 0, 0, 0]"));
  }
  // The hinge's entries equal those with a fixed base.
  const Json fixed = shell.Eval("bare.urdf --quantities H");
  const Json free = shell.Eval("bare.urdf --base free --quantities H");
  EXPECT_NEAR(free["states"][0]["H"][6][6].get<double>(),
              fixed["states"][0]["H"][0][0].get<double>(), 1e-15);
}

TEST(Eval, MjcfBodiesThatLackMassAreNamed) {
  const Shell shell;
  shell.Write("hollow.xml", R"(<mujoco><asset><mesh name="m" file="none.stl"/></asset><worldbody>
    <body name="half"><joint type="hinge"/><geom type="mesh" mesh="m"/><geom size="0.1"/></body>
    <body name="whole"><joint type="hinge"/><geom type="mesh" mesh="m"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>)");
  const ShellResult result = shell.Run("civita eval hollow.xml --quantities H");
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.err, HasSubstr("these bodies lack mass: half\n"));
}

// Reads with numpy, an independent reader that also checks the CRCs.
TEST(Eval, NpzHoldsWhatTheJsonHolds) {
  const Shell shell;
  shell.Write("s.json", R"({"states": [{"q": [0.3, 1.2], "v": [1, -2]}, {"v": [3, 4]}, {}]})");
  shell.Write("check.py", R"(
import ast, json, struct, sys, zipfile
archive = zipfile.ZipFile("out.npz")
assert archive.testzip() is None
def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
def shape(x):
    return (len(x),) + shape(x[0]) if isinstance(x, list) else ()
whole = json.load(open("out.json"))
states = whole.pop("states")
assert json.loads(archive.read("header.json")) == whole
names = [name[:-4] for name in archive.namelist() if name.endswith(".npy")]
assert names == list(states[0]), names
for name in names:
    data = archive.read(name + ".npy")
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    expected = [state[name] for state in states]
    assert header["shape"] == shape(expected), (name, header)
    numbers = struct.unpack("<%dd" % len(flat(expected)), data[10 + length:])
    assert list(numbers) == flat(expected), name
)");
  const std::string command = "civita eval planar_2r --states s.json --quantities all ";
  const ShellResult result = shell.Run(command + "--out out.json && " + command +
                                       "--format npz --out out.npz && python3 check.py");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(shell.CountFiles(), 4u);
}

TEST(Eval, InterruptedItKeepsWholeStates) {
  const Shell shell;
  Json states = {{"states", Json::array()}};
  for (int i = 0; i < 3000; ++i) states["states"].push_back(Json::object());
  shell.Write("s.json", states.dump());
  const ShellResult result =
      shell.Run("'" CIVITA_PROGRAM
                "' eval chain20 --states s.json --quantities all --out out.json & pid=$!\n"
                "while [ ! -s .civita-$pid-*.tmp ]; do sleep 0.02; done\n"
                "kill -INT $pid; wait $pid");
  EXPECT_EQ(result.code, kExitInterrupted);
  EXPECT_THAT(result.err, MatchesRegex("civita: interrupted after [0-9]+ of 3000 states\n"));
  const Json json = Json::parse(ReadAll(shell.path() / "out.json"));
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_GT(json["states"].size(), 0u);
  EXPECT_LT(json["states"].size(), 3000u);
  EXPECT_EQ(json["states"].back()["CTv"].size(), 20u);
  EXPECT_EQ(shell.CountFiles(), 2u);
}

TEST(Eval, TheDocumentedExampleComesOut) {
  const std::string document = ReadAll(CIVITA_SOURCE_DIR "/docs/eval.md");
  const Shell shell;
  shell.Write("states.json", Block(document, "json states.json"));
  const ShellResult result = shell.Run(Block(document, "sh"));
  ASSERT_EQ(result.code, kExitDone) << result.err;
  ExpectAlike(Json::parse(result.out), Json::parse(Block(document, "json output")));
}

TEST(Eval, EveryQuantityIsDocumentedAndInTheHelp) {
  const std::string document = ReadAll(CIVITA_SOURCE_DIR "/docs/eval.md");
  const ShellResult help = Shell().Run("civita eval --help");
  EXPECT_EQ(help.code, kExitDone);
  EXPECT_THAT(help.out, HasSubstr(DescribeQuantities()));
  for (const Quantity& row : Quantities()) {
    std::ostringstream line;
    line << "| `" << row.name << "` | " << row.shape << " | " << row.angle_unit << " | "
         << row.length_unit << " | " << row.doc << " |\n";
    EXPECT_THAT(document, HasSubstr(line.str()));
  }
}

}  // namespace eval_test
}  // namespace civita
