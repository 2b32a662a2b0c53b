#pragma once

#include <optional>
#include <span>

#include "app/window/model/mark_arrows.h"
#include "app/window/render/gl_objects.h"
#include "app/window/render/reference_preview.h"
#include "app/window/render/view3d.h"
#include "civita/sim/simulation.h"

namespace civita {

/// Pictures of the states of a scene, as the window's 3-D view shows them. Needs a current OpenGL
/// context for all but Show.
class ScenePictures {
 public:
  /// Of a whole simulation only the scene counts, which must outlive it.
  ScenePictures(const Simulation& simulation, const Theme& theme, int width, int height)
      : scene_(simulation.scene()),
        view_(*simulation.mj(), theme, Quality()),
        reference_(simulation.scene()) {
    view_.Resize(width, height);
    reference_.ShowMotion(&view_);
  }

  const View3d& view() const { return view_; }

  /// Shows a state, which adds to the trail: time, s, and configuration.
  void Show(double t, std::span<const double> q) {
    shown_t_ = t;
    view_.SetState(t, q);
  }
  /// Whether the trail needs a state at this time.
  bool IsDue(double t) const { return t - shown_t_ >= Trail::kStep; }

  /// The picture of a state; of one pass, with hard edges, if it is to be `fast`.
  Image Draw(double t, std::span<const double> q, bool fast) {
    Show(t, q);
    if (!scene_.legs) view_.SetReferencePath(reference_.PathFrom(t, &view_));
    std::optional<PushArrow> arrow;
    for (const Push& push : scene_.pushes) {
      if (const auto found = FindPushArrow(push, t, view_.data())) arrow = found;
    }
    view_.SetPush(arrow);
    if (fast) {
      view_.Render();
    } else {
      view_.RenderStill();
    }
    return view_.Snapshot();
  }

 private:
  static RenderQuality Quality() {
    constexpr int kPasses = 4;  // of each picture
    RenderQuality quality = RenderQuality::ForRenderer(IsSoftwareRenderer());
    quality.moving_passes = 1;
    quality.still_passes = kPasses;
    return quality;
  }

  const Scene& scene_;
  View3d view_;
  ReferencePreview reference_;
  double shown_t_ = 0;
};

}  // namespace civita
