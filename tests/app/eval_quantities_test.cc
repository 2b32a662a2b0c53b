// The quantities of `civita eval` besides the equations of motion: against MuJoCo, against each
// other, and by bodies' names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/app/eval_reference.h"
#include "tests/app/eval_shell.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/reference_model.h"

namespace civita {
namespace eval_quantities_test {

using Json = nlohmann::ordered_json;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using testing::HasSubstr;

using MujocoJacobian = void (*)(const mjModel*, const mjData*, mjtNum*, mjtNum*, const mjtNum*,
                                int);

/// Rows [angular; linear] at the body's origin.
Eigen::MatrixXd MujocoRows(const MujocoTree& tree, MujocoJacobian jacobian, int body) {
  const auto nv = static_cast<Eigen::Index>(tree.model->nv);
  RowMajor linear(3, nv), angular(3, nv);
  jacobian(tree.model.get(), tree.data.get(), linear.data(), angular.data(),
           tree.data->xpos + 3 * body, body);
  Eigen::MatrixXd rows(6, nv);
  rows << angular, linear;
  return rows;
}

/// A model with joints of all kinds, and their indices.
struct EvaluatedModel {
  MujocoTree tree;
  std::vector<std::string> bodies;
  Json states;
};

EvaluatedModel Evaluate(const std::string& name, const Shell& shell) {
  const ReferenceModel reference = LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", name);
  EvaluatedModel out{LoadInMujoco(reference.spec), {}, {}};
  std::string quantities = "H,g,tau,com,Jcom,hG,AG,kinetic,potential,Y,pi";
  for (int b = 1; b < out.tree.model->nbody; ++b) {
    out.bodies.emplace_back(mj_id2name(out.tree.model.get(), mjOBJ_BODY, b));
    quantities += ",J:" + out.bodies.back() + ",Jdot:" + out.bodies.back();
  }
  WriteReferenceStates(reference, out.tree, shell);
  out.states = shell.Eval("model.xml --states states.json --quantities " + quantities)["states"];
  return out;
}

TEST(EvalQuantities, BodiesAndTheWholeAgreeWithMujoco) {
  const Shell shell;
  int models = 0;
  for (const std::string& name : ReferenceModelNames()) {
    SCOPED_TRACE(name);
    if (LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", name).cluster) continue;
    if (++models > 8) break;
    const EvaluatedModel model = Evaluate(name, shell);
    const mjModel* m = model.tree.model.get();
    mjData* d = model.tree.data.get();
    for (const Json& state : model.states) {
      const Eigen::VectorXd q = ToVector(state["q"]), v = ToVector(state["v"]);
      std::copy(q.begin(), q.end(), d->qpos);
      std::copy(v.begin(), v.end(), d->qvel);
      mj_forward(m, d);
      for (int b = 1; b < m->nbody; ++b) {
        const std::string& body = model.bodies[static_cast<size_t>(b - 1)];
        SCOPED_TRACE(body);
        EXPECT_LE(RelativeError(ToMatrix(state["J:" + body]), MujocoRows(model.tree, mj_jac, b)),
                  1e-12);
        EXPECT_LE(
            RelativeError(ToMatrix(state["Jdot:" + body]), MujocoRows(model.tree, mj_jacDot, b)),
            1e-11);
      }
      mj_subtreeVel(m, d);
      const Eigen::Map<Eigen::Vector3d> com(d->subtree_com), velocity(d->subtree_linvel),
          angular(d->subtree_angmom);
      EXPECT_LE(RelativeError(ToVector(state["com"]), com), 1e-12);
      EXPECT_LE(RelativeError(ToMatrix(state["Jcom"]) * v, velocity), 1e-12);
      EXPECT_LE(RelativeError(ToVector(state["hG"]).head<3>(), angular), 1e-12);
      mj_energyPos(m, d);
      EXPECT_LE(RelativeError(state["potential"].get<double>(), d->energy[0]), 1e-12);
    }
  }
  EXPECT_GT(models, 5);
}

TEST(EvalQuantities, LawsBetweenThem) {
  const Shell shell;
  for (const std::string& name : ReferenceModelNames()) {
    SCOPED_TRACE(name);
    if (LoadReferenceModel(CIVITA_TEST_DATA_DIR "/reference", name).cluster) continue;
    const EvaluatedModel model = Evaluate(name, shell);
    const mjModel* m = model.tree.model.get();
    const bool armature = std::any_of(m->dof_armature, m->dof_armature + m->nv,
                                      [](double number) { return number != 0; });
    for (const Json& state : model.states) {
      const Eigen::VectorXd v = ToVector(state["v"]), hG = ToVector(state["hG"]);
      const Eigen::VectorXd pi = ToVector(state["pi"]);
      EXPECT_LE(RelativeError(ToMatrix(state["AG"]) * v, hG), 1e-12);
      double mass = 0;
      for (Eigen::Index i = 0; i < pi.size(); i += 10) mass += pi[i];
      EXPECT_LE(RelativeError(mass * ToMatrix(state["Jcom"]) * v, hG.tail<3>()), 1e-12);
      EXPECT_LE(
          RelativeError(state["kinetic"].get<double>(), 0.5 * v.dot(ToMatrix(state["H"]) * v)),
          1e-12);
      if (!armature) {
        EXPECT_LE(RelativeError(ToMatrix(state["Y"]) * pi, ToVector(state["tau"])), 1e-12);
      }
    }
  }
}

/// Entry [i][j][k] of nested lists.
double At(const Json& tensor, size_t i, size_t j, size_t k) {
  return tensor.at(i).at(j).at(k).get<double>();
}

/// max |f(i, j, k)|.
template <typename F>
double MaxOf(size_t n, F f) {
  double largest = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(f(i, j, k)));
    }
  }
  return largest;
}

