// The program in a real window, driven by mouse and keyboard as by a user.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stb/stb_image.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "civita/scenes/scene.h"
#include "tests/app/child_program.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace window_drive_test {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(600);  // for a heavily loaded machine

/// Polls until the condition holds.
bool WaitUntil(const std::function<bool()>& done) {
  const Clock::time_point end = Clock::now() + kPatience;
  while (!done()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

/// Time of the last complete row; −1 without one.
double LastTime(const std::filesystem::path& signals) {
  const std::string text = ReadAll(signals);
  const size_t end = text.rfind('\n');
  if (end == std::string::npos || end == 0) return -1;
  const size_t start = text.rfind('\n', end - 1);
  return start == std::string::npos ? -1 : std::atof(text.c_str() + start + 1);
}

/// Waits until the run's signals reach this time, so that the window is open and steps are taken.
void WaitForTime(const std::filesystem::path& signals, double t) {
  ASSERT_TRUE(WaitUntil([&] { return LastTime(signals) >= t; }))
      << signals << " did not reach t = " << t;
}

/// Waits until no rows have been written for longer than the flush period.
void WaitForRest(const std::filesystem::path& signals) {
  double last = LastTime(signals);
  Clock::time_point since = Clock::now();
  ASSERT_TRUE(WaitUntil([&] {
    const double t = LastTime(signals);
    if (t != last) since = Clock::now();
    last = t;
    return Clock::now() - since > milliseconds(1500);
  })) << signals
      << " goes on";
}

/// A user at the mouse and keyboard of the program's window.
class Person {
 public:
  /// For a program that runs in this folder.
  explicit Person(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Runs `xdotool` with these commands, e.g. "mousemove 10 20 click 1".
  static void Do(const std::string& commands) { ASSERT_TRUE(Succeeds(commands)) << commands; }
  /// Whether a window has this title, which xdotool reads as text in a UTF-8 locale alone.
  static bool Sees(const std::string& title) {
    return Succeeds("search --name '^" + title + "$' >/dev/null");
  }
  void MoveTo(const Rect& r) {
    Do("mousemove " + std::to_string(std::lround(r.middle_x())) + " " +
       std::to_string(std::lround(r.middle_y())));
    WaitForPicture();
  }
  /// The window queries the mouse only when it draws, which may take longer than a user's click:
  /// the mouse stays until the press, and then the release, must have been seen.
  void Click(const Rect& r) {
    MoveTo(r);
    Do("click 1");
    WaitForPicture();
    WaitForPicture();
  }
  /// Waits until the window has drawn the effect of earlier input: it answers ctrl-P by a file.
  /// Not while text is entered. If ctrl is held already, pass "p".
  void WaitForPicture(const char* keys = "ctrl+p") {
    const Clock::time_point start = Clock::now();
    Do(std::string("key ") + keys);
    ASSERT_TRUE(WaitUntil([&] { return TakeScreenshots() > 0; })) << "the window does not answer";
    slowest_ = std::max(slowest_, Clock::now() - start);
  }
  /// Waits for the duration of three pictures, where the window gives no sign of what it has
  /// drawn.
  void Rest() const { std::this_thread::sleep_for(3 * slowest_); }

 private:
  static bool Succeeds(const std::string& commands) {
    return std::system(("LC_ALL=C.UTF-8 xdotool " + commands).c_str()) == 0;
  }
  int TakeScreenshots() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == ".png") found.push_back(entry.path());
    }
    for (const std::filesystem::path& path : found) std::filesystem::remove(path);
    return static_cast<int>(found.size());
  }

  std::filesystem::path folder_;
  Clock::duration slowest_ = milliseconds(300);
};

/// Columns of signals.csv by name.
std::map<std::string, std::vector<double>> ReadSignals(const std::filesystem::path& path) {
  std::istringstream stream(ReadAll(path));
  std::string line, cell;
  std::vector<std::string> names;
  std::getline(stream, line);
  for (std::istringstream header(line); std::getline(header, cell, ',');) names.push_back(cell);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(stream, line)) {
    std::istringstream row(line);
    for (const std::string& name : names) {
      std::getline(row, cell, ',');
      columns[name].push_back(std::atof(cell.c_str()));
    }
  }
  return columns;
}

