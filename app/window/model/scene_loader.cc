#include "app/window/model/scene_loader.h"

#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <utility>

#include "base/number_text.h"
#include "civita/error.h"
#include "civita/sim/run_json.h"

namespace civita {

LoadedScenes LoadScenes(const std::string& name_or_path,
                        const std::vector<std::string>& overrides) {
  if (IsRunFolder(name_or_path)) return LoadRecording(name_or_path);
  return {LoadScene(ReadConfig(name_or_path, overrides)), nullptr};
}

namespace {

/// Leaves out of the run that began earlier what the other one lacks, with a notice.
void DropAlone(RunRecord* earlier, const RunRecord& later, std::vector<std::string>* notices) {
  const auto times = [](const RunRecord& run) {
    return run.directory().string() + ", " + internal::ExactNumber(run.t(0)) + " to " +
           internal::ExactNumber(run.t(run.size() - 1)) + " s, ";
  };
  const std::string both = times(*earlier) + "beside " + times(later);
  if (later.t(0) > earlier->t(earlier->size() - 1)) throw UserError(both + "has no time in common");
  earlier->DropBefore(later.t(0));
  notices->push_back(both + "is shown from where both are");
}

}  // namespace

LoadedScenes LoadReplay(const std::string& directory, const std::string& other) {
  LoadedScenes loaded;
  loaded.record = std::make_unique<RunRecord>(directory);
  loaded.scene = LoadScene(loaded.record->config());
  try {
    const auto events = ReadEvents(directory, ReadRunJson(directory));
    if (events) loaded.events = *events;
  } catch (const UserError& error) {
    loaded.scene->notices.emplace_back(error.what());
  }
  if (other.empty()) return loaded;
  LoadedScenes second = LoadReplay(other);
  const auto spacing = [](const RunRecord& run) {
    return run.size() > 1 ? run.t(1) - run.t(0) : 0;
  };
  if (loaded.scene->velocity_names != second.scene->velocity_names) {
    throw UserError(other + ": another robot than that of the run in " + directory);
  }
  if (std::abs(spacing(*loaded.record) - spacing(*second.record)) > 1e-9) {
    throw UserError(other + ": rows at another rate than those of the run in " + directory);
  }
  loaded.other = std::move(second.scene);
  loaded.other_record = std::move(second.record);
  for (InputEvent& event : second.events) {
    event.what = "B: " + event.what;
    loaded.events.push_back(std::move(event));
  }
  RunRecord &a = *loaded.record, &b = *loaded.other_record;
  if (a.t(0) < b.t(0)) DropAlone(&a, b, &loaded.scene->notices);
  if (b.t(0) < a.t(0)) DropAlone(&b, a, &loaded.scene->notices);
  return loaded;
}

LoadedScenes LoadRecording(const std::string& directory) {
  const std::filesystem::path second = std::filesystem::path(directory) / kSecondRun;
  return LoadReplay(directory, IsRunFolder(second) ? second.string() : "");
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
