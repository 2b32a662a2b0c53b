#include "civita/scenes/schema/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "civita/factorization_text.h"
#include "civita/scenes/scene.h"
#include "tests/scenes/scene_fixture.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace formula_test {

using testing::AllOf;
using testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  try {
    Formula(text, {{"q[0]", 0}, {"elbow", 0}, {"q[1]", 1}});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Formula, IsEvaluated) {
  const Formula::Names names = {{"q[0]", 0}, {"elbow", 0}, {"q[1]", 1}};
  const double q[] = {0.3, -2};
  EXPECT_DOUBLE_EQ(Formula("0.5*sin(q[0]) + q[1]^2", names)(q), 0.5 * std::sin(0.3) + 4);
  EXPECT_DOUBLE_EQ(Formula("elbow*pi", names)(q), 0.3 * M_PI);
  EXPECT_DOUBLE_EQ(Formula("q[1] <= 0 ? 1e-3 : 2", names)(q), 1e-3);
  EXPECT_TRUE(std::isnan(Formula("sqrt(q[1])", names)(q)));
}

TEST(Formula, CopiesAreIndependent) {
  const Formula::Names names = {{"x", 0}};
  const double one[] = {1}, two[] = {2};
  const Formula first("2*x", names);
  Formula second = first;
  EXPECT_EQ(second(two), 4);
  EXPECT_EQ(first(one), 2);
  second = Formula("x+5", names);
  EXPECT_EQ(second(one), 6);
  EXPECT_EQ(first(two), 4);
}

TEST(Formula, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorOf("sin(q[2])"), AllOf(HasSubstr("unknown name 'q[2]'"), HasSubstr("elbow")));
  EXPECT_THAT(ErrorOf("elbo*2"), HasSubstr("did you mean 'elbow'"));
  EXPECT_THAT(ErrorOf("q[0] = 3"), HasSubstr("assignment"));
  EXPECT_THAT(ErrorOf("1, 2"), HasSubstr("several values"));
  EXPECT_THAT(ErrorOf("sin(q[0]"), HasSubstr("sin(q[0]"));
  EXPECT_NE(ErrorOf(""), "");
}

class FormulaScene : public SceneTest {};

TEST_F(FormulaScene, IsACoefficientOfAnInjection) {
  const std::unique_ptr<Scene> scene =
      Load(Arm(), {"controller.factorization=body:lower:ang:{0.2*cos(b)+q[0]}"});
  const auto& injection = scene->controller->factorization().body_injections.at(0);
  EXPECT_DOUBLE_EQ(injection.beta.At(Eigen::VectorXd(Eigen::Vector2d(0.1, 0.4))),
                   0.2 * std::cos(0.4) + 0.1);
  EXPECT_THAT(ErrorOf(Arm(), {"controller.factorization=body:lower:ang:{cos(c)}"}),
              AllOf(HasSubstr("unknown name 'c'"), HasSubstr("q[0]")));
}

class WorkingFolder {
 public:
  explicit WorkingFolder(const std::filesystem::path& path) { std::filesystem::current_path(path); }
  ~WorkingFolder() { std::filesystem::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST(ReadFactorization, FilesAreInTheFolderAndThenAbsolute) {
  const std::unique_ptr<Scene> scene = LoadScene(ReadConfig("ball_arm"));
  const Model& model = scene->control_model;
  const TemporaryFolder folder;
  std::string row;
  for (int iv = 0; iv < model.nv(); ++iv) row += std::to_string(iv) + " ";
  folder.Write("one/S.csv", row + "\n" + row + "\n" + row + "\n");
  folder.Write("one/w.csv", model.VelocityName(0) + ", " + model.VelocityName(1) + ", " +
                                model.VelocityName(2) + ", {cos(q[0])}\n");
  const std::filesystem::path one = folder.path() / "one";
  const std::string text = "t:2+joint:{1+q[0]}:S.csv+joint:-1:S.csv+form:w.csv";
  const Factorization given = ReadFactorization(text, model, one);
  EXPECT_THAT(ToString(given), AllOf(HasSubstr(":" + (one / "S.csv").string() + "+"),
                                     HasSubstr("form:" + (one / "w.csv").string())));
  // Wherever that text is read.
  EXPECT_EQ(ToString(ReadFactorization(ToString(given), model, "/")), ToString(given));
  EXPECT_THROW(ReadFactorization(text, model), UserError);
  const WorkingFolder here(one);
  EXPECT_EQ(ToString(ReadFactorization(text, model)), ToString(given));
}

TEST(ReadFactorization, TheConfigsFilesAreBesideItThoseOfSetInTheWorkingFolder) {
  const TemporaryFolder folder;
  const auto rows = [](const std::string& row) { return row + "\n" + row + "\n" + row + "\n"; };
  folder.Write("config/S.csv", rows("1 0"));
  folder.Write("work/S.csv", rows("0 1"));
  const std::string config = folder.Write(
      "config/mine.yaml", "base: planar_2r\ncontroller: {factorization: \"joint:2:S.csv\"}\n");
  const WorkingFolder work(folder.path() / "work");
  const auto S = [&](const std::vector<std::string>& overrides) {
    const std::unique_ptr<Scene> scene = LoadScene(ReadConfig(config, overrides));
    return scene->controller->factorization().joint_injections.at(0).S.row(0).eval();
  };
  EXPECT_EQ(S({}), Eigen::RowVector2d(1, 0));
  EXPECT_EQ(S({"controller.factorization=joint:3:S.csv"}), Eigen::RowVector2d(0, 1));
  const SceneConfig set = ReadConfig(config, {"controller.coordinates=A.csv"});
  EXPECT_EQ(set.DirectoryOf("controller.coordinates"), folder.path() / "work");
  EXPECT_EQ(set.DirectoryOf("controller.factorization"), folder.path() / "config");
}

}  // namespace formula_test
}  // namespace civita