struct Picture {
  int width = 0, height = 0;
  std::set<unsigned> colors_of_view;  ///< without the edges, which contain text
};

Picture ReadPicture(const std::filesystem::path& path) {
  Picture picture;
  int channels = 0;
  unsigned char* pixels = stbi_load(path.c_str(), &picture.width, &picture.height, &channels, 3);
  EXPECT_NE(pixels, nullptr) << path;
  if (pixels == nullptr) return picture;
  constexpr float kMargin = 60;
  const Ui ui;
  const Layout layout =
      CalcLayout(ui, static_cast<float>(picture.width), static_cast<float>(picture.height), {});
  const Rect view = PictureArea(ui, layout.view);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const auto at_x = static_cast<float>(x), at_y = static_cast<float>(y);
      if (at_x < view.x + kMargin || at_x > view.right() - kMargin) continue;
      if (at_y < view.y + kMargin || at_y > view.bottom() - kMargin) continue;
      const unsigned char* p = pixels + 3 * (y * picture.width + x);
      picture.colors_of_view.insert(p[0] << 16U | p[1] << 8U | p[2]);
    }
  }
  stbi_image_free(pixels);
  return picture;
}

class WindowScene : public testing::TestWithParam<std::string> {};

TEST_P(WindowScene, OpensRunsAndDraws) {
  ChildProgram program(
      {"run", GetParam(), "--screenshot", "a.png", "--after", "0.3", "--out", "run"},
      ChildProgram::Display::kInherit);
  const std::filesystem::path folder = program.folder();
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, 0) << result.err;
  const Picture picture = ReadPicture(folder / "a.png");
  EXPECT_EQ(picture.width, 1280);
  EXPECT_EQ(picture.height, 800);
  EXPECT_GT(picture.colors_of_view.size(), 200u) << "no robot in the view";
  const Json run = Json::parse(ReadAll(folder / "run/run.json"));
  EXPECT_TRUE(run.at("passed"));
  EXPECT_GT(run.at("summary").at("steps"), 100);
}

