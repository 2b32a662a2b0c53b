#include "core/model/internal/property_rows.h"

namespace civita::internal {

std::vector<PropertyRow> PropertyRows(JointProperties& p) {
  return {
      {"axis", p.axis.data(), 3,
       "axis in body axes; universal: the first one, planar: the normal of the plane"},
      {"axis2", p.axis2.data(), 3, "universal: the second axis; planar: the direction of x"},
      {"pitch", &p.pitch, 1, "helical: advance along the axis, m/rad"},
      {"scale", &p.scale, 1, "angle (rad) or distance (m) per unit of q"},
      {"anchor", p.anchor.data(), 3, "a point of the axis, or the centre, in the body frame, m"},
      {"position_reference", &p.position_reference, 1, "q at the body's placement, rad or m"},
      {"armature", &p.armature, 1, "added to the diagonal of H, kg·m² or kg"},
      {"damping", &p.damping, 1, "N·m·s or N·s/m"},
      {"frictionloss", &p.frictionloss, 1, "dry friction, N·m or N"},
      {"stiffness", &p.stiffness, 1, "of the spring, N·m/rad or N/m"},
      {"spring_reference", &p.spring_reference, 1, "q at which the spring rests, rad or m"},
      {"stiffness_poly", p.stiffness_poly.data(), 2, "of the second and third power"},
      {"damping_poly", p.damping_poly.data(), 2, "of the second and third power"},
      {"position_lower", &p.position_lower, 1, "limit of q, rad or m; without it: none"},
      {"position_upper", &p.position_upper, 1, "limit of q, rad or m; without it: none"},
      {"velocity_limit", &p.velocity_limit, 1, "of |v|, rad/s or m/s; without it: none"},
      {"effort_lower", &p.effort_lower, 1, "limit of the force, N·m or N; without it: none"},
      {"effort_upper", &p.effort_upper, 1, "limit of the force, N·m or N; without it: none"}};
}

std::vector<PropertyRow> PropertyRows(TendonProperties& p) {
  return {{"damping", &p.damping, 1, "N·s/m"},
          {"frictionloss", &p.frictionloss, 1, "dry friction, N"},
          {"stiffness", &p.stiffness, 1, "N/m"},
          {"rest_lower", &p.rest_lower, 1, "the shortest length without force of the spring, m"},
          {"rest_upper", &p.rest_upper, 1, "the longest length without force of the spring, m"},
          {"stiffness_poly", p.stiffness_poly.data(), 2, "of the second and third power"},
          {"damping_poly", p.damping_poly.data(), 2, "of the second and third power"}};
}

}  // namespace civita::internal
