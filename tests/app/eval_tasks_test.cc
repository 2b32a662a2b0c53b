// Quantities of `civita eval` in other velocities of a tree: tasks with their null space, the
// decoupled centre of mass, wrenches, and the packed Christoffel symbols.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "civita/factorization_text.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/task_space.h"
#include "tests/app/eval_numbers.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"

namespace civita {
namespace eval_tasks_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

constexpr double kExact = 1e-10, kDifference = 3e-6;

constexpr const char* kFloating = R"(<mujoco><worldbody><body name="base" pos="0 0 1">
  <joint name="float" type="free"/><geom size="0.1 0.2 0.3" type="box" pos="0.1 0 0"/>
  <body name="arm" pos="0.3 0 0"><joint name="ball" type="ball"/>
    <geom size="0.1 0.2 0.05" type="box" pos="0.1 0.2 0"/>
    <body name="hand" pos="0 0.4 0.1"><joint name="hinge" axis="1 0.5 0"/>
      <geom size="0.2 0.1 0.05" type="box" pos="0.1 0 0.2"/></body></body></body></worldbody>
  </mujoco>)";

Json FloatingState() {
  return Json::parse(R"({"q": [0.1, 0.2, 0.3, 0.8, 0, 0.6, 0, 0.6, 0.8, 0, 0, 0.7],
      "v": [1, -2, 0.5, 0.3, -0.8, 1.1, 0.4, 0.9, -0.6, 1.3]})");
}

Json ArmState() {
  return Json::parse(R"({"q": [0.4, 0.7, -0.3, 1.1, 0.5, 0.8, -0.2],
      "v": [1, -0.7, 0.5, 0.3, -0.8, 1.1, 0.4]})");
}

struct TaskCase {
  std::string model, task, factorization;
  Eigen::Index first_row, num_rows;
};

TEST(EvalTasks, SplitTheEquationsOfMotion) {
  const Shell shell;
  shell.Write("floating.xml", kFloating);
  const std::vector<TaskCase> cases = {
      {"arm7", "hand", "christoffel", 3, 3},
      {"arm7", "hand:pose", "t:0.8", 0, 6},
      {"floating.xml", "hand:rotation", "t:-2+body:arm:lin:1.5", 0, 3},
      {"floating.xml", "arm:position", "other", 3, 3},
  };
  for (const TaskCase& c : cases) {
    SCOPED_TRACE(c.model + " " + c.task);
    const std::string body = c.task.substr(0, c.task.find(':'));
    std::string quantities = "H,C,Hdot,J:" + body + ",Jdot:" + body;
    for (const char* name : {"Lambda", "Lambdadot", "C_xx", "C_xn", "C_nx", "C_nn", "H_nn", "N"}) {
      quantities += "," + std::string(name) + ":" + c.task;
    }
    const Neighbourhood around = EvaluateAround(
        shell, c.model, "--factorization '" + c.factorization + "' --quantities " + quantities,
        c.model == "arm7" ? ArmState() : FloatingState());
    const auto matrix = [&](const std::string& name) { return ToMatrix(around.state[name]); };
    const auto of_task = [&](const std::string& name) { return matrix(name + ":" + c.task); };
    const MatrixXd J = matrix("J:" + body).middleRows(c.first_row, c.num_rows);
    const MatrixXd Jdot = matrix("Jdot:" + body).middleRows(c.first_row, c.num_rows);
    const MatrixXd H = matrix("H"), C = matrix("C"), N = of_task("N");
    const MatrixXd H_inverse = linear::Inverse(H);
    const MatrixXd Lambda = linear::Inverse(J * H_inverse * J.transpose());
    const MatrixXd A_x = H_inverse * J.transpose() * Lambda;
    const MatrixXd P = Lambda * (J * H_inverse * C - Jdot);
    const Eigen::Index nn = H.rows() - J.rows();
    ASSERT_EQ(N.cols(), nn);
    EXPECT_LE((J * N).norm(), kExact);
    EXPECT_EQ(linear::Rank(N), nn);
    EXPECT_LE(RelativeError(of_task("Lambda"), Lambda), kExact);
    EXPECT_LE(RelativeError(of_task("C_xx"), P * A_x), kExact);
    EXPECT_LE(RelativeError(of_task("C_xn"), P * N), kExact);
    EXPECT_LE(RelativeError(of_task("C_nx"), -(P * N).transpose()), kExact);
    EXPECT_LE(RelativeError(of_task("H_nn"), N.transpose() * H * N), kExact);
    const MatrixXd Ndot = ToRows(around.Rate("N:" + c.task), N.rows());
    EXPECT_LE(RelativeError(of_task("C_nn"), N.transpose() * (C * N + H * Ndot)), kDifference);
    const MatrixXd C_nn = of_task("C_nn"), C_xx = of_task("C_xx");
    EXPECT_LE(RelativeError(ToRows(around.Rate("H_nn:" + c.task), nn), C_nn + C_nn.transpose()),
              kDifference);
    EXPECT_LE(RelativeError(of_task("Lambdadot"), C_xx + C_xx.transpose()), kExact);
    EXPECT_LE(
        RelativeError(of_task("Lambdadot"), ToRows(around.Rate("Lambda:" + c.task), J.rows())),
        kDifference);
  }
}

