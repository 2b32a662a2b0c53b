// That what the mouse reaches is reached by keys, too.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "app/window/actions/action_table.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/ghosts.h"
#include "app/window/actions/take_along.h"
#include "civita/error.h"
#include "tests/window/drawn_frame.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_keys_test {

using testing::Contains;
using testing::Not;

class KeyFrames : public WindowFrames {
 protected:
  bool WaitForStep(long step) {
    return FramesUntil([&] { return snapshot().step == step; });
  }
};

TEST_F(KeyFrames, TheListOfActionsReachesTabsPlotsAndLaws) {
  Open("arm7", {}, true);
  Choose("matrix tab");
  EXPECT_EQ(state_.tab, kMatrixTab);
  Choose("log tab");
  EXPECT_EQ(state_.tab, kLogTab);
  Choose("times");  // which is also in what is said of other actions
  EXPECT_EQ(state_.tab, "Times");
  EXPECT_THAT(PlotTitles(), Not(Contains("Energy balance")));
  Choose("plot energy balance");
  EXPECT_THAT(PlotTitles(), Contains("Energy balance"));
  Choose("c plain");
  EXPECT_EQ(state_.scene->tuning().current().factorization.t, 1);
  EXPECT_EQ(snapshot().step, 0) << "what is typed acts in the list alone";
}

TEST_F(KeyFrames, TheListOfActionsReachesScenesAndBodies) {
  Open("arm7", {}, true);
  Choose("body hand");
  ASSERT_GT(view_->selected_body(), 0);
  const PushTargets& targets = state_.scene->push_targets;
  const auto choice = static_cast<std::size_t>(state_.scene->push.body_choice);
  EXPECT_EQ(targets.names[choice], "hand");
  EXPECT_EQ(targets.bodies[choice], view_->selected_body());
  Choose("spectrum of torque plot");
  EXPECT_THAT(PlotTitles(), Contains("Spectrum of Torque"));
  Choose("scene planar_2r");
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->session.scene().plant.nv() == 2; }));
  EXPECT_EQ(state_.opened, "planar_2r");
}

TEST_F(KeyFrames, TheWordCompareComparesTwoRuns) {
  Open("arm7", {}, true);
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  Press(ImGuiKey_K, true);
  Frame();
  Type("compare");
  const DrawnFrame frame;
  std::size_t field = 0;  // behind its ground
  for (std::size_t i = 0; i < frame.shapes.size(); ++i) {
    if (frame.shapes[i].Contains({700, 76})) field = i + 1;
  }
  const auto is_typed = [&](const DrawnLetter& letter) {
    const Rect& place = letter.place;
    return letter.shapes >= field && place.w > 0 && place.y > 60 && place.bottom() < 92;
  };
  EXPECT_EQ(std::ranges::count_if(frame.letters, is_typed), 7) << "without the hint";
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_TRUE(FramesUntil([&] { return state_.scene->is_comparing(); }));
}

TEST_F(KeyFrames, AKeyOfTheConfigTakesItsValueInTheList) {
  Open("arm7", {"gains.K_D=12"}, true);
  Choose("reference.amplitude");
  EXPECT_EQ(state_.palette_key, "reference.amplitude");
  Frame();
  Type("0.05");
  Frame();
  Press(ImGuiKey_Enter);
  const auto config = [&]() -> const SceneConfig& { return state_.scene->session.scene().config; };
  ASSERT_TRUE(FramesUntil([&] { return !state_.past.empty(); }));
  const std::vector<SetKey> keys = KeysOf(config());
  const auto value = [&](const char* key) {
    const auto found = std::ranges::find(keys, key, &SetKey::key);
    return found == keys.end() ? "" : found->value;
  };
  EXPECT_THAT(value("reference.amplitude"), testing::HasSubstr("0.05"));
  EXPECT_EQ(state_.scene->tuning().current().gains[1][0], 12) << "the rest stays";
  EXPECT_TRUE(state_.palette_key.empty());
  EXPECT_THAT(FormatCommand(TakeRuns(state_)), testing::HasSubstr("reference.amplitude="));
}

