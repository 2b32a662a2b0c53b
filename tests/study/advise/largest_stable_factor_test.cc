// The largest stable multiple of a torsion, by runs.

#include "civita/study/advise/largest_stable_factor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "civita/scenes/scene.h"

namespace civita {
namespace largest_stable_factor_test {

using Eigen::MatrixXd;
using testing::HasSubstr;

const std::vector<std::string> kShort = {"reference.fade_s=0", "duration_s=1",
                                         "physics.contacts=false"};

SceneConfig Config(const std::string& scene, std::vector<std::string> more = {}) {
  more.insert(more.end(), kShort.begin(), kShort.end());
  return ReadConfig(scene, more);
}

TEST(LargestStableFactor, IsThatWhichTheHeldEquationsPredict) {
  const SceneConfig config = Config("ball_arm");
  const StableFactor measured = MeasureStableFactor(config, Factorization::Torsion(1));
  EXPECT_LE(measured.grows, 1.0201 * measured.stable);
  EXPECT_GT(measured.grows, measured.stable);
  EXPECT_FALSE(measured.interrupted);
  EXPECT_NEAR(measured.stable, measured.predicted, 0.15 * measured.predicted);
  // From another first guess, and of another multiple, the same.
  const StableFactor of_two = MeasureStableFactor(config, Factorization::Torsion(2), {.first = 1});
  EXPECT_NEAR(2 * of_two.stable, measured.stable, 0.03 * measured.stable);
}

TEST(LargestStableFactor, IsZeroWhereErrorsGrowAnywayAndInfiniteWhereNothingTurns) {
  const StableFactor never =
      MeasureStableFactor(Config("ball_arm", {"control.rate_hz=50", "gains.K_D=120"}),
                          Factorization::Torsion(1), {.starts = 1});
  EXPECT_EQ(never.stable, 0);
  EXPECT_EQ(never.grows, 0);
  // Two hinges have no three-form.
  const StableFactor always =
      MeasureStableFactor(Config("planar_2r"), Factorization::Torsion(1), {.starts = 1, .most = 8});
  EXPECT_EQ(always.stable, 8);
  EXPECT_TRUE(std::isinf(always.grows));
}

TEST(LargestStableFactor, EndsWhenItIsTold) {
  std::atomic<bool> stop = false;
  std::vector<std::string> shown;
  const Watch watch{.stop = &stop, .progress = [&](const std::string& text, double) {
                      shown.push_back(text);
                      if (shown.size() == 3) stop = true;
                    }};
  const StableFactor found =
      MeasureStableFactor(Config("ball_arm"), Factorization::Torsion(1), {.starts = 1}, watch);
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[0], "x 0");
}

// Before the first multiple is run to its end there is nothing to tell, not the prediction.
TEST(LargestStableFactor, IsUnknownWhereItIsStoppedAtOnce) {
  for (const std::size_t after : {1u, 2u}) {
    std::atomic<bool> stop = false;
    std::size_t shown = 0;
    const Watch watch{.stop = &stop,
                      .progress = [&](const std::string&, double) { stop = ++shown == after; }};
    const StableFactor found =
        MeasureStableFactor(Config("ball_arm"), Factorization::Torsion(2), {.starts = 1}, watch);
    EXPECT_TRUE(found.is_unknown());
    EXPECT_EQ(shown, after);
    EXPECT_EQ(found.stable, 0);
  }
}

TEST(LargestStableFactor, RefusesWhatHasNone) {
  const auto why = [](const SceneConfig& config, const Factorization& factorization) {
    try {
      MeasureStableFactor(config, factorization);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(why(Config("arm7"), {}), HasSubstr("the torsion-free C has no multiple"));
  Factorization not_admissible;
  not_admissible.alpha = 0.3;
  EXPECT_THAT(why(Config("arm7"), not_admissible), HasSubstr("alpha"));
  EXPECT_THAT(why(Config("arm7", {"control.mode=every_stage"}), Factorization::Torsion(1)),
              HasSubstr("at every instant"));
  EXPECT_THAT(why(Config("arm7", {"controller.type=computed_torque"}), Factorization::Torsion(1)),
              HasSubstr("does not use C"));
}

TEST(ScaleTorsion, ScalesTheContorsion) {
  const auto scene = LoadScene(ReadConfig("ball_arm"));
  const Model& model = scene->control_model;
  const Factorization some = ParseFactorization(
      "t:0.4+form:random:3:2+body:" + model.frames().back().name + ":ang:0.1", model);
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, scene->q_start, Eigen::VectorXd::LinSpaced(model.nv(), -1, 2),
                           workspace);
  const auto contorsion = [&](const Factorization& factorization) {
    MatrixXd C(model.nv(), model.nv()), C_LC = C, H = C;
    CalcCoriolisMatrix<double>(model, factorization, workspace, {.C = C, .H = H});
    CalcCoriolisMatrix<double>(model, {}, workspace, {.C = C_LC, .H = H});
    return MatrixXd(C - C_LC);
  };
  const MatrixXd K = contorsion(some);
  EXPECT_LE((contorsion(ScaleTorsion(some, -2.5)) + 2.5 * K).norm(), 1e-12 * K.norm());
  EXPECT_TRUE(ScaleTorsion(some, 0).torsion_free());
}

}  // namespace largest_stable_factor_test
}  // namespace civita
