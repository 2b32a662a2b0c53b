#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "civita/joint_type.h"
#include "civita/types.h"

namespace civita {

namespace internal {
struct Link;
struct Tree;
class TreeTables;
}  // namespace internal
namespace kernels {
class Plan;
}

/// A rigid transform: x_A = R_AB x_B + p_AB.
struct Pose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();

  Pose operator*(const Pose& X_BC) const;
};

/// Mass, centre of mass (m) and rotational inertia about the centre of mass (kg·m²), both in the
/// axes of the frame that the docstring of the user names.
struct MassProperties {
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

/// What a joint is made of; what a joint of several coordinates has, each of them has. The forces
/// that it exerts by itself, as modelled, are
/// −stiffness (q − spring_reference) − damping v − frictionloss sign(v).
struct JointProperties {
  std::string name;
  /// In the body's axes, the body as placed; normalized. Universal: the first one, which the parent
  /// carries. Planar: the plane's normal.
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  /// Universal: the second axis, which the body carries. Planar: the direction of x, less its part
  /// along the normal; y is normal × x. In the body's axes, as placed; normalized.
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitX();
  double pitch = 0;  ///< helical: advance along the axis, m/rad
  double scale = 1;  ///< not ball, free: angle (rad) or distance (m) per unit of q
  Eigen::Vector3d anchor =
      Eigen::Vector3d::Zero();    ///< all that turn but free: in the body frame, m
  double position_reference = 0;  ///< not ball, free: q at which the body sits as placed, rad or m
  double armature = 0;            ///< added to the diagonal of H, kg·m² or kg
  double damping = 0;             ///< N·m·s or N·s/m
  double frictionloss = 0;        ///< dry friction, N·m or N
  double stiffness = 0;           ///< not ball, free: N·m or N/m
  double spring_reference = 0;    ///< not ball, free: rad or m
};

/// A rigid-body tree: the constant data that all algorithms share. Immutable once built, so that
/// any number of threads may use one Model, each with a Workspace of its own.
///
/// Inside, every body has exactly one joint, of a kind that is no chain of others: several joints
/// on one body of the user's become a chain of massless bodies (a universal joint two hinges, a
/// planar one two slides and a hinge), and bodies without joints are merged into what carries them.
/// Bodies are stored depth-first; q and v keep the order in which the joints were added.
class Model {
 public:
  Model(const Model&) = default;
  Model(Model&&) = default;
  Model& operator=(const Model&) = delete;  // others read it
  Model& operator=(Model&&) = delete;

  /// One body and the joint that moves it. The body frame has its origin on the joint's axis or
  /// centre.
  struct Body {
    std::string name;
    int parent = -1;  ///< index of the parent body, −1 the world; parent < own index
    int root = 0;     ///< index of the ancestor (or itself) that hangs on the world
    JointType joint = JointType::kHinge;  ///< hinge, slide, ball, free or helical
    int iq = 0;                           ///< first number in q
    int iv = 0;                           ///< first number in v
    int nv = 1;                           ///< numbers in v
    int depth = 0;        ///< velocity coordinates between the world and this body's own
    MassProperties mass;  ///< in the body's axes, from its origin
  };

  /// A body as the user named it: a frame that is fixed in one of `bodies()` (−1: in the world).
  struct NamedFrame {
    std::string name;
    int body = -1;
    Pose X_BF;
  };

  /// A joint as the user named it.
  struct NamedJoint {
    std::string name;
    JointType type = JointType::kHinge;
    int body = 0;  ///< the one of `bodies()` that it moves by all of its coordinates
    int iq = 0;
    int iv = 0;
  };

  int nq() const { return nq_; }
  int nv() const { return nv_; }
  int num_bodies() const { return static_cast<int>(bodies_.size()); }
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<NamedFrame>& frames() const { return frames_; }
  const std::vector<NamedJoint>& joints() const { return joints_; }
  const Eigen::Vector3d& gravity() const { return gravity_; }  ///< m/s², world axes

  /// nv numbers each, by velocity coordinate (see JointProperties).
  const Eigen::VectorXd& armature() const { return armature_; }
  const Eigen::VectorXd& damping() const { return damping_; }
  const Eigen::VectorXd& frictionloss() const { return frictionloss_; }

  /// The spring of a coordinate: force −stiffness (q[iq] − reference) on coordinate iv.
  struct Spring {
    int iq = 0;
    int iv = 0;
    double stiffness = 0;
    double reference = 0;
  };
  const std::vector<Spring>& springs() const { return springs_; }

  /// Largest number of velocity coordinates on a path from the world to a leaf.
  int max_depth() const { return max_depth_; }

  /// The velocity coordinate before iv on its path from the world, −1 where iv is the first.
  int parent(int iv) const;

