#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/quadratic_program.h"

namespace civita {

/// Shares a wrench among the feet that carry: of the forces f_k at the balls that touch,
///   min ½‖A f − b‖²_Q + ½ε‖f‖²,  |f_x|, |f_y| ≤ μ f_z,  0 ≤ f_z ≤ f_max,  |τ| ≤ τ_max,
/// b the wrench [force; moment about the centre of mass] that the law wants, world axes, A f what
/// the forces make of it. Wrench rows are soft: two feet in a line cannot give every moment. The
/// pyramid lies inside 0.7 of the cone. The corners of a flat sole keep its centre of pressure
/// inside. Torque rows only come in when the solution without them breaks one, and are dropped
/// again when they leave none.
class ContactForces {
 public:
  ContactForces(const Model& model, const LegOptions& legs);

  enum class Status {
    kOptimal,
    kTorqueRows,     ///< optimal, with a torque at its limit
    kTorqueDropped,  ///< torque rows left no solution: without them
    kFallback,       ///< no solution: the load shared evenly, no friction
    kNoContact,      ///< no foot carries
  };

  /// `wrench` is b; `load` (by foot, 0…1) ramps f_max; `tau_free` (nv) the joint forces that the
  /// motion takes without contacts, so that τ = tau_free − Σ Jᵀ[moment; force]. Allocates nothing.
  Status Distribute(const LegKinematics& legs, const Eigen::Matrix<double, 6, 1>& wrench,
                    const Eigen::VectorXd& load, const Eigen::VectorXd& tau_free);

  /// [Moment about the foot's point; force] on the robot, world axes.
  auto foot_wrench(size_t foot) const {
    return foot_wrenches_.col(static_cast<Eigen::Index>(foot));
  }
  /// τ += factor Σ Jᵀ[moment; force]. Allocates nothing.
  void AddJointForces(const LegKinematics& legs, double factor, Eigen::VectorXd& tau) const;
  /// A f − b.
  const Eigen::Matrix<double, 6, 1>& unmet() const { return unmet_; }
  /// Where the resultant meets the ground, in the plane of the contacts; only with contacts.
  const Point2& center_of_pressure() const { return center_of_pressure_; }
  int iterations() const { return iterations_; }

 private:
  struct Contact {
    size_t foot;
    Eigen::Vector3d p;
    double f_max;
  };

  void FillProgram(const Eigen::Vector3d& c, const Eigen::Matrix<double, 6, 1>& wrench,
                   QuadraticProgram& program);
  void FillTorqueRows(const LegKinematics& legs, const Eigen::VectorXd& tau_free,
                      QuadraticProgram& program);
  /// Whether forces at the present contacts load coordinate iv.
  bool Carries(const LegKinematics& legs, int iv) const;
  bool BreaksTorque(const LegKinematics& legs, const Eigen::VectorXd& tau_free);
  void TakeForces(const LegKinematics& legs, const Eigen::VectorXd& f);

  double mu_, f_max_;
  const Eigen::VectorXd tau_max_;
  std::vector<int> limited_;  ///< coordinates on the way to a foot that have a limit
  std::vector<QuadraticProgram> plain_, limited_programs_;  ///< by number of contacts, less one
  std::vector<Contact> contacts_;
  Eigen::VectorXd tau_;
  Eigen::MatrixXd A_, QA_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> foot_wrenches_;
  Eigen::Matrix<double, 6, 1> unmet_ = Eigen::Matrix<double, 6, 1>::Zero();
  Point2 center_of_pressure_ = Point2::Zero();
  int iterations_ = 0;
};

}  // namespace civita