/// A floating body with a ball joint and a hinge.
constexpr const char* kFloating = R"(<mujoco><worldbody><body name="base" pos="0 0 1">
  <joint name="float" type="free"/><geom size="0.1 0.2 0.3" type="box" pos="0.1 0 0"/>
  <body name="arm" pos="0.3 0 0"><joint name="ball" type="ball"/>
    <geom size="0.1 0.2 0.05" type="box" pos="0.1 0.2 0"/>
    <body name="hand" pos="0 0.4 0.1"><joint name="hinge" axis="1 0.5 0"/>
      <geom size="0.2 0.1 0.05" type="box" pos="0.1 0 0.2"/></body></body></body></worldbody>
  </mujoco>)";
constexpr const char* kFloatingStates =
    R"({"states": [{"q": [0.1, 0.2, 0.3, 0.8, 0, 0.6, 0, 0.6, 0.8,
  0, 0, 0.7], "v": [1, -2, 0.5, 0.3, -0.8, 1.1, 0.4, 0.9, -0.6, 1.3], "a": [1, 2, 3, 4, 5, 6, 7, 8,
  9, 10]}]})";

TEST(EvalQuantities, GeometryOfAFactorization) {
  const Shell shell;
  shell.Write("floating.xml", kFloating);
  shell.Write("s.json", kFloatingStates);
  const std::string command =
      "floating.xml --states s.json --quantities "
      "H,Gamma,Gamma2,GammaSym,structure,torsion,contorsion --factorization ";
  const Json riemannian = shell.Eval(command + "christoffel")["states"][0];
  const Json plain = shell.Eval(command + "plain")["states"][0];
  const size_t n = 10;
  const double scale = MaxOf(n, [&](auto... ijk) { return At(plain["Gamma"], ijk...); });
  const auto torsion = [&](auto... ijk) { return At(plain["torsion"], ijk...); };
  const auto contorsion = [&](auto... ijk) { return At(plain["contorsion"], ijk...); };
  EXPECT_EQ(MaxOf(n, [&](auto... ijk) { return At(riemannian["contorsion"], ijk...); }), 0);
  EXPECT_LE(MaxOf(n, [&](auto... ijk) { return At(riemannian["torsion"], ijk...); }),
            1e-14 * scale);
  EXPECT_GT(MaxOf(n, torsion), 0.01 * scale);
  // Equal geodesics and equal metric: K = T/2, totally antisymmetric, over equal symmetric parts.
  EXPECT_LE(MaxOf(n, [&](auto... ijk) { return contorsion(ijk...) - 0.5 * torsion(ijk...); }),
            1e-14 * scale);
  EXPECT_LE(MaxOf(n, [&](size_t i, size_t j,
                         size_t k) { return contorsion(i, j, k) + contorsion(k, j, i); }),
            1e-14 * scale);
  EXPECT_LE(MaxOf(n,
                  [&](auto... ijk) {
                    return At(plain["GammaSym"], ijk...) - At(riemannian["GammaSym"], ijk...);
                  }),
            1e-14 * scale);
  const Eigen::MatrixXd H = ToMatrix(plain["H"]);
  const auto raised_and_lowered = [&](size_t i, size_t j, size_t k) {
    double sum = 0;
    for (size_t l = 0; l < n; ++l) {
      sum += H(static_cast<int>(i), static_cast<int>(l)) * At(plain["Gamma2"], l, j, k);
    }
    return sum - At(plain["Gamma"], i, j, k);
  };
  EXPECT_LE(MaxOf(n, raised_and_lowered), 1e-13 * scale);
  EXPECT_EQ(At(plain["structure"], 6, 7, 8), 1);  // of the ball joint: [e_7, e_8] = e_6
  EXPECT_EQ(At(plain["structure"], 6, 8, 7), -1);
  EXPECT_EQ(At(plain["structure"], 0, 1, 2), 0);
}