TEST_F(KeyFrames, ChristoffelInTheListIsTorsionFree) {
  Open("arm7", {"controller.factorization=body:link5:ang:{q[1]}+form:random:4"}, true);
  Choose("c christoffel");
  Frame();
  EXPECT_TRUE(state_.scene->tuning().current().factorization.torsion_free());
  ASSERT_TRUE(FramesUntil([&] { return snapshot().factorization == "christoffel"; }));
}

TEST_F(KeyFrames, TheListReadsFoldersAsItOpens) {
  const TemporaryFolder folder;
  Open("arm7", {}, true);
  state_.recordings = folder.path();
  Press(ImGuiKey_K, true);
  Frame();
  EXPECT_TRUE(state_.listed_runs.empty());
  folder.Write("late/run.json", "{}");
  folder.Write("late/signals.csv", "");
  for (int i = 0; i < 3; ++i) Frame();
  EXPECT_TRUE(state_.listed_runs.empty()) << "the disk is not asked while it is open";
  EXPECT_EQ(RecordedRuns(state_).size(), 1u);
}

TEST_F(KeyFrames, AValueThatIsRefusedChangesNothing) {
  Open("arm7", {}, true);
  SetConfigKey(&state_, "control.rate_hz", "fast");
  EXPECT_TRUE(state_.toast.is_error);
  EXPECT_THAT(state_.toast.text, testing::HasSubstr("control.rate_hz"));
  Frame();
  EXPECT_TRUE(state_.past.empty());
}

TEST_F(KeyFrames, ArrowsChooseInLists) {
  Open("arm7", {}, true);
  Press(ImGuiKey_K, true);
  Frame();
  Type("tab");
  Frame();
  Press(ImGuiKey_DownArrow);
  Press(ImGuiKey_DownArrow);
  Press(ImGuiKey_UpArrow);
  Press(ImGuiKey_Enter);
  EXPECT_EQ(state_.tab, "Matrix") << "the one below the first that is found";
  Choose("tab");
  EXPECT_EQ(state_.tab, kTuneTab) << "the first";
  Press(ImGuiKey_K, true);
  Frame();
  Press(ImGuiKey_Escape);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
}

TEST_F(KeyFrames, ArrowsLeapWithShiftAndWithCtrl) {
  Open("planar_2r", {}, true);
  PressShift(ImGuiKey_RightArrow);
  ASSERT_TRUE(WaitForStep(10)) << snapshot().step;
  Press(ImGuiKey_RightArrow, true);
  ASSERT_TRUE(WaitForStep(110)) << snapshot().step;
  PressShift(ImGuiKey_LeftArrow);
  ASSERT_TRUE(WaitForStep(100)) << snapshot().step;
  Press(ImGuiKey_LeftArrow);
  ASSERT_TRUE(WaitForStep(99)) << snapshot().step;
  Press(ImGuiKey_LeftArrow, true);
  ASSERT_TRUE(WaitForStep(0)) << snapshot().step;
}

// The keyboard goes through the buttons: a ring is at one, arrows move it, enter presses.
class ByKeys : public KeyFrames {
 protected:
  void Begin(const char* scene = "arm7", const std::vector<std::string>& compared = {}) {
    Open(scene, {}, true, {}, compared);
    state_.tab = kTuneTab;
    Frame();
    Press(ImGuiKey_Tab, true);
    for (int i = 0; i < 3; ++i) Frame();
    ASSERT_TRUE(state_.by_keys);
  }
  // Where the ring is; empty: nowhere.
  static Rect Ring() {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (!g.NavCursorVisible || g.NavId == 0 || g.NavWindow == nullptr) return {};
    const ImRect r = ImGui::WindowRectRelToAbs(g.NavWindow, g.NavWindow->NavRectRel[0]);
    return {r.Min.x, r.Min.y, r.GetWidth(), r.GetHeight()};
  }
  void Move(ImGuiKey key) {
    Press(key);
    Frame();
  }
  // Moves until the ring is at this item.
  bool Reach(const ItemPath& path, const Rect& area, ImGuiKey key) {
    const Rect wanted = Find(path, area);
    Point(-1, -1);
    for (int i = 0; i < 60; ++i) {
      const Rect ring = Ring();
      if (std::abs(ring.middle_x() - wanted.middle_x()) < 2 &&
          std::abs(ring.middle_y() - wanted.middle_y()) < 2) {
        return true;
      }
      Move(key);
    }
    return false;
  }
};

