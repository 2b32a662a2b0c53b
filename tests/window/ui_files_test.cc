// The sheet that opens files.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/window/model/folder_listing.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_files_test {

using Kind = FolderEntry::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kOneJoint[] =
    "<mujoco><worldbody><body><joint name='a' type='hinge' axis='0 1 0'/>"
    "<geom size='.1' pos='.2 0 0' mass='1'/></body></worldbody></mujoco>";

// robots/{arm.xml, bad.urdf, Notes.txt, .hidden.xml, deep/leg.xml, run-1/}
class Files : public WindowFrames {
 protected:
  Files() {
    std::filesystem::create_directories(folder_.path() / "robots/deep");
    std::filesystem::create_directories(folder_.path() / "robots/run-1");
    folder_.Write("robots/arm.xml", kOneJoint);
    folder_.Write("robots/bad.urdf", "<robot name='bad'><link");
    folder_.Write("robots/Notes.txt", "no robot");
    folder_.Write("robots/.hidden.xml", kOneJoint);
    folder_.Write("robots/deep/leg.xml", kOneJoint);
    folder_.Write("robots/run-1/config.yaml", "model: scene.xml\n");
    folder_.Write("robots/run-1/signals.csv", "t\n");
    robots_ = std::filesystem::canonical(folder_.path() / "robots");
  }
  void OpenSheet(const std::vector<std::string>& recent = {}) {
    Open("planar_2r", {}, true);
    state_.launcher.folder = robots_;
    state_.launcher.recent = recent;
    Press(ImGuiKey_O, true);
    Settle();
  }
  // Until the folder has been read, and the field has the keyboard.
  void Settle() {
    Frame();
    ASSERT_TRUE(FramesUntil([&] { return !state_.folder_lane.is_computing(); }));
    for (int i = 0; i < 3; ++i) Frame();
  }
  void Step(ImGuiKey key) {
    Press(key);
    Settle();
  }
  LauncherState& sheet() { return state_.launcher; }

  std::filesystem::path robots_;
};

TEST_F(Files, AFolderListsWhatTheProgramOpens) {
  const FolderListing listing = ListFolder(robots_);
  EXPECT_THAT(
      listing.entries,
      ElementsAre(FolderEntry{"deep", Kind::kFolder}, FolderEntry{"run-1", Kind::kRun},
                  FolderEntry{"arm.xml", Kind::kFile}, FolderEntry{"bad.urdf", Kind::kFile}));
  EXPECT_THAT(listing.error, IsEmpty());
  const FolderListing none = ListFolder(robots_ / "nowhere");
  EXPECT_THAT(none.entries, IsEmpty());
  EXPECT_THAT(none.error, HasSubstr("nowhere: No such file"));
}

TEST_F(Files, TypedPathsAreOfTheFolderOfTheHomeOrAbsolute) {
  EXPECT_EQ(TypedPath("/a/b", "../c.xml"), "/a/c.xml");
  EXPECT_EQ(TypedPath("/a/b", "/d/e.xml"), "/d/e.xml");
  EXPECT_EQ(TypedPath("/a/b", "~/e.xml"),
            (std::filesystem::path(std::getenv("HOME")) / "e.xml").lexically_normal());
}

TEST_F(Files, ArrowsLeadIntoFoldersAndOutOfThem) {
  OpenSheet();
  ASSERT_TRUE(sheet().shows_files);
  Press(ImGuiKey_DownArrow);  // the first is the folder above
  Step(ImGuiKey_RightArrow);
  EXPECT_EQ(sheet().folder, robots_ / "deep");
  Step(ImGuiKey_LeftArrow);
  EXPECT_EQ(sheet().folder, robots_);
  EXPECT_EQ(sheet().selected, 1) << "where it came from";
  Step(ImGuiKey_Enter);
  EXPECT_EQ(sheet().folder, robots_ / "deep");
  Step(ImGuiKey_Backspace);
  Step(ImGuiKey_Backspace);
  EXPECT_EQ(sheet().folder, robots_.parent_path());
  Press(ImGuiKey_Escape);
  EXPECT_FALSE(sheet().is_open);
  EXPECT_EQ(snapshot().step, 0) << "the keys are the sheet's";
}

