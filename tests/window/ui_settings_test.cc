#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <locale>
#include <string>
#include <vector>

#include "app/window/actions/kept.h"
#include "app/window/model/settings.h"
#include "civita/error.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace ui_settings_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

TEST(SettingsTest, ComeBackFromTheFile) {
  const TemporaryFolder folder;
  const std::filesystem::path place = folder.path() / "deep" / "civita";
  {
    Settings settings(place);
    settings.Set("theme", std::string("light"));
    settings.Set("panels.side_width", 312.5f);
    settings.Set("panels.side", false);
    settings.Set("plots.legs.shown", Words{"Lyapunov V", "Contacts: all"});
    settings.Save();
  }
  const Settings settings(place);
  EXPECT_THAT(settings.notice(), IsEmpty());
  EXPECT_EQ(settings.Get("theme", std::string()), "light");
  EXPECT_EQ(settings.Get("panels.side_width", 0.0f), 312.5f);
  EXPECT_FALSE(settings.Get("panels.side", true));
  EXPECT_THAT(settings.Get("plots.legs.shown", Words()),
              ElementsAre("Lyapunov V", "Contacts: all"));
}

class German final : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(SettingsTest, NumbersAreTheSameUnderALocaleWithAComma) {
  const TemporaryFolder folder;
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  Settings settings(folder.path());
  settings.Set("width", 1280L);
  settings.Set("zoom", 1.25f);
  settings.Set("camera", std::vector<double>{0.1, -2000.5});
  settings.Save();
  const Settings again(folder.path());
  EXPECT_EQ(again.Get("width", 0L), 1280);
  EXPECT_EQ(again.Get("zoom", 0.0f), 1.25f);
  EXPECT_THAT(again.Get("camera", std::vector<double>()), ElementsAre(0.1, -2000.5));
  std::locale::global(before);
  const Settings plain(folder.path());
  EXPECT_EQ(plain.Get("width", 0L), 1280);
  EXPECT_THAT(plain.Get("camera", std::vector<double>()), ElementsAre(0.1, -2000.5));
}

TEST(SettingsTest, GiveTheFallbackForWhatIsNotThereOrOfAnotherKind) {
  Settings settings;
  EXPECT_EQ(settings.Get("a", 3), 3);
  EXPECT_EQ(settings.Get("a.b.c", 4), 4);
  settings.Set("a", std::string("word"));
  EXPECT_EQ(settings.Get("a", 3), 3);
  EXPECT_EQ(settings.Get("a.b", 5), 5);
  EXPECT_THAT(settings.Get("a", Words()), IsEmpty());
  settings.Set("a.b", 6);  // a map takes the word's place
  EXPECT_EQ(settings.Get("a.b", 5), 6);
}

TEST(SettingsTest, IgnoreABrokenFileWithAWord) {
  const TemporaryFolder folder;
  for (const char* text : {"theme: [", "- a list", "42", "\x01\x02{{{"}) {
    std::ofstream(folder.path() / "window.yaml") << text;
    Settings settings(folder.path());
    EXPECT_THAT(settings.notice(), HasSubstr("window.yaml")) << text;
    EXPECT_EQ(settings.Get("theme", std::string("dark")), "dark");
    settings.Set("theme", std::string("light"));
    settings.Save();
    EXPECT_EQ(Settings(folder.path()).Get("theme", std::string()), "light");
  }
}

TEST(SettingsTest, TextThatIsNoUtf8IsIgnoredWithItsPlace) {
  const TemporaryFolder folder;
  const std::string file = folder.Write("window.yaml", "theme: light\nfont: 'a\xFA'\n");
  const Settings settings(folder.path());
  EXPECT_EQ(settings.notice(), file + ":2:9: is no UTF-8 text: byte 0xFA; ignored");
  EXPECT_EQ(settings.Get("theme", std::string("dark")), "dark");
}

