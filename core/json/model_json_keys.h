#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "civita/constraint.h"
#include "civita/model.h"
#include "core/model/internal/property_rows.h"

// The keys of a model in JSON, once for what writes it, what reads it and the schema. A Visitor has
//   visit.Needed(key, value, doc); visit(key, value, standard, doc), left out where it is
//   `standard`; visit.Number(s)(key, numbers, size, standard, doc); visit.Reference(key, index,
//   list, needed, doc), the place of an item of a list, -1 for none; visit.Object(key, optional,
//   doc); visit.List(key, list, doc).

namespace civita::internal {

/// What the text has.
struct ModelDescription {
  int version = 1;
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);
  bool impossible_moments = false;
  std::vector<ModelBuilder::Body> bodies;
  std::vector<ModelBuilder::Joint> joints;
  std::vector<Model::NamedFrame> frames;
  std::vector<TendonProperties> tendons;
  std::vector<RigidConstraint> frame_closures;  ///< NamedFrame::body by number in `bodies`
  std::vector<JointConstraint> joint_closures;
};

/// The constraint with frames by number of the bodies that they are fixed to, the same bits where
/// they are those of bodies.
inline RigidConstraint OnBodies(const Model& model, RigidConstraint c) {
  const auto put = [&model](Model::NamedFrame& frame, Eigen::Vector3d& p, Eigen::Matrix3d& R) {
    const auto is_same = [](const Pose& a, const Pose& b) { return a.R == b.R && a.p == b.p; };
    Model::Placement at = model.PlacementOf(frame);
    const auto own = std::ranges::find(model.frames(), frame.name, &Model::NamedFrame::name);
    if (own != model.frames().end() && own->body == frame.body && is_same(own->X_BF, frame.X_BF))
      at = {static_cast<int>(own - model.frames().begin()), {}};
    frame.body = at.body;
    if (is_same(at.X_BF, {})) return;
    const Pose X = at.X_BF * Pose{R, p};
    R = X.R;
    p = X.p;
  };
  put(c.A, c.point_A, c.axes_A);
  put(c.B, c.point_B, c.axes_B);
  return c;
}

inline const std::string& NameOf(const ModelBuilder::Body& body) { return body.name; }
inline const std::string& NameOf(const ModelBuilder::Joint& joint) { return joint.properties.name; }

template <typename Visitor>
void VisitKeys(Visitor& visit, Pose& X, const ModelDescription&) {
  visit("position", X.p, Pose{}.p, "of the origin, m");
  visit("rotation", X.R, Pose{}.R, "rotation matrix, row by row");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, ModelBuilder::Body& body, const ModelDescription& all) {
  visit("name", body.name, std::string(), "differs from those of other bodies and frames");
  visit.Reference("parent", body.parent, all.bodies, false,
                  "name or number of a body above; without it: the world");
  visit("position", body.X_PB.p, Pose{}.p,
        "of the body's frame in its parent's when its joints are at their references, m");
  visit("rotation", body.X_PB.R, Pose{}.R, "likewise, a rotation matrix, row by row");
  visit("mass", body.mass.mass, 0.0, "kg");
  visit("com", body.mass.com, Pose{}.p, "centre of mass in the body's frame, m");
  visit("inertia", body.mass.inertia, MassProperties{}.inertia,
        "about the centre of mass, in the body's axes, row by row, kg·m²");
}

template <typename Visitor, typename Properties>
void VisitProperties(Visitor& visit, Properties& properties) {
  Properties standard;
  const std::vector<PropertyRow> rows = PropertyRows(properties);
  const std::vector<PropertyRow> standards = PropertyRows(standard);
  for (size_t i = 0; i < rows.size(); ++i)
    visit.Numbers(rows[i].name, rows[i].numbers, rows[i].size, standards[i].numbers, rows[i].doc);
}

template <typename Visitor>
void VisitKeys(Visitor& visit, ModelBuilder::Joint& joint, const ModelDescription& all) {
  visit.Reference("body", joint.body, all.bodies, true, "name or number of the body that it moves");
  visit.Needed("type", joint.type, "which numbers of q and v it has");
  visit("name", joint.properties.name, std::string(), "differs from those of other joints");
  VisitProperties(visit, joint.properties);
  visit.Object("spring_pose", joint.properties.spring_pose, all,
               "ball, free: where the spring rests; without it: at the placement");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, Model::NamedFrame& frame, const ModelDescription& all) {
  visit.Needed("name", frame.name, "differs from those of bodies and other frames");
  visit.Reference("body", frame.body, all.bodies, false,
                  "name or number of the body that it is fixed to; without it: the world");
  VisitKeys(visit, frame.X_BF, all);
}

template <typename Visitor>
void VisitKeys(Visitor& visit, TendonProperties::Term& term, const ModelDescription&) {
  visit.Needed("q", term.iq, "number of a coordinate in q, from 0");
  visit.Needed("coefficient", term.coefficient, "change of length per unit of q");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, TendonProperties& tendon, const ModelDescription& all) {
  visit("name", tendon.name, std::string(), "");
  visit.List("terms", tendon.terms, all, "its length is their sum");
  VisitProperties(visit, tendon);
}

/// One side of a RigidConstraint.
struct ConstraintSide {
  int& body;
  Eigen::Vector3d& point;
  Eigen::Matrix3d& axes;
};

template <typename Visitor>
void VisitKeys(Visitor& visit, ConstraintSide& side, const ModelDescription& all) {
  visit.Reference("body", side.body, all.bodies, false,
                  "name or number of the body; without it: the world");
  visit("point", side.point, Pose{}.p, "in the body's frame, m");
  visit("axes", side.axes, Pose{}.R, "columns in the body's axes; the matrix row by row");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, RigidConstraint& constraint, const ModelDescription& all) {
  ConstraintSide a{constraint.A.body, constraint.point_A, constraint.axes_A};
  ConstraintSide b{constraint.B.body, constraint.point_B, constraint.axes_B};
  visit("name", constraint.name, std::string(), "");
  visit.Object("a", a, all, "one side");
  visit.Object("b", b, all, "the other side");
  visit("fixes_rotation", constraint.fixes_rotation, false, "the axes of both stay parallel");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, JointConstraint& joint, const ModelDescription& all) {
  visit("name", joint.name, std::string(), "");
  visit.Reference("joint", joint.joint, all.joints, true, "name or number of the joint");
  visit.Reference("leader", joint.leader, all.joints, false,
                  "name or number of the joint that it follows; without it: it is fixed");
  visit.Numbers("polynomial", joint.polynomial.data(), 5, JointConstraint{}.polynomial.data(),
                "q - reference = sum of polynomial[n] (q_leader - leader_reference)^n");
  visit("reference", joint.reference, 0.0, "rad or m");
  visit("leader_reference", joint.leader_reference, 0.0, "rad or m");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, ModelDescription& all, const ModelDescription&) {
  visit.Needed("civita_model", all.version, "version of the format, 1");
  visit("gravity", all.gravity, ModelDescription{}.gravity, "in world axes, m/s²");
  visit("allow_impossible_moments", all.impossible_moments, false,
        "accepts principal moments that no body can have");
  visit.List("bodies", all.bodies, all, "parents before their children");
  visit.List("joints", all.joints, all, "in the order of q and v");
  visit.List("frames", all.frames, all, "further frames, without mass");
  visit.List("tendons", all.tendons, all, "of constant moment arms");
  visit.List("frame_closures", all.frame_closures, all, "points of two bodies that coincide");
  visit.List("joint_closures", all.joint_closures, all, "joints that follow others");
}

}  // namespace civita::internal
