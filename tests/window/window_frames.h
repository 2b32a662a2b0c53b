#pragma once

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
#include <variant>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/render/gl_objects.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {

inline constexpr float kWidth = 1280, kHeight = 800;

inline const RenderQuality kQuick{.samples = 0,
                                  .shadow_size = 256,
                                  .reflection = false,
                                  .slices = 12,
                                  .moving_passes = 1,
                                  .still_passes = 1};

// Takes the textures that ImGui asks for, as a renderer would.
inline void AcceptTextures() {
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    } else if (texture->Status != ImTextureStatus_Destroyed) {
      texture->SetTexID(1);
      texture->SetStatus(ImTextureStatus_OK);
    }
  }
}

// ImGui alone: fonts, single frames, and simulated mouse and keyboard.
class FakeInput : public testing::Test {
 protected:
  FakeInput() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    // As the window's.
    io.BackendFlags |=
        ImGuiBackendFlags_RendererHasVtxOffset | ImGuiBackendFlags_RendererHasTextures;
  }
  ~FakeInput() override { ImGui::DestroyContext(); }

  void PrepareFonts(Ui* ui) {
    font_files_ = FindFontFiles();
    AddFaces(&font_files_, ui);
    ScaleFonts(ui);
    ApplyStyle(*ui);
  }

  virtual void DrawContent() = 0;

  void Frame() { DrawFrameAfter(1.0f / 60); }
  void DrawFrameAfter(float seconds) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size_;
    io.DeltaTime = seconds;
    ImGui::NewFrame();
    DrawContent();
    ImGui::Render();
    AcceptTextures();
  }
  // Whether the mouse is over an item, identified by its ids in its window: strings and numbers,
  // outermost first.
  using ItemPath = std::vector<std::variant<const char*, int>>;
  static bool IsHovered(const ItemPath& path) {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (g.HoveredWindow == nullptr) return false;
    ImGuiID id = g.HoveredWindow->ID;
    for (const auto& part : path) {
      if (const int* number = std::get_if<int>(&part)) {
        id = ImHashData(number, sizeof *number, id);
      } else {
        id = ImHashStr(std::get<const char*>(part), 0, id);
      }
    }
    return g.HoveredId == id;
  }
  // Searches `area` for an item that is at least as large as the steps of the search.
  Rect Find(const ItemPath& path, const Rect& area) {
    constexpr float kStepX = 20, kStepY = 10;
    for (float y = area.y + 1; y < area.bottom(); y += kStepY) {
      for (float x = area.x + 1; x < area.right(); x += kStepX) {
        if (IsOver(path, x, y)) return Extend(path, x, y);
      }
    }
    ADD_FAILURE() << "no such item: " << std::get<const char*>(path[0]);
    return {};
  }

  // Hovering is recognized one frame later.
  void MoveTo(float x, float y) {
    Point(x, y);
    Frame();
    Frame();
  }
  void Click(const Rect& r) { Click(r.middle_x(), r.middle_y()); }
  void Click(float x, float y) {
    MoveTo(x, y);
    Hold(true);
    Frame();
    Hold(false);
    Frame();
  }
  void Drag(float x0, float x1, float y) {
    MoveTo(x0, y);
    Hold(true);
    Frame();
    constexpr int kSteps = 10;
    for (int i = 0; i <= kSteps; ++i) {
      Point(x0 + (x1 - x0) * static_cast<float>(i) / kSteps, y);
      Frame();
    }
    Hold(false);
    Frame();
  }
  void Press(ImGuiKey key, bool ctrl = false) {
    PressWith(key, ctrl ? ImGuiMod_Ctrl : ImGuiKey_None);
  }
  void PressShift(ImGuiKey key) { PressWith(key, ImGuiMod_Shift); }
  void PressWith(ImGuiKey key, ImGuiKey modifier) {
    ImGuiIO& io = ImGui::GetIO();
    if (modifier != ImGuiKey_None) io.AddKeyEvent(modifier, true);
    io.AddKeyEvent(key, true);
    Frame();
    io.AddKeyEvent(key, false);
    if (modifier != ImGuiKey_None) io.AddKeyEvent(modifier, false);
    Frame();
  }
  static void Point(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
  static void Hold(bool down, int button = 0) { ImGui::GetIO().AddMouseButtonEvent(button, down); }
  void Type(const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    Frame();
  }
  /// Finds an entry of the list of actions by words, and takes it.
  void Choose(const char* words) {
    Press(ImGuiKey_K, true);
    Frame();
    Type(words);
    Frame();
    Press(ImGuiKey_Enter);
    Frame();
  }

  ImVec2 size_ = ImVec2(kWidth, kHeight);
  FontFiles font_files_;

 private:
  bool IsOver(const ItemPath& path, float x, float y) {
    Point(x, y);
    Frame();
    return IsHovered(path);
  }
  // The rectangle of the item around a point within it.
  Rect Extend(const ItemPath& path, float x, float y) {
    const auto reach = [&](float dx, float dy) {
      float inside = 0, outside = std::max(size_.x, size_.y);
      while (outside - inside > 1) {
        const float middle = std::floor(0.5f * (inside + outside));
        (IsOver(path, x + middle * dx, y + middle * dy) ? inside : outside) = middle;
      }
      return inside;
    };
    const float left = reach(-1, 0), right = reach(1, 0), up = reach(0, -1), down = reach(0, 1);
    return {x - left, y - up, left + right + 1, up + down + 1};
  }
};

