#include "app/window/input_queue.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>

namespace civita {
namespace {

constexpr double kDoubleClick = 0.3;  // s between two presses

bool IsAt(ImVec2 a, ImVec2 b) { return std::abs(a.x - b.x) < 0.5f && std::abs(a.y - b.y) < 0.5f; }

}  // namespace

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
