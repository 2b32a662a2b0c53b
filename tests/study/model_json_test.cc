// Models as JSON: read again they compute the same bits; what is wrong is told with file and key.

#include "civita/json/model_json.h"

#include <Eigen/Geometry>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "civita/describe.h"
#include "civita/error.h"
#include "civita/study/model/load_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracles/model_bytes.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace model_json_test {

using testing::HasSubstr;

/// A tree with joints of all kinds, springs, tendons, frames, limits, and loops.
Model CaseOf(unsigned seed) {
  RandomTreeOptions options = OptionsForKernels(seed);
  options.passive = true;
  const Case c = MakeCase(seed, options);
  ModelBuilder b(c.model);
  const MassProperties mass{1.0 / 3, {0.1, -0.0, 1e-300}, 0.1 * Eigen::Matrix3d::Identity()};
  b.AddFrame("tool \"é\"", 0, {.p = {1.0 / 7, -0.0, 0}});
  b.AddFrame("mark", ModelBuilder::kWorld, {});
  const int body = b.AddBody("", 0, {.p = {0, 0.1, 0}}, mass);
  b.AddJoint(body, JointType::kHinge,
             {.name = "", .axis = {1, 2, 3}, .position_lower = -1.0 / 3, .effort_upper = 2});
  const int child = b.AddBody("child", body, {}, mass);
  b.AddJoint(child, JointType::kBall, {.name = "ball", .stiffness = 2, .spring_pose = Pose{}});
  return b.Build();
}

Constraints LoopsOf(const Model& model) {
  Constraints loops;
  const int joint = static_cast<int>(model.joints().size()) - 2;
  loops.joints = {{"gear", joint, -1, {0.1, 0, 0, 0, 0.3}, 1.0 / 9, 0}};
  loops.rigid.push_back({.name = "pin",
                         .A = model.frames()[0],
                         .B = {},
                         .point_A = {1, 2, 3},
                         .point_B = {0, -0.0, 1},
                         .fixes_rotation = true});
  loops.rigid[0].axes_A.setConstant(0.1);
  return loops;
}

TEST(ModelJson, ReadsAgainTheSameBits) {
  for (unsigned seed = 0; seed < Seeds(12); ++seed) {
    const Model model = CaseOf(seed);
    const Constraints loops = LoopsOf(model);
    const std::string text = WriteModelJson(model, loops);
    const LoadedModel read = ReadModelJson(text, "model.json");
    EXPECT_EQ(ModelBytes(read.model), ModelBytes(model)) << seed;
    EXPECT_EQ(ConstraintsBytes(read.loops), ConstraintsBytes(loops)) << seed;
    EXPECT_EQ(WriteModelJson(read.model, read.loops), text) << seed;
    EXPECT_EQ(Describe(read.model), Describe(model));
    EXPECT_EQ(read.model.structure(), model.structure());
  }
}

/// Of frames that are no body's.
TEST(ModelJson, PutsConstraintsOnBodies) {
  ModelBuilder b;
  const Pose X{Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitY()).matrix(), {0.1, 0.2, 0.3}};
  const int link = b.AddBody("link", ModelBuilder::kWorld, {}, {});
  b.AddJoint(link, JointType::kHinge, {.name = "j", .axis = {0, 0, 1}});
  b.AddFrame("tool", b.AddBody("flange", link, X, {}), X);
  b.AddBody("post", ModelBuilder::kWorld, X, {});
  const Model model = b.Build();
  const RigidConstraint pin{.name = "pin",
                            .A = model.FindFrame("tool"),
                            .B = model.FindFrame("post"),
                            .point_A = {1, 2, 3},
                            .point_B = {-1, 0, 0.5}};
  const std::string text = WriteModelJson(model, {.rigid = {pin}});
  const RigidConstraint read = ReadModelJson(text, "model.json").loops.rigid.at(0);
  EXPECT_EQ(read.A.name, "flange");
  EXPECT_EQ(read.B.name, "post");
  EXPECT_EQ(read.point_B, pin.point_B);
  const Pose is = read.A.X_BF * Pose{read.axes_A, read.point_A};
  const Pose was = pin.A.X_BF * Pose{pin.axes_A, pin.point_A};
  EXPECT_EQ(read.A.body, pin.A.body);
  EXPECT_LT((is.R - was.R).norm() + (is.p - was.p).norm(), 1e-14);
}