TEST(SettingsTest, WriteOnlyWhatHasChangedAndNothingWithoutAFolder) {
  const TemporaryFolder folder;
  Settings settings(folder.path());
  settings.Set("a", 1);
  settings.Save();
  std::filesystem::remove(folder.path() / "window.yaml");
  settings.Set("a", 1);
  settings.Save();
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "window.yaml"));
  settings.Set("a", 2);
  settings.Save();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "window.yaml"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().filename(), "window.yaml") << "left behind";
  }
  Settings nowhere;
  nowhere.Set("a", 1);
  nowhere.Save();
}

TEST(SettingsTest, AFolderThatCannotBeWrittenIsAnError) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "no folder";
  Settings settings(folder.path() / "file");
  settings.Set("a", 1);
  EXPECT_THROW(settings.Save(), UserError);
}

TEST(SettingsTest, AreWhereTheStandardSays) {
  const char* before = std::getenv("XDG_CONFIG_HOME");
  const std::string kept = before != nullptr ? before : "";
  setenv("XDG_CONFIG_HOME", "/some/where", 1);
  EXPECT_EQ(ConfigFolder(), "/some/where/civita");
  setenv("XDG_CONFIG_HOME", "relative", 1);
  EXPECT_THAT(ConfigFolder().string(), testing::EndsWith(".config/civita"));
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_THAT(ConfigFolder().string(), testing::EndsWith(".config/civita"));
  if (!kept.empty()) setenv("XDG_CONFIG_HOME", kept.c_str(), 1);
}

TEST(KeptTest, TheWindowComesBackAsItWas) {
  const TemporaryFolder folder;
  {
    WindowState state;
    state.settings = Settings(folder.path());
    RestoreKept(&state);  // nothing kept yet
    EXPECT_TRUE(state.ui.theme.dark);
    EXPECT_EQ(state.plots.plots().size(), PlotList().plots().size());
    state.ui.theme = kLightTheme;
    state.zoom = 1.3f;
    state.panels.plots = false;
    state.panels.side_width = 400;
    state.time_axis.SetSpan(60);
    state.plots.SetFamily(PlotFamily::kLegs);
    state.plots.Show(PlotFamily::kLegs, Words{"Lyapunov V", "/v/0 … 2"});
    state.plots.plots()[1].is_folded = true;
    state.launcher.recent = {"/a/robot.urdf"};
    Keep(&state);
  }
  WindowState state;
  state.settings = Settings(folder.path());
  RestoreKept(&state);
  EXPECT_FALSE(state.ui.theme.dark);
  EXPECT_EQ(state.zoom, 1.3f);
  EXPECT_FALSE(state.panels.plots);
  EXPECT_TRUE(state.panels.side);
  EXPECT_EQ(state.panels.side_width, 400);
  EXPECT_EQ(state.time_axis.span(), 60);
  state.plots.SetFamily(PlotFamily::kLegs);
  ASSERT_EQ(state.plots.plots().size(), 2u);
  EXPECT_EQ(state.plots.plots()[0].title, "Lyapunov V");
  EXPECT_FALSE(state.plots.plots()[0].is_folded);
  EXPECT_TRUE(state.plots.plots()[1].is_folded);
  EXPECT_THAT(state.launcher.recent, ElementsAre("/a/robot.urdf"));
}

TEST(KeptTest, NonsenseInTheFileDoesNoHarm) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "window.yaml")
      << "zoom: 1e9\npanels: {side_width: -5, plots_width: .nan}\nplots: {span_s: -1, "
         "joints: {shown: {a: b}}}\nrecent: 7\n";
  WindowState state;
  state.settings = Settings(folder.path());
  RestoreKept(&state);
  EXPECT_LE(state.zoom, kMaxZoom);
  EXPECT_GT(state.time_axis.span(), 0);
  EXPECT_FALSE(state.plots.plots().empty());
  const Layout layout = CalcLayout(state.ui, 1280, 800, state.panels);
  EXPECT_GE(layout.side.w, 200);
  EXPECT_GE(layout.plots.w, 200);
}

}  // namespace ui_settings_test
}  // namespace civita
