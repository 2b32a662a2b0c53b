#include "app/window/model/scene_loader.h"

#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "civita/error.h"

namespace civita {

LoadedScenes LoadScenes(const std::string& name_or_path,
                        const std::vector<std::string>& overrides) {
  if (IsRunFolder(name_or_path)) return LoadReplay(name_or_path);
  return {LoadScene(ReadConfig(name_or_path, overrides)), nullptr};
}

LoadedScenes LoadReplay(const std::string& directory, const std::string& other) {
  LoadedScenes loaded;
  loaded.record = std::make_unique<RunRecord>(directory);
  loaded.scene = LoadScene(loaded.record->config());
  if (other.empty()) return loaded;
  LoadedScenes second = LoadReplay(other);
  const auto spacing = [](const RunRecord& run) {
    return run.size() > 1 ? run.t(1) - run.t(0) : 0;
  };
  if (loaded.scene->velocity_names != second.scene->velocity_names ||
      std::abs(spacing(*loaded.record) - spacing(*second.record)) > 1e-9 ||
      loaded.record->t(0) != second.record->t(0)) {
    throw UserError(other + ": another robot, rate or start than the run in " + directory);
  }
  loaded.other = std::move(second.scene);
  loaded.other_record = std::move(second.record);
  return loaded;
}

void SceneLoader::Start(std::string title, Build build) {
  Request request{std::move(title), std::move(build)};
  if (is_loading()) {
    waiting_ = std::move(request);
  } else {
    Launch(std::move(request));
  }
}

void SceneLoader::Launch(Request request) {
  title_ = request.title;
  future_ = std::async(std::launch::async, [request = std::move(request)] {
    Result result;
    result.title = request.title;
    try {
      result.scenes = request.build();
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    return result;
  });
}

std::optional<SceneLoader::Result> SceneLoader::Poll() {
  if (!future_.valid()) return {};
  if (future_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
  Result result = future_.get();
  if (!waiting_) return result;
  Request next = std::move(*waiting_);
  waiting_.reset();
  Launch(std::move(next));
  return {};
}

}  // namespace civita
