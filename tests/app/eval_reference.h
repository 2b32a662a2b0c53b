#pragma once

#include <nlohmann/json.hpp>

#include "tests/app/eval_shell.h"
#include "tests/oracles/mujoco/mujoco_tree.h"
#include "tests/oracles/reference_model.h"

namespace civita {

/// Writes a reference model to model.xml, and the states of its values to states.json in the
/// coordinate order of `tree`, which is the model in MuJoCo.
inline void WriteReferenceStates(const ReferenceModel& reference, const MujocoTree& tree,
                                 const Shell& shell) {
  nlohmann::ordered_json states = {{"states", nlohmann::ordered_json::array()}};
  for (const ReferenceModel::Values& values : reference.states) {
    states["states"].push_back({{"q", ToList(tree.ToQpos(values.at("q")))},
                                {"v", ToList(tree.ToQvel(values.at("v")))},
                                {"a", ToList(tree.ToQvel(values.at("vdot")))}});
  }
  shell.Write("model.xml", ToMjcf(reference.spec));
  shell.Write("states.json", states.dump());
}

}  // namespace civita
