#pragma once

#include <span>
#include <string_view>

namespace civita {

struct WindowState;
struct Layout;
struct Rect;

/// The tour of the window: where it is, and whether the user has seen it, or declined.
class Tour {
 public:
  bool is_open() const { return step_ >= 0; }
  int step() const { return step_; }
  bool seen() const { return seen_; }
  void set_seen(bool seen) { seen_ = seen; }
  bool is_offered() const { return is_offered_; }
  void Offer() { is_offered_ = true; }
  /// Whether both runs of the comparison that is being opened are still to be thrown off.
  bool will_throw() const { return will_throw_; }
  void set_will_throw(bool will_throw) { will_throw_ = will_throw; }
  void Start() {
    step_ = 0;
    is_offered_ = false;
  }
  void Go(int step) { step_ = step; }
  void Finish() {
    step_ = -1;
    seen_ = true;
    is_offered_ = false;
  }

 private:
  int step_ = -1;  ///< −1: closed
  bool seen_ = false, is_offered_ = false, will_throw_ = false;
};

/// A step of the tour: what it says, which part of the window it frames, and what it can do for the
/// user.
struct TourStep {
  std::string_view title, text;
  Rect (*place)(const Layout& layout);
  std::string_view action = {};  ///< label of its button; "": none
  void (*act)(WindowState* state) = nullptr;
};
std::span<const TourStep> TourSteps();

/// Draws the present step's frame, and its card over the picture, or the offer of the tour; nothing
/// while it is closed.
void DrawTour(WindowState* state, const Layout& layout);

}  // namespace civita
