// The sheet of scenes and its pictures.
#include <gtest/gtest.h>

#include <fstream>

#include "app/window/render/thumbnails.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_launcher_test {

class Launcher : public WindowFrames {
 protected:
  void OpenPath(const std::string& path) {
    Press(ImGuiKey_N, true);
    Frame();
    Type(path.c_str());
    Press(ImGuiKey_Enter);
  }
};

TEST_F(Launcher, APathThatFailsStaysWithItsErrorAndOneThatLoadsClosesTheSheet) {
  const std::string bad = folder_.Write("bad.xml", "<mujoco><worldbody><body>");
  const std::string good =
      folder_.Write("good.xml",
                    "<mujoco><worldbody><body><joint name='a' type='hinge' axis='0 1 0'/>"
                    "<geom size='.1' pos='.2 0 0' mass='1'/></body></worldbody></mujoco>");
  Open("planar_2r", {}, true);
  OpenPath(bad);
  EXPECT_TRUE(state_.launcher.is_open);
  ASSERT_TRUE(FramesUntil([&] { return !state_.launcher.error.empty(); }));
  EXPECT_TRUE(state_.launcher.is_open);
  EXPECT_EQ(state_.launcher.filter, bad);
  EXPECT_NE(state_.launcher.error.find("bad.xml"), std::string::npos);
  Frame();
  Frame();
  Type("/no/such/file");
  Frame();
  EXPECT_TRUE(state_.launcher.error.empty()) << "an error of another path";
  Press(ImGuiKey_Enter);
  EXPECT_TRUE(state_.launcher.error.starts_with("No scene and no file"));
  Press(ImGuiKey_Escape);
  OpenPath(good);
  ASSERT_TRUE(FramesUntil([&] { return !state_.launcher.is_open; }));
  EXPECT_EQ(state_.scene->session.mj()->nv, 1);
}

TEST_F(Launcher, TheEnterOfTheNumbersOpensAndChooses) {
  Open("planar_2r", {}, true);
  Press(ImGuiKey_N, true);
  Frame();
  Type("/no/such/file");
  Frame();
  Press(ImGuiKey_KeypadEnter);
  EXPECT_TRUE(state_.launcher.error.starts_with("No scene and no file"));
  Press(ImGuiKey_Escape);
  Press(ImGuiKey_K, true);
  Frame();
  Type("plots over 2 s");
  Frame();
  Press(ImGuiKey_KeypadEnter);
  Frame();
  EXPECT_EQ(state_.time_axis.span(), 2);
}

TEST_F(Launcher, NoTitleIsCut) {
  Open("planar_2r", {}, true);
  constexpr float kRoom = 184;  // of a card's 216
  for (const SceneInfo& info : Scenes()) {
    EXPECT_LE(TextWidth(state_.ui.fonts.strong, info.title), state_.ui.px(kRoom)) << info.title;
  }
}

class ThumbnailFiles : public testing::Test {
 protected:
  static const SceneInfo& Info() {
    return *std::find_if(Scenes().begin(), Scenes().end(),
                         [](const SceneInfo& info) { return info.name == "planar_2r"; });
  }
  unsigned Ask(Thumbnails* thumbnails, const Theme& theme = kDarkTheme) {
    return thumbnails->Find(Info(), theme, 96, 60);
  }
  static void Finish(Thumbnails* thumbnails) {
    for (int i = 0; i < 3000 && thumbnails->is_busy(); ++i) {
      thumbnails->Work();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_FALSE(thumbnails->is_busy());
  }

  OffscreenContext context_;
  TemporaryFolder folder_;
};

TEST_F(ThumbnailFiles, PicturesAreThereAtOnceTheNextTime) {
  const std::filesystem::path folder = folder_.path() / "new/folder";
  Thumbnails first(folder);
  EXPECT_EQ(Ask(&first), 0u);
  Finish(&first);
  EXPECT_NE(Ask(&first), 0u);
  Thumbnails second(folder);
  EXPECT_NE(Ask(&second), 0u);
  EXPECT_FALSE(second.is_busy());
  // The other theme has its own picture; meanwhile the old one is shown.
  EXPECT_NE(Ask(&second, kLightTheme), 0u);
  EXPECT_TRUE(second.is_busy());
  Finish(&second);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
}

TEST_F(ThumbnailFiles, BrokenFilesAndOldVersionsAreReplaced) {
  Thumbnails first(folder_.path());
  Ask(&first);
  Finish(&first);
  const std::filesystem::path file = *std::filesystem::directory_iterator(folder_.path());
  std::ofstream(file) << "no picture";
  std::ofstream(folder_.path() / "0123-arm7-dark-96x60.png") << "old";
  Thumbnails second(folder_.path());
  EXPECT_EQ(Ask(&second), 0u);
  Finish(&second);
  EXPECT_NE(Ask(&second), 0u);
  EXPECT_GT(std::filesystem::file_size(file), 500u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(ThumbnailFiles, AFolderThatCannotBeWrittenIsNoError) {
  Thumbnails thumbnails("/proc/nowhere");
  Ask(&thumbnails);
  Finish(&thumbnails);
  EXPECT_NE(Ask(&thumbnails), 0u);
}

}  // namespace ui_launcher_test
}  // namespace civita
