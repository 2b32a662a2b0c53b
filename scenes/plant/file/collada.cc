#include "civita/scenes/plant/collada.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/read_file.h"
#include "civita/error.h"
#include "civita/scenes/plant/xml_text.h"

namespace civita::internal {
namespace {

constexpr int kDeepest = 100, kMostNodes = 100'000;
constexpr std::size_t kMostNumbers = 30'000'000;  // of vertices and faces, as of a file's bytes

// The parts of a file that name one another by "#id".
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : xml_(file, ReadFile(file.string())) {
    for (const pugi::xpath_node& found : xml_.root().select_nodes("descendant::*[@id]")) {
      by_id_.emplace(found.node().attribute("id").value(), found.node());
    }
  }

  Triangles Read() {
    const pugi::xml_node asset = xml_.root().child("asset");
    const double meter = asset.child("unit").attribute("meter").as_double(1);
    if (!(meter > 0) || !std::isfinite(meter)) xml_.Refuse(asset, "the unit's meter must be > 0");
    Eigen::Affine3d world(Eigen::Scaling(meter));
    const std::string_view up = asset.child_value("up_axis");
    const double quarter = std::acos(0.0);
    if (up != "Z_UP" && up != "X_UP")
      world.rotate(Eigen::AngleAxisd(quarter, Eigen::Vector3d::UnitX()));
    if (up == "X_UP") world.rotate(Eigen::AngleAxisd(-quarter, Eigen::Vector3d::UnitY()));
    pugi::xml_node scene = Named(xml_.root().child("scene").child("instance_visual_scene"), "url");
    if (!scene) scene = xml_.root().child("library_visual_scenes").child("visual_scene");
    for (const pugi::xml_node node : scene.children("node")) AddNode(node, world, 0);
    if (read_.faces.empty()) xml_.Refuse(xml_.root(), "no triangles in the scene");
    return std::move(read_);
  }

 private:
  // What an attribute "#id" names; none for other files and what is not there.
  pugi::xml_node Named(pugi::xml_node element, const char* attribute) const {
    const std::string_view url = element.attribute(attribute).value();
    const auto found = url.starts_with('#') ? by_id_.find(url.substr(1)) : by_id_.end();
    return found == by_id_.end() ? pugi::xml_node() : found->second;
  }

  template <typename Number>
  std::vector<Number> Numbers(pugi::xml_node element) const {
    std::vector<Number> numbers;
    const std::string_view text = element.child_value();
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
      while (at != end && std::string_view(" \t\r\n+").find(*at) != std::string_view::npos) ++at;
      if (at == end) return numbers;
      Number number;
      const auto [rest, error] = std::from_chars(at, end, number);
      if (error != std::errc()) xml_.Refuse(element, "holds what is no number");
      numbers.push_back(number);
      at = rest;
    }
  }

  Eigen::Affine3d PlaceOf(pugi::xml_node node) const {
    Eigen::Affine3d place = Eigen::Affine3d::Identity();
    for (const pugi::xml_node step : node.children()) {
      const std::string_view kind = step.name();
      const bool known =
          kind == "matrix" || kind == "translate" || kind == "rotate" || kind == "scale";
      if (!known) continue;
      const std::vector<double> x = Numbers<double>(step);
      const std::size_t size = kind == "matrix" ? 16 : kind == "rotate" ? 4 : 3;
      if (x.size() != size) xml_.Refuse(step, "must hold " + std::to_string(size) + " numbers");
      const Eigen::Map<const Eigen::Vector3d> v(x.data());
      if (kind == "matrix") {
        place = place * Eigen::Affine3d(Eigen::Matrix4d::Map(x.data()).transpose());
      } else if (kind == "translate") {
        place.translate(v);
      } else if (kind == "scale") {
        place.scale(v);
      } else if (v.norm() > 0) {
        place.rotate(Eigen::AngleAxisd(x[3] * std::acos(-1.0) / 180, v.normalized()));
      }
    }
    return place;
  }

  void AddNode(pugi::xml_node node, const Eigen::Affine3d& parent, int depth) {
    if (depth > kDeepest || ++nodes_ > kMostNodes) {
      xml_.Refuse(node, "nodes within one another without end");
    }
    const Eigen::Affine3d place = parent * PlaceOf(node);
    for (const pugi::xml_node part : node.children()) {
      const std::string_view kind = part.name();
      if (kind == "node") AddNode(part, place, depth + 1);
      if (kind == "instance_node" && Named(part, "url"))
        AddNode(Named(part, "url"), place, depth + 1);
      if (kind == "instance_geometry") AddMesh(Named(part, "url").child("mesh"), place);
    }
  }

