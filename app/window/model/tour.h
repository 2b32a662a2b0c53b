#pragma once

#include <span>
#include <string_view>

namespace civita {

struct WindowState;
class View3d;
struct Layout;
struct Rect;

/// The tour of the window: where it is, and whether the user has seen it, or declined.
struct Tour {
  int step = -1;  ///< −1: closed
  bool seen = false, is_offered = false;
  bool has_thrown = false;  ///< the present step has thrown the robots

  bool is_open() const { return step >= 0; }
  void Go(int to) { *this = {.step = to, .seen = seen}; }
  void Finish() { *this = {.seen = true, .has_thrown = has_thrown}; }
};

/// A step of the tour: what it says, which part of the window it frames, and with which t run B is
/// thrown first, beside the torsion-free run A.
struct TourStep {
  std::string_view title, text;
  Rect Layout::*place;
  double t;
  std::string_view tab;  ///< of the side card
};
std::span<const TourStep> TourSteps();

/// Starts the tour, goes on in it, or ends it after its last step.
void GoOnInTour(WindowState* state);

/// Throws the robots of the present step, and draws its frame around a part of the window.
void DrawTour(WindowState* state, const Layout& layout);

/// Draws what is told over the lower left of the picture: what two runs differ in, in large type,
/// and the tour's step or its offer. The robot is shown beside it. @returns its top, or the bottom
/// of what is free without it.
float DrawTold(WindowState* state, const Rect& picture, View3d* view);

}  // namespace civita
