#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace civita {

struct MjModelDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};
struct MjDataDeleter {
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using MjModelPtr = std::unique_ptr<mjModel, MjModelDeleter>;

struct SpecDeleter {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
using SpecPtr = std::unique_ptr<mjSpec, SpecDeleter>;

/// An edit of the model as parsed, before it is adapted and compiled; `urdf`: the file is a URDF.
using SpecEdit = std::function<void(mjSpec* spec, bool urdf)>;

/// Compiles an MJCF or URDF file or a product of exponentials (.yaml, see ReadPoeSpec), after
/// `edit` if given. Models with defects are adapted rather than refused, each adaptation with a
/// line in `notices`: geometry whose file is missing (mesh, texture, heightfield) is left out; a
/// URDF's package:// paths are searched in the folders above it, its non-physical inertias are
/// corrected, and its links do not collide with one another unless `contacts` says so (many URDFs
/// overlap at rest); forces outside the tree's equations (gravity compensation, tendon armature,
/// fluids) and MuJoCo's automatic reset are disabled. The timestep is `timestep_s`, by default 1 ms
/// for a URDF and the file's own for MJCF. A URDF's visual shapes are read if it has no others, or
/// with `visuals`.
/// @throws UserError with the file (and line) and MuJoCo's message.
MjModelPtr LoadModelFile(const std::filesystem::path& file, std::optional<double> timestep_s,
                         std::optional<bool> contacts, std::vector<std::string>* notices,
                         const SpecEdit& edit = {}, bool visuals = false);

/// 64-bit FNV-1a over the compiled model as mj_saveModel writes it: 16 hex digits.
std::string HashModel(const mjModel& m);

}  // namespace civita
