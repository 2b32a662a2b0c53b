// The real window under what nobody plans: storms of sizes and scenes, broken files, an end in the
// middle of a recording. The loop runs in this process, so that the sanitizers see it.

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/glfw_window.h"
#include "app/window/render/gl_objects.h"
#include "app/window/window.h"
#include "civita/sim/run_record.h"
#include "tests/app/child_program.h"

namespace civita {
namespace window_storm_test {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr double kPatience = 400;  // s, for a heavily loaded machine

/// Calls a function after each turn of the window's loop, until it returns false.
class Script : public WindowObserver {
 public:
  using Turn = std::function<bool(GlfwWindow*, WindowState*, bool drawn)>;
  explicit Script(Turn turn) : turn_(std::move(turn)) {}

  bool Observe(GlfwWindow* window, WindowState* state, double ui_ms) override {
    if (std::chrono::duration<double>(Clock::now() - start_).count() > kPatience) {
      ADD_FAILURE() << "the window did not get there";
      return false;
    }
    return turn_(window, state, !std::isnan(ui_ms));
  }

 private:
  Turn turn_;
  const Clock::time_point start_ = Clock::now();
};

/// The present OpenGL context's window, which is the only one.
GLFWwindow* Glfw() { return glfwGetCurrentContext(); }

/// As the desktop does when files are let go over the window.
void Drop(const std::vector<std::string>& paths) {
  std::vector<const char*> names;
  for (const std::string& path : paths) names.push_back(path.c_str());
  const GLFWdropfun drop = glfwSetDropCallback(Glfw(), nullptr);
  glfwSetDropCallback(Glfw(), drop);
  drop(Glfw(), static_cast<int>(names.size()), names.data());
}

WindowResult Show(const std::string& scene, const Script::Turn& turn,
                  const std::filesystem::path& recordings = {}) {
  Script script(turn);
  WindowOptions options;
  options.scenes = LoadScenes(scene);
  options.opened = scene;
  options.recordings = recordings;
  options.width = 1280;
  options.height = 800;
  options.scale = 1;
  options.observer = &script;
  return RunWindow(std::move(options));
}

int CountErrors(const WindowState& state) {
  int errors = 0;
  for (const LogLine& line : state.scene->log.lines()) {
    if (line.kind == LogLine::Kind::kError) ++errors;
  }
  return errors;
}

/// Number of colours of the picture that is shown; few without a robot.
std::size_t CountColors(const WindowState& state, const GlfwWindow& window) {
  const Image image = ReadPixels(0, window.width(), window.height());
  std::set<unsigned> colors;
  for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
    colors.insert(image.rgb[i] << 16U | image.rgb[i + 1] << 8U | image.rgb[i + 2]);
  }
  EXPECT_GT(state.plots_area.w, 0);
  EXPECT_LE(state.plots_area.right(), static_cast<float>(window.width()));
  EXPECT_LE(state.plots_area.bottom(), static_cast<float>(window.height()));
  return colors.size();
}

TEST(WindowStorm, ManySizesInQuickSuccession) {
  std::vector<std::array<int, 2>> sizes = {{1, 1},      {3840, 2160}, {1, 2000},  {3000, 1},
                                           {1024, 700}, {40, 30},     {320, 240}, {1180, 700},
                                           {1179, 699}, {3840, 2160}, {2, 2},     {1920, 1080}};
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same storm each time
  for (int i = 0; i < 150; ++i) {
    sizes.push_back({static_cast<int>(1 + random() % 2000), static_cast<int>(1 + random() % 1200)});
  }
  sizes.push_back({1280, 800});
  std::size_t next = 0;
  int drawn = 0, settled = 0;
  std::size_t colors = 0;
  Show("quadruped", [&](GlfwWindow* window, WindowState* state, bool is_drawn) {
    drawn += is_drawn ? 1 : 0;
    // Sometimes several within a frame, sometimes a few frames at one size.
    if (next < sizes.size()) {
      for (std::size_t k = 0; k <= next % 3 && next < sizes.size(); ++k, ++next) {
        glfwSetWindowSize(Glfw(), sizes[next][0], sizes[next][1]);
      }
      if (next % 7 == 0) Zoom(state, next % 2 == 0 ? 1 : -1);
      return true;
    }
    Zoom(state, 0);
    if (window->width() != 1280 || window->height() != 800 || !is_drawn) return true;
    if (++settled < 5) return true;
    colors = CountColors(*state, *window);
    EXPECT_EQ(state->scene->snapshot->state, RunState::kRunning);
    EXPECT_EQ(CountErrors(*state), 0);
    return false;
  });
  EXPECT_GT(drawn, 30);
  EXPECT_GT(colors, 500u);
}

TEST(WindowStorm, FiftyScenes) {
  const std::array<std::string, 10> scenes = {
      "planar_2r", "arm7",       "ball_arm", "four_bar",  "quadruped_blocks",
      "chain20",   "biped_walk", "tree20",   "space_arm", "arm7_payload_adaptive"};
  constexpr int kSwitches = 50;
  int switched = 0, frames = 0;
  const ActiveScene* shown = nullptr;
  Show("arm7", [&](GlfwWindow*, WindowState* state, bool is_drawn) {
    if (state->loader.is_loading()) return true;
    if (state->scene.get() != shown) {
      shown = state->scene.get();
      frames = 0;
    }
    frames += is_drawn ? 1 : 0;
    if (frames < 1 + switched % 3) return true;
    EXPECT_EQ(CountErrors(*state), 0) << state->opened;
    if (switched == kSwitches) return false;
    const auto name = [&](int i) { return scenes[static_cast<std::size_t>(i) % scenes.size()]; };
    // Impatient ones, of which the last one counts; and a comparison, whose runs are two.
    if (switched % 5 == 0) {
      for (int k = 3; k > 0; --k) OpenScene(state, name(switched + k));
    }
    if (switched % 8 == 7) {
      ToggleComparison(state);
    } else {
      OpenScene(state, name(switched));
    }
    if (switched % 10 == 3) ToggleTheme(state);
    ++switched;
    shown = nullptr;
    return true;
  });
  EXPECT_EQ(switched, kSwitches);
}

std::string Noise(std::size_t size) {
  std::mt19937 random(2);  // NOLINT(cert-msc51-cpp)
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(random() % 256);
  return text;
}

TEST(WindowStorm, BrokenFilesAreRefusedAndTheRunGoesOn) {
  const TemporaryFolder folder;
  const std::string mjcf =
      "<mujoco><worldbody><body><joint type='hinge'/><geom size='0.1'/></body></worldbody>";
  const std::string arm = ReadAll(std::filesystem::path(CIVITA_SOURCE_DIR) / "config/arm7.yaml");
  ASSERT_FALSE(arm.empty());
  std::vector<std::string> files = {
      (folder.path() / "not there.xml").string(),
      folder.path().string(),
      "",
      std::string(5000, 'x') + ".xml",
      folder.Write(std::string(240, 'n') + ".yaml", "controller: {type: none}"),
      folder.Write("noise.xml", Noise(100000)),
      folder.Write("noise.urdf", Noise(1000)),
      folder.Write("noise.yaml", Noise(1000)),
      folder.Write("noise.png", Noise(1000)),
      folder.Write("no suffix", Noise(10)),
      folder.Write("cut.xml", mjcf),
      folder.Write("nothing moves.xml", "<mujoco/>"),
      folder.Write("no mesh.xml",
                   "<mujoco><asset><mesh name='m' file='gone.stl'/></asset>"
                   "<worldbody/></mujoco>"),
      folder.Write("infinite.xml",
                   "<mujoco><worldbody><body><joint type='hinge'/>"
                   "<geom size='0.1' mass='inf'/></body></worldbody></mujoco>"),
      folder.Write("cut.urdf", "<robot name='r'><link name='a'>"),
      folder.Write("other.xml", "<html><body>404</body></html>"),
      folder.Write("cut.yaml", "controller: {type: slotine_li, gains: ["),
      folder.Write("wrong.yaml", "base: arm7\ncontroler: {}\n"),
      folder.Write("itself.yaml", "base: itself.yaml\n"),
      folder.Write("list.yaml", "- 1\n- 2\n"),
      folder.Write("\xff\xfe\x01.yaml", "base: arm7\nno: \xff\n"),
  };
  for (const char* name : {"empty.xml", "empty.urdf", "empty.yaml", "empty.yml", "empty"}) {
    files.push_back(folder.Write(name, ""));
  }
  folder.Write("run/config.yaml", "base: arm7\n");
  folder.Write("run/signals.csv", Noise(1000));
  folder.Write("run2/config.yaml", Noise(100));
  folder.Write("run2/signals.csv", "t\n0\n");
  files.push_back((folder.path() / "run").string());
  files.push_back((folder.path() / "run2").string());

  std::size_t next = 0;
  int errors = 0;
  bool waits = false;
  const ActiveScene* first = nullptr;
  Show("planar_2r", [&](GlfwWindow*, WindowState* state, bool) {
    if (first == nullptr) first = state->scene.get();
    if (state->loader.is_loading()) return true;
    EXPECT_EQ(state->scene.get(), first) << "a broken file was opened: " << files[next - 1];
    if (state->scene.get() != first) return false;
    if (waits) {
      if (CountErrors(*state) == errors) return true;  // not yet looked at
      waits = false;
      errors = CountErrors(*state);
      EXPECT_EQ(errors, static_cast<int>(next));
      const std::string& text = state->scene->log.lines().back().text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      EXPECT_LT(text.size(), 6000u) << text;
    }
    if (next == files.size()) {
      const auto lines = state->scene->log.lines().size();
      EXPECT_GE(lines, files.size());
      EXPECT_EQ(state->scene->snapshot->state, RunState::kRunning);
      return false;
    }
    Drop({files[next++]});
    waits = true;
    return true;
  });
  EXPECT_EQ(next, files.size());
  EXPECT_EQ(errors, static_cast<int>(files.size()));
}

TEST(WindowStorm, ManyFilesAtOnceOpenTheLastOne) {
  const TemporaryFolder folder;
  const std::string good =
      folder.Write("good.xml",
                   "<mujoco model='good'><worldbody><body name='b'><joint name='j' type='hinge'/>"
                   "<geom size='0.1'/></body></worldbody></mujoco>");
  std::vector<std::string> files;
  for (int i = 0; i < 40; ++i) {
    files.push_back(folder.Write("broken" + std::to_string(i) + ".xml", Noise(100)));
  }
  files.push_back(good);
  bool is_dropped = false, is_open = false;
  Show("planar_2r", [&](GlfwWindow*, WindowState* state, bool) {
    if (!std::exchange(is_dropped, true)) {
      Drop(files);
      return true;
    }
    is_open = state->opened == good && !state->loader.is_loading() &&
              state->scene->session.scene().velocity_names == std::vector<std::string>{"j"};
    return !is_open;
  });
  EXPECT_TRUE(is_open);
}

/// What a run folder holds that was closed in the midst of things.
void ExpectWhole(const std::filesystem::path& folder) {
  const Json run = Json::parse(ReadAll(folder / "run.json"));
  EXPECT_EQ(run.at("status"), "done");
  const long steps = run.at("summary").at("steps");
  EXPECT_GT(steps, 50);
  for (const char* table : {"signals.csv", "timing.csv"}) {
    const std::string text = ReadAll(folder / table);
    EXPECT_EQ(text.back(), '\n') << table;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), steps + 1) << table;
  }
  EXPECT_GT(std::filesystem::file_size(folder / "signals.npz"), 100u * steps);
  const RunRecord record(folder);
  EXPECT_EQ(record.size(), static_cast<std::size_t>(steps));
  for (std::size_t i = 1; i < record.size(); ++i) {
    ASSERT_NEAR(record.t(i) - record.t(i - 1), record.t(1) - record.t(0), 1e-9) << i;
  }
}

