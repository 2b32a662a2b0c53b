#include "app/window/render/view_input.h"

#include <imgui_internal.h>

namespace civita {
namespace {

constexpr int kButtons = ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                         ImGuiButtonFlags_MouseButtonMiddle;

void HandleDoubleClick(const Rect& frame, View3d* view) {
  const ImGuiIO& io = ImGui::GetIO();
  const double x = (io.MousePos.x - frame.x) / frame.w, y = (io.MousePos.y - frame.y) / frame.h;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    view->SelectAt(x, y);
  } else if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Right)) {
    if (io.KeyCtrl) {
      view->TrackAt(x, y);
    } else {
      view->LookAt(x, y);
    }
  }
}

void HandleDrag(const Rect& frame, View3d* view) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const bool right = ImGui::IsMouseDown(ImGuiMouseButton_Right);
  const bool pressed =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (pressed && io.KeyCtrl) view->StartPerturb(right ? mjPERT_TRANSLATE : mjPERT_ROTATE);
  if (io.MouseDelta.x == 0 && io.MouseDelta.y == 0) return;
  mjtMouse action = mjMOUSE_ZOOM;
  if (right) action = io.KeyShift ? mjMOUSE_MOVE_H : mjMOUSE_MOVE_V;
  if (left && !right) action = io.KeyShift ? mjMOUSE_ROTATE_H : mjMOUSE_ROTATE_V;
  const double dx = io.MouseDelta.x / frame.h, dy = io.MouseDelta.y / frame.h;
  if (view->perturbing()) {
    view->MovePerturb(action, dx, dy);
  } else {
    view->MoveCamera(action, dx, dy);
  }
}

}  // namespace

bool ShowView(const Rect& frame, float rounding, ImDrawFlags corners, View3d* view) {
  if (frame.w < 1 || frame.h < 1) return false;
  view->Resize(static_cast<int>(frame.w), static_cast<int>(frame.h));
  ImGui::SetCursorScreenPos(frame.min());
  ImGui::InvisibleButton("view", ImVec2(frame.w, frame.h), kButtons);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    if (ImGui::GetIO().MouseWheel != 0) view->ZoomCamera(ImGui::GetIO().MouseWheel);
    HandleDoubleClick(frame, view);
  }
  if (ImGui::IsItemActive()) {
    HandleDrag(frame, view);
  } else {
    view->StopPerturb();
  }
  ImGui::GetWindowDrawList()->AddImageRounded(ToTextureId(view->texture()), frame.min(),
                                              frame.max(), ImVec2(0, 1), ImVec2(1, 0),
                                              IM_COL32_WHITE, rounding, corners);
  return hovered;
}

}  // namespace civita
