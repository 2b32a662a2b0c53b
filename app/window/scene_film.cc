#include <filesystem>
#include <optional>
#include <span>

#include "app/window/model/mark_arrows.h"
#include "app/window/render/gl_objects.h"
#include "app/window/render/reference_preview.h"
#include "app/window/render/video.h"
#include "app/window/render/view3d.h"
#include "app/window/run_in_window.h"

namespace civita {
namespace {

constexpr int kWidth = 1280, kHeight = 720;
constexpr int kPasses = 4;  // of each picture

RenderQuality Quality() {
  RenderQuality quality = RenderQuality::ForRenderer(IsSoftwareRenderer());
  quality.moving_passes = 1;
  quality.still_passes = kPasses;
  return quality;
}

class SceneFilm : public RunFilm {
 public:
  SceneFilm(const RunOptions& options, const Simulation& simulation)
      : view_(*simulation.mj(), options.light_theme ? kLightTheme : kDarkTheme, Quality()),
        reference_(simulation.scene()),
        stem_(std::filesystem::path(options.video).replace_extension()) {
    view_.Resize(options.width > 0 ? options.width : kWidth,
                 options.height > 0 ? options.height : kHeight);
    reference_.ShowMotion(&view_);
    Show(simulation);
  }

  void Follow(const Simulation& simulation) override {
    const double t = simulation.time();
    // Not earlier, so that bad input elsewhere leaves no file.
    if (!video_) video_.emplace(stem_, view_.width(), view_.height());
    const bool is_due = video_->IsDue(t);
    if (!is_due && t - shown_t_ < Trail::kStep) return;  // in between the trail's points
    Show(simulation);
    if (!is_due) return;
    if (!simulation.scene().legs) view_.SetReferencePath(reference_.PathFrom(t, &view_));
    std::optional<PushArrow> arrow;
    for (const Push& push : simulation.scene().pushes) {
      if (const auto found = FindPushArrow(push, t, view_.data())) arrow = found;
    }
    view_.SetPush(arrow);
    view_.RenderStill();
    video_->Add(view_.Snapshot(), t);
  }

  std::string Finish() override {
    if (!video_) return {};
    video_->Finish();
    return video_->path().string();
  }

 private:
  void Show(const Simulation& simulation) {
    const mjModel& m = *simulation.mj();
    const mjData& d = *simulation.data();
    shown_t_ = simulation.time();
    view_.SetState(shown_t_, std::span(d.qpos, static_cast<std::size_t>(m.nq)),
                   std::span(d.qvel, static_cast<std::size_t>(m.nv)));
  }

  OffscreenContext context_;  // current while the view lives
  View3d view_;
  ReferencePreview reference_;
  std::filesystem::path stem_;
  std::optional<Video> video_;
  double shown_t_ = 0;
};

}  // namespace

std::unique_ptr<RunFilm> MakeSceneFilm(const RunOptions& options, const Simulation& simulation) {
  return std::make_unique<SceneFilm>(options, simulation);
}

}  // namespace civita
