// Before any OpenGL header that GLFW would choose.

#include "app/window/glfw_window.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/verbs/run/run.h"
#include "civita/error.h"

namespace civita {
namespace {

constexpr int kLeastOpenGl = 3;  // its shaders are GLSL 1.30

// Throws the reason and what to do without a window.
[[noreturn]] void Refuse(const std::string& reason) {
  glfwTerminate();
  throw UserError("cannot open a window (" + reason +
                  "); without a display use civita run SCENE --headless");
}

// For the reason of GLFW's failure.
[[noreturn]] void Fail(const char* fallback) {
  const char* reason = nullptr;
  glfwGetError(&reason);
  Refuse(reason != nullptr ? reason : fallback);
}

// Whether the present layout has Latin letters.
bool HasLetters() {
  for (int key = GLFW_KEY_A; key <= GLFW_KEY_Z; ++key) {
    const char* name = glfwGetKeyName(key, 0);
    if (name != nullptr && std::isalpha(static_cast<unsigned char>(name[0])) != 0) return true;
  }
  return false;
}

constexpr double kDoubleClick = 0.3;  // s between two presses

bool IsPrintable(ImGuiKey key) {
  return key == ImGuiKey_Space || (key >= ImGuiKey_0 && key <= ImGuiKey_Z) ||
         (key >= ImGuiKey_Apostrophe && key <= ImGuiKey_GraveAccent);
}

// The modifier of a key that is one, else 0.
int ModifierOf(int key) {
  switch (key) {
    case GLFW_KEY_LEFT_CONTROL:
    case GLFW_KEY_RIGHT_CONTROL:
      return GLFW_MOD_CONTROL;
    case GLFW_KEY_LEFT_SHIFT:
    case GLFW_KEY_RIGHT_SHIFT:
      return GLFW_MOD_SHIFT;
    case GLFW_KEY_LEFT_ALT:
    case GLFW_KEY_RIGHT_ALT:
      return GLFW_MOD_ALT;
    default:
      return 0;
  }
}

}  // namespace

}  // namespace civita

// Of ImGui's backend, which declares it in no header.
ImGuiKey ImGui_ImplGlfw_KeyToImGuiKey(int keycode, int scancode);

