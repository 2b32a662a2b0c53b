#include "tests/oracles/mujoco/mujoco_tree.h"

#include <Eigen/Geometry>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace civita {
namespace {

std::string Numbers(const Eigen::VectorXd& x) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (Eigen::Index i = 0; i < x.size(); ++i) out << (i == 0 ? "" : " ") << x[i];
  return out.str();
}

std::string Number(double x) { return Numbers(Eigen::VectorXd::Constant(1, x)); }

std::string PoseAttributes(const Pose& X) {
  const Eigen::Quaterniond quaternion(X.R);
  const Eigen::Vector4d wxyz(quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z());
  return " pos='" + Numbers(X.p) + "' quat='" + Numbers(wxyz) + "'";
}

template <typename Properties>
std::string ForceAttributes(const Properties& p) {
  const auto cubic = [](double linear, const std::array<double, 2>& poly) {
    return Numbers(Eigen::Vector3d(linear, poly[0], poly[1]));
  };
  return " stiffness='" + cubic(p.stiffness, p.stiffness_poly) + "' damping='" +
         cubic(p.damping, p.damping_poly) + "' frictionloss='" + Number(p.frictionloss) + "'";
}

void WriteJoint(const TreeSpec::Joint& joint, std::ostream& out);

/// Writes a universal or planar joint as several of MuJoCo's, the first with the joint's name.
void WriteParts(const TreeSpec::Joint& joint, std::ostream& out) {
  const auto write = [&](const char* suffix, JointType type, const Eigen::Vector3d& axis) {
    TreeSpec::Joint part{type, joint.properties};
    part.properties.name += suffix;
    part.properties.axis = axis;
    WriteJoint(part, out);
  };
  const JointProperties& p = joint.properties;
  if (joint.type == JointType::kUniversal) {
    write("", JointType::kHinge, p.axis);
    write(".2", JointType::kHinge, p.axis2);
    return;
  }
  const Eigen::Vector3d y = p.axis.cross(p.axis2);
  write("", JointType::kSlide, y.cross(p.axis));
  write(".2", JointType::kSlide, y);
  write(".3", JointType::kHinge, p.axis);
}

void WriteJoint(const TreeSpec::Joint& joint, std::ostream& out) {
  if (joint.type == JointType::kUniversal || joint.type == JointType::kPlanar) {
    WriteParts(joint, out);
    return;
  }
  const JointProperties& p = joint.properties;
  out << "<joint name='" << p.name << "' type='" << ToString(joint.type) << "'";
  if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) {
    out << " axis='" << Numbers(p.axis) << "' ref='" << Number(p.position_reference) << "'"
        << " springref='" << Number(p.spring_reference) << "'";
  }
  if (joint.type == JointType::kHinge || joint.type == JointType::kBall) {
    out << " pos='" << Numbers(p.anchor) << "'";
  }
  out << " armature='" << Number(p.armature) << "'" << ForceAttributes(p) << "/>\n";
}

void WriteBody(const TreeSpec& spec, int index, std::ostream& out) {
  const TreeSpec::Body& body = spec.bodies[static_cast<size_t>(index)];
  const Eigen::Matrix3d& I = body.mass.inertia;
  Eigen::VectorXd inertia(6);
  inertia << I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2);
  out << "<body name='" << body.name << "'" << PoseAttributes(body.X_PB) << ">\n";
  for (const TreeSpec::Joint& joint : body.joints) WriteJoint(joint, out);
  if (body.mass.mass > 0) {
    out << "<inertial mass='" << Number(body.mass.mass) << "' pos='" << Numbers(body.mass.com)
        << "' fullinertia='" << Numbers(inertia) << "'/>\n";
  }
  for (int child = index + 1; child < static_cast<int>(spec.bodies.size()); ++child) {
    if (spec.bodies[static_cast<size_t>(child)].parent == index) WriteBody(spec, child, out);
  }
  out << "</body>\n";
}

/// MuJoCo's name of the joint whose coordinate is q[iq].
std::string JointAt(const TreeSpec& spec, int iq) {
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      const int part = iq - joint.iq;
      if (part < 0 || part >= NumPositions(joint.type)) continue;
      return joint.properties.name + (part > 0 ? "." + std::to_string(part + 1) : "");
    }
  }
  return "";
}