TEST(ModelJson, LeavesOutWhatIsStandard) {
  ModelBuilder b;
  b.AddJoint(b.AddBody("link", ModelBuilder::kWorld, {}, {}), JointType::kSlide, {.name = "x"});
  const auto json = nlohmann::json::parse(WriteModelJson(b.Build()));
  EXPECT_EQ(json, nlohmann::json::parse(R"({"civita_model": 1, "bodies": [{"name": "link"}],
    "joints": [{"body": "link", "type": "slide", "name": "x"}]})"));
}

/// Of a good text after an edit.
std::string ErrorOf(const std::string& from, const std::string& to) {
  std::string text = R"({"civita_model": 1,
 "bodies": [{"name": "link", "mass": 1, "com": [0, 0, 1]}],
 "joints": [{"body": "link", "type": "hinge", "name": "q1", "axis": [0, 1, 0]}]})";
  EXPECT_EQ(ReadModelJson(text, "m.json").model.nv(), 1);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    (void)ReadModelJson(text, "m.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelJson, TellsWhatIsWrong) {
  EXPECT_EQ(ErrorOf("\"mass\": 1", "\"mass\": \"1\""),
            "m.json: bodies[0].mass: must be a number, not the text '1'");
  EXPECT_EQ(ErrorOf("[0, 0, 1]", "[0, 1]"),
            "m.json: bodies[0].com: must be 3 numbers, not a list of 2");
  EXPECT_THAT(ErrorOf("\"mass\"", "\"mas\""),
              HasSubstr("m.json: bodies[0]: unknown key 'mas' (did you mean 'mass'?); valid: "));
  EXPECT_EQ(ErrorOf("hinge", "hinges"),
            "m.json: joints[0].type: unknown type 'hinges' (did you mean 'hinge'?); valid: hinge, "
            "slide, ball, free, helical, universal, planar");
  EXPECT_EQ(ErrorOf("\"body\": \"link\"", "\"body\": \"lnk\""),
            "m.json: joints[0].body: unknown name 'lnk' (did you mean 'link'?); valid: link");
  EXPECT_EQ(ErrorOf("\"body\": \"link\"", "\"body\": 1"),
            "m.json: joints[0].body: must be a name or a number below 1, not 1");
  EXPECT_EQ(ErrorOf("\"body\": \"link\", ", ""), "m.json: joints[0]: lacks the key 'body'");
  EXPECT_THAT(ErrorOf("[0, 1, 0]", "[0, 0, 0]"),
              HasSubstr("m.json: joints[0]: joint 'q1': the axis must be finite and not zero"));
  EXPECT_THAT(ErrorOf("\"mass\": 1", "\"mass\": -1"), HasSubstr("m.json: bodies[0]: body 'link'"));
  EXPECT_EQ(ErrorOf("\"civita_model\": 1", "\"civita_model\": 2"),
            "m.json: civita_model: must be 1, the version of the format, not 2");
  EXPECT_EQ(ErrorOf("\"civita_model\": 1", "\"civita_model\": [[2], 3]"),
            "m.json: civita_model: must be 1, the version of the format, not a list of 2");
  EXPECT_EQ(ErrorOf("\"civita_model\": 1", "\"civita_model\": " + std::string(300'000, '[')),
            "m.json: lists and objects are nested more than 100 deep");
  EXPECT_EQ(ErrorOf("{\"civita_model\": 1,", "{"), "m.json: lacks the key 'civita_model'");
  EXPECT_EQ(ErrorOf("\"mass\": 1,", "\"mass\": 1, \"mass\": 2,"),
            "m.json: the key 'mass' comes twice");
  EXPECT_THAT(ErrorOf("\"mass\": 1", "\"mass\": x"), HasSubstr("m.json:2:"));
  EXPECT_EQ(ErrorOf("\"mass\": 1", "\"mass\": 1e999"), "m.json: a number is too large");
  EXPECT_EQ(ErrorOf("\"bodies\": [{", "\"bodies\": [3, {"),
            "m.json: bodies[0]: must be an object, not 3");
}

TEST(ModelJson, NamesEndWhereTheyEnd) {
  const std::string told = ": a NUL character";
  EXPECT_THAT(ErrorOf("\"q1\"", "\"q\\u00001\""), HasSubstr("m.json:3:"));
  EXPECT_THAT(ErrorOf("\"q1\"", "\"q\\u00001\""), HasSubstr(told));
  EXPECT_THAT(ErrorOf("\"axis\": [0, 1, 0]}]}", std::string("\"axis\": [0, 1, 0]}]}\0{", 23)),
              HasSubstr(told));
}

std::string Repeated(const std::string& item, int count) {
  std::string list = "[" + item;
  for (int i = 1; i < count; ++i) list += "," + item;
  return list + "]";
}

TEST(ModelJson, HasTheBoundsOfModelsForMujoco) {
  const auto error_of = [](const std::string& bodies, const std::string& more) {
    try {
      (void)ReadModelJson(R"({"civita_model": 1, "bodies": )" + bodies + more + "}", "m.json");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of(Repeated("{}", 5000), ""), "m.json: the model has no joints");
  EXPECT_THAT(error_of(Repeated("{}", 5001), ""),
              HasSubstr("m.json: bodies: has 5001 items; at most 5000, and 200000 in all lists"));
  EXPECT_THAT(error_of("[{}]", ", \"frames\": " + Repeated("0", 200'000)),
              HasSubstr("m.json: frames: has 200000 items"));
  EXPECT_THAT(error_of("[]", ", \"frames\": " + Repeated("0", 200'000)),
              HasSubstr("m.json: frames[0]: must be an object"));
  EXPECT_THAT(error_of(R"([{"name": "a"}])",
                       R"(, "joints": [{"body": "a", "type": "ball"}, {"body": "a", "type": "ball"},
                                       {"body": "a", "type": "hinge", "axis": [1, 0, 0]}])"),
              HasSubstr("m.json: joints[2]: its body has more than 6 velocities"));
  const std::string large = R"({"civita_model": 1, "bodies": )" + Repeated("{}", 5001) + R"(,
      "joints": )" + Repeated(R"({"body": 0, "type": "ball"})", 3) +
                            "}";
  EXPECT_EQ(ReadModelJson(large, "m.json", false).model.nv(), 9);
  // Of two bodies with a name the first is meant, until the second is refused.
  EXPECT_THAT(error_of(R"([{"name": "a"}, {"name": "a", "parent": "a"}])", ""),
              HasSubstr("bodies[1]: two bodies are named 'a'"));
}

TEST(ModelJson, OfLoopsIsEvaluatedAsTheFile) {
  const LoadedModel loaded = LoadModel("four_bar");
  ASSERT_FALSE(loaded.loops.empty());
  const TemporaryFolder folder;
  const std::string file = folder.path() / "four_bar.json";
  SaveModelJson(file, loaded.model, loaded.loops);
  const LoadedModel read = LoadModel(file);
  EXPECT_EQ(ModelBytes(read.model), ModelBytes(loaded.model));
  EXPECT_EQ(ConstraintsBytes(read.loops), ConstraintsBytes(loaded.loops));
  EXPECT_TRUE(LoadModel(file, {.loops = false}).loops.empty());
  EXPECT_THROW((void)LoadModel(file, {.free_base = true, .loops = false}), UserError);
  EXPECT_THROW(SaveModelJson(file + ".txt", loaded.model, {}), UserError);
}

}  // namespace model_json_test
}  // namespace civita