TEST(EvalQuantities, DerivativesOfTau) {
  const Shell shell;
  shell.Write("floating.xml", kFloating);
  shell.Write("s.json", kFloatingStates);
  const Json state =
      shell.Eval("floating.xml --states s.json --quantities tau,C,dtau_dv")["states"][0];
  // C v is quadratic in v.
  const Eigen::VectorXd v = ToVector(state["v"]);
  EXPECT_LE(RelativeError(ToMatrix(state["dtau_dv"]) * v, 2 * ToMatrix(state["C"]) * v), 1e-13);
  // tau at q ± h e_j, by differences.
  constexpr double h = 1e-5;
  Json states = {{"states", Json::array()}};
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(7, -1, 1), qdot = q.reverse() + q * 0.3;
  for (int j = 0; j < 7; ++j) {
    for (const double step : {h, -h}) {
      const Eigen::VectorXd moved = q + step * Eigen::VectorXd::Unit(7, j);
      states["states"].push_back({{"q", ToList(moved)}, {"v", ToList(qdot)}, {"a", ToList(q)}});
    }
  }
  states["states"].push_back({{"q", ToList(q)}, {"v", ToList(qdot)}, {"a", ToList(q)}});
  shell.Write("s.json", states.dump());
  const Json results = shell.Eval("arm7 --states s.json --quantities tau,dtau_dq")["states"];
  Eigen::MatrixXd differences(7, 7);
  for (int j = 0; j < 7; ++j) {
    const auto at = 2 * static_cast<size_t>(j);
    differences.col(j) =
        (ToVector(results[at]["tau"]) - ToVector(results[at + 1]["tau"])) / (2 * h);
  }
  EXPECT_LE(RelativeError(differences, ToMatrix(results.back()["dtau_dq"])), 1e-8);
}

TEST(EvalQuantities, WhatAMasslessModelDoesNotHaveIsNull) {
  const Shell shell;
  shell.Write("m.urdf", R"(<robot name="m"><link name="base"/><link name="feather"/>
    <joint name="hinge" type="continuous"><parent link="base"/><child link="feather"/>
      <axis xyz="0 1 0"/></joint></robot>)");
  const ShellResult result = shell.Run("civita eval m.urdf --quantities all");
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.err, HasSubstr("civita: states[0]: Hinv is not a finite number\n"));
  const Json state = Json::parse(result.out)["states"][0];
  for (const char* name : {"Hinv", "com", "Jcom", "Jcomdot", "hG", "AG", "AGdot", "Gamma2"}) {
    EXPECT_THAT(state[name].dump(), HasSubstr("null")) << name;
  }
  EXPECT_EQ(state["kinetic"], 0);
}

TEST(EvalQuantities, BodiesAreNamedOnceAndInTheHeader) {
  const Shell shell;
  const Json json = shell.Eval("arm7 --quantities J:hand,J:hand,Y,kinetic");
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["states"][0].items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("q", "v", "a", "J:hand", "Y", "kinetic"));
  EXPECT_EQ(json["states"][0]["Y"][0].size(), 10 * json["bodies"].size());
  EXPECT_EQ(json["conventions"]["units"]["J:hand"]["angles"], "1; m");
  EXPECT_FALSE(shell.Eval("arm7 --quantities H").contains("bodies"));
  const ShellResult wrong = shell.Run("civita eval arm7 --quantities H,Jdot:hnd");
  EXPECT_EQ(wrong.code, kExitBadInput);
  EXPECT_THAT(wrong.err,
              HasSubstr("--quantities: Jdot:hnd: unknown body or frame 'hnd' (did you mean"));
  EXPECT_THAT(shell.Run("civita eval arm7 --quantities J").err,
              HasSubstr("--quantities: J: unknown body or frame ''; valid: "));
}

