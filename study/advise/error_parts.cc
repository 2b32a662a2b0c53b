#include "civita/study/advise/error_parts.h"

#include <algorithm>
#include <string_view>

#include "civita/sim/kinematic_trees.h"
#include "civita/sim/scene_unit.h"

namespace civita {
namespace {

/// Whether velocity iv of v is one of a free joint.
bool IsOfBase(const Model& model, int iv) {
  return std::ranges::any_of(model.joints(), [iv](const Model::NamedJoint& joint) {
    return joint.type == JointType::kFree && iv >= joint.iv && iv < joint.iv + 6;
  });
}

/// Adds a part unless it is empty or has the coordinates of one that is there.
void AddPart(std::string name, std::string_view unit, std::vector<int> coordinates, Eigen::Index n,
             std::vector<ErrorPart>* parts) {
  const auto is_known = [&](const ErrorPart& part) { return part.coordinates == coordinates; };
  if (coordinates.empty() || std::ranges::any_of(*parts, is_known)) return;
  Eigen::VectorXd mask = Eigen::VectorXd::Zero(n);
  for (const int i : coordinates) mask[i] = 1;
  parts->push_back({std::move(name), std::string(unit), std::move(coordinates), std::move(mask)});
}

}  // namespace

std::vector<ErrorPart> FindErrorParts(const Model& model, const VelocitySpace* closed) {
  const int n = closed != nullptr ? closed->nw() : model.nv();
  std::vector<ErrorPart> parts;
  const auto add = [&](const std::string& name, auto counts) {
    std::vector<int> all, angles, distances;
    for (int i = 0; i < n; ++i) {
      const int iv = closed != nullptr ? closed->independent()[static_cast<std::size_t>(i)] : i;
      if (!counts(iv)) continue;
      const bool is_angle = UnitAlong(model, iv) == std::string_view("rad");
      all.push_back(i);
      (is_angle ? angles : distances).push_back(i);
    }
    const char* unit = distances.empty() ? "rad" : angles.empty() ? "m" : "rad, m";
    AddPart(name, unit, all, n, &parts);
    AddPart(name + ", rad", "rad", angles, n, &parts);
    AddPart(name + ", m", "m", distances, n, &parts);
  };
  const auto is_of_base = [&model](int iv) { return IsOfBase(model, iv); };
  add("all", [](int) { return true; });
  add("joints", [&](int iv) { return !is_of_base(iv); });
  add("base", is_of_base);
  const std::vector<KinematicTree> trees = FindKinematicTrees(model);
  if (trees.size() > 1) {
    for (const KinematicTree& tree : trees) {
      add(tree.name, [&](int iv) { return std::ranges::binary_search(tree.velocities, iv); });
    }
  }
  return parts;
}

double ErrorCourse::Until(std::size_t part, double t_s) const {
  const std::vector<double>& values = squares[part];
  const auto after = std::ranges::lower_bound(t, t_s);
  if (after == t.end()) return values.empty() ? 0 : values.back();
  const auto i = static_cast<std::size_t>(after - t.begin());
  if (i == 0) return values.front();
  const double share = (t_s - t[i - 1]) / (t[i] - t[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

}  // namespace civita
