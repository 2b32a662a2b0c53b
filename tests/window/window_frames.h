#pragma once

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/window/actions.h"
#include "app/window/frame.h"
#include "app/window/render/offscreen.h"

namespace civita {

inline constexpr float kWidth = 1280, kHeight = 800;

inline const RenderQuality kQuick{.samples = 0,
                                  .shadow_size = 256,
                                  .reflection = false,
                                  .slices = 12,
                                  .moving_passes = 1,
                                  .still_passes = 1};

// ImGui alone: fonts, one frame at a time, and a hand on mouse and keyboard.
class FakeInput : public testing::Test {
 protected:
  FakeInput() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    io.KeyMap[ImGuiKey_Enter] = GLFW_KEY_ENTER;
    io.KeyMap[ImGuiKey_KeyPadEnter] = GLFW_KEY_KP_ENTER;
    io.KeyMap[ImGuiKey_Escape] = GLFW_KEY_ESCAPE;
    io.KeyMap[ImGuiKey_Delete] = GLFW_KEY_DELETE;
    io.KeyMap[ImGuiKey_Backspace] = GLFW_KEY_BACKSPACE;
    io.KeyMap[ImGuiKey_UpArrow] = GLFW_KEY_UP;
    io.KeyMap[ImGuiKey_DownArrow] = GLFW_KEY_DOWN;
    io.KeyMap[ImGuiKey_A] = GLFW_KEY_A;
  }
  ~FakeInput() override { ImGui::DestroyContext(); }

  void PrepareFonts(Ui* ui) {
    BuildFonts(FindFontFiles(), ui);
    ApplyStyle(*ui);
  }

  virtual void DrawContent() = 0;

  void Frame() {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size_;
    io.DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    DrawContent();
    ImGui::Render();
  }

  // Hovering takes a frame to be known.
  void MoveTo(float x, float y) {
    ImGui::GetIO().MousePos = ImVec2(x, y);
    Frame();
    Frame();
  }
  void Click(float x, float y) {
    MoveTo(x, y);
    ImGui::GetIO().MouseDown[0] = true;
    Frame();
    ImGui::GetIO().MouseDown[0] = false;
    Frame();
  }
  void Drag(float x0, float x1, float y) {
    MoveTo(x0, y);
    ImGui::GetIO().MouseDown[0] = true;
    constexpr int kSteps = 10;
    for (int i = 0; i <= kSteps; ++i) {
      ImGui::GetIO().MousePos.x = x0 + (x1 - x0) * static_cast<float>(i) / kSteps;
      Frame();
    }
    ImGui::GetIO().MouseDown[0] = false;
    Frame();
  }
  void Press(int key, bool ctrl = false) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = ctrl;
    io.KeysDown[key] = true;
    Frame();
    io.KeysDown[key] = false;
    io.KeyCtrl = false;
    Frame();
  }
  void Type(const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    Frame();
  }

  ImVec2 size_ = ImVec2(kWidth, kHeight);
};

// Frames of the window without a display: an offscreen context for the 3-D view, mouse and keys
// made up.
class WindowFrames : public FakeInput {
 protected:
  void Open(const std::string& scene, const std::vector<std::string>& overrides = {},
            bool paused = false, const std::filesystem::path& directory = {}) {
    state_.opened = scene;
    state_.font_files = FindFontFiles();
    BuildFonts(state_.font_files, &state_.ui);
    ApplyStyle(state_.ui);
    state_.scene = std::make_unique<ActiveScene>(
        LoadedScenes{LoadScene(ReadConfig(scene, overrides)), nullptr}, paused, directory);
    view_ = std::make_unique<View3d>(*state_.scene->session.mj(), state_.ui.theme, kQuick);
    Frame();
  }

  void DrawContent() override {
    state_.now += 1.0 / 60;
    UpdateState(&state_);
    const Snapshot& snapshot = *state_.scene->snapshot;
    view_->SetState(snapshot.t, snapshot.qpos, snapshot.qvel);
    DrawFrame(&state_, view_.get(), size_.x, size_.y, [](const SceneInfo&) { return 0u; });
  }

  // Frames at some speed, until what was asked for has come.
  bool FramesUntil(const std::function<bool()>& done, double seconds = 8) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      Frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  const Snapshot& snapshot() const { return *state_.scene->snapshot; }
  Layout layout() const {
    return CalcLayout(state_.ui, kWidth, kHeight, state_.panels,
                      MatrixCardHeight(state_, SideWidth(state_.ui, kWidth)));
  }
  // Track of the first gain's slider in the Tune panel.
  Rect FirstTrack() const {
    const Rect side = layout().side;
    return {side.x + kCardPadding + 7, side.y + 215, side.w - 2 * kCardPadding - 14, 1};
  }
  // Presses a button of the card that tells of a failure; its row ends above the card's foot.
  void ClickFailButton(const char* id, float x) {
    const Rect picture = PictureArea(state_.ui, layout().view);
    const float width = std::min(picture.w - 32, 520.0f);
    const float left = std::floor(picture.middle_x() - 0.5f * width) + 16 + 28;
    MoveTo(left + x, picture.bottom() - 16 - 16 - 16);
    const ImGuiID wanted = ImGui::FindWindowByName("root")->GetID(id);
    ASSERT_EQ(ImGui::GetCurrentContext()->HoveredIdPreviousFrame, wanted) << id;
    Click(left + x, picture.bottom() - 16 - 16 - 16);
  }

  bool IsFinite() const {
    const auto finite = [](double x) { return std::isfinite(x) && std::abs(x) < 1e6; };
    return std::all_of(snapshot().qpos.begin(), snapshot().qpos.end(), finite) &&
           std::all_of(snapshot().qvel.begin(), snapshot().qvel.end(), finite);
  }
  int CountErrors() const {
    const auto& lines = state_.scene->log.lines();
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](const LogLine& line) {
      return line.kind == LogLine::Kind::kError;
    }));
  }

  OffscreenContext context_;
  WindowState state_;
  std::unique_ptr<View3d> view_;
};

}  // namespace civita
