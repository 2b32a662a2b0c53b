#include "app/window/scene_loader.h"

#include <chrono>
#include <exception>
#include <utility>

namespace civita {

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
