#pragma once

#include <string>
#include <vector>

#include "civita/loop_closures.h"
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
  std::vector<FrameClosure> frame_closures;
  std::vector<JointClosure> joint_closures;
};

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

template <typename Visitor>
void VisitKeys(Visitor& visit, FrameClosure::Side& side, const ModelDescription& all) {
  visit.Reference("body", side.frame, all.bodies, false,
                  "name or number of the body; without it: the world");
  visit("point", side.point, Pose{}.p, "in the body's frame, m");
  visit("axes", side.axes, Pose{}.R, "columns in the body's axes; the matrix row by row");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, FrameClosure& closure, const ModelDescription& all) {
  visit("name", closure.name, std::string(), "");
  visit.Object("a", closure.a, all, "one side");
  visit.Object("b", closure.b, all, "the other side");
  visit("fixes_rotation", closure.fixes_rotation, false, "the axes of both stay parallel");
}

template <typename Visitor>
void VisitKeys(Visitor& visit, JointClosure& closure, const ModelDescription& all) {
  visit("name", closure.name, std::string(), "");
  visit.Reference("joint", closure.joint, all.joints, true, "name or number of the joint");
  visit.Reference("leader", closure.leader, all.joints, false,
                  "name or number of the joint that it follows; without it: it is fixed");
  visit.Numbers("polynomial", closure.polynomial.data(), 5, JointClosure{}.polynomial.data(),
                "q - reference = sum of polynomial[n] (q_leader - leader_reference)^n");
  visit("reference", closure.reference, 0.0, "rad or m");
  visit("leader_reference", closure.leader_reference, 0.0, "rad or m");
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
