#include "app/window/glfw_window.h"

// Before any OpenGL header that GLFW would choose.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/verbs/run/run.h"
#include "app/window/widgets/layout.h"
#include "civita/error.h"

namespace civita {
namespace {

// Throws the reason of GLFW's failure and what to do without a window.
[[noreturn]] void Fail(const char* fallback) {
  const char* reason = nullptr;
  glfwGetError(&reason);
  const std::string text = reason != nullptr ? reason : fallback;
  glfwTerminate();
  throw UserError("cannot open a window (" + text +
                  "); without a display use civita run SCENE --headless");
}

}  // namespace

GlfwWindow::GlfwWindow(int width, int height, double scale, const std::string& title)
    : scale_option_(scale) {
  if (glfwInit() != GLFW_TRUE) Fail("GLFW does not start");
  glfwWindowHint(GLFW_SAMPLES, 0);  // ImGui anti-aliases text and lines, and the 3-D view itself
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, scale > 0 ? GLFW_FALSE : GLFW_TRUE);
  const double factor = scale > 0 ? scale : 1;
  window_ = glfwCreateWindow(static_cast<int>(width * factor), static_cast<int>(height * factor),
                             title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) Fail("no OpenGL");
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  glfwSetWindowSizeLimits(window_, kMinWidth, kMinHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  InstallCallbacks();  // before ImGui, which forwards events to them
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 130");
  Wait(0);
}

GlfwWindow::~GlfwWindow() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

GlfwWindow::Events* GlfwWindow::EventsOf(GLFWwindow* window) {
  return static_cast<Events*>(glfwGetWindowUserPointer(window));
}

void GlfwWindow::InstallCallbacks() {
  using W = GLFWwindow*;
  glfwSetWindowUserPointer(window_, &events_);
  glfwSetKeyCallback(window_, [](W w, int key, int, int action, int mods) {
    Events* events = EventsOf(w);
    if (action == GLFW_PRESS && key >= 0) events->presses.push_back({key, mods});
    ++events->count;
  });
  glfwSetDropCallback(window_, [](W w, int n, const char** paths) {
    EventsOf(w)->dropped.assign(paths, paths + n);
    ++EventsOf(w)->count;
  });
  glfwSetCharCallback(window_, [](W w, unsigned) { ++EventsOf(w)->count; });
  glfwSetMouseButtonCallback(window_, [](W w, int, int, int) { ++EventsOf(w)->count; });
  glfwSetScrollCallback(window_, [](W w, double, double) { ++EventsOf(w)->count; });
  glfwSetCursorPosCallback(window_, [](W w, double, double) { ++EventsOf(w)->count; });
  glfwSetCursorEnterCallback(window_, [](W w, int) { ++EventsOf(w)->count; });
  glfwSetWindowFocusCallback(window_, [](W w, int) { ++EventsOf(w)->count; });
  glfwSetWindowRefreshCallback(window_, [](W w) { ++EventsOf(w)->count; });
  glfwSetFramebufferSizeCallback(window_, [](W w, int, int) { ++EventsOf(w)->count; });
}

bool GlfwWindow::should_close() const { return glfwWindowShouldClose(window_) != 0; }

void GlfwWindow::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

float GlfwWindow::scale() const {
  if (scale_option_ > 0) return static_cast<float>(scale_option_);
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(std::max(x, y), 0.5f, 4.0f);
}

void GlfwWindow::Wait(double seconds) {
  if (seconds > 0) {
    glfwWaitEventsTimeout(seconds);
  } else {
    glfwPollEvents();
  }
  glfwGetFramebufferSize(window_, &width_, &height_);
}

std::vector<std::string> GlfwWindow::TakeDropped() { return std::exchange(events_.dropped, {}); }

bool GlfwWindow::is_fullscreen() const { return glfwGetWindowMonitor(window_) != nullptr; }

void GlfwWindow::ToggleFullscreen() {
  if (is_fullscreen()) {
    glfwSetWindowMonitor(window_, nullptr, windowed_x_, windowed_y_, windowed_width_,
                         windowed_height_, 0);
    return;
  }
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  if (mode == nullptr) return;
  glfwGetWindowPos(window_, &windowed_x_, &windowed_y_);
  glfwGetWindowSize(window_, &windowed_width_, &windowed_height_);
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

// ImGui samples the keys once a frame and misses a key that went down and up in between. Each
// press is passed to it for at least one frame, with its modifiers; one press in each frame keeps
// their order.
void GlfwWindow::FeedKeyPresses() {
  ImGuiIO& io = ImGui::GetIO();
  const auto is_down = [this](int key) { return glfwGetKey(window_, key) == GLFW_PRESS; };
  io.KeyCtrl = is_down(GLFW_KEY_LEFT_CONTROL) || is_down(GLFW_KEY_RIGHT_CONTROL);
  io.KeyShift = is_down(GLFW_KEY_LEFT_SHIFT) || is_down(GLFW_KEY_RIGHT_SHIFT);
  io.KeyAlt = is_down(GLFW_KEY_LEFT_ALT) || is_down(GLFW_KEY_RIGHT_ALT);
  const int last = std::exchange(fed_key_, -1);
  if (last >= 0) io.KeysDown[last] = is_down(last);
  if (io.WantTextInput) {  // letters also arrive as characters
    std::erase_if(events_.presses, [](const KeyPress& press) {
      return press.key <= GLFW_KEY_GRAVE_ACCENT && (press.mods & GLFW_MOD_CONTROL) == 0;
    });
  }
  for (const KeyPress& waiting : events_.presses) io.KeysDown[waiting.key] = false;
  // ImGui must see a key up for a frame between two presses.
  if (events_.presses.empty() || events_.presses.front().key == last) return;
  const KeyPress next = events_.presses.front();
  events_.presses.erase(events_.presses.begin());
  io.KeysDown[next.key] = true;
  io.KeyCtrl = (next.mods & GLFW_MOD_CONTROL) != 0;
  io.KeyShift = (next.mods & GLFW_MOD_SHIFT) != 0;
  io.KeyAlt = (next.mods & GLFW_MOD_ALT) != 0;
  fed_key_ = next.key;
}

void GlfwWindow::BeginFrame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  // All lengths are device pixels, even where the system uses larger units.
  ImGuiIO& io = ImGui::GetIO();
  int logical_width = 1, logical_height = 1;
  glfwGetWindowSize(window_, &logical_width, &logical_height);
  const float factor = static_cast<float>(width_) / static_cast<float>(std::max(1, logical_width));
  io.DisplaySize = ImVec2(static_cast<float>(width_), static_cast<float>(height_));
  io.DisplayFramebufferScale = ImVec2(1, 1);
  if (ImGui::IsMousePosValid(&io.MousePos) && factor != 1) {
    io.MousePos = ImVec2(io.MousePos.x * factor, io.MousePos.y * factor);
  }
  FeedKeyPresses();
  ImGui::NewFrame();
}

void GlfwWindow::DrawImGui() {
  glViewport(0, 0, width_, height_);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void GlfwWindow::Present() { glfwSwapBuffers(window_); }

void GlfwWindow::ReloadFonts() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

}  // namespace civita