std::vector<std::string> SceneNames() {
  std::vector<std::string> names;
  for (const SceneInfo& scene : Scenes()) {
    if (scene.is_here) names.push_back(scene.name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, WindowScene, testing::ValuesIn(SceneNames()),
                         [](const auto& scene) { return scene.param; });

/// Positions of items in the program's window are taken from a window of the same size that this
/// process draws.
class WindowDrive : public WindowFrames {};

TEST_F(WindowDrive, AGainTypedIntoASliderTakesEffectInTheRun) {
  Open("chain20", {}, true);
  const Rect damping = Find({"K_D", "track"}, layout().side);
  // chain20 has no damping of its own: its guaranteed dissipation is P = sᵀK_D s = 2 k V with K_D
  // = k·H.
  ChildProgram program({"run", "chain20", "--tab", "tune", "--out", "run"},
                       ChildProgram::Display::kInherit);
  const std::filesystem::path signals = program.folder() / "run/signals.csv";
  ASSERT_NO_FATAL_FAILURE(WaitForTime(signals, 2));
  Person person(program.folder());
  ASSERT_NO_FATAL_FAILURE(person.MoveTo(damping));
  Person::Do("keydown ctrl");
  ASSERT_NO_FATAL_FAILURE(person.WaitForPicture("p"));
  Person::Do("click 1");
  person.Rest();
  Person::Do("keyup ctrl");
  person.Rest();
  Person::Do("type 33");
  person.Rest();
  Person::Do("key Return");
  ASSERT_NO_FATAL_FAILURE(person.WaitForPicture());
  ASSERT_NO_FATAL_FAILURE(WaitForTime(signals, LastTime(signals) + 1));
  Person::Do("key ctrl+q");
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, 0) << result.err;

  const Json run = Json::parse(ReadAll(program.folder() / "run/run.json"));
  ASSERT_EQ(run.at("events").size(), 1u) << run.at("events");
  const Json event = run.at("events").at(0);
  EXPECT_EQ(event.at("what"), "gains.K_D = 33");
  const auto columns = ReadSignals(signals);
  const std::vector<double>& t = columns.at("t");
  int before = 0, after = 0;
  for (size_t i = 0; i < t.size(); ++i) {
    const double k = 0.5 * columns.at("/P")[i] / columns.at("/V")[i];
    if (t[i] > 1 && t[i] < event.at("t").get<double>() - 1e-6) {
      EXPECT_NEAR(k, 10, 1e-6) << "t = " << t[i];
      ++before;
    } else if (t[i] > event.at("t").get<double>() + 1e-6) {
      EXPECT_NEAR(k, 33, 1e-6) << "t = " << t[i];
      ++after;
    }
  }
  EXPECT_GT(before, 100);
  EXPECT_GT(after, 100);
}

/// Another layout of the display's keyboard, while it lives.
class KeyboardLayout {
 public:
  explicit KeyboardLayout(const char* name) { Set(name); }
  ~KeyboardLayout() { Set("us"); }
  KeyboardLayout(const KeyboardLayout&) = delete;
  KeyboardLayout& operator=(const KeyboardLayout&) = delete;

 private:
  static void Set(const std::string& name) {
    EXPECT_EQ(std::system(("setxkbmap " + name).c_str()), 0) << name;
  }
};

TEST_F(WindowDrive, ShortcutsAreThoseOfTheLayout) {
  for (const char* name : {"fr", "de"}) {
    const KeyboardLayout layout(name);
    ChildProgram program({"run", "planar_2r", "--out", "run"}, ChildProgram::Display::kInherit);
    ASSERT_NO_FATAL_FAILURE(WaitForTime(program.folder() / "run/signals.csv", 0.5));
    Person person(program.folder());
    ASSERT_NO_FATAL_FAILURE(person.WaitForPicture());
    // A is where the US layout has Q, Z where it has Y, and the other way round.
    Person::Do("key ctrl+a");
    ASSERT_NO_FATAL_FAILURE(person.WaitForPicture()) << name << ": still there";
    Person::Do("key r");  // a visual flag
    ASSERT_NO_FATAL_FAILURE(person.WaitForPicture());
    Person::Do("key ctrl+q");
    const ChildResult result = program.Wait();
    EXPECT_EQ(result.code, 0) << result.err;
  }
}

TEST(WindowProgram, OldOpenGlIsRefusedInOneLine) {
  setenv("MESA_GL_VERSION_OVERRIDE", "2.1", 1);
  ChildProgram program({"run", "planar_2r"}, ChildProgram::Display::kInherit);
  const ChildResult result = program.Wait();
  unsetenv("MESA_GL_VERSION_OVERRIDE");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(
      result.err,
      "civita: cannot open a window (it needs OpenGL 3.0, and there is 2.1); without a display "
      "use civita run SCENE --headless\n");
}

TEST_F(WindowDrive, ThemeSizeAndPanelsAreKept) {
  ChildProgram program({"run", "planar_2r", "--out", "run"}, ChildProgram::Display::kInherit);
  ASSERT_NO_FATAL_FAILURE(WaitForTime(program.folder() / "run/signals.csv", 0.5));
  Person person(program.folder());
  ASSERT_NO_FATAL_FAILURE(person.WaitForPicture());
  Person::Do("key F8");
  ASSERT_NO_FATAL_FAILURE(person.WaitForPicture());
  Person::Do("key Tab");
  ASSERT_NO_FATAL_FAILURE(person.WaitForPicture());
  Person::Do("key ctrl+q");
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string kept = ReadAll(program.folder() / "config/civita/window.yaml");
  for (const char* text : {"theme: light", "side: false", "width: 1280", "height: 800"}) {
    EXPECT_THAT(kept, testing::HasSubstr(text));
  }
}

TEST_F(WindowDrive, FactorizationKeysAndSceneLauncher) {
  Open("arm7", {}, true);
  const Rect scene = Find({"scene"}, layout().top_bar);
  ChildProgram program({"run", "arm7", "--out", "run"}, ChildProgram::Display::kInherit);
  const std::filesystem::path signals = program.folder() / "run/signals.csv";
  ASSERT_NO_FATAL_FAILURE(WaitForTime(signals, 1));
  Person person(program.folder());
  Person::Do("key ctrl+k");
  person.Rest();
  Person::Do("type 'C plain'");
  person.Rest();
  Person::Do("key Return");
  person.Rest();
  ASSERT_NO_FATAL_FAILURE(person.MoveTo(PictureArea(state_.ui, layout().view)));
  Person::Do("key space");
  ASSERT_NO_FATAL_FAILURE(WaitForRest(signals)) << "space did not pause";
  const double paused_at = LastTime(signals);
  Person::Do("key space");
  ASSERT_TRUE(WaitUntil([&] { return LastTime(signals) > paused_at; })) << "space did not go on";
  // Another scene, without a restart: the first one's record is closed and unchanged.
  ASSERT_NO_FATAL_FAILURE(person.MoveTo(scene));
  Person::Do("click 1");
  person.Rest();
  Person::Do("type planar");
  person.Rest();
  Person::Do("key Return");
  ASSERT_TRUE(WaitUntil([] { return Person::Sees("Planar 2R arm – civita"); }))
      << "the scene did not open";
  Person::Do("key ctrl+q");
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, 0) << result.err;
  const Json run = Json::parse(ReadAll(program.folder() / "run/run.json"));
  ASSERT_FALSE(run.at("events").empty());
  EXPECT_EQ(run.at("events").at(0).at("what"), "factorization = plain");
}