/// Also where Ḣ ≠ C + Cᵀ: C_nx = Nᵀ(C A_x + H Ȧ_x), with Ȧ_x by differences.
TEST(EvalTasks, BothEquationsHoldForAlpha) {
  const Shell shell;
  VectorXd forces[3];
  for (const int i : {0, 1, 2}) {
    const std::string form =
        std::vector<std::string>{"alpha:0.5", "christoffel", "t:1"}[static_cast<std::size_t>(i)];
    SCOPED_TRACE(form);
    const Neighbourhood around = EvaluateAround(
        shell, "arm7",
        "--factorization " + form +
            " --quantities H,C,J:hand,N:hand,Lambda:hand,C_nx:hand,C_nn:hand,C_xn:hand",
        ArmState());
    const auto matrix = [&](const std::string& name) { return ToMatrix(around.state[name]); };
    const MatrixXd H = matrix("H"), C = matrix("C"), N = matrix("N:hand");
    const MatrixXd J = matrix("J:hand").bottomRows(3);
    const MatrixXd H_inverse = linear::Inverse(H);
    const MatrixXd A_x = H_inverse * J.transpose() * matrix("Lambda:hand");
    const MatrixXd Jdot = ToRows(around.Rate("J:hand"), 6).bottomRows(3);
    const MatrixXd Hdot = ToRows(around.Rate("H"), H.rows());
    const MatrixXd Lambdadot = ToRows(around.Rate("Lambda:hand"), 3);
    const MatrixXd Adot_x = H_inverse * (Jdot.transpose() * matrix("Lambda:hand") +
                                         J.transpose() * Lambdadot - Hdot * A_x);
    const MatrixXd C_nx = matrix("C_nx:hand");
    EXPECT_LE(RelativeError(C_nx, N.transpose() * (C * A_x + H * Adot_x)), kDifference);
    const VectorXd v = ToVector(ArmState()["v"]), xdot = J * v;
    // n: the independent velocities less their part of A_x ẋ.
    const VectorXd n = linear::LeastSquares(N, v - A_x * xdot);
    forces[i] = C_nx * xdot + matrix("C_nn:hand") * n;
    const double apart = (C_nx + matrix("C_xn:hand").transpose()).norm() / C_nx.norm();
    if (i == 0) {
      EXPECT_GT(apart, 0.01);
    } else {
      EXPECT_LE(apart, kExact);
    }
  }
  EXPECT_LE(RelativeError(forces[0], forces[1]), kExact);
  EXPECT_LE(RelativeError(forces[2], forces[1]), kExact);
}

