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

/// A change of the model as read, before anything is adapted and compiled; `urdf` says of what kind
/// the file is.
using SpecEdit = std::function<void(mjSpec* spec, bool urdf)>;

/// Compiles an MJCF or URDF file, after `edit` if there is one. Robots as they come are adapted
/// rather than refused, each adaptation with a line in `notices`: geometry without its file (mesh,
/// texture, heightfield) is left out; a URDF's package:// paths are sought in the folders above it,
/// its impossible inertias mended, and its links do not touch one another unless `contacts` says so
/// (as URDFs come, many overlap at rest); forces that the tree's equations do not hold (gravity
/// compensation, tendon armature, fluids) are switched off, and so is MuJoCo's automatic reset. The
/// timestep is `timestep_s`, else 1 ms for a URDF and the file's own for MJCF. A URDF's visual
/// shapes are read where it has no others, or with `visuals`.
/// @throws UserError with the file (and line) and MuJoCo's message.
MjModelPtr LoadModelFile(const std::filesystem::path& file, std::optional<double> timestep_s,
                         std::optional<bool> contacts, std::vector<std::string>* notices,
                         const SpecEdit& edit = {}, bool visuals = false);

/// 64-bit FNV-1a over the compiled model as mj_saveModel writes it: 16 hex digits.
std::string HashModel(const mjModel& m);

}  // namespace civita
