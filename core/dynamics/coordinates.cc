#include "civita/coordinates.h"

#include <Eigen/Cholesky>
#include <utility>

#include "civita/com_decoupled.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/task_space.h"
#include "core/spatial/internal/products.h"

namespace civita {

namespace {

std::vector<std::string> VelocityNames(const Model& model) {
  std::vector<std::string> names;
  for (int iv = 0; iv < model.nv(); ++iv) names.push_back(model.VelocityName(iv));
  return names;
}

/// H and the Christoffel-consistent C.
struct Matrices {
  explicit Matrices(const Model& model)
      : H(Eigen::MatrixXd::Zero(model.nv(), model.nv())), C(H), Hdot(H) {}
  void Update(const Model& model, Workspace<double>& workspace) {
    CalcCoriolisMatrix(model, Factorization{}, workspace, {.C = C, .H = H});
    Hdot = C + C.transpose();
  }
  Eigen::MatrixXd H, C, Hdot;
};

struct Task {
  Task(const Model& model, const Model::NamedFrame& frame_in, bool pose,
       const Eigen::MatrixXd& J_in)
      : frame(frame_in),
        rows(pose ? 6 : 3),
        matrices(model),
        J(J_in),
        Jdot(Eigen::MatrixXd::Zero(J.rows(), J.cols())),
        twist_rows(Eigen::MatrixXd::Zero(6, model.nv())),
        rate(J.transpose()),
        Lambdadot(Eigen::MatrixXd::Zero(J.rows(), J.rows())),
        llt(Eigen::MatrixXd::Identity(model.nv(), model.nv())),
        space(model, J) {}

  const Model::NamedFrame frame;
  Eigen::Index rows;
  Matrices matrices;
  Eigen::MatrixXd J, Jdot, twist_rows, rate, Lambdadot;
  Eigen::LLT<Eigen::MatrixXd> llt;  ///< of 1 at first: moving an empty one is undefined
  TaskSpace<double> space;
};

/// Ȧ_x = H⁻¹(J̇ᵀΛ + JᵀΛ̇ − Ḣ A_x) of A_x = H⁻¹JᵀΛ, Λ̇ = C_xx + C_xxᵀ.
Status UpdateTask(const Model& model, Task& task, Workspace<double>& workspace,
                  VelocityMap<double>& map) {
  task.matrices.Update(model, workspace);
  CalcFrameJacobian(model, task.frame, workspace, task.twist_rows);
  task.J = task.twist_rows.bottomRows(task.rows);
  CalcFrameJacobianDerivative(model, task.frame, workspace, task.twist_rows);
  task.Jdot = task.twist_rows.bottomRows(task.rows);
  TaskSpace<double>& space = task.space;
  const Status status =
      space.Update({.C = task.matrices.C, .H = task.matrices.H}, task.J, task.Jdot);
  if (!status) return status;
  const Eigen::Index n = space.null_space.A.cols();
  map.A.leftCols(task.rows) = space.A_x;
  map.A.rightCols(n) = space.null_space.A;
  task.Lambdadot = space.C_xx + space.C_xx.transpose();
  internal::SetProduct<double>(-task.matrices.Hdot, space.A_x, task.rate);
  internal::AddProduct<double>(task.Jdot.transpose(), space.Lambda, task.rate);
  internal::AddProduct<double>(task.J.transpose(), task.Lambdadot, task.rate);
  task.llt.compute(task.matrices.H);
  for (Eigen::Index c = 0; c < task.rate.cols(); ++c) {
    auto column = task.rate.col(c);
    task.llt.solveInPlace(column);
  }
  map.Adot.leftCols(task.rows) = task.rate;
  map.Adot.rightCols(n) = space.null_space.Adot;
  return status;
}

}  // namespace

void CheckComDecoupling(const Model& model, const Factorization& factorization) {
  const Model::Body& base = model.bodies().front();
  if (base.joint != JointType::kFree || base.iv != 0) {
    throw UserError("the centre of mass decouples of a floating base only: body '" + base.name +
                    "' hangs on a " + ToString(base.joint) + " joint");
  }
  for (const Model::Body& body : model.bodies()) {
    if (body.root == 0) continue;
    throw UserError("the centre of mass decouples of one tree only: body '" + body.name +
                    "' is not carried by '" + base.name + "'");
  }
  if (!model.armature().head<3>().isZero(0)) {
    throw UserError("the free joint of body '" + base.name +
                    "' has armature on its translations, which couples them to the rest");
  }
  bool angular = factorization.t == 0 && factorization.admissible() &&
                 !factorization.has_coordinate_injections();
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    angular = angular && injection.part == Factorization::Part::kAngular;
  }
  if (!angular) {
    throw UserError(
        "the factorization's torsion acts on the centre of mass; valid: christoffel, "
        "body:BODY:ang:β");
  }
}