TEST_F(WindowFrames, APullLeavesAMarkALineAndARowAndTurnsS) {
  Open("arm7", {"pushes=[]"}, true);
  Post(&state_, command::StepOnce{50});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 50; }));
  const int hand = mj_name2id(state_.scene->session.mj(), mjOBJ_BODY, "hand");
  NotePull(&state_, hand);
  ASSERT_FALSE(state_.scene->log.marks().empty());
  EXPECT_EQ(state_.scene->log.marks().back().text, "Pull at hand");
  EXPECT_EQ(state_.scene->log.lines().back().text, "Pull at hand");
  ASSERT_EQ(state_.scene->pushes.size(), 1u);
  EXPECT_EQ(state_.scene->pushes[0].push.body, hand);
  EXPECT_EQ(state_.scene->pushes[0].push.start_s, 0.05);
  state_.tab = "Push";
  Frame();
  Post(&state_, command::StepOnce{1});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 51; }));
  EXPECT_NE(TellCausesOfTurning(*state_.scene, 0, 1).find("pushes"), std::string::npos);
}

TEST_F(WindowFrames, APullTellsHowLongItLastsAndItsLargestForce) {
  Open("arm7", {"pushes=[]"}, true);
  Post(&state_, command::StepOnce{50});
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 50; }));
  const int hand = mj_name2id(state_.scene->session.mj(), mjOBJ_BODY, "hand");
  NotePull(&state_, hand);
  const Push& row = state_.scene->pushes[0].push;
  EXPECT_EQ(row.duration_s, 0);
  command::Perturb pull;
  pull.body = hand;
  const auto grow = [&](double force, long step) {
    Post(&state_, command::StepOnce{step - snapshot().step});
    EXPECT_TRUE(FramesUntil([&] { return snapshot().step == step; }));
    pull.xfrc[1] = -force;
    GrowPull(&state_, row.start_s, pull);
  };
  grow(3, 60);
  grow(7, 80);
  grow(2, 100);
  EXPECT_NEAR(row.duration_s, 0.05, 1e-12);
  EXPECT_EQ(row.force, Eigen::Vector3d(0, -7, 0));
  pull.body = hand - 1;  // of another body
  grow(50, 110);
  GrowPull(&state_, 0.01, pull);  // of another time
  EXPECT_NEAR(row.duration_s, 0.05, 1e-12);
  EXPECT_EQ(row.force, Eigen::Vector3d(0, -7, 0));
}

}  // namespace window_drive_test
}  // namespace civita
