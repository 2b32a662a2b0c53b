#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/joint_type.h"
#include "civita/pose.h"
#include "civita/types.h"

namespace civita {

namespace internal {
struct Access;
struct Link;
class TreeTables;
}  // namespace internal

class ModelBuilder;

/// Mass properties of a rigid body, expressed in the frame that the function or member using them
/// names.
struct MassProperties {
  double mass = 0;                                    ///< kg
  Eigen::Vector3d com = Eigen::Vector3d::Zero();      ///< centre of mass from the frame's origin, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass, kg·m²
};

/// Properties of a joint. Armature, damping, dry friction and limits of a joint of several
/// coordinates apply to each of them. The passive force of a coordinate is
///   −(k x + k₂ x² + k₃ x³) − (d v + d₂ v |v| + d₃ v³) − frictionloss sign(v),  x = q −
///   spring_reference,
/// with k = stiffness, (k₂, k₃) = stiffness_poly, d = damping, (d₂, d₃) = damping_poly. The spring
/// of a ball joint exerts the torque −(k + k₂ |x| + k₃ |x|²) x, in the body's axes, with the
/// rotation vector x, |x| ≤ π, that turns spring_pose into the joint's orientation; a free joint
/// has this spring and a like one, in world axes, of its displacement from spring_pose. Stiffness
/// and damping of either sign are allowed: where x or v and the polynomial differ in sign, the
/// spring repels and the damper adds energy.
struct JointProperties {
  std::string name;  ///< for messages and Model::FindJoint
  /// Axis, expressed in body axes at the placement X_PB, of any length. Universal: the first
  /// axis, fixed in the parent. Planar: the normal of the plane.
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  /// Universal: the second axis, fixed in the body. Planar: the direction of x, of which the part
  /// along the normal is removed; y is normal × x. Expressed in body axes at the placement X_PB,
  /// of any length.
  Eigen::Vector3d axis2 = Eigen::Vector3d::UnitX();
  double pitch = 0;  ///< helical: advance along the axis, m/rad
  double scale = 1;  ///< angle (rad) or distance (m) per unit of q; not of ball and free joints
  /// A point of the axis, or the centre, of a joint that rotates, given in the body frame (m); free
  /// joints have none.
  Eigen::Vector3d anchor = Eigen::Vector3d::Zero();
  /// q (rad or m) at the placement X_PB of the body; not of ball and free joints.
  double position_reference = 0;
  double armature = 0;                        ///< added to the diagonal of H, kg·m² or kg
  double damping = 0;                         ///< N·m·s or N·s/m
  double frictionloss = 0;                    ///< dry friction, N·m or N
  double stiffness = 0;                       ///< N·m/rad or N/m
  double spring_reference = 0;                ///< rad or m; not of ball and free joints
  std::array<double, 2> stiffness_poly = {};  ///< of x² and x³, N·m or N by rad or m to that power
  std::array<double, 2> damping_poly = {};    ///< of v |v| and v³, likewise by rad/s or m/s
  /// Where the spring of a ball joint (R alone) or free joint rests; default: DefaultPosition.
  std::optional<Pose> spring_pose = std::nullopt;
  // Limits, infinite where there is none. No algorithm but those of civita/manifold.h keeps them.
  // Forces of several actuators of a joint add up: its effort_* are the sums of their limits.
  double position_lower = -std::numeric_limits<double>::infinity();  ///< of q, rad or m; not of
  double position_upper = std::numeric_limits<double>::infinity();   ///< ball and free joints
  double velocity_limit = std::numeric_limits<double>::infinity();   ///< of |v|, rad/s or m/s
  double effort_lower = -std::numeric_limits<double>::infinity();    ///< of the joint's force τ,
  double effort_upper = std::numeric_limits<double>::infinity();     ///< N·m or N
};

/// A tendon of constant moment arms: its length L = Σ coefficient q over some coordinates that are
/// no part of a ball or free joint. It pulls with the force
///   f = −(k x + k₂ x² + k₃ x³) − (d L̇ + d₂ L̇ |L̇| + d₃ L̇³) − frictionloss sign(L̇)
/// on its length, coefficient · f on each coordinate; x is the distance of L to the range
/// [rest_lower, rest_upper], positive above it. The names are those of JointProperties.
struct TendonProperties {
  /// A joint that it acts on.
  struct Term {
    int iq = 0;              ///< number in q
    double coefficient = 0;  ///< change of length per unit of q
  };
  std::string name = {};                      ///< for messages
  std::vector<Term> terms = {};               ///< its joints
  double damping = 0;                         ///< N·s/m where L is in m
  double frictionloss = 0;                    ///< N
  double stiffness = 0;                       ///< N/m
  double rest_lower = 0, rest_upper = 0;      ///< m
  std::array<double, 2> stiffness_poly = {};  ///< of x² and x³
  std::array<double, 2> damping_poly = {};    ///< of L̇ |L̇| and L̇³
};

/// A tree of rigid bodies: a handle of the constant data of all algorithms, made by a ModelBuilder.
/// Copies share the data, so that classes hold a Model by value; what a Model's functions refer to
/// lives as long as one of its copies. The data are immutable, so that any number of threads may
/// use one Model, each with its own Workspace.
///
/// Every body of bodies() has exactly one joint that is a hinge, slide, ball, free or helical
/// joint: several joints of one body become a chain of massless bodies (a universal joint two
/// hinges, a planar joint two slides and a hinge), and a body without joints is merged into its
/// parent. Bodies are stored depth-first; q and v keep the order in which the joints were added.
class Model {
 public:
  // A move copies: no Model is empty.
  /// Copies share the data, which are constant.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;

