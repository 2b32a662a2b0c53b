#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/window/plot/painter.h"

namespace civita {
namespace {

constexpr float kDragThreshold = 4;
constexpr int kAreaButtons = ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight;

}  // namespace

PlotEvents PlotPainter::HandleMouse() {
  PlotEvents events;
  limits_ = state_.limits_;  // of the frame that the user saw
  SetMapping();
  ImGui::SetCursorScreenPos(area_.min());
  ImGui::InvisibleButton("area", ImVec2(area_.w, area_.h), kAreaButtons);
  hovered_ = events.hovered = ImGui::IsItemHovered();
  if (hovered_) {
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    HandleWheel();
  }
  HandleDrag(&events);
  HandleClick(&events);
  if (hovered_) axis_.SetCursorShare(CursorShare(area_, ImGui::GetIO().MousePos.x));
  return events;
}

void PlotPainter::HandleWheel() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0) return;
  const double factor = std::pow(0.85, static_cast<double>(io.MouseWheel));
  if (io.KeyCtrl || io.KeyShift) {
    const double unit = (area_.bottom() - io.MousePos.y) / area_.h;
    ZoomValues(factor, limits_.lo + (limits_.hi - limits_.lo) * unit);
  } else {
    axis_.Zoom(factor, mapping_.TimeAt(io.MousePos.x));
  }
}

// `at` in axis units: the exponent on a logarithmic axis.
void PlotPainter::ZoomValues(double factor, double at) {
  AxisLimits zoomed{at + (limits_.lo - at) * factor, at + (limits_.hi - at) * factor, 1};
  const double size = std::max(std::abs(zoomed.lo), std::abs(zoomed.hi));
  if (!(zoomed.hi - zoomed.lo > 1e-9 * size) || size > 1e30) return;
  zoomed.step = NiceStep(zoomed.hi - zoomed.lo, std::clamp(std::floor(max_steps()), 2.0, 7.0));
  state_.limits_ = zoomed;
  state_.manual_ = state_.has_limits_ = true;
}

void PlotPainter::HandleDrag(PlotEvents* events) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsItemActive()) state_.selecting_ = false;
  if (!ImGui::IsItemActive() || state_.boxing_) return;
  if (ImGui::IsMouseDragging(ImGuiMouseButton_Right, ui_.px(kDragThreshold))) {
    state_.boxing_ = true;
    state_.box_start_ = io.MouseClickedPos[ImGuiMouseButton_Right];
  } else if (state_.selecting_ || (io.KeyShift && ImGui::IsMouseDragging(ImGuiMouseButton_Left,
                                                                         ui_.px(kDragThreshold)))) {
    if (!state_.selecting_) {
      state_.select_from_ = mapping_.TimeAt(io.MouseClickedPos[ImGuiMouseButton_Left].x);
    }
    state_.selecting_ = events->selected = true;
    const double to = mapping_.TimeAt(std::clamp(io.MousePos.x, area_.x, area_.right()));
    events->selected_from = std::min(state_.select_from_, to);
    events->selected_to = std::max(state_.select_from_, to);
  } else if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, ui_.px(kDragThreshold))) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    axis_.Pan(-io.MouseDelta.x / area_.w * axis_.length());
    if (state_.manual_) {
      const double shift = io.MouseDelta.y / area_.h * (limits_.hi - limits_.lo);
      state_.limits_.lo += shift;
      state_.limits_.hi += shift;
    }
  }
}

void PlotPainter::HandleClick(PlotEvents* events) {
  const ImGuiIO& io = ImGui::GetIO();
  if (hovered_ && !io.KeyShift && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    events->double_clicked = true;
    if (state_.manual_) {
      state_.FitValues();
    } else {
      axis_.Fit();
    }
  } else if (ImGui::IsItemDeactivated() && hovered_ && io.MouseReleased[ImGuiMouseButton_Left] &&
             io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] <
                 ui_.px(kDragThreshold) * ui_.px(kDragThreshold) &&
             (io.KeyShift || io.MouseClickedLastCount[ImGuiMouseButton_Left] < 2)) {
    (io.KeyShift ? events->selected : events->clicked) = true;
    events->clicked_time = mapping_.TimeAt(io.MousePos.x);
  }
}

void PlotPainter::DrawSelected() {
  if (!(spec_.selected_to > spec_.selected_from)) return;
  const float left = std::clamp(mapping_.X(spec_.selected_from), area_.x, area_.right());
  const float right = std::clamp(mapping_.X(spec_.selected_to), area_.x, area_.right());
  FillRect(ui_, {left, area_.y, right - left, area_.h}, {theme_.accent, 0.16f});
}

// Draws the zoom box during the drag, and zooms when the button is released.
void PlotPainter::HandleBox() {
  if (!state_.boxing_) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto inside = [this](ImVec2 p) {
    return ImVec2(std::clamp(p.x, area_.x, area_.right()),
                  std::clamp(p.y, area_.y, area_.bottom()));
  };
  const ImVec2 a = inside(state_.box_start_), b = inside(pointer);
  const Rect box{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(b.x - a.x), std::abs(b.y - a.y)};
  if (ImGui::IsMouseDown(ImGuiMouseButton_Right)) {
    FillRect(ui_, box, {theme_.accent, theme_.tint_alpha});
    StrokeRect(ui_, box, theme_.accent);
    return;
  }
  state_.boxing_ = false;
  if (box.w < ui_.px(kDragThreshold)) return;
  const double unit_lo = (area_.bottom() - box.bottom()) / area_.h;
  const double unit_hi = (area_.bottom() - box.y) / area_.h;
  axis_.Show(mapping_.TimeAt(box.x), mapping_.TimeAt(box.right()));
  if (box.h < ui_.px(kDragThreshold) * 2) return;  // a flat box zooms only the time
  const double height = unit_hi - unit_lo;
  if (height < 1)
    ZoomValues(height, limits_.lo + (limits_.hi - limits_.lo) * unit_lo / (1 - height));
}

}  // namespace civita