Coordinates BodyTwistCoordinates(const Model& model) {
  Coordinates result{"body_twists", VelocityNames(model), model.id(), {}};
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.type != JointType::kFree) continue;
    for (int i = 0; i < 6; ++i) {
      const char* part = i < 3 ? ".w" : ".u";
      const int iv = joint.iv + i;
      result.names[static_cast<size_t>(iv)] = joint.name + part + "xyz"[i % 3];
    }
  }
  result.update = [model](Workspace<double>& workspace, VelocityMap<double>& map) {
    SetFromBodyTwists(model, workspace, &map);
    return Status::kOk;
  };
  return result;
}

Coordinates ComCoordinates(const Model& model) {
  CheckComDecoupling(model, Factorization{});
  Coordinates result{"com_decoupled", VelocityNames(model), model.id(), {}};
  for (size_t i = 0; i < 3; ++i) result.names[i] = std::string("com.") + "xyz"[i];
  result.update = [model, matrices = Matrices(model)](Workspace<double>& workspace,
                                                      VelocityMap<double>& map) mutable {
    matrices.Update(model, workspace);
    SetComVelocities<double>({.C = matrices.C, .H = matrices.H}, &map);
    return Status::kOk;
  };
  return result;
}

Coordinates TaskCoordinates(const Model& model, const Model::NamedFrame& frame, bool pose,
                            const Eigen::VectorXd& q) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, workspace);
  Eigen::MatrixXd J(6, model.nv());
  CalcFrameJacobian(model, frame, workspace, J);
  Task task(model, frame, pose, J.bottomRows(pose ? 6 : 3));
  Coordinates result{"task:" + frame.name + (pose ? ":pose" : ""), {}, model.id(), {}};
  if (pose) {
    for (int i = 0; i < 3; ++i) result.names.push_back(frame.name + ".w" + "xyz"[i]);
  }
  for (int i = 0; i < 3; ++i) result.names.push_back(frame.name + ".p" + "xyz"[i]);
  for (const int iv : task.space.independent) {
    result.names.push_back("null." + model.VelocityName(iv));
  }
  result.update = [model, task = std::move(task)](Workspace<double>& at,
                                                  VelocityMap<double>& map) mutable {
    return UpdateTask(model, task, at, map);
  };
  return result;
}

/// Ȧ = −A Φᵀ, Φ the lower half of AᵀḢA with half of its diagonal: L̇ = L Φ.
Coordinates MassOrthonormalCoordinates(const Model& model) {
  struct Frame {
    explicit Frame(const Model& model)
        : matrices(model),
          Phi(matrices.H),
          llt(Eigen::MatrixXd::Identity(model.nv(), model.nv())) {}
    Matrices matrices;
    Eigen::MatrixXd Phi;
    Eigen::LLT<Eigen::MatrixXd> llt;
  };
  Coordinates result{"mass_orthonormal", {}, model.id(), {}};
  for (int i = 0; i < model.nv(); ++i) result.names.push_back("w" + std::to_string(i));
  result.update = [model, frame = Frame(model)](Workspace<double>& workspace,
                                                VelocityMap<double>& map) mutable {
    frame.matrices.Update(model, workspace);
    frame.llt.compute(frame.matrices.H);
    if (frame.llt.info() != Eigen::Success) return Status::kSingularMassMatrix;
    map.A.setIdentity();
    frame.llt.matrixU().solveInPlace(map.A);
    map.Adot.noalias() = frame.matrices.Hdot * map.A;
    frame.Phi.noalias() = map.A.transpose() * map.Adot;
    frame.Phi.diagonal() *= 0.5;
    frame.Phi.triangularView<Eigen::StrictlyUpper>().setZero();
    map.Adot.noalias() = -map.A * frame.Phi.transpose();
    return Status::kOk;
  };
  return result;
}

}  // namespace civita
