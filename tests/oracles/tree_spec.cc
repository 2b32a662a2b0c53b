#include "tests/oracles/tree_spec.h"

#include <utility>

namespace civita {

int TreeSpec::AddBody(const std::string& name, int parent, const Pose& X_PB,
                      const MassProperties& mass) {
  bodies.push_back({name, parent, X_PB, mass, {}});
  return static_cast<int>(bodies.size()) - 1;
}

void TreeSpec::AddJoint(int body, JointType type, JointProperties properties) {
  bodies[static_cast<size_t>(body)].joints.push_back({type, std::move(properties), nq, nv});
  nq += NumPositions(type);
  nv += NumVelocities(type);
}

Model BuildTree(const TreeSpec& spec, bool any_moments) {
  ModelBuilder builder;
  if (any_moments) builder.allow_impossible_moments();
  builder.set_gravity(spec.gravity);
  for (const TreeSpec::Body& body : spec.bodies) {
    const int index = builder.AddBody(body.name, body.parent, body.X_PB, body.mass);
    for (const TreeSpec::Joint& joint : body.joints) {
      builder.AddJoint(index, joint.type, joint.properties);
    }
  }
  for (const TendonProperties& tendon : spec.tendons) builder.AddTendon(tendon);
  return builder.Build();
}

}  // namespace civita
