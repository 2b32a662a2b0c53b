#include <cmath>
#include <initializer_list>
#include <numbers>

#include "app/window/widgets/draw.h"

namespace civita {
namespace {

// Strokes on a 16 × 16 box, y down, with (8, 8) at its centre.
class Pen {
 public:
  Pen(ImDrawList* draw, float cx, float cy, float unit, float thickness, ImU32 color)
      : draw_(draw), cx_(cx), cy_(cy), unit_(unit), thickness_(thickness), color_(color) {}

  void Line(std::initializer_list<ImVec2> points, bool closed = false) const {
    for (const ImVec2& p : points) draw_->PathLineTo(At(p));
    Stroke(closed);
  }
  void Circle(ImVec2 center, float radius) const {
    draw_->AddCircle(At(center), radius * unit_, color_, 28, thickness_);
  }
  void Disc(ImVec2 center, float radius) const {
    draw_->AddCircleFilled(At(center), radius * unit_, color_, 16);
  }
  void Triangle(ImVec2 a, ImVec2 b, ImVec2 c) const {
    draw_->AddTriangleFilled(At(a), At(b), At(c), color_);
  }
  void Bar(ImVec2 min, ImVec2 max, float radius) const {
    draw_->AddRectFilled(At(min), At(max), color_, radius * unit_);
  }
  void Frame(ImVec2 min, ImVec2 max, float radius) const {
    draw_->AddRect(At(min), At(max), color_, radius * unit_, thickness_);
  }
  void ArcTo(ImVec2 center, float radius, float from, float to) const {
    draw_->PathArcTo(At(center), radius * unit_, from, to, 28);
  }
  void MoveTo(ImVec2 p) const { draw_->PathLineTo(At(p)); }
  void CurveTo(ImVec2 a, ImVec2 b, ImVec2 end) const {
    draw_->PathBezierCubicCurveTo(At(a), At(b), At(end));
  }
  void Stroke(bool closed = false) const {
    draw_->PathStroke(color_, thickness_, closed ? ImDrawFlags_Closed : ImDrawFlags_None);
  }

 private:
  ImVec2 At(ImVec2 p) const { return ImVec2(cx_ + (p.x - 8) * unit_, cy_ + (p.y - 8) * unit_); }

