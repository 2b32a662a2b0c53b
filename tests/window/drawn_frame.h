// What a frame draws, read from its triangles: filled shapes, and letters.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/window/widgets/draw.h"

namespace civita {

// A shape that a frame fills by a fan of triangles around its first corner, or a picture.
struct DrawnShape {
  std::vector<ImVec2> corners;
  ImU32 color = 0;
  ImVec4 clip;
  bool is_picture = false;

  bool Contains(ImVec2 p) const;
};

struct DrawnLetter {
  Rect place;
  ImU32 color = 0;
  std::size_t shapes = 0;  // drawn before it
};

// All shapes and letters in the order in which they are drawn, after ImGui::Render. Lines have no
// textures (AntiAliasedLinesUseTex).
struct DrawnFrame {
  DrawnFrame() {
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawCmd& command : list->CmdBuffer) {
        if (command.UserCallback == nullptr) Read(*list, command);
      }
    }
  }

  std::vector<DrawnShape> shapes;
  std::vector<DrawnLetter> letters;

 private:
  void Read(const ImDrawList& list, const ImDrawCmd& command);
};

inline float Cross(ImVec2 a, ImVec2 b, ImVec2 p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

inline bool IsWithin(const ImVec4& clip, ImVec2 p) {
  return p.x >= clip.x && p.x < clip.z && p.y >= clip.y && p.y < clip.w;
}

inline bool DrawnShape::Contains(ImVec2 p) const {
  if (!IsWithin(clip, p)) return false;
  const ImVec2 a = corners[0];
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const ImVec2 b = corners[i], c = corners[i + 1];
    const std::array<float, 3> sides = {Cross(a, b, p), Cross(b, c, p), Cross(c, a, p)};
    const auto [least, greatest] = std::ranges::minmax(sides);
    if ((least >= 0 || greatest <= 0) && least != greatest) return true;
  }
  return false;
}

// Lines and marks: what is no ground for text. Its thickness is that of a rectangle.
inline bool IsThin(const std::vector<ImVec2>& corners) {
  constexpr float kThin = 5;  // pixels
  float area = 0, extent = 0;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    area += 0.5f * std::abs(Cross(corners[0], corners[i], corners[i + 1]));
  }
  for (const ImVec2& a : corners) {
    for (const ImVec2& b : {corners[0], corners[corners.size() / 2]}) {
      extent = std::max(extent, std::hypot(a.x - b.x, a.y - b.y));
    }
  }
  return area < kThin * extent;
}

inline void DrawnFrame::Read(const ImDrawList& list, const ImDrawCmd& command) {
  const ImDrawIdx* index = &list.IdxBuffer[static_cast<int>(command.IdxOffset)];
  const auto vertex = [&](unsigned i) -> const ImDrawVert& {
    return list.VtxBuffer[static_cast<int>(command.VtxOffset + index[i])];
  };
  const bool is_picture = command.TexRef._TexData == nullptr;
  const ImVec2 white = list._Data->TexUvWhitePixel;
  for (unsigned i = 0; i + 2 < command.ElemCount;) {
    // A fan of triangles around one vertex.
    unsigned end = i + 3;
    while (end + 2 < command.ElemCount && index[end] == index[i] &&
           index[end + 1] == index[end - 1]) {
      end += 3;
    }
    const ImDrawVert& first = vertex(i);
    std::vector<ImVec2> corners = {first.pos};
    for (unsigned k = i; k < end; k += 3) corners.push_back(vertex(k + 1).pos);
    corners.push_back(vertex(end - 1).pos);
    const bool is_letter = !is_picture && (first.uv.x != white.x || first.uv.y != white.y);
    if (is_letter) {
      const ImVec2 from = corners[0], to = corners[2];
      const Rect place{from.x, from.y, to.x - from.x, to.y - from.y};
      if (IsWithin(command.ClipRect, {place.middle_x(), place.middle_y()})) {
        letters.push_back({place, first.col, shapes.size()});
      }
    } else if (!IsThin(corners)) {
      shapes.push_back({std::move(corners), first.col, command.ClipRect, is_picture});
    }
    i = end;
  }
}

}  // namespace civita