TEST_F(Files, WhatIsTypedFiltersAndEnterOpensTheFirst) {
  OpenSheet();
  Type("ar");
  Type("M");
  Press(ImGuiKey_Backspace);
  EXPECT_EQ(sheet().filter, "ar") << "backspace is the text's";
  EXPECT_EQ(sheet().folder, robots_);
  Press(ImGuiKey_Enter);
  ASSERT_TRUE(FramesUntil([&] { return !sheet().is_open; }));
  EXPECT_EQ(state_.scene->session.mj()->nv, 1);
  EXPECT_THAT(sheet().recent, ElementsAre((robots_ / "arm.xml").string()));
}

TEST_F(Files, NamesThatBeginWithWhatIsTypedAreBeforeOthers) {
  folder_.Write("robots/Adeep.xml", kOneJoint);
  folder_.Write("robots/e.xml", kOneJoint);
  OpenSheet();
  Type("e");
  Press(ImGuiKey_Enter);  // not "deep", "Adeep.xml"
  ASSERT_TRUE(FramesUntil([&] { return !sheet().is_open; }));
  EXPECT_THAT(state_.opened, HasSubstr("robots/e.xml"));
}

TEST_F(Files, RecentFilesAreFirst) {
  OpenSheet({(robots_ / "deep/leg.xml").string(), (robots_ / "gone.xml").string()});
  EXPECT_EQ(sheet().selected, 0);
  Press(ImGuiKey_Enter);
  ASSERT_TRUE(FramesUntil([&] { return !sheet().is_open; }));
  EXPECT_THAT(state_.opened, HasSubstr("deep/leg.xml"));
  Press(ImGuiKey_O, true);
  Settle();
  EXPECT_EQ(sheet().folder, robots_) << "the folder shown last";
  Press(ImGuiKey_DownArrow);
  Press(ImGuiKey_Enter);
  ASSERT_TRUE(FramesUntil([&] { return !sheet().error.empty(); }));
  EXPECT_THAT(sheet().error, HasSubstr("gone.xml: no such file"));
  EXPECT_TRUE(sheet().is_open);
}

TEST_F(Files, ABrokenFileSaysWhyAndAnotherCanBeChosen) {
  OpenSheet();
  state_.overrides = {"gains.K_D=15"};
  const std::string opened = state_.opened;
  const std::vector<std::string> recent = sheet().recent;
  Type("bad");
  Press(ImGuiKey_Enter);
  EXPECT_EQ(state_.opened, opened) << "while it loads";
  ASSERT_TRUE(FramesUntil([&] { return !sheet().error.empty(); }));
  EXPECT_EQ(state_.opened, opened);
  EXPECT_EQ(state_.overrides, std::vector<std::string>{"gains.K_D=15"});
  EXPECT_EQ(sheet().recent, recent);
  EXPECT_THAT(sheet().error, HasSubstr("bad.urdf"));
  EXPECT_EQ(sheet().error.find('\n'), std::string::npos) << "one line";
  EXPECT_TRUE(sheet().is_open);
  Settle();
  Type("arm");  // what failed is selected: this replaces it
  EXPECT_THAT(sheet().error, IsEmpty());
  Press(ImGuiKey_Enter);
  ASSERT_TRUE(FramesUntil([&] { return !sheet().is_open; }));
  EXPECT_NE(state_.opened, opened);
  EXPECT_THAT(state_.overrides, IsEmpty());
}

