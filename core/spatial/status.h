#pragma once

#include <string>

namespace civita {

/// Whether the numbers that a function is asked for could be made, and if not, why. What it is
/// asked for is then as it was, unless the function says otherwise. It compares as its code does.
struct [[nodiscard]] Status {
  /// What came of it.
  enum Code {
    kOk,
    kNotFinite,            ///< what was computed is not finite
    kSingularMassMatrix,   ///< H is not positive definite to working precision
    kNotClosed,            ///< the loops of cluster `index` could not be closed
    kSingularLoops,        ///< K_d of cluster `index` is singular or worse conditioned than allowed
    kSingularCoordinates,  ///< A of v = A w does not have full column rank
    kSingularDrive,        ///< motors drive fewer directions of a closed chain than at its start
    kSingularConstraints,  ///< the rank of J has dropped, to the maximum condition
    kSingularTask,         ///< J of a task has lost rank, to the maximum condition: Λ is unbounded
    kSingularBasis,  ///< J_d of a task has lost rank, J need not: choose another basis, at rest
  };
  Code code = kOk;  ///< what came of it
  /// Of loops the worst cluster in VelocitySpace::clusters(), of a batch the first state that is
  /// singular; −1 where there is none.
  int index = -1;
  /// Of loops ‖K‖·‖K_d⁻¹‖ of that cluster (Frobenius; rotations in rad, lengths in
  /// Cluster::length): a bound of ‖G‖ and of the amplification of errors. Of constraints
  /// ConstrainedDynamics::condition.
  double condition = 0;
  /// Of loops the largest gap: of points in units of Cluster::length, of rotations in rad. Of
  /// constraints what remains of all rows together, rad/s² and m/s² (of an impulse rad/s and m/s):
  /// 0 where they agree to rounding, with damping the norm of μ λ.
  double residual = 0;

  /// Of this code alone.
  // NOLINTNEXTLINE(google-explicit-constructor): a function returns the code alone
  Status(Code of = kOk) : code(of) {}
  bool ok() const { return code == kOk; }          ///< whether the numbers were made
  explicit operator bool() const { return ok(); }  ///< ok()
  friend bool operator==(const Status& status, Code of) { return status.code == of; }
};

/// What the code says: "the mass matrix is singular".
inline std::string Describe(const Status& status) {
  constexpr const char* kTexts[] = {"nothing is singular",
                                    "a number is not finite",
                                    "the mass matrix is singular",
                                    "the loops do not close",
                                    "the loops are singular here",
                                    "the coordinates do not exist: A is singular",
                                    "motors drive fewer directions here than at the start",
                                    "the constraints have lost rank",
                                    "the task's Jacobian has lost rank",
                                    "the basis of the task's null space has lost rank"};
  return kTexts[status.code];
}

}  // namespace civita
