// Before any OpenGL header that GLFW would choose.

#include "app/window/glfw_window.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <cctype>
#include <cmath>
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

constexpr double kDoubleClick = 0.3;  // s between two presses

bool IsAt(ImVec2 a, ImVec2 b) { return std::abs(a.x - b.x) < 0.5f && std::abs(a.y - b.y) < 0.5f; }

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

void InputQueue::AddKey(int key, bool down, int mods) {
  if (key < 0 || key >= static_cast<int>(is_key_down_.size())) return;
  is_key_down_[static_cast<size_t>(key)] = down;
  if (down) {
    events_.push_back({.kind = Event::Kind::kKey, .code = key, .down = true, .mods = mods});
  }
}

void InputQueue::AddButton(int button, bool down, ImVec2 position, double time) {
  if (button < 0 || button >= kButtons) return;
  events_.push_back({.kind = Event::Kind::kButton,
                     .code = button,
                     .down = down,
                     .position = position,
                     .time = time});
}

void InputQueue::AddCharacter(unsigned code) {
  events_.push_back({.kind = Event::Kind::kCharacter, .code = static_cast<int>(code)});
}

// One press in each frame keeps the presses' order among themselves and with characters; ImGui
// must see a key up for a frame between two presses.
bool InputQueue::FeedKey(const Event& event, ImGuiIO* io) {
  // Letters also arrive as characters.
  if (io->WantTextInput && event.code <= GLFW_KEY_GRAVE_ACCENT &&
      (event.mods & GLFW_MOD_CONTROL) == 0) {
    return true;
  }
  if (has_key_ || has_character_ || has_button_) return false;
  has_key_ = true;
  if (is_lifted_[static_cast<size_t>(event.code)]) return false;
  io->KeysDown[event.code] = true;
  io->KeyCtrl = (event.mods & GLFW_MOD_CONTROL) != 0;
  io->KeyShift = (event.mods & GLFW_MOD_SHIFT) != 0;
  io->KeyAlt = (event.mods & GLFW_MOD_ALT) != 0;
  return true;
}

// The pointer rests at a button's event for a frame before, so that what it is on is known.
bool InputQueue::FeedButton(const Event& event, ImGuiIO* io) {
  const auto button = static_cast<size_t>(event.code);
  if (has_changed_[button] || has_key_) return false;
  if (!IsAt(event.position, seen_)) {
    if (!has_button_) io->MousePos = event.position;
    has_button_ = true;
    has_changed_.fill(true);
    return false;
  }
  io->MousePos = event.position;
  is_button_down_[button] = event.down;
  has_button_ = has_changed_[button] = true;
  if (event.down) {  // by the events' own times, since frames may be slow
    const bool is_second = event.time - pressed_at_[button] < kDoubleClick;
    io->MouseDoubleClickTime = is_second ? 1e3f : 0;
    pressed_at_[button] = event.time;
  }
  return true;
}

void InputQueue::Feed(ImGuiIO* io) {
  const auto is_down = [this](int key) { return is_key_down_[static_cast<size_t>(key)]; };
  io->KeyCtrl = is_down(GLFW_KEY_LEFT_CONTROL) || is_down(GLFW_KEY_RIGHT_CONTROL);
  io->KeyShift = is_down(GLFW_KEY_LEFT_SHIFT) || is_down(GLFW_KEY_RIGHT_SHIFT);
  io->KeyAlt = is_down(GLFW_KEY_LEFT_ALT) || is_down(GLFW_KEY_RIGHT_ALT);
  io->MouseDoubleClickTime = static_cast<float>(kDoubleClick);
  has_key_ = has_button_ = has_character_ = false;
  has_changed_.fill(false);
  // A key remains down while it is held, after its press has been seen.
  for (size_t key = 0; key < is_key_down_.size(); ++key) {
    const bool waits = std::any_of(events_.begin(), events_.end(), [key](const Event& e) {
      return e.kind == Event::Kind::kKey && e.code == static_cast<int>(key);
    });
    is_lifted_[key] = io->KeysDown[key] && waits;
    io->KeysDown[key] = io->KeysDown[key] && is_key_down_[key] && !waits;
  }
  size_t taken = 0;
  for (; taken < events_.size(); ++taken) {
    const Event& event = events_[taken];
    bool passed = false;
    switch (event.kind) {
      case Event::Kind::kKey:
        passed = FeedKey(event, io);
        break;
      case Event::Kind::kButton:
        passed = FeedButton(event, io);
        break;
      case Event::Kind::kCharacter:
        passed = !has_key_;
        has_character_ = has_character_ || passed;
        if (passed) io->AddInputCharacter(static_cast<unsigned>(event.code));
        break;
    }
    if (!passed) break;
  }
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(taken));
  for (size_t i = 0; i < is_button_down_.size(); ++i) io->MouseDown[i] = is_button_down_[i];
  seen_ = io->MousePos;
}

}  // namespace civita
