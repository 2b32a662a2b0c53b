#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <string>
#include <vector>

namespace civita::internal {

/// All elements of one type, which may be deleted while they are gone through.
std::vector<mjsElement*> ElementsOf(mjSpec* spec, mjtObj type);

/// All bodies but the world, parents first.
std::vector<mjsBody*> BodiesOf(mjSpec* spec);

std::string NameOf(mjsElement* element);

/// Resolves the files of a parsed model's meshes, heightfields, textures and skins: package://
/// paths and missing files are searched near `file` and in the folders above it. An asset that is
/// not found, or whose format MuJoCo does not read, is deleted from the spec with the geoms that
/// use it; one line for each kind is added to `notices`.
void ResolveAssets(const std::filesystem::path& file, mjSpec* spec,
                   std::vector<std::string>* notices);

/// The name by which an asset is referenced: its own, otherwise its file's without folder and
/// extension.
std::string AssetName(mjsElement* element, const std::string& file);

/// Takes textures that are not there from the materials and lights that name them. @returns their
/// names.
std::vector<std::string> ForgetTextures(mjSpec* spec);

/// Deletes an unreadable mesh and the geoms that use it. @returns false when no mesh has that
/// name.
bool DropMesh(const std::string& name, mjSpec* spec);

/// Leaves out what makes MuJoCo's compiler refuse a model with `error` and what no equation of
/// motion needs: shapes without extent, visual shapes without mass, materials, textures, skins and
/// lights, with a line in `notices`. @returns false when the error has another cause.
bool LeaveOutLooks(const std::string& error, mjSpec* spec, std::vector<std::string>* notices);

/// Deletes all shapes and what only they use.
void DropShapes(mjSpec* spec);

/// The path of an asset; empty if not found. Relative paths start in `directory`.
std::filesystem::path FindAsset(const std::string& name, const std::filesystem::path& directory);

}  // namespace civita::internal
