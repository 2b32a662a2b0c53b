#include "tests/oracles/reference_model.h"

#include <Eigen/Geometry>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/oracles/linear.h"

namespace civita {
namespace {

using Json = nlohmann::json;

Eigen::MatrixXd ToMatrix(const Json& json) {
  if (json.is_number()) return Eigen::MatrixXd::Constant(1, 1, json.get<double>());
  const auto rows = static_cast<Eigen::Index>(json.size());
  const auto cols = json.at(0).is_array() ? static_cast<Eigen::Index>(json.at(0).size()) : 1;
  Eigen::MatrixXd m(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Json& row = json.at(static_cast<size_t>(i));
    for (Eigen::Index j = 0; j < cols; ++j) {
      m(i, j) = (row.is_array() ? row.at(static_cast<size_t>(j)) : row).get<double>();
    }
  }
  return m;
}

/// Whether the array is a matrix; arrays of rank three (such as Gamma) are read elsewhere.
bool IsMatrix(const Json& json) {
  if (json.is_number()) return true;
  if (!json.is_array() || json.empty()) return false;
  const Json& row = json.at(0);
  return row.is_number() || (row.is_array() && !row.empty() && row.at(0).is_number());
}

JointType ToJointType(const std::string& type) {
  if (type == "revolute") return JointType::kHinge;
  if (type == "prismatic") return JointType::kSlide;
  if (type == "spherical") return JointType::kBall;
  if (type == "floating") return JointType::kFree;
  throw std::runtime_error("reference data: unknown joint type '" + type + "'");
}

TreeSpec ToSpec(const Json& file) {
  TreeSpec spec;
  spec.gravity = ToMatrix(file.at("gravity"));
  for (const Json& row : file.at("bodies")) {
    const Json& joint = row.at("joint");
    const JointType type = ToJointType(joint.at("type").get<std::string>());
    const Pose X_PB{ToMatrix(row.at("placement").at("R")), ToMatrix(row.at("placement").at("p"))};
    const MassProperties mass{row.at("mass").get<double>(), ToMatrix(row.at("com")),
                              ToMatrix(row.at("inertia"))};
    const std::string name = row.at("name").get<std::string>();
    const int parent = row.at("parent").get<int>();
    if (type == JointType::kFree &&
        (parent != ModelBuilder::kWorld || !X_PB.R.isIdentity(0) || !X_PB.p.isZero(0))) {
      throw std::runtime_error("reference data: floating joint not at the world's origin");
    }
    const int body = spec.AddBody(name, parent, X_PB, mass);
    JointProperties properties{.name = "joint_" + name};
    if (joint.contains("axis")) properties.axis = ToMatrix(joint.at("axis"));
    if (joint.at("iq").get<int>() != spec.nq || joint.at("iv").get<int>() != spec.nv) {
      throw std::runtime_error("reference data: joints are not in the order of the bodies");
    }
    spec.AddJoint(body, type, properties);
  }
  return spec;
}

std::vector<int> FloatingJoints(const TreeSpec& spec, int TreeSpec::Joint::*offset) {
  std::vector<int> found;
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      if (joint.type == JointType::kFree) found.push_back(joint.*offset);
    }
  }
  return found;
}

/// v_file = A v_mujoco, for each floating joint [ω; u in body axes] = [0 1; Rᵀ 0] [ṗ; ω], and Ȧ.
struct Conversion {
  Eigen::MatrixXd A, Adot;
};

Conversion MakeConversion(const TreeSpec& spec, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& qd) {
  Conversion c{Eigen::MatrixXd::Identity(spec.nv, spec.nv),
               Eigen::MatrixXd::Zero(spec.nv, spec.nv)};
  const std::vector<int> iq = FloatingJoints(spec, &TreeSpec::Joint::iq);
  const std::vector<int> iv = FloatingJoints(spec, &TreeSpec::Joint::iv);
  for (size_t i = 0; i < iq.size(); ++i) {
    const Eigen::Vector4d wxyz = q.segment<4>(iq[i]);
    const Eigen::Matrix3d R =
        Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).toRotationMatrix();
    const Eigen::Vector3d w = qd.segment<3>(iv[i]);
    Eigen::Matrix3d w_cross;
    w_cross << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
    auto A = c.A.block<6, 6>(iv[i], iv[i]);
    A.setZero();
    A.topRightCorner<3, 3>().setIdentity();
    A.bottomLeftCorner<3, 3>() = R.transpose();
    c.Adot.block<3, 3>(iv[i] + 3, iv[i]) = -w_cross * R.transpose();
  }
  return c;
}

