#include <filesystem>
#include <optional>
#include <span>

#include "app/window/render/gl_objects.h"
#include "app/window/render/video.h"
#include "app/window/run_in_window.h"
#include "app/window/scene_pictures.h"

namespace civita {
namespace {

constexpr int kWidth = 1280, kHeight = 720;

class SceneFilm : public RunFilm {
 public:
  SceneFilm(const RunOptions& options, const Simulation& simulation)
      : pictures_(simulation, options.light_theme ? kLightTheme : kDarkTheme,
                  options.width > 0 ? options.width : kWidth,
                  options.height > 0 ? options.height : kHeight),
        stem_(std::filesystem::path(options.video).replace_extension()) {
    pictures_.Show(simulation.time(), PositionOf(simulation));
  }

  void Follow(const Simulation& simulation) override {
    const double t = simulation.time();
    // Not earlier, so that bad input elsewhere leaves no file.
    if (!video_) video_.emplace(stem_, pictures_.view().width(), pictures_.view().height());
    if (video_->IsDue(t)) {
      video_->Add(pictures_.Draw(t, PositionOf(simulation), false), t);
    } else if (pictures_.IsDue(t)) {
      pictures_.Show(t, PositionOf(simulation));
    }
  }

  std::string Finish() override {
    if (!video_) return {};
    video_->Finish();
    return video_->path().string();
  }

 private:
  static std::span<const double> PositionOf(const Simulation& simulation) {
    return {simulation.data()->qpos, static_cast<std::size_t>(simulation.mj()->nq)};
  }

  OffscreenContext context_;  // current while the pictures live
  ScenePictures pictures_;
  std::filesystem::path stem_;
  std::optional<Video> video_;
};

}  // namespace

std::unique_ptr<RunFilm> MakeSceneFilm(const RunOptions& options, const Simulation& simulation) {
  return std::make_unique<SceneFilm>(options, simulation);
}

}  // namespace civita