TEST(EvalQuantities, NpzHasThemToo) {
  const Shell shell;
  const ShellResult result = shell.Run(
      "civita eval arm7 --quantities kinetic,J:hand,com --format npz --out out.npz\n"
      "python3 -c 'import zipfile; print(sorted(zipfile.ZipFile(\"out.npz\").namelist()))'");
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, HasSubstr("'J:hand.npy', 'a.npy', 'com.npy'"));
  EXPECT_EQ(shell.CountFiles(), 1u);
}

/// A four-bar linkage in a vertical plane, closed where `tip` meets `pin`.
constexpr const char* kFourBar = R"(<mujoco><worldbody>
  <body name="crank"><joint name="crank" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
    <body name="coupler" pos="0 0 0.3"><joint name="coupler" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0.1" size="0.02"/><body name="tip" pos="0.5 0 0.1"/>
    </body></body>
  <body name="rocker" pos="0.5 0 0.2"><joint name="rocker" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02"/><body name="pin" pos="0 0 0.2"/></body>
  </worldbody><equality><connect body1="tip" body2="pin" anchor="0 0 0"/></equality></mujoco>)";

TEST(EvalQuantities, ClosedChainsInIndependentVelocities) {
  const Shell shell;
  shell.Write("four_bar.xml", kFourBar);
  shell.Write("near.json", R"({"states": [{"q": [0.2, 0.1, 0.3], "v": [1.5], "a": [-2]}]})");
  const Json json = shell.Eval("four_bar.xml --reduced --quantities all --states near.json");
  EXPECT_EQ(json["nw"], 1);
  ASSERT_EQ(json["independent"].size(), 1u);
  const Json& reduced = json["states"][0];
  // The tree at the closed configuration.
  const Eigen::MatrixXd A = ToMatrix(reduced["A"]);
  const Eigen::VectorXd w = ToVector(reduced["v"]), v = A * w;
  const Json states = {{"states", {{{"q", reduced["q"]}, {"v", ToList(v)}}}}};
  shell.Write("tree.json", states.dump());
  const Json tree = shell.Eval(
      "four_bar.xml --states tree.json --quantities H,g,J:tip,J:pin,kinetic")["states"][0];
  const auto velocity = [&](const char* J) {
    return Eigen::VectorXd((ToMatrix(tree[J]) * v).tail<3>());
  };
  EXPECT_GT(velocity("J:tip").norm(), 0.1);
  EXPECT_LE(RelativeError(velocity("J:tip"), velocity("J:pin")), 1e-12);
  const Eigen::MatrixXd H = A.transpose() * ToMatrix(tree["H"]) * A;
  EXPECT_LE(RelativeError(ToMatrix(reduced["H"]), H), 1e-13);
  EXPECT_LE(RelativeError(ToVector(reduced["g"]), A.transpose() * ToVector(tree["g"])), 1e-13);
  EXPECT_LE(RelativeError(0.5 * w.dot(H * w), tree["kinetic"].get<double>()), 1e-13);
  const Eigen::MatrixXd C = ToMatrix(reduced["C"]);
  EXPECT_LE(RelativeError(C * w + ToVector(reduced["g"]), ToVector(reduced["bias"])), 1e-13);
  EXPECT_LE(RelativeError(H * ToVector(reduced["a"]) + ToVector(reduced["bias"]),
                          ToVector(reduced["tau"])),
            1e-13);
  EXPECT_LE(RelativeError(At(reduced["Gamma"], 0, 0, 0) * w[0], C(0, 0)), 1e-13);
  // For one coordinate C̄ = ½ dH̄/dt: along the motion, by differences.
  constexpr double h = 1e-5;
  Eigen::VectorXd of_moved(2);
  for (int side = 0; side < 2; ++side) {
    const Eigen::VectorXd moved = ToVector(reduced["q"]) + (side == 0 ? h : -h) * v;
    const Json there = {{"states", {{{"q", ToList(moved)}}}}};
    shell.Write("moved.json", there.dump());
    const Json result = shell.Eval("four_bar.xml --reduced --states moved.json --quantities H");
    of_moved[side] = result["states"][0]["H"][0][0].get<double>();
  }
  EXPECT_GT(std::abs(C(0, 0)), 1e-3);
  EXPECT_LE(RelativeError(C(0, 0), 0.5 * (of_moved[0] - of_moved[1]) / (2 * h)), 1e-8);
}