TEST(EvalTasks, AreNullWhereTheyAreSingular) {
  const Shell shell;
  // At zero angles the arm is stretched, so that its hand has a direction in which it cannot move.
  shell.Write("s.json", Json{{"states", {{{"q", {0, 0, 0, 0, 0, 0, 0}}}, ArmState()}}}.dump());
  const ShellResult result =
      shell.Run("civita eval arm7 --states s.json --quantities Lambda:hand:pose,H_nn:hand:pose");
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_EQ(result.err, "civita: states[0]: Lambda:hand:pose is not a finite number\n");
  const Json states = Json::parse(result.out)["states"];
  EXPECT_TRUE(states[0]["Lambda:hand:pose"][0][0].is_null());
  EXPECT_TRUE(states[1]["Lambda:hand:pose"][0][0].is_number());
  EXPECT_TRUE(states[1]["H_nn:hand:pose"][0][0].is_number());
}

TEST(EvalTasks, AreRefusedInOneLine) {
  const Shell shell;
  shell.Write("floating.xml", kFloating);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ur5 --quantities Lambda:wrist3:pose",
       "Lambda:wrist3:pose: a task of 6 rows leaves no null space of nv = 6"},
      {"arm7 --quantities Lambda:hnd:pose",
       "Lambda:hnd:pose: unknown body or frame 'hnd' (did you mean 'hand'?)"},
      {"arm7 --quantities C_xx", "C_xx: unknown body or frame ''; valid: "},
      {"arm7 --quantities H_com", "H_com: the centre of mass decouples of a floating base only"},
      {"floating.xml --quantities C_com --factorization plain",
       "C_com: the factorization's torsion acts on the centre of mass; valid: christoffel"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(arguments);
    const ShellResult result = shell.Run("civita eval " + arguments);
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_THAT(result.err, HasSubstr("civita: --quantities: " + message));
    EXPECT_THAT(result.err, testing::MatchesRegex("[^\n]+\n"));
  }
}

TEST(EvalTasks, CentreOfMassDecouples) {
  const Shell shell;
  shell.Write("floating.xml", kFloating);
  for (const std::string form : {"christoffel", "body:hand:ang:0.9"}) {
    SCOPED_TRACE(form);
    const Neighbourhood around = EvaluateAround(
        shell, "floating.xml", "--factorization " + form + " --quantities H,C,H_com,C_com,Jcom,pi",
        FloatingState());
    const auto matrix = [&](const char* name) { return ToMatrix(around.state[name]); };
    const MatrixXd H = matrix("H"), C = matrix("C"), H_com = matrix("H_com");
    double mass = 0;
    const VectorXd pi = ToVector(around.state["pi"]);
    for (Eigen::Index i = 0; i < pi.size(); i += 10) mass += pi[i];
    // w = B v has the velocity of com in place of the first three.
    MatrixXd B = MatrixXd::Identity(10, 10);
    B.topRows(3) = matrix("Jcom");
    const MatrixXd A = linear::Inverse(B);
    EXPECT_LE(RelativeError(H_com, A.transpose() * H * A), kExact);
    EXPECT_LE(RelativeError(H_com.topLeftCorner(3, 3), mass * Eigen::Matrix3d::Identity()), kExact);
    EXPECT_EQ(H_com.topRightCorner(3, 7).norm(), 0);
    MatrixXd Bdot = MatrixXd::Zero(10, 10);
    Bdot.topRows(3) = ToRows(around.Rate("Jcom"), 3);
    EXPECT_LE(RelativeError(matrix("C_com"), A.transpose() * (C * A - H * A * Bdot * A)),
              kDifference);
    const MatrixXd C_com = matrix("C_com");
    EXPECT_LE(RelativeError(C_com + C_com.transpose(), ToRows(around.Rate("H_com"), 10)),
              kDifference);
  }
}

