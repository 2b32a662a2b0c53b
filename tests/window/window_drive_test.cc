// The program in a real window, driven by mouse and keyboard as a person would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stb/stb_image.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "scenes/scene.h"
#include "tests/app/child_program.h"

namespace civita {
namespace window_drive_test {

using Json = nlohmann::json;
using std::chrono::milliseconds;

/// Where things are in a window of 1280×800 logical pixels.
constexpr const char* kDampingSlider = "1115 309";
constexpr const char* kPlainSegment = "1080 381";
constexpr const char* kSceneButton = "200 24";
constexpr const char* kView = "276 400";

/// What `xdotool` does, e.g. "mousemove 10 20 click 1".
void Xdotool(const std::string& commands) {
  ASSERT_EQ(std::system(("xdotool " + commands).c_str()), 0) << commands;
  std::this_thread::sleep_for(milliseconds(400));
}

/// Waits until the run's signals reach this time, so that the window is up and steps are taken.
void WaitForTime(const std::filesystem::path& signals, double t) {
  for (int tries = 0; tries < 600; ++tries) {
    std::this_thread::sleep_for(milliseconds(100));
    const std::string text = ReadAll(signals);
    const size_t end = text.rfind('\n');
    if (end == std::string::npos || end == 0) continue;
    const size_t start = text.rfind('\n', end - 1);
    if (start == std::string::npos) continue;
    if (std::atof(text.c_str() + start + 1) >= t) return;
  }
  FAIL() << signals << " did not reach t = " << t;
}

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
  std::set<unsigned> colors_of_view;  ///< in the part where the robot is
};

Picture ReadPicture(const std::filesystem::path& path) {
  Picture picture;
  int channels = 0;
  unsigned char* pixels = stbi_load(path.c_str(), &picture.width, &picture.height, &channels, 3);
  EXPECT_NE(pixels, nullptr) << path;
  for (int y = 100; pixels != nullptr && y < picture.height - 120; ++y) {
    for (int x = 20; x < 530 && x < picture.width; ++x) {
      const unsigned char* p = pixels + 3 * (y * picture.width + x);
      picture.colors_of_view.insert(p[0] << 16U | p[1] << 8U | p[2]);
    }
  }
  stbi_image_free(pixels);
  return picture;
}

class WindowScene : public testing::TestWithParam<std::string> {};

TEST_P(WindowScene, OpensRunsAndDraws) {
  ChildProgram program({"run", GetParam(), "--screenshot", "a.png", "--after", "2", "--out", "run"},
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

TEST(WindowDrive, AGainTypedIntoASliderTakesEffectInTheRun) {
  // chain20 has no damping of its own: its promised dissipation is P = sᵀK_D s = 2 k V with K_D =
  // k·H.
  ChildProgram program({"run", "chain20", "--out", "run"}, ChildProgram::Display::kInherit);
  const std::filesystem::path signals = program.folder() / "run/signals.csv";
  ASSERT_NO_FATAL_FAILURE(WaitForTime(signals, 2));
  // A person holds ctrl for longer than a frame, which software OpenGL draws slowly.
  Xdotool(std::string("mousemove ") + kDampingSlider +
          " sleep 0.5 keydown ctrl sleep 0.5 click 1 sleep 0.5 keyup ctrl");
  Xdotool("type 33");
  Xdotool("key Return");
  std::this_thread::sleep_for(milliseconds(1500));
  Xdotool("key ctrl+q");
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

TEST(WindowDrive, FactorizationKeysAndSceneLauncher) {
  ChildProgram program({"run", "arm7", "--out", "run"}, ChildProgram::Display::kInherit);
  const std::filesystem::path signals = program.folder() / "run/signals.csv";
  ASSERT_NO_FATAL_FAILURE(WaitForTime(signals, 1));
  Xdotool(std::string("mousemove ") + kPlainSegment + " click 1");
  Xdotool(std::string("mousemove ") + kView + " key space");  // pause
  std::this_thread::sleep_for(milliseconds(1500));
  const std::string paused = ReadAll(signals);
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_EQ(ReadAll(signals), paused) << "space did not pause";
  Xdotool("key space");
  std::this_thread::sleep_for(milliseconds(2500));
  EXPECT_GT(ReadAll(signals).size(), paused.size()) << "space did not go on";
  // Another scene, without a new start: the first one's record is closed as it was.
  Xdotool(std::string("mousemove ") + kSceneButton + " click 1");
  Xdotool("type planar");
  Xdotool("key Return");
  std::this_thread::sleep_for(milliseconds(3000));
  Xdotool("key ctrl+q");
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, 0) << result.err;
  const Json run = Json::parse(ReadAll(program.folder() / "run/run.json"));
  ASSERT_FALSE(run.at("events").empty());
  EXPECT_EQ(run.at("events").at(0).at("what"), "factorization = plain");
}

}  // namespace window_drive_test
}  // namespace civita
