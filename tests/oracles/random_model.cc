#include "tests/oracles/random_model.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

namespace civita {
namespace {

double Uniform(double low, double high, std::mt19937* random) {
  return std::uniform_real_distribution<double>(low, high)(*random);
}

int Below(int n, std::mt19937* random) {
  return std::uniform_int_distribution<int>(0, n - 1)(*random);
}

Eigen::Vector3d RandomPoint(double size, std::mt19937* random) {
  return {Uniform(-size, size, random), Uniform(-size, size, random), Uniform(-size, size, random)};
}

Eigen::Quaterniond RandomRotation(std::mt19937* random) {
  std::normal_distribution<double> normal;
  const double w = normal(*random), x = normal(*random), y = normal(*random), z = normal(*random);
  return Eigen::Quaterniond(w, x, y, z).normalized();
}

/// A full inertia of a physical body: second moments of mass are positive.
MassProperties RandomMass(std::mt19937* random) {
  MassProperties mass;
  mass.mass = Uniform(0.3, 2, random);
  mass.com = RandomPoint(0.2, random);
  const Eigen::Vector3d moments(Uniform(0.01, 0.1, random), Uniform(0.01, 0.1, random),
                                Uniform(0.01, 0.1, random));
  const Eigen::Matrix3d R = RandomRotation(random).toRotationMatrix();
  const Eigen::Matrix3d Sigma = R * moments.asDiagonal() * R.transpose();
  mass.inertia = Sigma.trace() * Eigen::Matrix3d::Identity() - Sigma;
  mass.inertia = 0.5 * (mass.inertia + mass.inertia.transpose()).eval();
  return mass;
}

using Joints = std::vector<JointType>;

Joints RandomJoints(bool root, std::mt19937* random) {
  constexpr JointType kH = JointType::kHinge, kS = JointType::kSlide, kB = JointType::kBall;
  constexpr JointType kX = JointType::kHelical, kU = JointType::kUniversal, kP = JointType::kPlanar;
  static const std::vector<Joints> kChoices = {{kH},
                                               {kH},
                                               {kH},
                                               {kS},
                                               {kB},
                                               {kB},
                                               {kX},
                                               {kU},
                                               {kP},
                                               {kH, kH},
                                               {kS, kH},
                                               {kS, kB},
                                               {kX, kB},
                                               {kU, kS},
                                               {kH, kS, kH},
                                               {kS, kS, kS},
                                               {kH, kH, kH},
                                               {},
                                               {JointType::kFree}};
  const int count = static_cast<int>(kChoices.size());
  return kChoices[static_cast<size_t>(Below(root ? count : count - 1, random))];
}

JointProperties RandomJoint(const std::string& name, JointType type,
                            const RandomTreeOptions& options, std::mt19937* random) {
  JointProperties p;
  p.name = name;
  if (type != JointType::kFree && type != JointType::kSlide) p.anchor = RandomPoint(0.2, random);
  if (type != JointType::kFree && type != JointType::kBall) {
    p.axis = RandomPoint(1, random);
    p.axis2 = RandomPoint(1, random);
    p.pitch = Uniform(-0.3, 0.3, random);
    p.position_reference = Below(2, random) == 0 ? 0 : Uniform(-1, 1, random);
  }
  if (options.armature && Below(2, random) == 0) p.armature = Uniform(0.05, 0.5, random);
  if (options.passive) {
    p.damping = Uniform(0, 1, random);
    p.frictionloss = Uniform(0, 0.5, random);
    p.stiffness = Uniform(0, 5, random);
    p.stiffness_poly = {Uniform(-1, 1, random), Uniform(0, 2, random)};
    p.damping_poly = {Uniform(0, 1, random), Uniform(0, 1, random)};
    if (type != JointType::kFree && type != JointType::kBall) {
      p.spring_reference = Uniform(-0.5, 0.5, random);
    }
  }
  return p;
}

/// Tendons over some coordinates of hinges, slides and their like, if there are any.
void AddTendons(TreeSpec* spec, std::mt19937* random) {
  std::vector<int> coordinates;
  for (const TreeSpec::Body& body : spec->bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      const bool scalars = RotationOffset(joint.type) < 0;
      for (int k = 0; scalars && k < NumPositions(joint.type); ++k) {
        coordinates.push_back(joint.iq + k);
      }
    }
  }
  for (int i = 0; i < 2 && !coordinates.empty(); ++i) {
    TendonProperties t;
    t.name = "t" + std::to_string(i);
    std::shuffle(coordinates.begin(), coordinates.end(), *random);
    const size_t terms = std::min<size_t>(coordinates.size(), static_cast<size_t>(1 + 2 * i));
    for (size_t k = 0; k < terms; ++k) t.terms.push_back({coordinates[k], Uniform(-1, 1, random)});
    t.damping = Uniform(0, 1, random);
    t.frictionloss = Uniform(0, 0.5, random);
    t.stiffness = Uniform(0, 5, random);
    t.rest_lower = Uniform(-0.5, 0, random);
    t.rest_upper = t.rest_lower + (i == 0 ? 0 : 0.3);
    t.stiffness_poly = {Uniform(-1, 1, random), Uniform(0, 2, random)};
    t.damping_poly = {Uniform(0, 1, random), Uniform(0, 1, random)};
    spec->tendons.push_back(t);
  }
}

int LongestPath(const TreeSpec& spec) {
  std::vector<int> depth;
  int longest = 0;
  for (const TreeSpec::Body& body : spec.bodies) {
    int d = body.parent < 0 ? 0 : depth[static_cast<size_t>(body.parent)];
    for (const TreeSpec::Joint& joint : body.joints) d += NumVelocities(joint.type);
    depth.push_back(d);
    longest = std::max(longest, d);
  }
  return longest;
}

TreeSpec RandomTreeOnce(const RandomTreeOptions& options, std::mt19937* random) {
  TreeSpec spec;
  spec.gravity = RandomPoint(10, random);
  for (int i = 0; i < options.bodies; ++i) {
    // Mostly chains, some branches, occasionally another tree.
    int parent = i - 1;
    if (i > 0 && (options.bushy || Below(3, random) == 0)) parent = Below(i + 1, random) - 1;
    const Pose X_PB{RandomRotation(random).toRotationMatrix(), RandomPoint(0.4, random)};
    const int body = spec.AddBody("b" + std::to_string(i), parent, X_PB, RandomMass(random));
    int number = 0;
    Joints joints = RandomJoints(parent == ModelBuilder::kWorld, random);
    if (i == 0 && options.free_root) joints = {JointType::kFree};
    for (JointType type : joints) {
      if (type == JointType::kHelical && !options.helical) type = JointType::kHinge;
      const std::string name = "j" + std::to_string(i) + "_" + std::to_string(number++);
      spec.AddJoint(body, type, RandomJoint(name, type, options, random));
    }
  }
  if (options.passive) AddTendons(&spec, random);
  return spec;
}

}  // namespace

