#include <mujoco/mujoco.h>
#include <nanobind/nanobind.h>

#include <string_view>

#include "civita/build_info.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/bind_study.h"
#include "python/src/support/arrays.h"

NB_MODULE(_civita, module) {
  namespace python = civita::python;
  const auto text = [](std::string_view of) { return nanobind::str(of.data(), of.size()); };
  module.attr("__version__") = text(civita::kVersion);
  module.attr("git_describe") = text(civita::kGitDescribe);
  module.attr("mujoco_version") = nanobind::str(mj_versionString());
  python::ImportNumpy();
  python::BindErrors(module);
  python::BindProgram(module);
  python::BindModel(module);
  python::BindBuilder(module);
  python::BindDynamics(module);
  python::BindConstraints(module);
  python::BindEvaluate(module);
  python::BindFormulas(module);
  python::BindStudy(module);
  python::BindRun(module);
  python::BindLaw(module);
  python::BindCompare(module);
  python::BindAdvise(module);
  python::BindRigidMotions(module);
  python::BindIdentify(module);
  python::BindPoe(module);
  python::BindTiming(module);
}
