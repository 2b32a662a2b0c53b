#include "app/window/plot/stroke.h"

#include <algorithm>
#include <cmath>

namespace civita {
namespace {

// Points drawn by one reservation: far below the 65536 vertices of 16-bit indices.
constexpr size_t kBlock = 2000;
constexpr int kVerticesPerEnd = 4, kIndicesPerSegment = 18;

bool HasRoom(const ImDrawList& draw, int vertices) {
  if (sizeof(ImDrawIdx) > 2 || (draw.Flags & ImDrawListFlags_AllowVtxOffset) != 0) return true;
  return draw._VtxCurrentIdx + static_cast<unsigned>(vertices) < (1u << 16);
}

// Writes a line as a strip of three ribbons: an opaque core between two fringes that fade out.
class StripWriter {
 public:
  StripWriter(ImDrawList* draw, ImU32 color, float thickness)
      : draw_(draw),
        uv_(ImGui::GetFontTexUvWhitePixel()),
        color_(color),
        clear_(color & ~IM_COL32_A_MASK),
        core_(std::max(0.0f, 0.5f * (thickness - 1))),
        fringe_(core_ + 1) {}

  // Four vertices across the line at `p`; (nx, ny) is the direction across.
  void Across(const PlotPoint& p, float nx, float ny) {
    first_ = draw_->_VtxCurrentIdx;
    Vertex(p.x + nx * fringe_, p.y + ny * fringe_, clear_);
    Vertex(p.x + nx * core_, p.y + ny * core_, color_);
    Vertex(p.x - nx * core_, p.y - ny * core_, color_);
    Vertex(p.x - nx * fringe_, p.y - ny * fringe_, clear_);
    vertices_ += kVerticesPerEnd;
  }
  // Connects the four vertices from `start` to the four written last.
  void Join(unsigned start) {
    for (unsigned i = 0; i < 3; ++i) {
      Index(start + i);
      Index(start + i + 1);
      Index(first_ + i + 1);
      Index(start + i);
      Index(first_ + i + 1);
      Index(first_ + i);
    }
    indices_ += kIndicesPerSegment;
  }
  unsigned first() const { return first_; }
  int vertices() const { return vertices_; }
  int indices() const { return indices_; }

 private:
  void Vertex(float x, float y, ImU32 color) { draw_->PrimWriteVtx(ImVec2(x, y), uv_, color); }
  void Index(unsigned index) { draw_->PrimWriteIdx(static_cast<ImDrawIdx>(index)); }

  ImDrawList* draw_;
  ImVec2 uv_;
  ImU32 color_, clear_;
  float core_, fringe_;
  unsigned first_ = 0;
  int vertices_ = 0, indices_ = 0;
};

struct Direction {
  float x, y;
};

Direction DirectionOf(const PlotPoint& a, const PlotPoint& b) {
  const float dx = b.x - a.x, dy = b.y - a.y;
  const float length = std::sqrt(dx * dx + dy * dy);
  return length > 1e-6f ? Direction{dx / length, dy / length} : Direction{1, 0};
}

// Needs at least two finite points, at most kBlock.
void StrokeBlock(ImDrawList* draw, std::span<const PlotPoint> points, ImU32 color,
                 float thickness) {
  const int n = static_cast<int>(points.size());
  const int vertices = 2 * kVerticesPerEnd * n, indices = kIndicesPerSegment * n;
  if (!HasRoom(*draw, vertices)) return;
  draw->PrimReserve(indices, vertices);
  StripWriter strip(draw, color, thickness);
  Direction in = DirectionOf(points[0], points[1]);
  strip.Across(points[0], -in.y, in.x);
  for (size_t i = 1; i < points.size(); ++i) {
    const unsigned start = strip.first();
    const Direction out = i + 1 < points.size() ? DirectionOf(points[i], points[i + 1]) : in;
    const float cosine = in.x * out.x + in.y * out.y;
    if (cosine > 0) {  // up to a right angle: one mitre serves both sides
      const float scale = 1 / (1 + cosine);
      strip.Across(points[i], -(in.y + out.y) * scale, (in.x + out.x) * scale);
      strip.Join(start);
    } else {
      strip.Across(points[i], -in.y, in.x);
      strip.Join(start);
      strip.Across(points[i], -out.y, out.x);
    }
    in = out;
  }
  draw->PrimUnreserve(indices - strip.indices(), vertices - strip.vertices());
}

}  // namespace

void StrokeLine(ImDrawList* draw, std::span<const PlotPoint> points, ImU32 color, float thickness) {
  for (size_t i = 0; i < points.size();) {
    if (!std::isfinite(points[i].y)) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < points.size() && end - i < kBlock && std::isfinite(points[end].y)) ++end;
    if (end - i > 1) {
      StrokeBlock(draw, points.subspan(i, end - i), color, thickness);
    } else if (HasRoom(*draw, 4) && (i == 0 || !std::isfinite(points[i - 1].y))) {
      const ImVec2 p(points[i].x, points[i].y);
      const float r = 0.5f * thickness;
      draw->AddRectFilled(ImVec2(p.x - r, p.y - r), ImVec2(p.x + r, p.y + r), color);
    }
    const bool cut = end < points.size() && end - i == kBlock && std::isfinite(points[end].y);
    i = cut ? end - 1 : end;  // the next block starts where this one ended
  }
}

}  // namespace civita