  ImDrawList* draw_;
  float cx_, cy_, unit_, thickness_;
  ImU32 color_;
};

void DrawUndo(const Pen& pen, bool mirrored) {
  const auto at = [mirrored](float x, float y) { return ImVec2(mirrored ? 16 - x : x, y); };
  pen.MoveTo(at(4, 13));
  pen.MoveTo(at(9.5f, 13));
  pen.CurveTo(at(14.6f, 13), at(14.6f, 5.6f), at(9.5f, 5.6f));
  pen.MoveTo(at(3.5f, 5.6f));
  pen.Stroke();
  pen.Line({at(6.3f, 2.7f), at(3.2f, 5.6f), at(6.3f, 8.5f)});
}

void DrawSun(const Pen& pen) {
  pen.Circle({8, 8}, 2.8f);
  for (int i = 0; i < 8; ++i) {
    const float angle = static_cast<float>(i) * std::numbers::pi_v<float> / 4;
    const float c = std::cos(angle), s = std::sin(angle);
    pen.Line({{8 + 4.9f * c, 8 + 4.9f * s}, {8 + 6.6f * c, 8 + 6.6f * s}});
  }
}

// A disc minus a second disc, up and to the right: two arcs that share their end points.
void DrawMoon(const Pen& pen) {
  pen.ArcTo({8, 8}, 5.6f, 0.150f, 4.562f);
  pen.ArcTo({11, 5}, 4.6f, 3.726f, 0.987f);
  pen.Stroke(true);
}

void DrawHelp(const Pen& pen) {
  pen.Circle({8, 8}, 6);
  pen.MoveTo({6.2f, 6.6f});
  pen.CurveTo({6.2f, 4.0f}, {9.9f, 4.0f}, {9.8f, 6.5f});
  pen.CurveTo({9.7f, 7.7f}, {8, 7.7f}, {8, 9.2f});
  pen.Stroke();
  pen.Disc({8, 11.3f}, 0.95f);
}

void DrawCamera(const Pen& pen) {
  pen.Frame({2, 4.5f}, {14, 13}, 2);
  pen.Circle({8, 8.7f}, 2.4f);
  pen.Line({{5.6f, 4.4f}, {6.6f, 2.8f}, {9.4f, 2.8f}, {10.4f, 4.4f}});
}

void DrawTransport(const Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::kPlay:
      pen.Triangle({4.5f, 2.5f}, {13.5f, 8}, {4.5f, 13.5f});
      break;
    case Icon::kPause:
      pen.Bar({4, 3}, {6.6f, 13}, 1);
      pen.Bar({9.4f, 3}, {12, 13}, 1);
      break;
    case Icon::kStep:
      pen.Triangle({3.5f, 3.2f}, {10.5f, 8}, {3.5f, 12.8f});
      pen.Bar({11, 3.2f}, {13, 12.8f}, 0.5f);
      break;
    case Icon::kStepBack:
      pen.Triangle({12.5f, 3.2f}, {12.5f, 12.8f}, {5.5f, 8});
      pen.Bar({3, 3.2f}, {5, 12.8f}, 0.5f);
      break;
    default:  // kReset
      pen.ArcTo({8, 8.3f}, 5.2f, -2.2f, 3.4f);
      pen.Stroke();
      pen.Line({{2.6f, 3.0f}, {4.7f, 4.3f}, {5.4f, 1.9f}});
      break;
  }
}

void DrawMark(const Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::kPlus:
      pen.Line({{8, 3}, {8, 13}});
      return pen.Line({{3, 8}, {13, 8}});
    case Icon::kRows:
      pen.Line({{2.8f, 4}, {13.2f, 4}});
      pen.Line({{2.8f, 8}, {13.2f, 8}});
      return pen.Line({{2.8f, 12}, {13.2f, 12}});
    case Icon::kSave:
      pen.Frame({2.8f, 2.8f}, {13.2f, 13.2f}, 1.5f);
      pen.Line({{5.4f, 3}, {5.4f, 6.4f}, {10.6f, 6.4f}, {10.6f, 3}});
      return pen.Line({{5.4f, 13}, {5.4f, 9.6f}, {10.6f, 9.6f}, {10.6f, 13}});
    case Icon::kCopy:
      pen.Frame({5.6f, 5.6f}, {13.2f, 13.2f}, 1.5f);
      return pen.Line({{3.2f, 10.4f}, {2.8f, 10.4f}, {2.8f, 2.8f}, {10.4f, 2.8f}, {10.4f, 3.2f}});
    case Icon::kBranch:
      pen.Line({{2.4f, 11.6f}, {13.4f, 11.6f}});
      pen.Line({{5, 11.4f}, {8.6f, 4.6f}, {13.4f, 4.6f}});
      return pen.Disc({5, 11.6f}, 2);
    case Icon::kRecord:
      pen.Circle({8, 8}, 6);
      return pen.Disc({8, 8}, 3.4f);
    case Icon::kJobs:
      pen.Line({{3.4f, 13}, {3.4f, 8.6f}});
      pen.Line({{8, 13}, {8, 3}});
      return pen.Line({{12.6f, 13}, {12.6f, 6.2f}});
    default:  // kFollow: an arrow towards the newest sample
      pen.Line({{13.2f, 3}, {13.2f, 13}});
      pen.Line({{7, 4.8f}, {10.2f, 8}, {7, 11.2f}});
      return pen.Line({{2.8f, 4.8f}, {6, 8}, {2.8f, 11.2f}});
  }
}