  // A source's rows of three numbers.
  std::vector<double> ReadPositions(pugi::xml_node vertices) const {
    for (const pugi::xml_node input : vertices.children("input")) {
      if (std::string_view(input.attribute("semantic").value()) != "POSITION") continue;
      const pugi::xml_node source = Named(input, "source");
      const std::vector<double> numbers = Numbers<double>(source.child("float_array"));
      const pugi::xml_node accessor = source.child("technique_common").child("accessor");
      const auto stride = static_cast<std::size_t>(accessor.attribute("stride").as_uint(3));
      if (stride < 3) xml_.Refuse(accessor, "positions need a stride of 3 numbers");
      std::vector<double> positions;
      for (std::size_t i = 0; i + 3 <= numbers.size(); i += stride)
        positions.insert(positions.end(), numbers.begin() + static_cast<std::ptrdiff_t>(i),
                         numbers.begin() + static_cast<std::ptrdiff_t>(i) + 3);
      return positions;
    }
    return {};
  }

  void AddMesh(pugi::xml_node mesh, const Eigen::Affine3d& place) {
    const std::vector<double> positions = ReadPositions(mesh.child("vertices"));
    const auto first = static_cast<int>(read_.vertices.size() / 3);
    if (read_.vertices.size() + positions.size() > kMostNumbers) {
      xml_.Refuse(mesh, "more than " + std::to_string(kMostNumbers) + " numbers");
    }
    for (std::size_t i = 0; i < positions.size(); i += 3) {
      const Eigen::Vector3d p = place * Eigen::Map<const Eigen::Vector3d>(&positions[i]);
      if (!p.allFinite() || p.cwiseAbs().maxCoeff() > std::numeric_limits<float>::max()) {
        xml_.Refuse(mesh, "a position is not finite");
      }
      for (const double x : p) read_.vertices.push_back(static_cast<float>(x));
    }
    const bool mirrored = place.linear().determinant() < 0;
    const auto count = static_cast<int>(positions.size() / 3);
    for (const pugi::xml_node faces : mesh.children()) {
      const std::string_view kind = faces.name();
      if (kind == "triangles" || kind == "polylist" || kind == "polygons") {
        AddFaces(faces, first, count, mirrored);
      }
    }
  }

  // Polygons are fans of triangles about their first corner.
  void AddFaces(pugi::xml_node faces, int first, int count, bool mirrored) {
    std::size_t offset = 0, stride = 1;
    for (const pugi::xml_node input : faces.children("input")) {
      const std::size_t own = input.attribute("offset").as_uint();
      stride = std::max(stride, own + 1);
      if (std::string_view(input.attribute("semantic").value()) == "VERTEX") offset = own;
    }
    const std::string_view kind = faces.name();
    std::vector<int> sizes;
    if (kind == "polylist") sizes = Numbers<int>(faces.child("vcount"));
    std::size_t polygon = 0;
    for (const pugi::xml_node p : faces.children("p")) {
      const std::vector<int> indices = Numbers<int>(p);
      const std::size_t corners = indices.size() / stride;
      for (std::size_t begin = 0; begin < corners;) {
        std::size_t size = kind == "polygons" ? corners : 3;
        if (kind == "polylist") {
          if (polygon == sizes.size() || sizes[polygon] < 1)
            xml_.Refuse(faces, "vcount does not fit p");
          size = static_cast<std::size_t>(sizes[polygon++]);
        }
        if (begin + size > corners) xml_.Refuse(p, "ends within a polygon");
        const auto corner = [&](std::size_t k) {
          const int index = indices[(begin + k) * stride + offset];
          if (index < 0 || index >= count) xml_.Refuse(p, "names a position that is not there");
          return first + index;
        };
        for (std::size_t k = 2; k < size; ++k) {
          const int b = corner(k - 1), c = corner(k);
          read_.faces.insert(read_.faces.end(), {corner(0), mirrored ? c : b, mirrored ? b : c});
        }
        if (read_.faces.size() > kMostNumbers) xml_.Refuse(p, "too many triangles");
        begin += size;
      }
    }
  }

  XmlText xml_;
  int nodes_ = 0;
  std::map<std::string, pugi::xml_node, std::less<>> by_id_;
  Triangles read_;
};

}  // namespace

Triangles ReadCollada(const std::filesystem::path& file) { return Reader(file).Read(); }

}  // namespace civita::internal
