#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/quadratic_program.h"

namespace civita {

/// Distributes a wrench among the feet in contact: the forces f_k at the contact points solve
///   min ½‖A f − b‖²_Q + ½ε‖f‖²,  f_x, f_y in the friction pyramid of f_z,  0 ≤ f_z ≤ f_max,
///   |τ| ≤ τ_max,
/// b the wrench [force; moment about the centre of mass] that the law wants, world axes, A f the
/// wrench of the forces. Wrench rows are soft: two point feet on a line cannot give every moment.
/// The pyramid has eight sides, at 0.7 of the cone ahead and aside and 0.8 between. Forces at the
/// corners of a flat sole keep its centre of pressure inside. Torque rows are added only when the
/// solution without them violates one, and dropped when they make the program infeasible.
class ContactForces {
 public:
  ContactForces(const Model& model, const LegOptions& legs);

  enum class Status {
    kOptimal,
    kTorqueRows,     ///< optimal, with a torque at its limit
    kTorqueDropped,  ///< infeasible with torque rows; solved without them
    kFallback,       ///< infeasible: load shared evenly, no friction
    kNoContact,      ///< no foot in contact
  };

  /// Solves for the forces. `wrench` is b, N and N·m; `load` (by foot, 0…1) scales f_max;
  /// `tau_free` (nv) are the joint forces of the motion without contacts, so that τ = tau_free − Σ
  /// Jᵀ[moment; force]. Allocates nothing.
  Status Distribute(const LegKinematics& legs, const Eigen::Matrix<double, 6, 1>& wrench,
                    const Eigen::VectorXd& load, const Eigen::VectorXd& tau_free);

  /// Wrench [moment about the foot's point; force] on the robot, world axes, N·m and N.
  auto foot_wrench(size_t foot) const {
    return foot_wrenches_.col(static_cast<Eigen::Index>(foot));
  }
  /// Σ Jᵀ[moment; force] (nv) of these wrenches.
  const Eigen::VectorXd& joint_forces() const { return joint_forces_; }
  /// A f − b, [force; moment], N and N·m.
  const Eigen::Matrix<double, 6, 1>& unmet() const { return unmet_; }
  /// Centre of pressure in the plane of the contacts, world axes, m; valid only with contacts.
  const Point2& center_of_pressure() const { return center_of_pressure_; }
  int iterations() const { return iterations_; }

 private:
  struct Contact {
    size_t foot;
    Eigen::Vector3d p;
    double f_max;
  };

  /// Solves for f without regard to its limits. @returns whether it meets them, and so solves the
  /// program, whose number of iterations is then 1; sets unmet_.
  bool SolveFree(const Eigen::Vector3d& c, const Eigen::Matrix<double, 6, 1>& wrench,
                 Eigen::VectorXd& f);
  void FillProgram(const Eigen::Vector3d& c, const Eigen::Matrix<double, 6, 1>& wrench,
                   QuadraticProgram& program);
  void FillTorqueRows(const LegKinematics& legs, const Eigen::VectorXd& tau_free,
                      QuadraticProgram& program);
  /// Whether forces at the present contacts give coordinate iv a torque.
  bool Carries(const LegKinematics& legs, int iv) const;
  bool BreaksTorque(const LegKinematics& legs, const Eigen::VectorXd& tau_free) const;
  void TakeForces(const LegKinematics& legs, const Eigen::VectorXd& f);

  double mu_, mu_sum_, f_max_;  ///< |f_x|, |f_y| ≤ mu_ f_z, |f_x| + |f_y| ≤ mu_sum_ f_z
  const Eigen::VectorXd tau_max_;
  std::vector<int> limited_;  ///< coordinates of the legs that have an effort limit
  std::vector<QuadraticProgram> plain_, limited_programs_;  ///< by number of contacts − 1
  std::vector<Contact> contacts_;
  Eigen::VectorXd joint_forces_;
  Eigen::MatrixXd A_, QA_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> foot_wrenches_;
  Eigen::Matrix<double, 6, 1> unmet_ = Eigen::Matrix<double, 6, 1>::Zero();
  Point2 center_of_pressure_ = Point2::Zero();
  int iterations_ = 0;
};

}  // namespace civita