namespace civita {

float ScaleOfResolution(int width, int height) {
  constexpr float kStep = 0.25f;
  const float size = std::min(static_cast<float>(width) / 2560, static_cast<float>(height) / 1440);
  return std::clamp(std::floor(size / kStep) * kStep, 1.0f, 4.0f);
}

int FirstSize(int pixels, double scale, int least) {
  constexpr double kShare = 0.85, kLarge = 1.35;  // 1920 × 1080 is large
  const double size = pixels / scale;
  return size < kLarge * least ? least : static_cast<int>(kShare * size);
}

GlfwWindow::GlfwWindow(int width, int height, double scale, const std::string& title)
    : scale_option_(scale) {
  if (glfwInit() != GLFW_TRUE) Fail("GLFW does not start");
  glfwWindowHint(GLFW_SAMPLES, 0);  // ImGui anti-aliases text and lines, and the 3-D view itself
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, scale > 0 ? GLFW_FALSE : GLFW_TRUE);
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  float told = 1, told_y = 1;
  if (monitor != nullptr) glfwGetMonitorContentScale(monitor, &told, &told_y);
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  if (mode != nullptr) untold_scale_ = ScaleOfResolution(mode->width, mode->height);
  // GLFW multiplies by what the system tells.
  const bool is_told = std::max(told, told_y) != 1;
  const double factor = scale > 0 ? scale : is_told ? 1 : static_cast<double>(untold_scale_);
  constexpr int kFirstWidth = 1280, kFirstHeight = 800;
  const double content =
      is_told && scale <= 0 ? static_cast<double>(std::max(told, told_y)) : factor;
  if (width == 0) width = FirstSize(mode != nullptr ? mode->width : 0, content, kFirstWidth);
  if (height == 0) height = FirstSize(mode != nullptr ? mode->height : 0, content, kFirstHeight);
  window_ = glfwCreateWindow(static_cast<int>(width * factor), static_cast<int>(height * factor),
                             title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) Fail("no OpenGL");
  const int major = glfwGetWindowAttrib(window_, GLFW_CONTEXT_VERSION_MAJOR);
  const int minor = glfwGetWindowAttrib(window_, GLFW_CONTEXT_VERSION_MINOR);
  if (major < kLeastOpenGl) {
    Refuse("it needs OpenGL " + std::to_string(kLeastOpenGl) + ".0, and there is " +
           std::to_string(major) + "." + std::to_string(minor));
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  glfwSetWindowSizeLimits(window_, kMinWidth, kMinHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  PressTimes::Prepare(&io);
  ImGui_ImplGlfw_InitForOpenGL(window_, false);
  InstallCallbacks();
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
  glfwSetKeyCallback(window_, [](W w, int key, int scancode, int action, int mods) {
    const int meant = KeyOfName(key, glfwGetKeyName(key, scancode), HasLetters());
    const bool down = action == GLFW_PRESS;
    // X11 tells the modifiers from before the event.
    if (const int own = ModifierOf(key); own != 0) mods = down ? mods | own : mods & ~own;
    if (action != GLFW_REPEAT) AddKey(ImGui_ImplGlfw_KeyToImGuiKey(meant, scancode), down, mods);
    ++EventsOf(w)->count;
  });
  glfwSetDropCallback(window_, [](W w, int n, const char** paths) {
    EventsOf(w)->dropped.assign(paths, paths + n);
    ++EventsOf(w)->count;
  });
  glfwSetCharCallback(window_, [](W w, unsigned code) {
    ImGui::GetIO().AddInputCharacter(code);
    ++EventsOf(w)->count;
  });
  glfwSetMouseButtonCallback(window_, [](W w, int button, int action, int mods) {
    ImGui_ImplGlfw_MouseButtonCallback(w, button, action, mods);
    if (action == GLFW_PRESS) EventsOf(w)->presses.Add(button, glfwGetTime());
    ++EventsOf(w)->count;
  });
  glfwSetScrollCallback(window_, [](W w, double x, double y) {
    ImGui_ImplGlfw_ScrollCallback(w, x, y);
    ++EventsOf(w)->count;
  });
  glfwSetCursorPosCallback(window_, [](W w, double x, double y) {
    const double pixels = static_cast<double>(EventsOf(w)->pixels);
    ImGui_ImplGlfw_CursorPosCallback(w, x * pixels, y * pixels);
    ++EventsOf(w)->count;
  });
  glfwSetCursorEnterCallback(window_, [](W w, int entered) {
    ImGui_ImplGlfw_CursorEnterCallback(w, entered);
    ++EventsOf(w)->count;
  });
  glfwSetWindowFocusCallback(window_, [](W w, int focused) {
    ImGui_ImplGlfw_WindowFocusCallback(w, focused);
    ++EventsOf(w)->count;
  });
  glfwSetWindowIconifyCallback(window_, [](W w, int) { ++EventsOf(w)->count; });
  glfwSetWindowRefreshCallback(window_, [](W w) { ++EventsOf(w)->count; });
  glfwSetFramebufferSizeCallback(window_, [](W w, int, int) { ++EventsOf(w)->count; });
}

bool GlfwWindow::should_close() const { return glfwWindowShouldClose(window_) != 0; }

void GlfwWindow::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

float GlfwWindow::scale() const {
  if (scale_option_ > 0) return static_cast<float>(scale_option_);
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  const float told = std::max(x, y);
  return told == 1 ? untold_scale_ : std::clamp(told, 0.5f, 4.0f);
}

bool GlfwWindow::is_minimised() const {
  return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0 ||
         glfwGetWindowAttrib(window_, GLFW_VISIBLE) == 0 || width_ == 0 || height_ == 0;
}

void GlfwWindow::Hide() { glfwHideWindow(window_); }
void GlfwWindow::Show() { glfwShowWindow(window_); }

std::string GlfwWindow::renderer() const {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name != nullptr ? name : "unknown";
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
  events_.pixels = factor;
  ImGui::NewFrame();
  events_.presses.CountClicks(&io);
}

void GlfwWindow::DrawImGui() {
  glViewport(0, 0, width_, height_);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void GlfwWindow::Present() { glfwSwapBuffers(window_); }

bool GlfwWindow::has_waiting_input() const {
  return !ImGui::GetCurrentContext()->InputEventsQueue.empty();
}

int KeyOfName(int key, const char* name, bool has_letters) {
  const bool on_pad = key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL;
  if (on_pad || name == nullptr || name[0] == '\0') return key;
  const char c = name[1] == '\0' ? name[0] : '\0';
  if (c >= 'a' && c <= 'z') return GLFW_KEY_A + (c - 'a');
  if (c >= 'A' && c <= 'Z') return GLFW_KEY_A + (c - 'A');
  if (c == '+' || c == '=') return GLFW_KEY_EQUAL;
  if (c == '-') return GLFW_KEY_MINUS;
  // What is called otherwise must not act as the character of its place.
  const bool is_sign = key == GLFW_KEY_EQUAL || key == GLFW_KEY_MINUS;
  const bool is_letter = key >= GLFW_KEY_A && key <= GLFW_KEY_Z;
  return is_sign || (is_letter && has_letters) ? GLFW_KEY_WORLD_1 : key;
}

void AddKey(ImGuiKey key, bool down, int mods) {
  ImGuiIO& io = ImGui::GetIO();
  const bool ctrl = (mods & GLFW_MOD_CONTROL) != 0;
  if (down && io.WantTextInput && !ctrl && IsPrintable(key)) return;
  // ImGui would take a modifier that changes for that of keys before it in the same frame. A key
  // that goes down and up ends the frame.
  const bool is_modifier = key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper;
  if (is_modifier && !ImGui::GetCurrentContext()->InputEventsQueue.empty()) {
    constexpr ImGuiKey kOnNoKeyboard = ImGuiKey_F24;
    io.AddKeyEvent(kOnNoKeyboard, true);
    io.AddKeyEvent(kOnNoKeyboard, false);
  }
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, (mods & GLFW_MOD_SHIFT) != 0);
  io.AddKeyEvent(ImGuiMod_Alt, (mods & GLFW_MOD_ALT) != 0);
  io.AddKeyEvent(key, down);
}

void PressTimes::Prepare(ImGuiIO* io) {
  io->MouseDoubleClickTime = 1e3f;
  io->MouseSingleClickDelay = 2 * io->MouseDoubleClickTime;  // ImGui asserts that it is longer
}

void PressTimes::Add(int button, double time) {
  if (button >= 0 && button < kButtons) waiting_[static_cast<std::size_t>(button)].push_back(time);
}

void PressTimes::CountClicks(ImGuiIO* io) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (!io->MouseClicked[i] || waiting_[i].empty()) continue;
    const double time = waiting_[i].front();
    waiting_[i].pop_front();
    if (time - last_[i] > kDoubleClick) {
      io->MouseClickedCount[i] = io->MouseClickedLastCount[i] = 1;
      io->MouseDoubleClicked[i] = false;
    }
    last_[i] = time;
  }
}

}  // namespace civita