/// The slider carries a rod whose `pin` is the crank's `end`.
constexpr const char* kCrankAndSlider = R"(<mujoco><worldbody>
  <body name="crank"><joint name="crank" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/><body name="end" pos="0 0 0.5"/></body>
  <body name="slider" pos="0.3 0 0.5"><joint name="slider" type="slide" axis="1 0 0"/>
    <geom size="0.05"/><body name="rod"><joint name="rod" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 -0.3 0 0" size="0.02"/><body name="pin" pos="-0.3 0 0"/>
    </body></body>
  </worldbody><equality><connect body1="end" body2="pin" anchor="0 0 0"/></equality></mujoco>)";

TEST(EvalQuantities, ReducedRefusesInOneLine) {
  const Shell shell;
  shell.Write("four_bar.xml", kFourBar);
  shell.Write("two.json", R"({"states": [{"v": [1, 2]}]})");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"arm7 --reduced --quantities H", "--reduced: arm7 has no closed loops: no active equality"},
      {"four_bar.xml --reduced --quantities Gamma_packed",
       "--quantities: Gamma_packed exists without --reduced and --coordinates only; valid: H, "
       "Hdot, Hinv, g, bias"},
      {"four_bar.xml --reduced --quantities Lambda:tip",
       "--quantities: Lambda:tip exists without --reduced and --coordinates only"},
      {"four_bar.xml --quantities A",
       "--quantities: A exists with --reduced or --coordinates only; valid: H, Hdot"},
      {"four_bar.xml --quantities H --independent crank", "--independent: chooses the velocities"},
      {"four_bar.xml --reduced --quantities H --independent crnk",
       "--independent: unknown coordinate 'crnk' (did you mean 'crank'?); valid: crank, coupler, "
       "rocker"},
      {"four_bar.xml --reduced --quantities H --independent crank,rocker",
       "--independent: cluster 'equality0' has 1 independent coordinates; those that were asked "
       "for "
       "cannot be independent together; its coordinates are: crank coupler rocker"},
      {"four_bar.xml --reduced --quantities H --states two.json",
       "two.json: states[0].v: has 2 numbers, the model has nw = 1"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(arguments);
    const ShellResult result = shell.Run("civita eval " + arguments);
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  // The slider is out of the crank's reach.
  shell.Write("slider.xml", kCrankAndSlider);
  shell.Write("apart.json", R"({"states": [{}, {"q": [0.1, 2, 0.1]}]})");
  const ShellResult apart =
      shell.Run("civita eval slider.xml --reduced --quantities H --states apart.json");
  EXPECT_EQ(apart.code, kExitFailed);
  EXPECT_THAT(apart.err, HasSubstr("civita: states[1]: cluster 'equality0' does not close"));
  const Json states = Json::parse(apart.out)["states"];
  EXPECT_TRUE(states[0]["H"][0][0].is_number());
  EXPECT_TRUE(states[1]["H"][0][0].is_null());
}

TEST(EvalQuantities, PassiveForces) {
  const Shell shell;
  shell.Write("arm.xml", R"(<mujoco><option><flag damper="disable"/></option><worldbody>
    <body><joint name="a" axis="0 1 0" stiffness="3 2 1" springref="60" damping="5"/>
    <geom size=".1" pos=".2 0 0"/></body>
    <body pos="0 1 0"><joint name="b" type="slide" frictionloss="2"/><geom size=".1"/></body>
    </worldbody><tendon><fixed stiffness="4" springlength="0 .5"><joint joint="a" coef="2"/>
    <joint joint="b" coef="-1"/></fixed></tendon></mujoco>)");
  shell.Write("states.json", R"({"states": [{"q": [0.8, 0.3], "v": [0.1, -0.2]}]})");
  const Json state = shell.Eval("arm.xml --states states.json --quantities passive")["states"][0];
  const double x = 0.8 - std::numbers::pi / 3, pull = 4 * (2 * 0.8 - 0.3 - 0.5);
  const Eigen::VectorXd tau = ToVector(state["passive"]);
  EXPECT_NEAR(tau[0], -(3 * x + 2 * x * x + x * x * x) - 2 * pull, 1e-14);
  EXPECT_NEAR(tau[1], 2 * std::tanh(0.2 / 0.02) + pull, 1e-14);
}