TEST_F(Files, PathsAreFollowedAsTheyAreTyped) {
  OpenSheet();
  Type("de");
  Type("ep/");
  EXPECT_EQ(sheet().folder, robots_ / "deep");
  EXPECT_THAT(sheet().filter, IsEmpty());
  Type("../");  // at once: no letter is lost
  EXPECT_EQ(sheet().folder, robots_);
  Settle();
  Type("deep/none.xml");
  Press(ImGuiKey_Enter);
  EXPECT_EQ(sheet().error, "No such file: " + (robots_ / "deep/none.xml").string());
  Settle();
  Type((robots_ / "deep/leg.xml").c_str());
  Press(ImGuiKey_Enter);
  ASSERT_TRUE(FramesUntil([&] { return !sheet().is_open; }));
  EXPECT_EQ(state_.scene->session.mj()->nv, 1);
}

TEST_F(Files, TheDiskIsAskedOnceForATypedFolder) {
  OpenSheet();
  Type("new/");
  std::filesystem::create_directory(robots_ / "new");
  Type("a");
  EXPECT_EQ(sheet().folder, robots_) << "not asked again for a letter";
  Step(ImGuiKey_Backspace);
  Step(ImGuiKey_Backspace);
  Type("/../deep/");
  Settle();
  EXPECT_EQ(sheet().folder, robots_ / "deep") << "another one is";
}

TEST_F(Files, TheShownFolderIsThatOfTheTypedPath) {
  OpenSheet({(robots_ / "arm.xml").string()});
  folder_.Write("robots/deep/arm.xml", kOneJoint);
  Type((robots_ / "deep/ar").c_str());  // pasted
  EXPECT_EQ(sheet().folder, robots_ / "deep");
  EXPECT_EQ(sheet().filter, "ar");
  Type("m");
  EXPECT_EQ(sheet().filter, "arm") << "goes on at the end";
  Settle();
  Press(ImGuiKey_Enter);
  ASSERT_TRUE(FramesUntil([&] { return !sheet().is_open; }));
  EXPECT_THAT(state_.opened, HasSubstr("deep/arm.xml")) << "not the recent one of this name";
}

TEST_F(Files, AFolderThatCannotBeReadSaysSo) {
  OpenSheet();
  std::filesystem::remove_all(robots_ / "deep");
  Press(ImGuiKey_DownArrow);
  Step(ImGuiKey_Enter);
  EXPECT_THAT(sheet().error, HasSubstr("deep: No such file or directory"));
  Step(ImGuiKey_Backspace);
  EXPECT_THAT(sheet().error, IsEmpty());
  EXPECT_EQ(sheet().folder, robots_);
}

TEST_F(Files, TheMouseChoosesAndTheSheetOfScenesLeadsHere) {
  OpenSheet();
  const Rect all{0, 0, kWidth, kHeight};
  const Rect arm = [&] {
    for (float y = 100; y < kHeight - 100; y += 15) {
      MoveTo(500, y);
      const ImGuiContext& g = *ImGui::GetCurrentContext();
      if (g.HoveredId == 0 || g.HoveredWindow == nullptr) continue;
      const int index = 3;  // "..", "deep", "run-1", "arm.xml"
      ImGuiID id = ImHashData(&index, sizeof index, g.HoveredWindow->ID);
      if (g.HoveredId == ImHashStr("row", 0, id)) return Rect{500, y, 1, 1};
    }
    return Rect{};
  }();
  ASSERT_GT(arm.y, 0);
  Click(arm);
  ASSERT_TRUE(FramesUntil([&] { return !sheet().is_open; }));
  EXPECT_THAT(state_.opened, HasSubstr("arm.xml"));
  Press(ImGuiKey_N, true);
  Settle();
  EXPECT_FALSE(sheet().shows_files);
  Type("no such scene");  // the place for dropping is then the first
  Frame();
  Click(Find({"drop"}, all));
  Settle();
  EXPECT_TRUE(sheet().shows_files);
}

}  // namespace ui_files_test
}  // namespace civita
