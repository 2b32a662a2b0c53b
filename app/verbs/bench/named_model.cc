#include "app/verbs/bench/named_model.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/verbs/bench/bench_models.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "civita/study/evaluate/eval_model.h"

namespace civita {

NamedModel FindModel(const std::string& name) {
  if (const std::optional<BenchModel> made = MakeBenchModel(name))
    return {name, Build(*made), true};
  std::vector<std::string> scenes;
  for (const SceneInfo& scene : Scenes()) scenes.emplace_back(scene.name);
  const bool known = std::ranges::find(scenes, name) != scenes.end();
  std::error_code ignored;
  if (!known && !std::filesystem::exists(name, ignored)) {
    throw UserError("--models: unknown model '" + name +
                    "'; valid: chainN, treeN, bipedN, quadrupedN with N from 1 to " +
                    std::to_string(kLargestBenchModel) + ", a scene (" + internal::List(scenes) +
                    "), an MJCF or a URDF file");
  }
  return {name, LoadEvalModel(name, false, false).model, false};
}

}  // namespace civita