/// A chain of screws, with ‖ω₁‖ = √2, gives the numbers that [LP]'s functions print.
TEST(EvalQuantities, ProductOfExponentials) {
  const Shell shell;
  shell.Write("states.json", R"({"states": [{"q": [0.1, 0.1, 0.1], "v": [0.1, 0.2, 0.3]}]})");
  const Json json = shell.Eval(
      "'" CIVITA_SOURCE_DIR
      "/config/poe/ur5_three_links.yaml' --states states.json --quantities H,g,bias,C,J:tip");
  const Json& state = json["states"][0];
  const Eigen::Vector3d g(28.40331261821983, -37.64094817177068, -5.4415891999683605);
  const Eigen::Vector3d c(0.26453118054501235, -0.0550515682891655, -0.006891320068248912);
  EXPECT_LE(RelativeError(ToVector(state["g"]), g), 1e-14);
  EXPECT_LE(RelativeError(ToVector(state["bias"]), g + c), 1e-14);
  EXPECT_LE(RelativeError(ToMatrix(state["C"]) * ToVector(state["v"]), c), 1e-14);
  EXPECT_NEAR(state["H"][0][0].get<double>(), 22.5433, 5e-5);
  EXPECT_EQ(json["joints"][0]["type"], "hinge");
}

TEST(EvalQuantities, ProductsOfExponentialsAreRefusedInOneLine) {
  const Shell shell;
  const std::string M = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]";
  const std::string lists = "M_list: [" + M + ", " + M + "]\n";
  const std::string G = "G_list: [[1, 1, 1, 2, 2, 2]]\n", S = "S_list: [[0, 0, 1, 0, 0, 0]]\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"M_list: 3\n", "chain.yaml:1:9: M_list must be a list, not '3'"},
      {lists + G, "chain.yaml:1:1: lacks the key 'S_list'"},
      {lists + G + S + "g: 1\n",
       "chain.yaml:4:1: unknown key 'g'; valid: M_list, G_list, S_list, gravity"},
      {"M_list: [[[1]]]\n" + G + S,
       "chain.yaml:1:10: M_list[0] has 1 row, must have 4 rows of 4 numbers"},
      {lists + "G_list: [[1, 2]]\n" + S, "chain.yaml:2:10: G_list[0] has 2 numbers, must have 6"},
      {lists + "G_list: [[1, 1, 1, 2, 2, 3]]\n" + S,
       "chain.yaml:2:10: G_list: entry 1 is no body's"},
      {lists + G + "S_list: [[1, 2, 3, a, 5, 6]]\n",
       "chain.yaml:3:20: S_list[0][3] must be a number, not 'a'"},
      {lists + G + "S_list: [[0, 0, 0, 0, 0, 0]]\n",
       "chain.yaml:3:10: S_list: entry 1 must be finite and not zero"},
      {"M_list: [" + M + "]\n" + G + S, "chain.yaml:3:9: S_list has n = 1"},
      {lists + G + S + "gravity: [0, 9.8]\n",
       "chain.yaml:4:10: gravity has 2 numbers, must have 3"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    shell.Write("chain.yaml", text);
    const ShellResult result = shell.Run("civita eval chain.yaml --quantities H");
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("civita: " + message));
    EXPECT_THAT(result.err, testing::MatchesRegex("civita: [^\n]+\n"));
  }
  shell.Write("chain.yaml", lists + G + S);
  EXPECT_EQ(shell.Eval("chain.yaml --quantities H")["states"][0]["H"], Json::parse("[[1]]"));
  EXPECT_THAT(shell.Run("civita eval chain.yaml --quantities H --base free").err,
              HasSubstr("--base free: a product of exponentials stands in its space frame"));
}

}  // namespace eval_quantities_test
}  // namespace civita