  /// The first of the three rotations that the joint of velocity coordinate iv has, when iv is one
  /// of them: rates that do not commute. Else −1.
  int rotation_triple(int iv) const { return rotation_triple_[static_cast<size_t>(iv)]; }
  bool has_rotation_triples() const { return has_rotation_triples_; }

  /// A number that models have in common where joints, their order and the tree are the same. A
  /// Workspace, a ChristoffelLayout or a MassMatrixCholesky serves all models of its structure.
  std::uint64_t structure() const;

  /// What the algorithms and the vector kernels read.
  const internal::Tree& tree() const;
  const kernels::Plan& plan() const { return *plan_; }

  /// The coordinate's name for people: the joint's name, with .x .y .z (ball), .px … .wz (free),
  /// .1 .2 (universal) or .x .y .angle (planar).
  std::string VelocityName(int iv) const;

  /// The frame that the user gave this name. @throws UserError that lists the names (the nearest
  /// first).
  const NamedFrame& FindFrame(std::string_view name) const;

  /// A configuration: references of angles and distances, identity rotations, free bodies as
  /// placed.
  Eigen::VectorXd DefaultPosition() const;

  /// The same mechanism with all masses and rotational inertias times `factor` (armatures stay): a
  /// controller's model that is wrong by a known amount.
  Model WithScaledInertia(double factor) const;

 private:
  friend class ModelBuilder;
  Model() = default;
  /// What is made of all else, of the joints' numbers and the bodies' masses.
  void SetTables(std::vector<internal::Link> links);

  std::vector<Body> bodies_;
  std::vector<NamedFrame> frames_;
  std::vector<NamedJoint> joints_;
  std::vector<Spring> springs_;
  Eigen::Vector3d gravity_ = Eigen::Vector3d(0, 0, -9.81);
  Eigen::VectorXd armature_, damping_, frictionloss_;
  Eigen::VectorXd default_position_;
  int nq_ = 0;
  int nv_ = 0;
  int max_depth_ = 0;
  std::vector<int> rotation_triple_;
  bool has_rotation_triples_ = false;
  std::shared_ptr<const internal::TreeTables> tables_;  ///< of all copies, as the next
  std::shared_ptr<const kernels::Plan> plan_;
};

/// Collects bodies and joints and builds a Model. Every source (mjModel, JSON, code) goes through
/// it.
///
///     ModelBuilder b;
///     const int link = b.AddBody("link", ModelBuilder::kWorld, X_PB, {mass, com, inertia});
///     b.AddJoint(link, JointType::kHinge, {.name = "q1", .axis = {0, 1, 0}});
///     const Model model = b.Build();
class ModelBuilder {
 public:
  static constexpr int kWorld = -1;

  /// Adds a body below `parent` (kWorld or an index returned earlier), placed at X_PB in the
  /// parent's frame when all its joints are at their references; `mass` in the body's own frame.
  /// @returns its index. @throws UserError for an X_PB that is not rigid, a mass or inertia that is
  /// negative, not finite, not symmetric or that no body has (A + B < C), and for the name of
  /// another body, unless it is empty.
  int AddBody(std::string name, int parent, const Pose& X_PB, const MassProperties& mass);

  /// Adds a joint between the body and its parent, outermost last, in the order of q and v. A body
  /// without joints is fixed to its parent. @throws UserError for a zero axis, two axes along one
  /// line, a free joint that is not the only joint of a child of the world, negative armature,
  /// damping or friction, stiffness of a ball or free joint, NaN, and for the name of another
  /// joint, unless it is empty.
  void AddJoint(int body, JointType type, const JointProperties& joint);

  void set_gravity(const Eigen::Vector3d& gravity) { gravity_ = gravity; }

  /// Takes principal moments that no body has, too, as some files have them: negative ones, and
  /// those with A + B < C. H may then be indefinite.
  void allow_impossible_moments() { impossible_moments_allowed_ = true; }

  /// @throws UserError when no joint was added, and for gravity that is not finite.
  Model Build() const;

 private:
  struct JointRow {
    JointType type;
    JointProperties properties;
    int iq, iv;
  };
  struct BodyRow {
    std::string name;
    int parent;
    Pose X_PB;
    MassProperties mass;
    std::vector<JointRow> joints;
  };
  /// The joint as a chain of joints that bodies() may have.
  static std::vector<JointRow> Links(const JointRow& joint);
  /// Adds the body that one of them makes, and puts `frame` on it.
  static void AppendLink(const JointRow& joint, Model::NamedFrame* frame, Model* model,
                         std::vector<internal::Link>* links);
  void AppendBody(int row, Model* model, std::vector<internal::Link>* links) const;

  std::vector<BodyRow> rows_;
  std::set<std::string> body_names_, joint_names_;
  bool impossible_moments_allowed_ = false;
  Eigen::Vector3d gravity_ = Eigen::Vector3d(0, 0, -9.81);
  int nq_ = 0;
  int nv_ = 0;
};

}  // namespace civita