/// A tree's state in MuJoCo's conventions; C̄ = AᵀCA + AᵀHȦ, forces by Aᵀ.
ReferenceModel::Values ToMujoco(const TreeSpec& spec, const ReferenceModel::Values& file) {
  const Eigen::VectorXd q = file.at("q");
  const auto [A, Adot] = MakeConversion(spec, q, file.at("qd"));
  const Eigen::MatrixXd A_inverse = linear::Inverse(A);
  const Eigen::MatrixXd& M = file.at("M");
  const Eigen::MatrixXd At = A.transpose();
  ReferenceModel::Values out;
  Eigen::VectorXd q_out = q;
  for (const int iq : FloatingJoints(spec, &TreeSpec::Joint::iq)) {
    q_out.segment<3>(iq) = q.segment<3>(iq + 4);
    q_out.segment<4>(iq + 3) = q.segment<4>(iq);
  }
  const Eigen::VectorXd v = A_inverse * file.at("qd");
  out["q"] = q_out;
  out["v"] = v;
  out["vdot"] = A_inverse * (file.at("qdd") - Adot * v);
  const Eigen::VectorXd v_r = A_inverse * file.at("qd_r");
  out["v_r"] = v_r;
  out["vdot_r"] = A_inverse * (file.at("qdd") - Adot * v_r);
  out["H"] = At * M * A;
  for (const char* key : {"C", "C_vxI", "C_alt"}) {
    out[key] = At * file.at(key) * A + At * M * Adot;
  }
  const Eigen::MatrixXd M_Adot = At * M * Adot;
  out["Hdot"] = At * file.at("Mdot") * A + M_Adot + M_Adot.transpose();
  out["Cv"] = At * file.at("Cqd") + M_Adot * v;
  out["CTv"] = At * file.at("CTqd") + Adot.transpose() * file.at("momentum");
  for (const auto& [key, name] : std::map<std::string, std::string>{
           {"g", "gravity_torque"}, {"tau", "tau"}, {"tau_SL", "tau_SL"}, {"p", "momentum"}}) {
    out[key] = At * file.at(name);
  }
  out["kinetic_energy"] = file.at("kinetic_energy");
  out["potential_energy"] = file.at("potential_energy");
  return out;
}

}  // namespace

const std::vector<std::string>& ReferenceModelNames() {
  static const std::vector<std::string> names = {
      "bintree7",     "biped12", "chain10", "chain3",       "chain6_gravdir", "fbmix",
      "fourbar_tree", "free1",   "mixed6",  "rotor_chain4", "sph3",           "star13"};
  return names;
}

ReferenceModel LoadReferenceModel(const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name + ".json";
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(path + " is missing");
  const Json file = Json::parse(stream);
  ReferenceModel model;
  model.name = name;
  const std::string format = file.at("format").get<std::string>();
  model.cluster = format == "rbd-oracle-cluster-1";
  if (!model.cluster && format != "rbd-oracle-1") {
    throw std::runtime_error(path + ": unknown format '" + format + "'");
  }
  model.spec = ToSpec(file);
  if (file.contains("G")) model.G = ToMatrix(file.at("G"));
  for (const Json& state : file.at("states")) {
    ReferenceModel::Values values;
    for (const auto& [key, value] : state.items()) {
      if (IsMatrix(value)) values[key] = ToMatrix(value);
    }
    model.states.push_back(model.cluster ? values : ToMujoco(model.spec, values));
  }
  if (model.states.empty()) throw std::runtime_error(path + " has no states");
  return model;
}

}  // namespace civita
