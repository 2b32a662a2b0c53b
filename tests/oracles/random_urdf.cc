#include "tests/oracles/random_urdf.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>

namespace civita {
namespace {

class UrdfWriter {
 public:
  UrdfWriter(unsigned seed, bool oddities) : random_(seed), oddities_(oddities) {
    out_ << std::setprecision(17) << "<robot name='random'>\n";
    constexpr int kLinks = 9;
    for (int i = 0; i < kLinks; ++i) AddLink(i);
    out_ << "</robot>\n";
    robot_.text = out_.str();
  }
  RandomUrdf robot() const { return robot_; }

 private:
  double Draw(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Eigen::Vector3d DrawVector(double size) {
    return {Draw(-size, size), Draw(-size, size), Draw(-size, size)};
  }

  Eigen::Matrix3d DrawRotation() {
    return Eigen::AngleAxisd(Draw(-3, 3), DrawVector(1).normalized()).toRotationMatrix();
  }

  // Writes <origin> and returns its pose: fixed axes x, y, z.
  Pose WriteOrigin() {
    const Eigen::Vector3d p = DrawVector(0.3), rpy = DrawVector(1.5);
    out_ << "<origin xyz='" << p.transpose() << "' rpy='" << rpy.transpose() << "'/>";
    using Axis = Eigen::AngleAxisd;
    const Eigen::Quaterniond R = Axis(rpy[2], Eigen::Vector3d::UnitZ()) *
                                 Axis(rpy[1], Eigen::Vector3d::UnitY()) *
                                 Axis(rpy[0], Eigen::Vector3d::UnitX());
    return {R.toRotationMatrix(), p};
  }

  // In the axes of the inertial frame.
  MassProperties DrawMass() {
    MassProperties mass;
    mass.mass = Draw(0.3, 2);
    const Eigen::Vector3d second(Draw(0.01, 0.1), Draw(0.01, 0.1), Draw(0.01, 0.1));
    Eigen::Vector3d moments = Eigen::Vector3d::Constant(second.sum()) - second;
    switch (oddities_ ? Below(8) : 7) {
      case 0:
        moments.setZero();  // a point mass
        break;
      case 1:
        moments << 0.01, 0.02, 0.05;  // A + B < C
        break;
      case 2:
        moments << -0.004, 0.02, 0.03;
        break;
      case 3:
        mass.mass = 0;
        moments.setZero();
        break;
      default:
        break;
    }
    const Eigen::Matrix3d R =
        Below(2) == 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : DrawRotation();
    mass.inertia = R * moments.asDiagonal() * R.transpose();
    mass.inertia = 0.5 * (mass.inertia + mass.inertia.transpose()).eval();
    return mass;
  }

  MassProperties WriteInertial() {
    if (oddities_ && Below(6) == 0) return {};
    MassProperties mass = DrawMass();
    out_ << "<inertial>";
    const Pose X = WriteOrigin();
    const Eigen::Matrix3d& I = mass.inertia;
    out_ << "<mass value='" << mass.mass << "'/><inertia ixx='" << I(0, 0) << "' iyy='" << I(1, 1)
         << "' izz='" << I(2, 2) << "' ixy='" << I(0, 1) << "' ixz='" << I(0, 2) << "' iyz='"
         << I(1, 2) << "'/></inertial>";
    mass.com = X.p;
    mass.inertia = (X.R * mass.inertia * X.R.transpose()).eval();
    mass.inertia = 0.5 * (mass.inertia + mass.inertia.transpose()).eval();
    return mass;
  }

  void WriteShape(const char* kind) {
    static constexpr const char* kShapes[] = {"<box size='0.1 0.2 0.3'/>", "<sphere radius='0.1'/>",
                                              "<cylinder radius='0.1' length='0.2'/>",
                                              "<mesh filename='package://none/a.dae'/>"};
    out_ << "<" << kind << ">";
    WriteOrigin();
    out_ << "<geometry>" << kShapes[Below(4)] << "</geometry></" << kind << ">";
  }

  void AddLink(int index) {
    const std::string name = "link" + std::to_string(index);
    out_ << "<link name='" << name << "'>";
    const MassProperties mass = WriteInertial();
    if (Below(2) == 0) WriteShape("collision");
    if (Below(2) == 0) WriteShape("visual");
    out_ << "</link>\n";
    if (index == 0) {
      robot_.spec.AddBody(name, ModelBuilder::kWorld, {}, mass);
      return;
    }
    const int parent = std::max(0, index - 1 - Below(3));
    const int kind = index == 1 ? 0 : Below(4);  // hinges twice, slide, fixed
    static constexpr const char* kTypes[] = {"revolute", "continuous", "prismatic", "fixed"};
    out_ << "<joint name='joint" << index << "' type='" << kTypes[kind] << "'><parent link='link"
         << parent << "'/><child link='" << name << "'/>";
    const Pose X_PB = WriteOrigin();
    const int body = robot_.spec.AddBody(name, parent, X_PB, mass);
    if (kind < 3) AddJoint(index, body, kind == 2 ? JointType::kSlide : JointType::kHinge);
    out_ << "</joint>\n";
  }

  void AddJoint(int index, int body, JointType type) {
    JointProperties p;
    p.name = "joint" + std::to_string(index);
    p.axis = DrawVector(1).normalized();
    p.damping = Below(2) * Draw(0, 3);
    p.frictionloss = Below(2) * Draw(0, 2);
    out_ << "<axis xyz='" << p.axis.transpose() << "'/><limit lower='-1' upper='2' effort='9' "
         << "velocity='3'/><dynamics damping='" << p.damping << "' friction='" << p.frictionloss
         << "'/>";
    robot_.spec.AddJoint(body, type, p);
  }

  std::mt19937 random_;
  bool oddities_;
  std::ostringstream out_;
  RandomUrdf robot_;
};

}  // namespace

RandomUrdf MakeRandomUrdf(unsigned seed, bool oddities) {
  return UrdfWriter(seed, oddities).robot();
}

}  // namespace civita