void WriteTendon(const TreeSpec& spec, const TendonProperties& tendon, std::ostream& out) {
  out << "<fixed name='" << tendon.name << "' springlength='"
      << Numbers(Eigen::Vector2d(tendon.rest_lower, tendon.rest_upper)) << "'"
      << ForceAttributes(tendon) << ">";
  for (const TendonProperties::Term& term : tendon.terms) {
    out << "<joint joint='" << JointAt(spec, term.iq) << "' coef='" << Number(term.coefficient)
        << "'/>";
  }
  out << "</fixed>\n";
}

}  // namespace

std::string ToMjcf(const TreeSpec& spec) {
  std::ostringstream out;
  out << "<mujoco model='tree'>\n"
      << "<compiler angle='radian' inertiafromgeom='false' autolimits='true'/>\n"
      << "<option gravity='" << Numbers(spec.gravity) << "'/>\n"
      << "<worldbody>\n";
  for (int i = 0; i < static_cast<int>(spec.bodies.size()); ++i) {
    if (spec.bodies[static_cast<size_t>(i)].parent == ModelBuilder::kWorld) WriteBody(spec, i, out);
  }
  out << "</worldbody>\n<tendon>\n";
  for (const TendonProperties& tendon : spec.tendons) WriteTendon(spec, tendon, out);
  out << "</tendon>\n</mujoco>\n";
  return out.str();
}

std::unique_ptr<mjModel, MujocoDeleter> CompileMjcf(const std::string& xml) {
  char error[1000] = "";
  const std::unique_ptr<mjSpec, MujocoDeleter> parsed(
      mj_parseXMLString(xml.c_str(), nullptr, error, sizeof(error)));
  if (!parsed) throw std::runtime_error(error);
  std::unique_ptr<mjModel, MujocoDeleter> model(mj_compile(parsed.get(), nullptr));
  if (!model) throw std::runtime_error(mjs_getError(parsed.get()));
  return model;
}

MujocoTree LoadInMujoco(const TreeSpec& spec) {
  MujocoTree tree;
  tree.model = CompileMjcf(ToMjcf(spec));
  tree.data.reset(mj_makeData(tree.model.get()));
  tree.q_of.resize(static_cast<size_t>(spec.nq));
  tree.v_of.resize(static_cast<size_t>(spec.nv));
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      const int id = mj_name2id(tree.model.get(), mjOBJ_JOINT, joint.properties.name.c_str());
      const auto q_first = tree.q_of.begin() + joint.iq;
      const auto v_first = tree.v_of.begin() + joint.iv;
      std::iota(q_first, q_first + NumPositions(joint.type), tree.model->jnt_qposadr[id]);
      std::iota(v_first, v_first + NumVelocities(joint.type), tree.model->jnt_dofadr[id]);
    }
  }
  return tree;
}

Eigen::VectorXd MujocoTree::ToQpos(const Eigen::VectorXd& q) const {
  Eigen::VectorXd qpos(q.size());
  for (size_t i = 0; i < q_of.size(); ++i) qpos[q_of[i]] = q[static_cast<Eigen::Index>(i)];
  return qpos;
}

Eigen::VectorXd MujocoTree::ToQvel(const Eigen::VectorXd& v) const {
  Eigen::VectorXd qvel(v.size());
  for (size_t i = 0; i < v_of.size(); ++i) qvel[v_of[i]] = v[static_cast<Eigen::Index>(i)];
  return qvel;
}

Eigen::VectorXd MujocoTree::FromQvel(const Eigen::VectorXd& qvel) const { return qvel(v_of); }

Eigen::MatrixXd MujocoTree::FromQvel(const Eigen::MatrixXd& qvel_by_qvel) const {
  return qvel_by_qvel(v_of, v_of);
}

MujocoDynamics CalcMujocoDynamics(const MujocoTree& tree, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v) {
  const mjModel* m = tree.model.get();
  mjData* d = tree.data.get();
  Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = tree.ToQpos(q);
  Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = tree.ToQvel(v);
  mj_forward(m, d);
  Eigen::MatrixXd H(m->nv, m->nv);
  mj_fullM(m, d, H.data());
  const Eigen::VectorXd bias = Eigen::Map<Eigen::VectorXd>(d->qfrc_bias, m->nv);
  return {tree.FromQvel(H), tree.FromQvel(bias)};
}

}  // namespace civita