  /// One body and the joint that moves it. The body frame has its origin on the joint's axis or
  /// centre.
  struct Body {
    std::string name;  ///< as it was added
    int parent = -1;   ///< index of the parent body, −1 the world; parent < own index
    int root = 0;      ///< index of the ancestor (or itself) that hangs on the world
    JointType joint = JointType::kHinge;  ///< hinge, slide, ball, free or helical
    int iq = 0;                           ///< first number in q
    int iv = 0;                           ///< first number in v
    int nv = 1;                           ///< numbers in v
    int depth = 0;        ///< number of velocity coordinates between the world and the body's joint
    MassProperties mass;  ///< expressed in the body's frame
  };

  /// A frame given to the ModelBuilder, that of a body or one fixed to it, as it is fixed in one of
  /// bodies() or in the world.
  struct NamedFrame {
    std::string name;  ///< of a body or a site
    int body = -1;     ///< index in bodies(), −1 the world
    Pose X_BF;         ///< pose of the frame in that body
  };

  /// A joint given to the ModelBuilder.
  struct NamedJoint {
    std::string name;                    ///< as it was added
    JointType type = JointType::kHinge;  ///< as it was added
    int body = 0;  ///< index in bodies() of the last body of the joint's chain
    int iq = 0;    ///< first number in q
    int iv = 0;    ///< first number in v
  };

  int nq() const { return data_->nq; }                                       ///< size of q
  int nv() const { return data_->nv; }                                       ///< size of v
  int num_bodies() const { return static_cast<int>(data_->bodies.size()); }  ///< without the world
  const std::vector<Body>& bodies() const& { return data_->bodies; }  ///< parents before children
  /// Frames of the bodies given to the ModelBuilder, in its order.
  const std::vector<NamedFrame>& frames() const& { return data_->frames; }
  /// Frames of AddFrame, such as sites of an MJCF file.
  const std::vector<NamedFrame>& added_frames() const& { return data_->added_frames; }
  const std::vector<NamedJoint>& joints() const& { return data_->joints; }
  // What is called on a temporary would refer to what is gone.
  const std::vector<Body>& bodies() const&& = delete;
  const std::vector<NamedFrame>& frames() const&& = delete;
  const std::vector<NamedFrame>& added_frames() const&& = delete;
  const std::vector<NamedJoint>& joints() const&& = delete;
  const Eigen::Vector3d& gravity() const {
    return data_->gravity;
  }  ///< m/s², expressed in world axes

  /// Armature, damping and dry friction by velocity coordinate, nv numbers each (JointProperties).
  const Eigen::VectorXd& armature() const { return data_->armature; }
  const Eigen::VectorXd& damping() const { return data_->damping; }
  const Eigen::VectorXd& frictionloss() const { return data_->frictionloss; }
  /// JointProperties::damping_poly by velocity coordinate, nv × 2.
  const Eigen::MatrixX2d& damping_poly() const { return data_->damping_poly; }

  /// Limits (JointProperties), infinite where there is none: of positions by number of q (nq), of
  /// velocities and forces by velocity coordinate (nv).
  const Eigen::VectorXd& position_lower() const { return data_->position_lower; }
  const Eigen::VectorXd& position_upper() const { return data_->position_upper; }
  const Eigen::VectorXd& velocity_limit() const { return data_->velocity_limit; }
  const Eigen::VectorXd& effort_lower() const { return data_->effort_lower; }
  const Eigen::VectorXd& effort_upper() const { return data_->effort_upper; }

