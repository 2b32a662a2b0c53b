#pragma once

#include <filesystem>
#include <vector>

namespace civita::internal {

/// A surface of triangles.
struct Triangles {
  std::vector<float> vertices;  ///< 3 each, m, z upward
  std::vector<int> faces;       ///< 3 indices of vertices each
};

/// The surfaces of a Collada file: the triangles and polygons of its geometries, where the nodes of
/// its scene place them, in metres by the file's unit, with z upward by its up_axis. Lines, skins
/// and animations are left out. @throws UserError with file, line and column: no XML, indices
/// beyond what is there, numbers that are none, nodes within one another without end, or no
/// triangle.
Triangles ReadCollada(const std::filesystem::path& file);

}  // namespace civita::internal
