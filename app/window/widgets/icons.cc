#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/window/widgets/draw.h"

namespace civita {
namespace {

// The icons in the order of their names, on a box of 16 × 16 with y down. A letter is what its
// numbers draw: L a line through points, Z a closed one, C a circle and D a disc by centre and
// radius, T a triangle, B a bar and F a frame by two corners and the radius of the others; or a
// part of a path: P points, A an arc by centre, radius and two angles, Q a curve by three points.
// What follows a path strokes it, S alone, O closed.
constexpr std::array<std::string_view, static_cast<std::size_t>(Icon::kJobs) + 1> kIcons = {
    "T4.5 2.5 13.5 8 4.5 13.5",                                         // play
    "B4 3 6.6 13 1B9.4 3 12 13 1",                                      // pause
    "T3.5 3.2 10.5 8 3.5 12.8B11 3.2 13 12.8 .5",                       // step
    "T12.5 3.2 12.5 12.8 5.5 8B3 3.2 5 12.8 .5",                        // step back
    "A8 8.3 5.2 -2.2 3.4SL2.6 3 4.7 4.3 5.4 1.9",                       // reset
    "F2 4.5 14 13 2C8 8.7 2.4L5.6 4.4 6.6 2.8 9.4 2.8 10.4 4.4",        // camera
    "C8 8 2.8L12.9 8 14.6 8L11.465 11.465 12.667 12.667L8 12.9 8 14.6"  // sun
    "L4.535 11.465 3.333 12.667L3.1 8 1.4 8L4.535 4.535 3.333 3.333"
    "L8 3.1 8 1.4L11.465 4.535 12.667 3.333",
    "A8 8 5.6 .15 4.562A11 5 4.6 3.726 .987O",                                  // moon
    "C8 8 6P6.2 6.6Q6.2 4 9.9 4 9.8 6.5Q9.7 7.7 8 7.7 8 9.2SD8 11.3 .95",       // help
    "L4.5 6.3 8 9.9 11.5 6.3",                                                  // chevron down
    "L4.5 9.7 8 6.1 11.5 9.7",                                                  // chevron up
    "L4 4 12 12L12 4 4 12",                                                     // close
    "Z8 2.4 14.4 13.4 1.6 13.4L8 6.4 8 9.6D8 11.5 .9",                          // warning
    "L3 8.5 6.5 12 13 4.5",                                                     // check
    "C7 7 4.3L10.2 10.2 13.6 13.6",                                             // search
    "P4 13 9.5 13Q14.6 13 14.6 5.6 9.5 5.6P3.5 5.6SL6.3 2.7 3.2 5.6 6.3 8.5",   // undo
    "P12 13 6.5 13Q1.4 13 1.4 5.6 6.5 5.6P12.5 5.6SL9.7 2.7 12.8 5.6 9.7 8.5",  // redo
    "L1.4 8 7.2 8L4.9 5.4 7.5 8 4.9 10.6C11.6 8 3.1",                           // push
    "Z9.4 2 4.2 9 7.8 9 6.6 14 11.8 7 8.2 7",                                   // throw
    "L8 2.2 8 9.6L4.9 5.3 8 2.2 11.1 5.3L2.8 9 2.8 13.2 13.2 13.2 13.2 9",      // export
    "Z4 2.4 9.4 2.4 12.4 5.4 12.4 13.6 4 13.6L9.2 2.6 9.2 5.6 12.2 5.6",        // file
    "Z2 12.8 2 3.2 6.4 3.2 8 5.2 14 5.2 14 12.8",                               // folder
    "L2.8 5.8 2.8 2.8 5.8 2.8L10.2 2.8 13.2 2.8 13.2 5.8"                       // fit
    "L13.2 10.2 13.2 13.2 10.2 13.2L5.8 13.2 2.8 13.2 2.8 10.2",
    "L13.2 3 13.2 13L7 4.8 10.2 8 7 11.2L2.8 4.8 6 8 2.8 11.2",                  // follow
    "L8 3 8 13L3 8 13 8",                                                        // plus
    "L2.8 4 13.2 4L2.8 8 13.2 8L2.8 12 13.2 12",                                 // rows
    "F2.8 2.8 13.2 13.2 1.5L5.4 3 5.4 6.4 10.6 6.4 10.6 3L5.4 13 5.4 9.6 10.6 "  // save
    "9.6 10.6 13",
    "F5.6 5.6 13.2 13.2 1.5L3.2 10.4 2.8 10.4 2.8 2.8 10.4 2.8 10.4 3.2",  // copy
    "L2.4 11.6 13.4 11.6L5 11.4 8.6 4.6 13.4 4.6D5 11.6 2",                // branch
    "C8 8 6D8 8 3.4",                                                      // record
    "L3.4 13 3.4 8.6L8 13 8 3L12.6 13 12.6 6.2",                           // jobs
};

// Draws what a letter says of its numbers.
class Pen {
 public:
  Pen(ImDrawList* draw, float cx, float cy, float unit, float thickness, ImU32 color)
      : draw_(draw), cx_(cx), cy_(cy), unit_(unit), thickness_(thickness), color_(color) {}

  void Draw(char letter, const std::vector<float>& n) const {
    const auto at = [&](std::size_t i) { return At(n[i], n[i + 1]); };
    switch (letter) {
      case 'C':
        return draw_->AddCircle(at(0), n[2] * unit_, color_, 28, thickness_);
      case 'D':
        return draw_->AddCircleFilled(at(0), n[2] * unit_, color_, 16);
      case 'T':
        return draw_->AddTriangleFilled(at(0), at(2), at(4), color_);
      case 'B':
        return draw_->AddRectFilled(at(0), at(2), color_, n[4] * unit_);
      case 'F':
        return draw_->AddRect(at(0), at(2), color_, n[4] * unit_, thickness_);
      case 'A':
        return draw_->PathArcTo(at(0), n[2] * unit_, n[3], n[4], 28);
      case 'Q':
        return draw_->PathBezierCubicCurveTo(at(0), at(2), at(4));
      default:
        for (std::size_t i = 0; i < n.size(); i += 2) draw_->PathLineTo(at(i));
        if (letter == 'P') return;
        const bool is_closed = letter == 'Z' || letter == 'O';
        draw_->PathStroke(color_, thickness_, is_closed ? ImDrawFlags_Closed : ImDrawFlags_None);
    }
  }

 private:
  ImVec2 At(float x, float y) const { return {cx_ + (x - 8) * unit_, cy_ + (y - 8) * unit_}; }

  ImDrawList* draw_;
  float cx_, cy_, unit_, thickness_;
  ImU32 color_;
};

}  // namespace

void DrawIcon(const Ui& ui, Icon icon, float cx, float cy, Ink ink, float size) {
  const float unit = ui.px(size) / 16.0f;
  const float weight = size < 14 ? 1.65f : 1.5f;  // small icons would look thin
  const Pen pen(ImGui::GetWindowDrawList(), cx, cy, unit, std::fmax(1.0f, weight * unit),
                ToImU32(ink.color, ink.alpha));
  const std::string_view text = kIcons[static_cast<std::size_t>(icon)];
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    const char letter = *at++;
    std::vector<float> numbers;
    for (float number = 0; at != end && (*at < 'A' || *at > 'Z');) {
      if (*at == ' ') ++at;
      at = std::from_chars(at, end, number).ptr;
      numbers.push_back(number);
    }
    pen.Draw(letter, numbers);
  }
}

}  // namespace civita