  /// Spring of coordinate iv with x = q[iq] − reference (JointProperties).
  struct Spring {
    int iq = 0;                                 ///< number in q
    int iv = 0;                                 ///< number in v
    double stiffness = 0;                       ///< k
    double reference = 0;                       ///< where it is at rest, rad or m
    std::array<double, 2> stiffness_poly = {};  ///< k₂, k₃
  };
  const std::vector<Spring>& springs() const { return data_->springs; }  ///< of hinges and slides

  /// Spring of the three coordinates from iv on: of a rotation with the unit quaternion q[iq …
  /// iq+3] and the reference w x y z, or of a point q[iq … iq+2] (JointProperties).
  struct VectorSpring {
    int iq = 0;                                 ///< first number in q
    int iv = 0;                                 ///< first number in v
    bool rotates = false;                       ///< of a rotation vector in place of a displacement
    double stiffness = 0;                       ///< k
    std::array<double, 2> stiffness_poly = {};  ///< k₂, k₃
    /// Where it is at rest: a quaternion, or a position.
    Eigen::Vector4d reference = Eigen::Vector4d::Zero();
  };
  /// Springs of ball and free joints.
  const std::vector<VectorSpring>& vector_springs() const { return data_->vector_springs; }

  /// A tendon given to the ModelBuilder; iv[k] is the velocity coordinate of terms[k].
  struct Tendon : TendonProperties {
    std::vector<int> iv;  ///< coordinates of its joints
  };
  const std::vector<Tendon>& tendons() const { return data_->tendons; }  ///< fixed ones

  /// Maximum number of velocity coordinates on a path from the world to a leaf.
  int max_depth() const { return data_->max_depth; }

  /// Velocity coordinate before iv on the path from the world, −1 if iv is the first.
  int parent(int iv) const;

  /// First of the three rotation coordinates of a ball or free joint if iv is one of them, else −1.
  /// Their rates do not commute.
  int rotation_triple(int iv) const;
  bool has_rotation_triples() const { return data_->has_rotation_triples; }

  /// Identifies the structure: two models have the same number if their tree, their joints and the
  /// order of these are the same. The memory of a Workspace and a ChristoffelLayout fit every model
  /// of their structure.
  std::uint64_t structure() const { return data_->structure; }

  /// Identifies the model: a number that its copies alone have in common with it. What was computed
  /// of one model, as the state of a Workspace, is not used with another.
  std::uint64_t id() const { return data_->id; }

  /// Readable name of velocity coordinate iv: the joint's name, followed by .x .y .z (ball),
  /// .px … .wz (free), .1 .2 (universal) or .x .y .angle (planar).
  std::string VelocityName(int iv) const;

  /// The frame with this name, of frames() or added_frames(). @throws UserError for an unknown
  /// name; it lists the names, the nearest first.
  const NamedFrame& FindFrame(std::string_view name) const&;
  const NamedFrame& FindFrame(std::string_view name) const&& = delete;

  /// The joint with this name, of joints(). @throws UserError for an unknown name; it lists the
  /// names, the nearest first.
  const NamedJoint& FindJoint(std::string_view name) const&;
  const NamedJoint& FindJoint(std::string_view name) const&& = delete;

  /// Default configuration, nq numbers: angles and distances at their position_reference, rotations
  /// at the identity, free bodies at their placement.
  Eigen::VectorXd DefaultPosition() const;

  // Copies with a change. Each is made of the description, ModelBuilder(model), which has what a
  // Model merges; G and F are frames of frames() or added_frames(), or the world (body −1).

  /// The body of that description (or kWorld) that a frame is fixed to, and its pose there.
  struct Placement {
    int body;   ///< index, −1 for the world
    Pose X_BF;  ///< pose of the frame in the body
  };
  Placement PlacementOf(const NamedFrame& F) const;  ///< the body that moves F, and F's pose in it

  /// A copy with all masses and rotational inertias multiplied by `factor`, armatures unchanged: a
  /// controller's model with a known error.
  Model WithScaledInertia(double factor) const;

  /// A copy with a further frame F among added_frames(), fixed to the frame G; X_GF is its pose in
  /// G. As the copy moves alike, it has this model's id. @throws UserError if the name is empty or
  /// that of another frame, and if X_GF is not rigid.
  Model WithFrame(std::string name, const NamedFrame& G, const Pose& X_GF) const;

  /// A copy in which the named joints are fixed as they stand at q (nq numbers, of which those of
  /// the other joints do not count): its H is the rows and columns of the others' coordinates of
  /// this H. The other joints keep their order, numbers and limits, all frames stay, the bodies
  /// that no longer move by themselves merge into those that carry them, and tendons get the range
  /// that the fixed coordinates leave. O(N). @throws UserError for an unknown name, a q that is not
  /// finite, if no joint remains, and for a joint that follows a ball joint in the same body.
  Model WithLockedJoints(const std::vector<std::string>& joints,
                         const Eigen::Ref<const Eigen::VectorXd>& q) const;

