#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

namespace civita::internal {

/// Leaves out what makes MuJoCo's compiler refuse a model with `error` and what no equation of
/// motion needs: shapes without extent, visual shapes without mass, materials, textures, skins and
/// lights, with a line in `notices`. @returns false when the error has another cause.
bool LeaveOutLooks(const std::string& error, mjSpec* spec, std::vector<std::string>* notices);

}  // namespace civita::internal