/// The folder of the only recording.
std::filesystem::path OnlyFolder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path());
  }
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? folder : found.front();
}

TEST(WindowStorm, ClosedWhileItRecordsAndLoadsAndComputes) {
  const TemporaryFolder folder;
  bool is_recording = false;
  double since = 0;
  Show(
      "arm7",
      [&](GlfwWindow*, WindowState* state, bool) {
        const Snapshot& snapshot = *state->scene->snapshot;
        if (!std::exchange(is_recording, true)) ToggleRecording(state);
        if (!snapshot.is_recording) return true;
        if (since == 0) since = snapshot.t + 0.01;
        if (snapshot.t < since + 0.5) return true;
        // In a storm: another size, a scene that loads, a push, a step back and a branch.
        glfwSetWindowSize(Glfw(), 1400, 900);
        PushNow(state);
        RewindTo(state, snapshot.t - 0.1);
        TogglePlay(state);
        OpenScene(state, "biped_walk");
        glfwSetWindowShouldClose(Glfw(), GLFW_TRUE);
        return true;
      },
      folder.path());
  const std::filesystem::path run = OnlyFolder(folder.path());
  ASSERT_NO_FATAL_FAILURE(ExpectWhole(run));
  EXPECT_TRUE(std::filesystem::exists(run / "video.mp4") ||
              std::filesystem::exists(run / "video/000000.png"));
}

TEST(WindowStorm, AnotherSceneWhileItRecords) {
  const TemporaryFolder folder;
  bool is_recording = false;
  Show(
      "arm7",
      [&](GlfwWindow*, WindowState* state, bool) {
        if (state->opened == "planar_2r") return state->loader.is_loading();
        if (!std::exchange(is_recording, true)) ToggleRecording(state);
        const Snapshot& run = *state->scene->snapshot;
        if (!state->loader.is_loading() && run.is_recording && run.t > 0.5) {
          OpenScene(state, "planar_2r");
        }
        return true;
      },
      folder.path());
  ASSERT_NO_FATAL_FAILURE(ExpectWhole(OnlyFolder(folder.path())));
}

}  // namespace window_storm_test
}  // namespace civita