  /// A copy with the bodies, joints, frames and tendons of `other` after its own, so that q is [q
  /// of this; q of other]. What hangs on the world of `other` hangs on the frame G, in which X_GO
  /// is the pose of that world; `prefix` is put before its names. Gravity is this model's. @throws
  /// UserError if two bodies, frames or joints have one name, if X_GO is not rigid, and for a free
  /// joint of `other` where G moves.
  Model WithModel(const Model& other, const NamedFrame& G, const Pose& X_GO,
                  const std::string& prefix) const;

  /// A copy with `payload`, expressed in the frame F, fixed to the body of F. @throws UserError for
  /// a mass or inertia that no body can have, and where F is fixed to the world.
  Model WithPayload(const NamedFrame& F, const MassProperties& payload) const;

  /// A copy with another mass of the body with this name of frames(), expressed in its frame; of
  /// bodies that are fixed to each other each has its own. @throws UserError for a mass or inertia
  /// that no body can have, and for an unknown name.
  Model WithInertia(std::string_view body, const MassProperties& mass) const;

 private:
  friend class ModelBuilder;
  friend struct internal::Access;

  struct Data {
    /// Of frames and added_frames, one after the other.
    const NamedFrame& FrameAt(size_t index) const;
    void SortNames();

    std::vector<Body> bodies;
    std::vector<NamedFrame> frames, added_frames;
    std::vector<size_t> by_name;  ///< of FrameAt
    std::vector<NamedJoint> joints;
    std::vector<Spring> springs;
    std::vector<VectorSpring> vector_springs;
    std::vector<Tendon> tendons;
    Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);
    Eigen::VectorXd armature, damping, frictionloss;
    Eigen::VectorXd position_lower, position_upper, velocity_limit, effort_lower, effort_upper;
    Eigen::MatrixX2d damping_poly;
    Eigen::VectorXd default_position;
    int nq = 0;
    int nv = 0;
    int max_depth = 0;
    std::vector<int> rotation_triple;
    bool has_rotation_triples = false;
    std::uint64_t structure = 0, id = 0;
    std::shared_ptr<const internal::TreeTables> tables;  ///< of the algorithms; of all with this id
    std::shared_ptr<const ModelBuilder> description;     ///< what it was built of
  };
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

/// A point fixed in a frame, given in the axes of the frame from its origin (m): without one the
/// origin itself. What is called with it refers to the frame.
struct FramePoint {
  /// A point of a frame; by default its origin.
  // NOLINTNEXTLINE(google-explicit-constructor): a frame stands for its origin
  FramePoint(const Model::NamedFrame& of, const Eigen::Vector3d& at = Eigen::Vector3d::Zero())
      : frame(of), point(at) {}

  const Model::NamedFrame& frame;  ///< the frame
  Eigen::Vector3d point;           ///< in its axes, from its origin, m
};

/// Collects bodies and joints and builds a Model of them. All other sources of models, such as an
/// mjModel, use it. What was collected is the whole description of the model: Build() makes the
/// same bits of the same description.
///
///     ModelBuilder b;
///     const int link = b.AddBody("link", ModelBuilder::kWorld, X_PB, {mass, com, inertia});
///     b.AddJoint(link, JointType::kHinge, {.name = "q1", .axis = {0, 1, 0}});
///     const Model model = b.Build();
class ModelBuilder {
 public:
  static constexpr int kWorld = -1;  ///< the world as a parent

  /// A body as it was added.
  struct Body {
    std::string name;              ///< as it was added
    int parent = kWorld;           ///< index of a body added before
    Pose X_PB;                     ///< pose of the body in its parent, joints at zero
    MassProperties mass;           ///< in the body frame
    std::vector<int> joints = {};  ///< its joints, as numbers of joints()
  };
  /// A joint as it was added.
  struct Joint {
    int body = 0;                        ///< that it moves
    JointType type = JointType::kHinge;  ///< of one or several coordinates
    JointProperties properties;          ///< axis, limits, springs, damping and so on
    int iq = 0, iv = 0;                  ///< first number in q and in v
  };

  ModelBuilder() = default;
  /// The description of a model, which can be added to and built again.
  explicit ModelBuilder(const Model& model) : ModelBuilder(*model.data_->description) {}

