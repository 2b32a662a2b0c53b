#include "app/window/glfw_window.h"

// Before any OpenGL header that GLFW would choose.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/verbs/run/run.h"
#include "app/window/widgets/layout.h"
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
  ImGui::GetIO().IniFilename = nullptr;
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
    Events* events = EventsOf(w);
    const int meant = KeyOfName(key, glfwGetKeyName(key, scancode), HasLetters());
    if (action != GLFW_REPEAT) events->input.AddKey(meant, action == GLFW_PRESS, mods);
    ++events->count;
  });
  glfwSetDropCallback(window_, [](W w, int n, const char** paths) {
    EventsOf(w)->dropped.assign(paths, paths + n);
    ++EventsOf(w)->count;
  });
  glfwSetCharCallback(window_, [](W w, unsigned code) {
    EventsOf(w)->input.AddCharacter(code);
    ++EventsOf(w)->count;
  });
  glfwSetMouseButtonCallback(window_, [](W w, int button, int action, int) {
    Events* events = EventsOf(w);
    double x = 0, y = 0;
    glfwGetCursorPos(w, &x, &y);
    const ImVec2 at(static_cast<float>(x) * events->pixels, static_cast<float>(y) * events->pixels);
    events->input.AddButton(button, action == GLFW_PRESS, at, glfwGetTime());
    ++events->count;
  });
  glfwSetScrollCallback(window_, [](W w, double x, double y) {
    ImGui_ImplGlfw_ScrollCallback(w, x, y);
    ++EventsOf(w)->count;
  });
  glfwSetCursorPosCallback(window_, [](W w, double, double) { ++EventsOf(w)->count; });
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
  return std::clamp(std::max(x, y), 0.5f, 4.0f);
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
  if (ImGui::IsMousePosValid(&io.MousePos) && factor != 1) {
    io.MousePos = ImVec2(io.MousePos.x * factor, io.MousePos.y * factor);
  }
  events_.pixels = factor;
  events_.input.Feed(&io);
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
