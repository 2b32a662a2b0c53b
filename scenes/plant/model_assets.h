#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <string>
#include <vector>

namespace civita::internal {

/// Finds the files of a parsed model's meshes, heightfields, textures and skins: package:// paths
/// and those that are not where the model says are sought near `file` and in the folders above it.
/// What cannot be found, or is in a format that MuJoCo does not read, is taken out of the spec
/// together with the geoms that show it; a line for each kind goes into `notices`.
void ResolveAssets(const std::filesystem::path& file, mjSpec* spec,
                   std::vector<std::string>* notices);

/// Takes out a mesh that cannot be read, with the geoms that show it. @returns false when there is
/// none of that name.
bool DropMesh(const std::string& name, mjSpec* spec);

/// Where an asset's file is; empty when it is nowhere. `directory` is where relative paths start.
std::filesystem::path FindAsset(const std::string& name, const std::filesystem::path& directory);

}  // namespace civita::internal
