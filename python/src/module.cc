#include <nanobind/nanobind.h>

#include <string_view>

#include "civita/build_info.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"
#include "python/src/bind_study.h"

NB_MODULE(_civita, module) {
  using namespace civita::python;
  const auto text = [](std::string_view of) { return nanobind::str(of.data(), of.size()); };
  module.attr("__version__") = text(civita::kVersion);
  module.attr("git_describe") = text(civita::kGitDescribe);
  module.attr("mujoco_version") = text(civita::kMujocoVersion);
  ImportNumpy();
  BindErrors();
  BindProgram(module);
  BindModel(module);
  BindBuilder(module);
  BindDynamics(module);
  BindEvaluate(module);
  BindStudy(module);
  BindRun(module);
  BindLaw(module);
  BindCompare(module);
  BindPoe(module);
  BindTiming(module);
}
