#include "civita/study/model/load_model.h"

#include <mujoco/mujoco.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/read_file.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/scenes/plant/urdf_model.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/config.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/sim/output_file.h"

namespace civita {
namespace {

std::string NameOf(const mjsBody* body) { return mjs_getString(mjs_getName(body->element)); }

[[noreturn]] void RefuseFreeBase(const std::string& why, const OptionNames& called) {
  throw UserError(called("base") + " free: " + why);
}

/// The body attached to the world that carries all moving bodies.
mjsBody* FindBase(mjSpec* spec, const OptionNames& called) {
  mjsBody* world = mjs_findBody(spec, "world");
  std::vector<mjsBody*> bodies, moving;
  for (mjsElement* e = mjs_firstChild(world, mjOBJ_BODY, 0); e != nullptr;
       e = mjs_nextChild(world, e, 0)) {
    bodies.push_back(mjs_asBody(e));
    if (mjs_firstChild(bodies.back(), mjOBJ_JOINT, 1) != nullptr) moving.push_back(bodies.back());
  }
  if (moving.empty()) moving = bodies;
  if (moving.empty()) RefuseFreeBase("the model has no body", called);
  if (moving.size() > 1) {
    std::vector<std::string> names;
    names.reserve(moving.size());
    for (const mjsBody* body : moving) names.push_back("'" + NameOf(body) + "'");
    RefuseFreeBase("more than one body hangs on the world: " + internal::List(names), called);
  }
  return moving.front();
}

void FreeBase(mjSpec* spec, const OptionNames& called) {
  mjsBody* base = FindBase(spec, called);
  if (mjsElement* e = mjs_firstChild(base, mjOBJ_JOINT, 0)) {
    const bool free = mjs_asJoint(e)->type == mjJNT_FREE;
    RefuseFreeBase("body '" + NameOf(base) + "' is not fixed in the world, its joint '" +
                       mjs_getString(mjs_getName(e)) + "' " +
                       (free ? "is free already" : "moves it"),
                   called);
  }
  mjsJoint* joint = mjs_addFreeJoint(base);
  joint->align = mjALIGNFREE_FALSE;
  mjs_setName(joint->element, "root_joint");
  // Keyframes have nq numbers each and no longer fit.
  for (mjsElement* key : internal::ElementsOf(spec, mjOBJ_KEY)) mjs_delete(spec, key);
}

}  // namespace

LoadedModel LoadModel(const std::string& file, const LoadOptions& options) {
  const OptionNames& called = options.called;
  const std::string extension = std::filesystem::path(file).extension().string();
  std::error_code ignored;
  if (extension == ".json") {
    LoadedModel read = ReadModelJson(internal::ReadText(file), file);
    if (options.free_base)
      RefuseFreeBase("a model in JSON has the base that it was saved with", called);
    if (!options.loops) read.loops = {};
    return read;
  }
  if ((extension == ".yaml" || extension == ".yml") &&
      std::filesystem::is_regular_file(file, ignored)) {
    if (const std::optional<poe::Robot> robot = ReadPoeFile(file)) {
      if (options.free_base)
        RefuseFreeBase("a product of exponentials stands in its space frame", called);
      return {robot->model(), {}, {}};
    }
  }
  const SceneConfig config = ReadConfig(file);
  std::vector<std::string> notices = config.notices;
  if (extension == ".urdf") {
    if (auto read = LoadUrdfModel(config.model, options.free_base, &notices)) {
      TellSize(read->model, &notices);
      if (!options.loops) read->loops = {};
      return {read->model, std::move(notices), std::move(read->loops)};
    }
  }
  const SpecEdit edit = [&](mjSpec* spec, bool /*urdf*/) {
    if (options.free_base) FreeBase(spec, called);
  };
  MjModelPtr m;
  try {
    m = CompileModel(config, false, edit, &notices);
  } catch (const KeyError& error) {
    throw UserError(config.Where(error.key()) + ": " + error.what());
  }
  try {
    Model model = BuildModel(*m);
    TellSize(model, &notices);
    Constraints loops;
    if (options.loops) loops = ReadConstraints(*m, model);
    return {model, std::move(notices), std::move(loops)};
  } catch (const UserError& error) {
    throw UserError(config.model.string() + ": " + error.what());
  }
}

void SaveModelJson(const std::filesystem::path& file, const Model& model,
                   const Constraints& loops) {
  if (file.extension() != ".json")
    throw UserError(file.string() + ": the name of a model's file must end with .json");
  WriteWhole(file, WriteModelJson(model, loops), OutputFile::Kind::kNamed);
}

}  // namespace civita
