#include "civita/scenes/plant/urdf_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "base/read_file.h"
#include "base/utf8.h"
#include "civita/scenes/plant/model_text.h"
#include "civita/scenes/plant/urdf_inertias.h"
#include "civita/scenes/plant/urdf_text.h"

namespace civita {
namespace {

using internal::UrdfJoint, internal::UrdfLink, internal::UrdfTree;

constexpr const char* kBaseJoint = "root_joint";

// A link and the joint above it, null without.
struct UrdfPlace {
  const UrdfLink* link;
  const UrdfJoint* joint;
  int parent = -1, root = -1;  // places, −1: the world; of a root itself

  bool moves() const { return joint != nullptr && joint->has_axis(); }
};

// The links where MuJoCo has them: depth first, in the order of the joints.
std::vector<UrdfPlace> OrderLinks(const UrdfTree& urdf) {
  std::map<std::string_view, const UrdfLink*> links;
  for (const UrdfLink& link : urdf.links) links[link.name] = &link;
  std::vector<UrdfPlace> places;
  const auto hang = [&](const auto& self, UrdfPlace place) -> void {
    const int index = place.link->name == "world" ? -1 : static_cast<int>(places.size());
    if (place.root < 0) place.root = index;
    if (index >= 0) places.push_back(place);
    for (const UrdfJoint& joint : urdf.joints) {
      if (joint.parent != place.link->name) continue;
      self(self, {links[joint.child], &joint, index, place.root});
    }
  };
  for (const UrdfLink& link : urdf.links) {
    const bool hangs =
        std::ranges::find(urdf.joints, link.name, &UrdfJoint::child) != urdf.joints.end();
    if (!hangs) hang(hang, {&link, nullptr});
  }
  return places;
}

// The root that carries all that move; −1 if several do, or none.
int FindRoot(const std::vector<UrdfPlace>& places) {
  int root = -1;
  for (const UrdfPlace& place : places) {
    if (place.moves() && root >= 0 && place.root != root) return -1;
    if (place.moves()) root = place.root;
  }
  return root;
}

bool IsUtf8(std::string_view name) { return internal::FindNoUtf8(name) == name.npos; }

// Whether MuJoCo makes of the joint what stands in the file.
bool IsPlain(const UrdfJoint& joint) {
  return (joint.has_axis() || joint.type == "fixed") && joint.name != kBaseJoint &&
         joint.properties.damping >= 0 && IsUtf8(joint.name);
}

Model BuildUrdf(const std::vector<UrdfPlace>& places, const UrdfPlace* free_base) {
  ModelBuilder builder;
  builder.allow_impossible_moments();
  for (const UrdfPlace& place : places) {
    MassProperties mass = place.link->mass;
    const Eigen::Matrix3d& axes = place.link->axes;
    if (!axes.isIdentity(0)) mass.inertia = axes * mass.inertia * axes.transpose();
    Pose X;
    if (place.joint) X = {place.joint->pose.linear(), place.joint->pose.translation()};
    const int body = builder.AddBody(place.link->name, place.parent, X, mass);
    JointProperties p;
    if (place.moves()) {
      p = place.joint->properties;
      p.name = place.joint->name;
      const bool slides = place.joint->type == "prismatic";
      builder.AddJoint(body, slides ? JointType::kSlide : JointType::kHinge, p);
    } else if (&place == free_base) {
      p.name = kBaseJoint;
      p.spring_pose = X;
      builder.AddJoint(body, JointType::kFree, p);
    }
  }
  return builder.Build();
}

Constraints ReadMimics(const UrdfTree& urdf, const Model& model) {
  Constraints loops;
  for (const UrdfJoint& joint : urdf.joints) {
    if (joint.leader.empty()) continue;
    const auto find = [&model](const std::string& name) {
      return static_cast<int>(&model.FindJoint(name) - model.joints().data());
    };
    loops.joints.push_back({.name = "equality" + std::to_string(loops.joints.size()),
                            .joint = find(joint.name),
                            .leader = find(joint.leader),
                            .polynomial = {joint.offset, joint.multiplier}});
  }
  return loops;
}

}  // namespace

std::optional<UrdfModel> LoadUrdfModel(const std::filesystem::path& file, bool free_base,
                                       std::vector<std::string>* notices) {
  if (file.extension() != ".urdf") return std::nullopt;
  internal::XmlText xml(file, internal::ReadFile(file.string()));
  const pugi::xml_node robot = xml.root();
  if (robot.name() != std::string_view("robot") || robot.child("mujoco")) return std::nullopt;
  internal::CheckResources(xml);
  std::vector<std::string> told;
  const UrdfTree urdf = internal::ReadUrdf(&xml, &told);
  const std::vector<UrdfPlace> places = OrderLinks(urdf);
  const int root = FindRoot(places);
  const UrdfPlace* base =
      free_base && root >= 0 ? &places[static_cast<std::size_t>(root)] : nullptr;
  internal::UrdfInertias inertias;
  for (const auto& place : places) inertias.Take(place.link->name, place.link->mass, place.moves());
  if (std::ranges::none_of(places, &UrdfPlace::moves) ||
      (free_base && (base == nullptr || base->moves())) ||
      !std::ranges::all_of(urdf.joints, IsPlain) ||
      !std::ranges::all_of(urdf.links, IsUtf8, &UrdfLink::name) || !inertias.Tell(&told)) {
    return std::nullopt;
  }
  const Model model = BuildUrdf(places, base);
  std::ranges::move(told, std::back_inserter(*notices));
  return UrdfModel{model, ReadMimics(urdf, model)};
}

}  // namespace civita
