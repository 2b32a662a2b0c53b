#include "app/verbs/reproduce/tube_tree.h"

#include <Eigen/Geometry>
#include <string>

namespace civita {
namespace {

MassProperties Tube() {
  constexpr double kLength = 1, kMass = 1, kRadius = 0.02;
  constexpr double kAlong = kMass * kRadius * kRadius;
  constexpr double kAcross = kMass * (kLength * kLength / 12 + kRadius * kRadius / 2);
  return {kMass, Eigen::Vector3d(kLength / 2, 0, 0),
          Eigen::Vector3d(kAlong, kAcross, kAcross).asDiagonal()};
}

double Uniform(std::mt19937_64* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

template <typename ParentOf>
std::vector<int> Parents(int bodies, const ParentOf& parent_of) {
  std::vector<int> parents;
  for (int b = 0; b < bodies; ++b) parents.push_back(b == 0 ? -1 : parent_of(b));
  return parents;
}

}  // namespace

Model TubeTree(std::span<const int> parents, double twist) {
  ModelBuilder builder;
  builder.set_gravity(Eigen::Vector3d::Zero());
  Pose X_PB;
  X_PB.p = Eigen::Vector3d(1, 0, 0);
  if (twist != 0) X_PB.R = Eigen::AngleAxisd(twist, Eigen::Vector3d::UnitX()).toRotationMatrix();
  for (std::size_t b = 0; b < parents.size(); ++b) {
    const std::string name = std::to_string(b);
    const int parent = parents[b];
    const int tube = parent < 0
                         ? builder.AddBody("tube" + name, ModelBuilder::kWorld, Pose(), Tube())
                         : builder.AddBody("tube" + name, parent, X_PB, Tube());
    builder.AddJoint(tube, JointType::kHinge, {.name = "hinge" + name});
  }
  return builder.Build();
}

std::vector<int> ChainParents(int bodies) {
  return Parents(bodies, [](int b) { return b - 1; });
}

std::vector<int> BinaryTreeParents(int bodies) {
  return Parents(bodies, [](int b) { return (b - 1) / 2; });
}

std::vector<int> RandomTreeParents(int bodies, std::mt19937_64* random) {
  return Parents(bodies, [random](int b) { return static_cast<int>(b * Uniform(random)); });
}

Eigen::VectorXd UniformVector(int size, double high, std::mt19937_64* random) {
  Eigen::VectorXd x(size);
  for (double& number : x) number = high * Uniform(random);
  return x;
}

}  // namespace civita