TEST_F(ByKeys, TheRingIsSeenAndEndsWithEscAndWithAClick) {
  Begin();
  EXPECT_GT(Ring().w, 0);
  EXPECT_GT(Ring().h, 0);
  Move(ImGuiKey_Escape);
  EXPECT_FALSE(state_.by_keys);
  EXPECT_EQ(Ring().w, 0);
  PressShift(ImGuiKey_RightArrow);
  EXPECT_TRUE(WaitForStep(10)) << "arrows step again";
  Press(ImGuiKey_Tab, true);
  Frame();
  EXPECT_GT(Ring().w, 0);
  Click(layout().view.middle_x(), layout().view.middle_y());
  EXPECT_FALSE(state_.by_keys);
  EXPECT_EQ(Ring().w, 0);
}

TEST_F(ByKeys, ArrowsMoveTheRingAndNothingElse) {
  Begin();
  const Rect first = Ring();
  Move(ImGuiKey_LeftArrow);
  const Rect second = Ring();
  EXPECT_LT(second.x, first.x);
  EXPECT_FLOAT_EQ(second.y, first.y);
  Move(ImGuiKey_RightArrow);
  EXPECT_FLOAT_EQ(Ring().x, first.x);
  Move(ImGuiKey_Tab);
  EXPECT_NE(Ring().x, first.x) << "tab goes on, too";
  EXPECT_TRUE(state_.panels.side);
  EXPECT_TRUE(state_.scene->session.HasAnswered(snapshot()));
  EXPECT_EQ(snapshot().step, 0);
  EXPECT_EQ(snapshot().state, RunState::kPaused);
}

TEST_F(ByKeys, TabsAreReachedAndOpened) {
  Begin();
  ASSERT_TRUE(Reach({"side tabs", 0, "tab"}, layout().side, ImGuiKey_Tab));
  Move(ImGuiKey_RightArrow);
  Move(ImGuiKey_Enter);
  EXPECT_EQ(state_.tab, kMatrixTab);
  Move(ImGuiKey_RightArrow);
  Move(ImGuiKey_Space);
  EXPECT_EQ(state_.tab, "Push");
  EXPECT_EQ(snapshot().state, RunState::kPaused) << "space presses";
}

TEST_F(ByKeys, ASliderTakesTheArrowsUntilEsc) {
  Begin();
  ASSERT_TRUE(Reach({"Lambda", "track"}, layout().side, ImGuiKey_Tab));
  const auto gain = [&] { return state_.scene->tuning().current().gains[0][0]; };
  const double before = gain();
  Move(ImGuiKey_Enter);
  EXPECT_EQ(gain(), before) << "it is not where the mouse is";
  ASSERT_NE(state_.slider.focused, 0u);
  const Rect ring = Ring();
  Move(ImGuiKey_UpArrow);
  EXPECT_GT(gain(), before);
  EXPECT_FLOAT_EQ(Ring().y, ring.y);
  Move(ImGuiKey_Escape);
  EXPECT_EQ(state_.slider.focused, 0u);
  EXPECT_TRUE(state_.by_keys);
  const double set = gain();
  Move(ImGuiKey_DownArrow);
  EXPECT_EQ(gain(), set);
  EXPECT_GT(Ring().y, ring.y);
}