/// Against mj_applyFT.
TEST(EvalTasks, WrenchesActAtTheirPointsInTheirAxes) {
  const Shell shell;
  shell.Write("floating.xml", kFloating);
  const auto file = (shell.path() / "floating.xml").string();
  char error[200];
  mjModel* m = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  ASSERT_NE(m, nullptr) << error;
  mjData* d = mj_makeData(m);
  Json state = FloatingState();
  const VectorXd q = ToVector(state["q"]);
  std::copy(q.begin(), q.end(), d->qpos);
  mj_forward(m, d);
  const int hand = mj_name2id(m, mjOBJ_BODY, "hand");
  const Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(d->xmat + 9 * hand);
  const Eigen::Map<Eigen::Vector3d> origin(d->xpos + 3 * hand);
  const Eigen::Vector3d point(0.1, -0.2, 0.3), force(4, -5, 6), moment(0.7, 0.8, -0.9);
  for (const std::string axes : {"world", "body"}) {
    state["wrenches"] = {{{"body", "hand"},
                          {"point", ToList(point)},
                          {"force", ToList(force)},
                          {"moment", ToList(moment)},
                          {"axes", axes}}};
    shell.Write("s.json", Json{{"states", {state}}}.dump());
    const Json result = shell.Eval("floating.xml --states s.json --quantities tau_ext");
    const Eigen::Matrix3d turn = axes == "body" ? Eigen::Matrix3d(R) : Eigen::Matrix3d::Identity();
    const Eigen::Vector3d f = turn * force, n = turn * moment, at = origin + R * point;
    VectorXd wanted = VectorXd::Zero(m->nv);
    mj_applyFT(m, d, f.data(), n.data(), at.data(), hand, wanted.data());
    EXPECT_LE(RelativeError(ToVector(result["states"][0]["tau_ext"]), wanted), 1e-13) << axes;
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

TEST(EvalTasks, InjectionsAreThreeForms) {
  const Shell shell;
  Eigen::Matrix3Xd S(3, 7);
  std::string text;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 7; ++k) {
      S(i, k) = ((i + 2) * (k + 3) * 5 % 11) / 10.0;
      text += (k > 0 ? "," : "") + std::to_string(S(i, k));
    }
    text += "\n";
  }
  shell.Write("S.csv", text);
  const Json state = shell.Eval(
      "arm7 --quantities three_form,contorsion --factorization joint:1.5:S.csv")["states"][0];
  const Tensor3 wanted = MakeTensor3(7, [&](int i, int j, int k) {
    Eigen::Matrix3d columns;
    columns << S.col(j), S.col(k), S.col(i);
    return 1.5 * columns.determinant();
  });
  EXPECT_GT(wanted.MaxAbs(), 0.1);
  EXPECT_LE((ToTensor(state["three_form"]) - wanted).MaxAbs(), 1e-12);
  EXPECT_LE((ToTensor(state["contorsion"]) - wanted).MaxAbs(), 1e-12);
}

TEST(EvalTasks, TheDocumentedRecipeUnpacks) {
  const Shell shell;
  shell.Write("floating.xml", kFloating);
  shell.Write("floating.json", Json{{"states", {FloatingState()}}}.dump());
  shell.Write("arm7.json", Json{{"states", {ArmState()}}}.dump());
  shell.Write("check.py", ReadAll(CIVITA_SOURCE_DIR "/examples/eval/unpack.py") + R"(
import json, sys
output = json.load(sys.stdin)
state = output["states"][0]
def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
unpacked = flat(unpack(state["Gamma_packed"], output["packed"]))
wanted = flat(state["Christoffel"])
largest = max(abs(x) for x in wanted)
assert largest > 0 and len(unpacked) == len(wanted) > len(state["Gamma_packed"])
assert all(abs(x - y) <= 1e-13 * largest for x, y in zip(unpacked, wanted))
)");
  for (const auto& [model, states] : {std::pair("floating.xml", "floating.json"),
                                      std::pair("arm7", "arm7.json"), std::pair("quadruped", "")}) {
    const std::string at = *states == '\0' ? "" : std::string(" --states ") + states;
    const ShellResult result =
        shell.Run("civita eval " + std::string(model) + at +
                  " --quantities Gamma_packed,Christoffel | python3 check.py");
    EXPECT_EQ(result.code, 0) << model << result.err;
    EXPECT_EQ(result.err, "");
  }
}

}  // namespace eval_tasks_test
}  // namespace civita