void DrawSimple(const Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::kChevronDown:
      return pen.Line({{4.5f, 6.3f}, {8, 9.9f}, {11.5f, 6.3f}});
    case Icon::kChevronUp:
      return pen.Line({{4.5f, 9.7f}, {8, 6.1f}, {11.5f, 9.7f}});
    case Icon::kClose:
      pen.Line({{4, 4}, {12, 12}});
      return pen.Line({{12, 4}, {4, 12}});
    case Icon::kWarning:
      pen.Line({{8, 2.4f}, {14.4f, 13.4f}, {1.6f, 13.4f}}, true);
      pen.Line({{8, 6.4f}, {8, 9.6f}});
      return pen.Disc({8, 11.5f}, 0.9f);
    case Icon::kCheck:
      return pen.Line({{3, 8.5f}, {6.5f, 12}, {13, 4.5f}});
    case Icon::kSearch:
      pen.Circle({7, 7}, 4.3f);
      return pen.Line({{10.2f, 10.2f}, {13.6f, 13.6f}});
    case Icon::kPush:
      pen.Line({{1.4f, 8}, {7.2f, 8}});
      pen.Line({{4.9f, 5.4f}, {7.5f, 8}, {4.9f, 10.6f}});
      return pen.Circle({11.6f, 8}, 3.1f);
    case Icon::kThrow:
      return pen.Line({{9.4f, 2}, {4.2f, 9}, {7.8f, 9}, {6.6f, 14}, {11.8f, 7}, {8.2f, 7}}, true);
    case Icon::kExport:
      pen.Line({{8, 2.2f}, {8, 9.6f}});
      pen.Line({{4.9f, 5.3f}, {8, 2.2f}, {11.1f, 5.3f}});
      return pen.Line({{2.8f, 9}, {2.8f, 13.2f}, {13.2f, 13.2f}, {13.2f, 9}});
    case Icon::kFile:
      pen.Line({{4, 2.4f}, {9.4f, 2.4f}, {12.4f, 5.4f}, {12.4f, 13.6f}, {4, 13.6f}}, true);
      return pen.Line({{9.2f, 2.6f}, {9.2f, 5.6f}, {12.2f, 5.6f}});
    case Icon::kFolder:
      return pen.Line({{2, 12.8f}, {2, 3.2f}, {6.4f, 3.2f}, {8, 5.2f}, {14, 5.2f}, {14, 12.8f}},
                      true);
    case Icon::kFit:
      pen.Line({{2.8f, 5.8f}, {2.8f, 2.8f}, {5.8f, 2.8f}});
      pen.Line({{10.2f, 2.8f}, {13.2f, 2.8f}, {13.2f, 5.8f}});
      pen.Line({{13.2f, 10.2f}, {13.2f, 13.2f}, {10.2f, 13.2f}});
      return pen.Line({{5.8f, 13.2f}, {2.8f, 13.2f}, {2.8f, 10.2f}});
    default:
      return DrawMark(pen, icon);
  }
}

}  // namespace

void DrawIcon(const Ui& ui, Icon icon, float cx, float cy, Ink ink, float size) {
  const float unit = ui.px(size) / 16.0f;
  const float weight = size < 14 ? 1.65f : 1.5f;  // small icons would look thin
  const Pen pen(ImGui::GetWindowDrawList(), cx, cy, unit, std::fmax(1.0f, weight * unit),
                ToImU32(ink.color, ink.alpha));
  switch (icon) {
    case Icon::kPlay:
    case Icon::kPause:
    case Icon::kStep:
    case Icon::kStepBack:
    case Icon::kReset:
      return DrawTransport(pen, icon);
    case Icon::kCamera:
      return DrawCamera(pen);
    case Icon::kSun:
      return DrawSun(pen);
    case Icon::kMoon:
      return DrawMoon(pen);
    case Icon::kHelp:
      return DrawHelp(pen);
    case Icon::kUndo:
      return DrawUndo(pen, false);
    case Icon::kRedo:
      return DrawUndo(pen, true);
    default:
      return DrawSimple(pen, icon);
  }
}

}  // namespace civita