TEST_F(ByKeys, AListIsOpenedAndChosenFrom) {
  Begin();
  ASSERT_TRUE(Reach({"law"}, layout().side, ImGuiKey_Tab));
  const std::string_view before = state_.scene->law().type;
  Move(ImGuiKey_Enter);
  ASSERT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  Move(ImGuiKey_DownArrow);
  Move(ImGuiKey_DownArrow);
  Move(ImGuiKey_Enter);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  ASSERT_TRUE(FramesUntil([&] { return state_.scene->law().type != before; }));
}

TEST_F(KeyFrames, ANameThatIsRefusedCanBeMended) {
  Open("planar_2r", {}, true);
  state_.settings = Settings(folder_.path());
  state_.tab = kTuneTab;
  Frame();
  Click(Find({"save profile"}, layout().side));
  Frame();
  Type("a/b");
  Press(ImGuiKey_Enter);
  EXPECT_TRUE(state_.toast.is_error);
  EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  EXPECT_EQ(state_.profile_name, "a/b");
  Frame();
  Frame();
  Type("stiff");  // it is selected: this replaces it
  Press(ImGuiKey_Enter);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  EXPECT_EQ(state_.scene->tuned().profile, "stiff");
}

TEST(ActionTable, OfOneKeyAtMostOneRowApplies) {
  const auto is_alike = [](const Action& a, const Action& b) {
    return a.chord.key != 0 && a.chord.key == b.chord.key && a.chord.modifier == b.chord.modifier &&
           (a.applies == nullptr || b.applies == nullptr || a.applies == b.applies);
  };
  std::vector<Action> seen;
  for (const Action& action : Actions()) {
    for (const Action& other : seen) EXPECT_FALSE(is_alike(action, other)) << KeyText(action);
    seen.push_back(action);
    EXPECT_TRUE(action.list == ListPart::kNone || action.name.size() > 2) << KeyText(action);
    EXPECT_EQ(action.list == ListPart::kNone, action.name.empty()) << KeyText(action);
    const bool is_gesture = !action.chord.gesture.empty();
    EXPECT_EQ(is_gesture, action.act == ActionFunction()) << action.name;
    EXPECT_TRUE(is_gesture || action.list != ListPart::kKeys || action.chord.key != 0);
  }
  EXPECT_THAT(seen, testing::SizeIs(testing::Gt(60)));
}

// F1 and ctrl-K open one list, which has what the mouse does, too.
TEST_F(KeyFrames, TheListTellsTheMouse) {
  Open("planar_2r", {}, true);
  Press(ImGuiKey_F1);
  Frame();
  Type("orbit left drag");
  Frame();
  Press(ImGuiKey_Enter);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) << "it was found";
}

TEST(ActionTable, TellsNameAndKeyOfAFunction) {
  EXPECT_EQ(TipOf(ResetRun), "Reset  backspace");
  EXPECT_EQ(TipOf(TogglePlay, "Pause"), "Pause  space");
  EXPECT_EQ(TipOf(Do<StepBack, 1>), "One control step back  ←");
  EXPECT_EQ(TipOf(TogglePlotsPanel), "Plots  shift-tab");
  EXPECT_EQ(KeyText(ThrowOff), "F3");
  EXPECT_EQ(KeyText(ToggleComparison), "");
  EXPECT_THROW(TipOf(ToggleComparison), ContractError);
}

// A key that the table gives another letter has it in all panels: none names it by itself.
TEST(ActionTable, NoPanelNamesAKeyOfTheTable) {
  const std::regex key("\"[^\"]*\\b(F[0-9]+|ctrl-[A-Z]|shift-tab|backspace)\\b[^\"]*\"");
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(CIVITA_SOURCE_DIR "/app/window/panels")) {
    ++files;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      EXPECT_FALSE(std::regex_search(line, key)) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(files, 20);
}

}  // namespace ui_keys_test
}  // namespace civita