  const std::vector<Body>& bodies() const { return bodies_; }   ///< parents before their children
  const std::vector<Joint>& joints() const { return joints_; }  ///< in the order of q and v
  const std::vector<Model::Tendon>& tendons() const { return tendons_; }  ///< added so far
  /// Frames of AddFrame; `body` is an index of bodies().
  const std::vector<Model::NamedFrame>& frames() const { return frames_; }
  const Eigen::Vector3d& gravity() const { return gravity_; }
  bool impossible_moments_allowed() const { return impossible_moments_allowed_; }

  /// Adds a body to `parent` (kWorld or an index returned earlier). X_PB is its placement: its pose
  /// in the parent's frame when all its joints are at their position_reference. `mass` is expressed
  /// in the body's frame. @returns the index of the body. @throws UserError if X_PB is not rigid,
  /// if the mass or inertia is negative, not finite, not symmetric or not physical (principal
  /// moments with A + B < C), and if another body has this nonempty name.
  int AddBody(std::string name, int parent, const Pose& X_PB, const MassProperties& mass);

  /// Changes the mass of a body (an index returned by AddBody), as AddBody would take it.
  void SetMass(int body, const MassProperties& mass);

  /// Adds a joint between `body` and its parent, after the joints that the body already has, and
  /// its coordinates at the end of q and v. A body without joints is fixed to its parent. @throws
  /// UserError for a zero axis, two parallel axes, a free joint that is not the only joint of a
  /// child of the world, negative armature, friction or velocity_limit, a lower limit above the
  /// upper one, position limits of a ball or free joint, a spring_pose that is not rigid, NaN, and
  /// if another joint has this nonempty name.
  void AddJoint(int body, JointType type, const JointProperties& joint);

  /// Adds a tendon over coordinates that were added. @throws UserError if one was not or is part of
  /// a ball or free joint, for negative friction, rest_lower > rest_upper and numbers that are not
  /// finite.
  void AddTendon(const TendonProperties& tendon);

  /// Adds a frame fixed to `body` (kWorld or an index returned by AddBody); X_BF is its pose in
  /// that body's frame. It has no mass; all that takes the name of a frame takes its name. @throws
  /// UserError if the name is empty or that of a body or another frame, and if X_BF is not rigid.
  void AddFrame(std::string name, int body, const Pose& X_BF);

  /// Sets the acceleration of gravity, expressed in world axes (m/s²); default (0, 0, −9.81).
  void set_gravity(const Eigen::Vector3d& gravity) { gravity_ = gravity; }

  /// Makes AddBody accept principal moments that are not physical, negative or with A + B < C, as
  /// some files have them. H may then be indefinite.
  void allow_impossible_moments() { impossible_moments_allowed_ = true; }

  /// Builds the model. @throws UserError if no joint was added or gravity is not finite.
  Model Build() const;

 private:
  friend class Model;
  /// The joint as a chain of joints that Model::bodies() may have.
  static std::vector<Joint> Links(const Joint& joint);
  /// The pose of a body with this joint alone, at q, in its pose at the position_reference.
  static Pose Moved(const Joint& joint, const Eigen::Ref<const Eigen::VectorXd>& q);
  static void AppendSprings(const Joint& joint, const Pose& placement, Model::Data* model);
  /// Adds the body that one of them makes, and puts `frame` on it.
  static void AppendLink(const Joint& joint, Model::NamedFrame* frame, Model::Data* model,
                         std::vector<internal::Link>* links);
  /// Adds what bodies_[index] makes; its parent's has been added before.
  void AppendBody(int index, Model::Data* model, std::vector<internal::Link>* links) const;
  static void CheckMass(const std::string& name, const MassProperties& mass, bool any_moments);
  /// The bodies depth-first, children in the order in which they were added.
  std::vector<int> DepthFirst() const;
  /// The velocity coordinate of q[iq], −1 if there is none of a single number.
  int FindVelocity(int iq) const;
  /// Where a frame placed at X in body `body` (or kWorld) is fixed.
  static Model::NamedFrame Place(const std::string& name, int body, const Pose& X,
                                 const Model::Data& model);
  /// What is made of all else, of the joints' numbers and the bodies' masses.
  static void SetTables(const std::shared_ptr<Model::Data>& model,
                        std::vector<internal::Link> links);

  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<Model::Tendon> tendons_;
  std::vector<Model::NamedFrame> frames_;
  std::set<std::string> frame_names_, joint_names_;  ///< bodies' names are names of frames
  bool impossible_moments_allowed_ = false;
  Eigen::Vector3d gravity_ = Eigen::Vector3d(0, 0, -9.81);
  int nq_ = 0;
  int nv_ = 0;
};

}  // namespace civita