// Frames of the window without a display: an offscreen context for the 3-D view, simulated mouse
// and keys.
class WindowFrames : public FakeInput {
 protected:
  WindowFrames() { state_.recordings = folder_.path(); }

  void Open(const std::string& scene, const std::vector<std::string>& overrides = {},
            bool paused = false, const std::filesystem::path& directory = {},
            const std::vector<std::string>& compared = {}) {
    state_.opened = scene;
    state_.font_files = FindFontFiles();
    if (state_.ui.fonts.body.face == nullptr) AddFaces(&state_.font_files, &state_.ui);
    ScaleFonts(&state_.ui);
    ApplyStyle(state_.ui);
    LoadedScenes scenes{LoadScene(ReadConfig(scene, overrides)), nullptr};
    if (!compared.empty()) scenes.other = LoadScene(ReadConfig(scene, Joined(overrides, compared)));
    state_.scene = std::make_unique<ActiveScene>(std::move(scenes), paused, directory);
    if (!compared.empty()) state_.tab = kCompareTab;
    state_.overrides = overrides;
    state_.opened_config = state_.scene->session.scene().config;
    OpenView();
    Frame();
  }
  static std::vector<std::string> Joined(std::vector<std::string> a,
                                         const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  void OpenView() {
    view_ = std::make_unique<View3d>(*state_.scene->session.mj(), state_.ui.theme, kQuick);
  }

  void DrawContent() override {
    state_.now += 1.0 / 60;
    if (UpdateState(&state_)) OpenView();
    const Snapshot& snapshot = *state_.scene->snapshot;
    view_->SetState(snapshot.t, snapshot.qpos, snapshot.qvel);
    DrawFrame(&state_, view_.get(), size_.x, size_.y, [](const SceneInfo&) { return 0u; });
  }

  // Draws frames at a limited rate until the condition holds; gives up after a time that no loaded
  // machine needs.
  bool FramesUntil(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(300);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      Frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  const Snapshot& snapshot() const { return *state_.scene->snapshot; }
  Layout layout() const { return CalcLayout(state_.ui, size_.x, size_.y, state_.panels); }
  // Track of a slider in the side card.
  Rect FindTrack(const char* slider) {
    constexpr float kThumb = 7;
    const Rect hit = Find({slider, "track"}, layout().side);
    return {hit.x + kThumb, hit.middle_y(), hit.w - 2 * kThumb, 1};
  }
  /// Which of MuJoCo's flags and groups are on.
  std::vector<int> Flags() const {
    std::vector<int> values;
    for (const View3d::Flag& flag : view_->flags()) values.push_back(*flag.value);
    return values;
  }
  Rect FindFirstTrack() { return FindTrack(state_.scene->law().parameters[0].key.data()); }

  bool IsFinite() const {
    const auto finite = [](double x) { return std::isfinite(x) && std::abs(x) < 1e6; };
    return std::all_of(snapshot().qpos.begin(), snapshot().qpos.end(), finite) &&
           std::all_of(snapshot().qvel.begin(), snapshot().qvel.end(), finite);
  }
  std::vector<std::string> PlotTitles() const {
    std::vector<std::string> titles;
    for (const ShownPlot& plot : state_.plots.plots()) titles.push_back(plot.title);
    return titles;
  }
  // The log's newest line of a kind; others tell of what a busy machine does, as missed deadlines.
  std::string LastLine(LogLine::Kind kind) const {
    const auto& lines = state_.scene->log.lines();
    const auto line = std::find_if(lines.rbegin(), lines.rend(),
                                   [&](const LogLine& each) { return each.kind == kind; });
    return line == lines.rend() ? std::string() : line->text;
  }
  int CountErrors() const {
    const auto& lines = state_.scene->log.lines();
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](const LogLine& line) {
      return line.kind == LogLine::Kind::kError;
    }));
  }

  // Outlives the session, whose thread may still be writing a recording when the test ends.
  const TemporaryFolder folder_;
  OffscreenContext context_;
  WindowState state_;
  std::unique_ptr<View3d> view_;
};

}  // namespace civita