TreeSpec RandomTree(unsigned seed, const RandomTreeOptions& options) {
  std::mt19937 random(seed);
  TreeSpec spec = RandomTreeOnce(options, &random);
  while (LongestPath(spec) < 6) spec = RandomTreeOnce(options, &random);
  return spec;
}

RandomTreeOptions OptionsForKernels(unsigned seed) {
  if (seed % 2 == 0) return {};
  const bool bushy = seed % 4 == 3;
  const int bodies = static_cast<int>((bushy ? 5 : 1) + seed / 4 % 8);
  return {.bodies = bodies, .free_root = true, .bushy = bushy};
}

Eigen::VectorXd RandomPosition(const TreeSpec& spec, std::mt19937* random) {
  Eigen::VectorXd q(spec.nq);
  const auto angle = [random] { return Uniform(-std::numbers::pi, std::numbers::pi, random); };
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      const Eigen::Quaterniond rotation = RandomRotation(random);
      const Eigen::Vector4d wxyz(rotation.w(), rotation.x(), rotation.y(), rotation.z());
      switch (joint.type) {
        case JointType::kHinge:
        case JointType::kHelical:
          q[joint.iq] = angle();
          break;
        case JointType::kUniversal:
          q.segment<2>(joint.iq) << angle(), angle();
          break;
        case JointType::kPlanar:
          q.segment<3>(joint.iq) << RandomPoint(0.5, random).head<2>(), angle();
          break;
        case JointType::kSlide:
          q[joint.iq] = Uniform(-0.5, 0.5, random);
          break;
        case JointType::kBall:
          q.segment<4>(joint.iq) = wxyz;
          break;
        case JointType::kFree:
          q.segment<3>(joint.iq) = RandomPoint(1, random);
          q.segment<4>(joint.iq + 3) = wxyz;
          break;
      }
    }
  }
  return q;
}

Eigen::VectorXd RandomVector(int size, std::mt19937* random) {
  Eigen::VectorXd x(size);
  for (int i = 0; i < size; ++i) x[i] = Uniform(-1, 1, random);
  return x;
}

}  // namespace civita
