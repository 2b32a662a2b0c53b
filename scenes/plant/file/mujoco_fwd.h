#pragma once

// Forward declarations of MuJoCo's types, for headers that only pass them on: mujoco.h is large.

using mjData = struct mjData_;
using mjModel = struct mjModel_;
using mjSpec = struct mjSpec_;
