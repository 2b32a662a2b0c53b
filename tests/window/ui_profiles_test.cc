#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "app/window/model/tuning.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_profiles_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ProfileTest : public testing::Test {
 protected:
  ProfileTest() : scene_(LoadScene(ReadConfig("arm7"))) {
    for (int i = 0; i < static_cast<int>(scene_->law->parameters.size()); ++i) {
      present_.gains.push_back(scene_->controller->gain(i));
    }
  }
  Tuning Load(const std::string& name) const {
    return LoadProfile(folder_.path(), *scene_->law, name, present_, scene_->control_model);
  }
  std::string ErrorOf(const std::string& text) const {
    SaveProfile(folder_.path(), *scene_->law, "broken", present_);
    std::ofstream(folder_.path() / "profiles" / std::string(scene_->law->type) / "broken.yaml")
        << text;
    try {
      Load("broken");
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<Scene> scene_;
  Tuning present_;
};

TEST_F(ProfileTest, ComesBackFromItsFile) {
  EXPECT_THAT(ListProfiles(folder_.path(), *scene_->law), IsEmpty());
  Tuning tuning = present_;
  tuning.gains[0].setConstant(7.25);
  tuning.gains[1][2] = 0.1 + 0.2;
  tuning.factorization = ParseFactorization("t:0.3+body:hand:ang:0.5", scene_->control_model);
  SaveProfile(folder_.path(), *scene_->law, "stiff wrist", tuning);
  SaveProfile(folder_.path(), *scene_->law, "another", present_);
  EXPECT_THAT(ListProfiles(folder_.path(), *scene_->law), ElementsAre("another", "stiff wrist"));
  EXPECT_TRUE(Load("stiff wrist") == tuning);
  EXPECT_TRUE(Load("another") == present_);
}

TEST_F(ProfileTest, HasFormulasAndFilesBesideIt) {
  const Model& model = scene_->control_model;
  const std::string beside = "profiles/" + std::string(scene_->law->type) + "/";
  folder_.Write(beside + "w.csv", model.VelocityName(0) + "," + model.VelocityName(2) + "," +
                                      model.VelocityName(3) + ",{sin(q[1])}\n");
  folder_.Write(beside + "own.yaml",
                "gains: {}\nfactorization: \"body:link5:ang:{2*q[3]}+form:w.csv\"\n");
  const Tuning own = Load("own");
  ASSERT_EQ(own.factorization.three_forms.size(), 1u);
  EXPECT_EQ(own.factorization.body_injections.at(0).beta.text(), "{2*q[3]}");
  SaveProfile(folder_.path(), *scene_->law, "copy", own);
  EXPECT_TRUE(Load("copy") == own);
}

TEST_F(ProfileTest, BrokenFilesAndNamesAreErrorsThatSayWhere) {
  EXPECT_THAT(ErrorOf("gains: {Lambda: [1, 2]}"),
              HasSubstr("gains.Lambda has 2 numbers; the model wants 1"));
  EXPECT_THAT(ErrorOf("gains: {Lambda: five}"), HasSubstr("broken.yaml:1:17: gains.Lambda"));
  EXPECT_THAT(ErrorOf("gains: {Lambda: .nan}"), HasSubstr("broken.yaml:1:17: gains.Lambda"));
  EXPECT_THAT(ErrorOf("gains: {Lambda: -1}"), HasSubstr("broken.yaml:1:17: gains.Lambda"));
  EXPECT_THAT(ErrorOf("gains: {lambda: 5}"), HasSubstr("did you mean 'Lambda'"));
  EXPECT_THAT(ErrorOf("gain: {Lambda: 5}"), HasSubstr("did you mean 'gains'"));
  EXPECT_THAT(ErrorOf("gains: {}\nfactorization: sideways"), HasSubstr("broken.yaml"));
  EXPECT_THAT(ErrorOf("nothing"), HasSubstr("broken.yaml"));
  EXPECT_THROW(Load("not there"), UserError);
  for (const char* name : {"", "../x", ".hidden", "a/b"}) {
    EXPECT_THROW(SaveProfile(folder_.path(), *scene_->law, name, present_), UserError) << name;
  }
  EXPECT_THROW(SaveProfile({}, *scene_->law, "x", present_), UserError);
}

class Tunings : public WindowFrames {
 protected:
  void SetFirstGain(double value) {
    Tuning tuning = state_.scene->tuning().current();
    tuning.gains[0].setConstant(value);
    state_.scene->tuning().Edit(tuning);
    CommitTuning(&state_);
  }
  double first_gain() const { return state_.scene->tuning().current().gains[0][0]; }
  bool WaitForChange() {
    return FramesUntil([this] { return !state_.change && !state_.loader.is_loading(); });
  }
  std::vector<std::string> LogTexts() const {
    std::vector<std::string> texts;
    for (const LogLine& line : state_.scene->log.lines()) texts.push_back(line.text);
    return texts;
  }
};

TEST_F(Tunings, AProfileIsSavedLoadedAndRevertedTo) {
  Open("planar_2r");
  state_.settings = Settings(folder_.path());
  const double initial = first_gain();
  SetFirstGain(initial + 3);
  EXPECT_FALSE(state_.scene->tuning().is_initial());
  StoreProfile(&state_, "mine");
  EXPECT_EQ(state_.scene->tuned().profile, "mine");
  EXPECT_TRUE(state_.scene->tuning().is_initial());
  SetFirstGain(initial + 5);
  RevertTuning(&state_);
  EXPECT_EQ(first_gain(), initial + 3);

  ChooseProfile(&state_, "");
  EXPECT_EQ(first_gain(), initial);
  ASSERT_TRUE(FramesUntil([&] { return snapshot().gains[0][0] == initial; }));
  // From the list, as a user does.
  Frame();
  Click(Find({"profile"}, layout().side));
  Frame();
  Click(Find({1, "item"}, {0, 0, size_.x, size_.y}));
  EXPECT_EQ(first_gain(), initial + 3);
  EXPECT_EQ(state_.scene->tuned().profile, "mine");
  UndoTuning(&state_);
  EXPECT_EQ(first_gain(), initial);
  EXPECT_THAT(LogTexts(), Contains(HasSubstr("Profile: ")));

  ChooseProfile(&state_, "not there");
  EXPECT_EQ(CountErrors(), 1);
}

// And what the pointer moves between the last frame and the release counts.
TEST_F(Tunings, ADragMayEndAwayFromItsSlider) {
  Open("planar_2r", {}, true);
  const Rect track = FindFirstTrack();
  const double before = first_gain();
  MoveTo(track.middle_x(), track.y);
  Hold(true);
  Frame();
  Point(track.x + 0.9f * track.w, track.y + 150);
  Hold(false);
  Frame();
  Frame();
  EXPECT_GT(first_gain(), 1.5 * before);
  EXPECT_TRUE(state_.scene->tuning().can_undo());
  EXPECT_THAT(LogTexts().back(), HasSubstr("→"));
}

TEST_F(Tunings, AChangeOfTheLawIsUndone) {
  Open("planar_2r");
  const double initial = first_gain();
  const std::string law(state_.scene->law().type);
  SetFirstGain(initial + 3);
  ChangeLaw(&state_, "computed_torque");
  ASSERT_TRUE(WaitForChange());
  ASSERT_EQ(state_.scene->law().type, "computed_torque");
  EXPECT_TRUE(CanUndo(state_));
  EXPECT_FALSE(state_.scene->tuning().can_undo());
  EXPECT_THAT(LogTexts(), Contains(HasSubstr("Λ " + Short(initial) + " → "))) << "the log is lost";
  UndoTuning(&state_);
  ASSERT_TRUE(WaitForChange());
  ASSERT_EQ(state_.scene->law().type, law);
  EXPECT_EQ(first_gain(), initial + 3);
  EXPECT_TRUE(CanRedo(state_));
  UndoTuning(&state_);
  EXPECT_EQ(first_gain(), initial) << "the steps before the change are lost";
  EXPECT_FALSE(CanUndo(state_));
  RedoTuning(&state_);
  RedoTuning(&state_);
  ASSERT_TRUE(WaitForChange());
  EXPECT_EQ(state_.scene->law().type, "computed_torque");
  EXPECT_FALSE(CanRedo(state_));
}

TEST_F(Tunings, TheSecondRunsTuningComesBackWithUndo) {
  Open("planar_2r");
  const double initial = first_gain();
  SetFirstGain(initial + 2);
  ToggleComparison(&state_);
  ASSERT_TRUE(WaitForChange());
  ASSERT_TRUE(state_.scene->is_comparing());
  EXPECT_TRUE(state_.scene->tuning().can_undo()) << "of run A";
  state_.scene->edited = Slot::kB;
  SetFirstGain(initial + 9);
  ToggleComparison(&state_);
  ASSERT_TRUE(WaitForChange());
  ASSERT_FALSE(state_.scene->is_comparing());
  EXPECT_EQ(first_gain(), initial + 2);
  UndoTuning(&state_);
  EXPECT_EQ(first_gain(), initial);
  UndoTuning(&state_);
  ASSERT_TRUE(WaitForChange());
  ASSERT_TRUE(state_.scene->is_comparing());
  EXPECT_EQ(state_.scene->edited, Slot::kB);
  EXPECT_EQ(first_gain(), initial + 9);
}

TEST_F(Tunings, AnotherSceneKeepsTheLogButNoSteps) {
  Open("planar_2r");
  SetFirstGain(first_gain() + 2);
  ChangeLaw(&state_, "computed_torque");
  ASSERT_TRUE(WaitForChange());
  OpenScene(&state_, "planar_2r");
  ASSERT_TRUE(FramesUntil([this] { return !state_.loader.is_loading(); }));
  EXPECT_FALSE(CanUndo(state_));
  int scenes = 0;
  for (const LogLine& line : state_.scene->log.lines()) {
    scenes += line.kind == LogLine::Kind::kScene ? 1 : 0;
  }
  EXPECT_EQ(scenes, 3);
}

}  // namespace ui_profiles_test
}  // namespace civita
