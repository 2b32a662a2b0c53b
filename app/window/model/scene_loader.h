#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/sim/input_event.h"
#include "civita/sim/run_record.h"

namespace civita {

/// A scene, and a second one to compare it with; null if there is none.
struct LoadedScenes {
  std::unique_ptr<Scene> scene, other;
  std::unique_ptr<RunRecord> record = nullptr, other_record = nullptr;  ///< of a replay
  std::vector<InputEvent> events = {};  ///< what was changed by hand while it was recorded
  std::string opened = {};  ///< the name or path that the window then has; empty: as before
  std::vector<std::string> overrides = {};  ///< with `opened`
};

/// A scene by name, a file, or the folder of a run, which is then replayed. @throws UserError.
LoadedScenes LoadScenes(const std::string& name_or_path,
                        const std::vector<std::string>& overrides = {});
/// The run of a folder, and one of another side by side, from where both have begun. @throws
/// UserError unless their robots and rates are the same and they have time in common.
LoadedScenes LoadReplay(const std::string& directory, const std::string& other = "");
/// Likewise, with both runs of a recorded comparison.
LoadedScenes LoadRecording(const std::string& directory);

/// Builds a scene on its own thread, so that the present one keeps running and the window
/// responsive. One at a time: a later request waits for the earlier one and replaces it.
class SceneLoader {
 public:
  using Build = std::function<LoadedScenes()>;

  struct Result {
    LoadedScenes scenes;  ///< scene null when it failed
    std::string title;    ///< as given to Start
    std::string error;    ///< one line
  };

  /// Starts building; `title` is shown meanwhile.
  void Start(std::string title, Build build);

  bool is_loading() const { return future_.valid(); }
  const std::string& title() const { return title_; }

  /// The finished scene or its error, once; nullopt while it is being built.
  std::optional<Result> Poll();

 private:
  struct Request {
    std::string title;
    Build build;
  };

  void Launch(Request request);

  std::string title_;
  std::future<Result> future_;
  std::optional<Request> waiting_;
};

}  // namespace civita
