#include "civita/factorization.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/maximal_coordinates.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/random_model.h"

namespace civita {
namespace factorization_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Bodies "base" (fixed), "upper", "lower" with a ball and `extra` hinges: nv = 3 + extra.
Model MakeModel(int extra) {
  const MassProperties mass{1, Eigen::Vector3d(0.1, 0, 0.2), Eigen::Matrix3d::Identity()};
  ModelBuilder builder;
  const int base = builder.AddBody("base", ModelBuilder::kWorld, {}, mass);
  const int upper = builder.AddBody("upper", base, {}, mass);
  builder.AddJoint(upper, JointType::kBall,
                   {.name = "shoulder", .anchor = Eigen::Vector3d(0.1, 0.2, 0.3)});
  const int lower = builder.AddBody("lower:arm", upper, {}, mass);
  for (int i = 0; i < extra; ++i) {
    builder.AddJoint(lower, JointType::kHinge, {.name = "elbow" + std::to_string(i)});
  }
  return builder.Build();
}

std::string ErrorOf(const std::string& text, int extra = 0,
                    const std::filesystem::path& directory = {}) {
  try {
    ParseFactorization(text, MakeModel(extra), directory);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    directory_ = std::filesystem::temp_directory_path() /
                 ("civita_factorization_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }
  ~FilesTest() override { std::filesystem::remove_all(directory_); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  std::filesystem::path directory_;
};

TEST(FactorizationTest, NamesOfTheFamily) {
  const Model model = MakeModel(0);
  EXPECT_EQ(ParseFactorization("christoffel", model).t, 0);
  EXPECT_EQ(ParseFactorization("plain", model).t, 1);
  EXPECT_EQ(ParseFactorization("other", model).t, -1);
  EXPECT_EQ(ParseFactorization("t:0.3", model).t, 0.3);
  EXPECT_EQ(ParseFactorization("t:-7", model).t, -7);
  EXPECT_EQ(ParseFactorization("t:+2e+1", model).t, 20);
}

TEST(FactorizationTest, NegativeCase) {
  const Model model = MakeModel(0);
  const Factorization alone = ParseFactorization("alpha:0.5", model);
  EXPECT_EQ(alone.alpha, 0.5);
  EXPECT_EQ(alone.t, 1);
  EXPECT_FALSE(alone.admissible());
  EXPECT_FALSE(alone.torsion_free());
  EXPECT_EQ(ParseFactorization("alpha:0.5+other", model).t, -1);
  EXPECT_TRUE(ParseFactorization("alpha:0", model).admissible());
  EXPECT_THAT(ErrorOf("alpha:x"), HasSubstr("α must be a number, not 'x'"));
  EXPECT_THAT(ErrorOf("alpha:1+alpha:2"), HasSubstr("only one alpha:ALPHA"));
}

TEST(FactorizationTest, RoundTrips) {
  const Model model = MakeModel(0);
  for (const std::string text :
       {"christoffel", "plain", "other", "t:0.3", "t:-7", "t:1e-300", "t:0.1000000000000001",
        "body:upper:ang:0.5", "body:lower:arm:lin:-2", "joint:-5", "joint:1e+20", "alpha:0.5",
        "christoffel+alpha:-1", "t:0.3+alpha:2+joint:-5", "plain+body:upper:ang:0.5",
        "t:0.3+body:upper:lin:1e-07+body:upper:ang:2+joint:-5"}) {
    SCOPED_TRACE(text);
    const Factorization once = ParseFactorization(text, model);
    EXPECT_EQ(ToString(once), text);
    const Factorization twice = ParseFactorization(ToString(once), model);
    EXPECT_EQ(twice.t, once.t);
    EXPECT_EQ(twice.alpha, once.alpha);
    ASSERT_EQ(twice.body_injections.size(), once.body_injections.size());
    for (size_t i = 0; i < once.body_injections.size(); ++i) {
      EXPECT_EQ(twice.body_injections[i].beta.number(), once.body_injections[i].beta.number());
      EXPECT_EQ(twice.body_injections[i].body, once.body_injections[i].body);
      EXPECT_EQ(twice.body_injections[i].part, once.body_injections[i].part);
    }
    EXPECT_EQ(twice.joint_injections.size(), once.joint_injections.size());
  }
  EXPECT_EQ(ToString(ParseFactorization("t:0", model)), "christoffel");
  EXPECT_EQ(ToString(ParseFactorization("t:1", model)), "plain");
  EXPECT_EQ(WithBothNames("plain"), "plain (t:1)");
  EXPECT_EQ(WithBothNames(ToString(ParseFactorization("t:-1", model))), "other (t:-1)");
  EXPECT_EQ(WithBothNames("t:2"), "t:2");
  EXPECT_EQ(ToString(ParseFactorization("t:-1", model)), "other");
  EXPECT_EQ(ToString(ParseFactorization("christoffel+joint:2", model)), "joint:2");
}

/// The same C through the text, at a random state.
void ExpectRoundTrip(const Factorization& factorization, const Model& model,
                     const FormulaReader& read_formula = {}) {
  const std::string text = ToString(factorization);
  SCOPED_TRACE(text);
  const Factorization read = ParseFactorization(text, model, {}, read_formula);
  EXPECT_EQ(ToString(read), text);
  const int n = model.nv();
  std::mt19937 random(7);
  Eigen::VectorXd q = model.DefaultPosition();
  IntegratePosition(model, q, RandomVector(n, &random), 1, q);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, RandomVector(n, &random), workspace);
  Eigen::MatrixXd C(n, n), again(n, n), christoffel(n, n), H(n, n);
  CalcCoriolisMatrix(model, factorization, workspace, {.C = C, .H = H});
  CalcCoriolisMatrix(model, read, workspace, {.C = again, .H = H});
  CalcCoriolisMatrix(model, {}, workspace, {.C = christoffel, .H = H});
  EXPECT_LE((again - C).norm(), 1e-15 * C.norm());
  EXPECT_GE((C - christoffel).norm(), 1e-3) << "the injection does nothing";
}

TEST(FactorizationTest, MatricesAndFormsWithoutFilesRoundTrip) {
  for (const int kind : {0, 1, 2}) {
    const Model model = MakeModel(kind);
    const int n = model.nv();
    std::mt19937 random(1);
    Factorization joint;
    joint.joint_injections = {{.beta = 2, .S = RandomS(n, &random)}};
    ExpectRoundTrip(joint, model);
    joint.joint_injections.push_back({.beta = -1e-3, .S = RandomS(n, &random)});
    joint.t = 1;
    ExpectRoundTrip(joint, model);
    Factorization form;
    form.three_forms = {{.components = {{0, 2, 1, -2.5}}}};
    if (n > 3) form.three_forms.push_back({.components = {{3, 1, 0, 0.1}, {1, 2, 3, 1e20}}});
    ExpectRoundTrip(form, model);
    form.joint_injections = joint.joint_injections;
    form.alpha = 0.5;
    ExpectRoundTrip(form.Inject(model, "upper", Factorization::Part::kAngular, 2), model);
  }
}

TEST(FactorizationTest, FunctionsInFormsRoundTrip) {
  const Model model = MakeModel(1);
  const FormulaReader read_formula = [](const std::string& formula, const Model&) {
    EXPECT_EQ(formula, "1 + q[0]; 2");
    return [](const Eigen::VectorXd& q) { return 1 + q[0]; };
  };
  Factorization form;
  form.three_forms = {
      {.components = {{0, 1, 3, {"{1 + q[0]; 2}", read_formula("1 + q[0]; 2", model)}},
                      {0, 1, 2, 3.5}}}};
  ExpectRoundTrip(form, model, read_formula);
}

TEST(FactorizationTest, PointsOfBodiesRoundTrip) {
  using Part = Factorization::Part;
  const Model model = MakeModel(1);
  const Eigen::Vector3d point(0.25, -1, 3e-5);
  const Factorization at_point =
      Factorization().Inject(model, "lower:arm", Part::kLinear, 2, point);
  const Factorization at_origin = Factorization().Inject(model, "lower:arm", Part::kLinear, 2);
  EXPECT_EQ(ToString(at_origin), "body:lower:arm:lin:2");
  EXPECT_EQ(at_point.body_injections[0].point, at_origin.body_injections[0].point + point);
  ExpectRoundTrip(at_point, model);
  ExpectRoundTrip(ParseFactorization("other+body:lower:arm:lin[1 2 -3]:-0.5", model), model);
  // A point moved afterwards is written, too.
  Factorization moved = at_origin;
  moved.body_injections[0].point.x() += 0.5;
  ExpectRoundTrip(moved, model);
}

TEST(FactorizationTest, WhatHasNoTextIsAnError) {
  Factorization unnamed;
  unnamed.body_injections = {{.body = 1, .part = Factorization::Part::kAngular, .beta = 1}};
  EXPECT_THROW((void)ToString(unnamed), UserError);
  Factorization without_origin;
  without_origin.body_injections = {{.body = 0,
                                     .point = {1, 2, 3},
                                     .part = Factorization::Part::kLinear,
                                     .beta = 1,
                                     .name = "upper"}};
  EXPECT_THROW((void)ToString(without_origin), UserError);
}

TEST(FactorizationTest, NamesMayHaveAPlus) {
  ModelBuilder builder;
  const MassProperties mass{1, Eigen::Vector3d(0.1, 0.2, 0.3), Eigen::Matrix3d::Identity()};
  const int body = builder.AddBody("arm+hand", ModelBuilder::kWorld, {}, mass);
  builder.AddJoint(body, JointType::kBall, {.name = "j"});
  const Model model = builder.Build();
  for (const std::string text :
       {"body:arm+hand:ang:2", "t:0.3+body:arm+hand:lin:1+joint:-5", "body:arm+hand:ang:2+plain"}) {
    SCOPED_TRACE(text);
    const Factorization f = ParseFactorization(text, model);
    ASSERT_EQ(f.body_injections.size(), 1u);
    EXPECT_EQ(f.body_injections[0].name, "arm+hand");
    ExpectRoundTrip(f, model);
  }
}

TEST(FactorizationTest, ListsAreChecked) {
  EXPECT_THAT(ErrorOf("joint:2:[1 0 0; 0 1 0]"), HasSubstr("S has 2 rows, not 3"));
  EXPECT_THAT(ErrorOf("joint:2:[1 0 0; 0 1; 0 0 1]"), HasSubstr("not nv = 3"));
  EXPECT_THAT(ErrorOf("joint:2:[1 0 0; 0 1 0; 0 0 1"), HasSubstr("']' is missing"));
  EXPECT_THAT(ErrorOf("joint:2:[1 0 x; 0 1 0; 0 0 1]"), HasSubstr("not 'x'"));
  EXPECT_THAT(ErrorOf("form:[0 1 2]"), HasSubstr("a line is COORDINATE"));
  EXPECT_THAT(ErrorOf("form:[0 1 7 2]"), HasSubstr("unknown coordinate '7'"));
  EXPECT_THAT(ErrorOf("form:[0 1 1 2]"), HasSubstr("repeats"));
  EXPECT_THAT(ErrorOf("body:upper:lin[1 2]:3"), HasSubstr("a coordinate of the point"));
  EXPECT_THAT(ErrorOf("body:upper:lin[1 2 3 4]:3"), HasSubstr("three coordinates"));
}

TEST(FactorizationTest, InjectionsKnowTheirBody) {
  const Model model = MakeModel(1);
  const Factorization f = ParseFactorization("body:upper:lin:-2.5+body:lower:arm:ang:1", model);
  ASSERT_EQ(f.body_injections.size(), 2u);
  const Factorization::BodyInjection& first = f.body_injections[0];
  EXPECT_EQ(first.name, "upper");
  EXPECT_EQ(first.body, 0);
  EXPECT_EQ(first.part, Factorization::Part::kLinear);
  EXPECT_EQ(first.beta.number(), -2.5);
  // The body's own origin, seen from the joint's centre.
  EXPECT_TRUE(first.point.isApprox(Eigen::Vector3d(-0.1, -0.2, -0.3), 1e-15));
  EXPECT_EQ(f.body_injections[1].name, "lower:arm");
  EXPECT_EQ(f.body_injections[1].body, 1);
}

TEST(FactorizationTest, BuildersSayTheSameAsText) {
  using Part = Factorization::Part;
  const Model model = MakeModel(1);
  EXPECT_EQ(ToString(Factorization::Christoffel()), "christoffel");
  const Factorization f = Factorization::Torsion(0.3)
                              .Inject(model, "upper", Part::kLinear, -2.5)
                              .Inject(model, "lower:arm", Part::kAngular, 1);
  EXPECT_EQ(ToString(f), "t:0.3+body:upper:lin:-2.5+body:lower:arm:ang:1");
  EXPECT_EQ(f.body_injections[1].body, 1);
  EXPECT_THROW((void)f.Inject(model, "uper", Part::kAngular, 1), UserError);
  EXPECT_THROW((void)f.Inject(model, "base", Part::kAngular, 1), UserError);
}

/// A body given only by name is invalid, and each algorithm reports that.
TEST(FactorizationTest, InjectionsMustBeAtBodiesOfTheModel) {
  const Model model = MakeModel(1);
  const int n = model.nv();
  const Eigen::VectorXd q = model.DefaultPosition(), v = Eigen::VectorXd::Ones(n);
  Eigen::MatrixXd C(n, n), H(n, n), Y(n, 30);
  Eigen::VectorXd tau(n), pi = Eigen::VectorXd::Zero(30);
  std::vector<Matrix6<double>> blocks(static_cast<size_t>(model.num_bodies())), others = blocks;
  for (const std::string& name : InstructionSets()) {
    SCOPED_TRACE(name);
    Workspace<double> workspace(model, name);
    UpdateKinematics(model, q, v, workspace);
    for (const int body : {-1, model.num_bodies()}) {
      Factorization f;
      f.body_injections.push_back({.beta = 1, .name = "upper"});
      if (body >= 0) f.body_injections.front().body = body;
      EXPECT_THROW(CalcCoriolisMatrix(model, f, workspace, {.C = C, .H = H}), ContractError);
      EXPECT_THROW(CalcPassivityInverseDynamics(model, f, v, v, workspace, tau), ContractError);
      EXPECT_THROW(CalcCoriolisProduct(model, f, v, workspace, tau), ContractError);
      EXPECT_THROW(CalcRegressor(model, f, model.frames(), v, v, workspace, Y, tau), ContractError);
      EXPECT_THROW(CalcRegressorProducts(model, f, model.frames(), v, v, pi, v, workspace, tau, pi),
                   ContractError);
      EXPECT_THROW(
          CalcMaximalCoordinates<double>(model, f, TwistFrame::kBody, workspace, blocks, others),
          ContractError);
    }
  }
}

TEST(FactorizationTest, TorsionFree) {
  const Model model = MakeModel(0);
  for (const std::string text : {"christoffel", "t:0", "joint:0", "body:upper:ang:0"}) {
    EXPECT_TRUE(ParseFactorization(text, model).torsion_free()) << text;
  }
  for (const std::string text : {"plain", "other", "t:1e-9", "joint:1", "body:upper:ang:-1"}) {
    EXPECT_FALSE(ParseFactorization(text, model).torsion_free()) << text;
  }
  EXPECT_TRUE(Factorization{}.torsion_free());
}

TEST(FactorizationTest, UnknownFormsListTheForms) {
  for (const std::string text :
       {"", "chrstoffel", "T:1", "t", "plain+", "+plain", "plain ", "body"}) {
    SCOPED_TRACE("'" + text + "'");
    EXPECT_THAT(ErrorOf(text), AllOf(StartsWith("factorization '"), HasSubstr("christoffel, plain"),
                                     HasSubstr("body:BODY:ang:BETA"), HasSubstr("joint:BETA")));
  }
}

TEST(FactorizationTest, NumbersMustBeNumbers) {
  EXPECT_THAT(ErrorOf("t:"), HasSubstr("t must be a number, not ''"));
  EXPECT_THAT(ErrorOf("t:x"), HasSubstr("t must be a number, not 'x'"));
  EXPECT_THAT(ErrorOf("t:1x"), HasSubstr("not '1x'"));
  EXPECT_THAT(ErrorOf("t:nan"), HasSubstr("not 'nan'"));
  EXPECT_THAT(ErrorOf("t:inf"), HasSubstr("not 'inf'"));
  EXPECT_THAT(ErrorOf("joint:"), HasSubstr("β must be a number"));
  EXPECT_THAT(ErrorOf("joint:five"), HasSubstr("not 'five'"));
  EXPECT_THAT(ErrorOf("body:upper:ang:much"), HasSubstr("β must be a number, not 'much'"));
}

TEST(FactorizationTest, BodiesMustBeThereAndMove) {
  EXPECT_THAT(ErrorOf("body:uper:ang:1"),
              AllOf(HasSubstr("unknown body 'uper' (did you mean 'upper'?)"),
                    HasSubstr("base, upper, lower:arm")));
  EXPECT_THAT(ErrorOf("body:base:ang:1"), HasSubstr("body 'base' does not move"));
  EXPECT_THAT(ErrorOf("body:upper:sideways:1"), HasSubstr("'sideways' is neither ang nor lin"));
  EXPECT_THAT(ErrorOf("body:upper"), HasSubstr("body:BODY:ang|lin:BETA"));
  EXPECT_THAT(ErrorOf("body:"), HasSubstr("body:BODY:ang|lin:BETA"));
}

TEST(FactorizationTest, NamesOfBodiesMayHoldWhatBeginsATerm) {
  const MassProperties mass{1, Eigen::Vector3d(0.1, 0, 0.2), Eigen::Matrix3d::Identity()};
  ModelBuilder builder;
  int parent = ModelBuilder::kWorld;
  const std::vector<std::string> names = {"a",    "a+plain",  "cup+joint:3",
                                          "x:{y", "b+form:[", "c:lin:2"};
  for (const std::string& name : names) {
    parent = builder.AddBody(name, parent, {}, mass);
    builder.AddJoint(parent, JointType::kHinge, {.name = "of " + name});
  }
  const Model model = builder.Build();
  const Eigen::Vector3d point(1, -2, 0.5);
  Factorization all = Factorization::Torsion(0.3);
  for (const std::string& name : names) {
    all = all.Inject(model, name, Factorization::Part::kAngular, 0.5);
    all = all.Inject(model, name, Factorization::Part::kLinear, -2, point);
  }
  const Factorization read = ParseFactorization(ToString(all), model);
  EXPECT_EQ(ToString(read), ToString(all));
  ASSERT_EQ(read.body_injections.size(), all.body_injections.size());
  for (std::size_t i = 0; i < all.body_injections.size(); ++i) {
    EXPECT_EQ(read.body_injections[i].body, all.body_injections[i].body) << i;
    EXPECT_EQ(read.body_injections[i].beta.number(), all.body_injections[i].beta.number()) << i;
  }
  EXPECT_EQ(read.t, 0.3);
}

TEST(FactorizationTest, OnlyOneOfTheFamily) {
  EXPECT_THAT(ErrorOf("plain+other"), HasSubstr("only one of christoffel, plain, other, t:NUMBER"));
  EXPECT_THAT(ErrorOf("christoffel+t:0"), HasSubstr("only one of"));
}

TEST(FactorizationTest, JointInjectionNeedsSUnlessThreeDof) {
  EXPECT_EQ(ParseFactorization("joint:-5", MakeModel(0)).joint_injections[0].S,
            Eigen::Matrix3Xd(Eigen::Matrix3d::Identity()));
  EXPECT_THAT(ErrorOf("joint:-5", 2), AllOf(HasSubstr("nv = 5"), HasSubstr("joint:BETA:S.csv")));
}

TEST_F(FilesTest, SFromAFile) {
  Write("S.csv", "1, 2,3 ,4\n\n-5e-1\t6 7 8\r\n9,10,11,12");
  const Model model = MakeModel(1);
  const Factorization f = ParseFactorization("joint:2:S.csv", model, directory_);
  Eigen::Matrix3Xd S(3, 4);
  S << 1, 2, 3, 4, -0.5, 6, 7, 8, 9, 10, 11, 12;
  EXPECT_EQ(f.joint_injections[0].S, S);
  EXPECT_EQ(f.joint_injections[0].beta.number(), 2);
  EXPECT_EQ(ToString(f), "joint:2:S.csv");
  const std::string absolute = "joint:2:" + (directory_ / "S.csv").string();
  EXPECT_EQ(ParseFactorization(absolute, model, "/elsewhere").joint_injections[0].S, S);
}

TEST_F(FilesTest, SeveralJointTermsAndThreeForms) {
  Write("S.csv", "1,2,3,4\n5,6,7,8\n9,10,11,12\n");
  Write("omega.csv",
        "# a comment\n\nshoulder.x, shoulder.z,shoulder.y , "
        "-2.5\nelbow0,shoulder.x,shoulder.z,{q[0]}\n");
  const Model model = MakeModel(1);
  const FormulaReader read_formula = [](const std::string& formula, const Model&) {
    if (formula != "q[0]") throw UserError("no such formula");
    return [](const Eigen::VectorXd& q) { return q[0]; };
  };
  const std::string text = "joint:2:S.csv+joint:{q[0]}:S.csv+form:omega.csv";
  const Factorization f = ParseFactorization(text, model, directory_, read_formula);
  EXPECT_EQ(ToString(f), text);
  ASSERT_EQ(f.joint_injections.size(), 2u);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(model.nq(), 7);
  EXPECT_EQ(f.joint_injections[1].beta.At(q), 7);
  ASSERT_EQ(f.three_forms.size(), 1u);
  ASSERT_EQ(f.three_forms[0].components.size(), 2u);
  EXPECT_EQ(f.three_forms[0].components[0].j, 2);
  EXPECT_EQ(f.three_forms[0].components[1].omega.At(q), 7);
  EXPECT_THAT(ErrorOf("joint:{q[0]}:S.csv", 1, directory_), HasSubstr("β must be a number here"));
  EXPECT_THAT(ErrorOf("form:", 1, directory_), HasSubstr("form:FILE.csv"));
  Write("twice.csv", "shoulder.x,elbow0,shoulder.x,2\n");
  EXPECT_THAT(ErrorOf("form:twice.csv", 1, directory_),
              AllOf(HasSubstr("twice.csv:1:"), HasSubstr("repeats")));
  Write("again.csv", "elbow0,shoulder.x,shoulder.y,2\nshoulder.x,elbow0,shoulder.y,1\n");
  EXPECT_THAT(ErrorOf("form:again.csv", 1, directory_),
              AllOf(HasSubstr("again.csv:2:"), HasSubstr("already")));
  Write("name.csv", "elbow0,shoulder.x,elbow9,2\n");
  EXPECT_THAT(ErrorOf("form:name.csv", 1, directory_),
              AllOf(HasSubstr("name.csv:1:"), HasSubstr("elbow9")));
}

TEST_F(FilesTest, BadFilesSayWhere) {
  EXPECT_THAT(ErrorOf("joint:1:none.csv", 1, directory_),
              AllOf(HasSubstr("cannot be read"), HasSubstr("none.csv")));
  Write("short.csv", "1,2,3,4\n1,2,3\n1,2,3,4\n");
  EXPECT_THAT(ErrorOf("joint:1:short.csv", 1, directory_),
              AllOf(HasSubstr("short.csv:2:"), HasSubstr("3 numbers, not nv = 4")));
  Write("two.csv", "1,2,3,4\n1,2,3,4\n");
  EXPECT_THAT(ErrorOf("joint:1:two.csv", 1, directory_), HasSubstr("2 rows, not 3"));
  Write("word.csv", "1,2,3,4\n1,2,3,4\n1,2,x,4\n");
  EXPECT_THAT(ErrorOf("joint:1:word.csv", 1, directory_),
              AllOf(HasSubstr("word.csv:3:"), HasSubstr("'x'")));
}

}  // namespace factorization_test
}  // namespace civita
