#include <nanobind/nanobind.h>

#include "civita/build_info.h"
#include "python/src/bind.h"

NB_MODULE(_civita, module) {
  module.attr("__version__") = nanobind::str(civita::kVersion.data(), civita::kVersion.size());
  module.attr("git_describe") =
      nanobind::str(civita::kGitDescribe.data(), civita::kGitDescribe.size());
  module.attr("mujoco_version") =
      nanobind::str(civita::kMujocoVersion.data(), civita::kMujocoVersion.size());
  civita::python::BindErrors(module);
  civita::python::BindProgram(module);
}
