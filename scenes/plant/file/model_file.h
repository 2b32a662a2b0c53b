#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/schema/key_row_fwd.h"

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

/// How the model is simulated: `physics`.
struct PhysicsConfig {
  std::optional<double> timestep_s;  ///< default: 1 ms for a URDF, the file's own for MJCF
  std::optional<bool> contacts;      ///< default: the file's own for MJCF, none for a URDF
  std::optional<double> impratio;    ///< MuJoCo's, with elliptic cones; default: the file's own
};
std::span<const KeyRow<PhysicsConfig>> PhysicsKeys();

/// How a model file is read.
struct ModelReading {
  PhysicsConfig physics;
  SpecEdit edit;
  /// Also a URDF's visual shapes; without it only if the URDF has no others.
  bool visuals = false;
  /// For a simulation; otherwise for equations alone: a URDF's shapes are not read, and what a
  /// simulation needs is neither changed nor told.
  bool simulated = true;
};

/// Compiles an MJCF or URDF file or a product of exponentials (.yaml, see ReadPoeSpec). All verbs
/// read models by this function, so that they have one description of a file: masses, inertias,
/// frames, joints, limits and passive forces. Of a URDF every link stays a body, fixed ones too,
/// with the inertia that the file gives it (see UrdfInertias). Models with defects are adapted
/// rather than refused, each adaptation with a line in `notices`: geometry whose file is missing
/// (mesh, texture, heightfield) is left out; a URDF's package:// paths are searched in the folders
/// above it, and its links do not collide with one another unless `physics` says so (many URDFs
/// overlap at rest); moving bodies without shapes get bones to look at (see Skeleton); forces
/// outside the tree's equations (gravity compensation, tendon armature,
/// fluids) and MuJoCo's automatic reset are disabled.
/// @throws UserError with the file (and line) and MuJoCo's message.
MjModelPtr LoadModelFile(const std::filesystem::path& file, const ModelReading& reading,
                         std::vector<std::string>* notices);

/// Parses scenes/common/studio.xml: floor, lights, materials, camera and options without a robot.
/// @throws UserError.
SpecPtr ParseStudio();

/// Over the compiled model as mj_saveModel writes it.
std::string HashModel(const mjModel& m);
/// 64 bits that tell other bytes, if not those of one who wants them alike: 16 hex digits.
std::string HashBytes(std::string_view bytes);

namespace internal {

/// The speed limit of a URDF's joint, kept in the spec as VelocityLimitName; null without.
const double* SpeedLimitOf(mjsElement* joint);

}  // namespace internal

}  // namespace civita
