#pragma once

#include <cstddef>
#include <span>

#include "civita/spatial.h"
#include "core/kernels/plan_view.h"

namespace civita::kernels {

/// A matrix by columns, `stride` numbers from one column to the next.
struct MatrixView {
  double* data;
  std::ptrdiff_t stride;
};

/// The same to be read.
struct ConstMatrixView {
  const double* data;
  std::ptrdiff_t stride;
};

/// What a factorization of the bodies adds to the Christoffel-consistent one. `injections`: of each
/// slot β of the angular ones, then β, Σβp and Σβppᵀ (xx xy xz yy yz zz) of the linear ones, at
/// points p in the slot's axes: kInjectionNumbers arrays over the padded slots; nullptr for none.
struct Torsion {
  double t;
  const double* injections;
};
constexpr int kInjectionNumbers = 11;
constexpr int kFactorNumbers = 32;  ///< scratch of the functions of a factor, a coordinate

/// A force on what the last slot of a body's joint moves, at a point in that slot's axes; moment
/// and force in the world's. `slot` < 0: on the world.
struct PointForce {
  int slot;
  double point[3], moment[3], force[3];
};
struct PointForces {
  const void* data;
  int count;
  PointForce (*at)(const void* data, int i);
};

/// Frames as they stand in Model::NamedFrame, `stride` bytes apart: the body, −1 the world, and the
/// pose in it, R_BF by columns, then p_BF.
struct FramesView {
  const int* body;
  const double* pose;
  std::ptrdiff_t stride;
  int count;
};

/// What is wanted of a frame on the body of a slot, the last one of its joint: its Jacobian and the
/// rate of that, 6 × nv by coordinate, where they have data.
struct FrameQuery {
  int slot;
  bool at_origin;  ///< of the point that passes the world's origin, else of `point`
  bool turned;     ///< in the frame's axes, else the world's
  double point[3];
  double axes[9];  ///< the frame's, row by row; as the point in those of the slot
  MatrixView J, Jdot;
};

/// What is wanted of the mass of all bodies, where there are data (civita/centroidal.h): centre of
/// mass and momentum about it, their matrices by coordinate, 6 × nv and 3 × nv, and rates of these.
struct CentroidalQuery {
  V3<double>* center = nullptr;
  double* momentum = nullptr;  ///< six numbers
  MatrixView A = {}, J = {}, Adot = {}, Jdot = {};
};

/// Pose of a body in the world, from the reference point, R row by row; its velocity; and the
/// acceleration that velocities alone give it.
struct BodyMotion {
  M3<double> R;
  V3<double> r;
  Motion<double> V, A;
};

/// Where the orientations, row by row, and the positions of bodies go, `stride` numbers apart.
struct PosesView {
  double *R, *r;
  std::ptrdiff_t stride;
};

/// Rows ±Rᵀ[ω; ṗ], or ±Rᵀṗ alone, of the point p of a body, from the reference point, of the
/// coordinates that move the body but not the body `from`, −1 for none.
struct JacobianRows {
  int body, from;
  M3<double> R;
  V3<double> p;
  double sign;
  bool with_rotation;
};

/// The factor of H as `factor` has it; X = J L⁻¹ by coordinate, `rows` numbers in whole blocks;
/// 1/D; which coordinates a row depends on, and with each those that move it; and scratch, a column
/// of X for each number of one of L.
struct ConstraintView {
  MatrixView L, X;
  double* inverse;
  const uint8_t* used;
  int rows;
  double* sums;
};

/// f X M, one of a sum.
struct Product {
  ConstMatrixView X, M;
  double factor;
};

/// The kernels of one instruction set. `memory` is scratch of memory_numbers(plan) doubles, aligned
/// to 64 bytes; matrices and vectors are in the order of slots. q is the model's own; v and the
/// like have one number a slot, and v_r and the accelerations are padded with zeros to whole
/// blocks. Pointers are to slot 0, those of the base before it.
struct Kernels {
  const char* name;
  size_t (*memory_numbers)(const PlanView& plan);

  /// Of all bodies, in the model's own axes, from the reference points of their trees.
  void (*body_poses)(const PlanView& plan, double* memory, const double* q, PosesView to);

  void (*mass_matrix)(const PlanView& plan, double* memory, const double* q, MatrixView H);

  /// Ḣ along v.
  void (*mass_matrix_derivative)(const PlanView& plan, double* memory, const double* q,
                                 const double* v, MatrixView Hdot);

  /// C(q,v), Christoffel-consistent, and H(q), armature included: algorithm 1 of [EW].
  void (*coriolis_matrix)(const PlanView& plan, double* memory, const double* q, const double* v,
                          MatrixView C, MatrixView H);

  /// Adds to that C what torsion does, right after it with the same memory.
  void (*add_torsion)(const PlanView& plan, double* memory, const Torsion& torsion, MatrixView C);

  /// H v̇ + C v + g by the recursive Newton–Euler algorithm, armature included.
  void (*inverse_dynamics)(const PlanView& plan, double* memory, const double* q, const double* v,
                           const double* vdot, double* tau);

  /// v̇ = H⁻¹(τ + Jᵀf − C v − g) by articulated bodies, armature included; vdot may be tau.
  void (*forward_dynamics)(const PlanView& plan, double* memory, const double* q, const double* v,
                           const double* zeros, const double* tau, const PointForces& forces,
                           double* vdot);

  /// ∂τ/∂q, ∂τ/∂v and H of it (civita/dynamics_derivatives.h).
  void (*inverse_dynamics_derivatives)(const PlanView& plan, double* memory, const double* q,
                                       const double* v, const double* vdot, MatrixView dtau_dq,
                                       MatrixView dtau_dv, MatrixView H);

  // Of the factor H = LᵀD L matrices are by slot from those of the base on, `memory` is of
  // kFactorNumbers·(nv + kLanes) doubles, L has row k in column k along the path to k, D_k last, in
  // columns of whole blocks, and `inverse` has 1/D.

  /// H and C v + g; `zeros` is a padded acceleration of zeros. After it, with the same memory, the
  /// motion of a body, and its rows are added to columns `stride` apart.
  void (*mass_matrix_and_bias)(const PlanView& plan, double* memory, const double* q,
                               const double* v, const double* zeros, MatrixView H, double* bias);
  void (*body_motion)(const PlanView& plan, double* memory, int body, BodyMotion* motion);
  void (*add_jacobian)(const PlanView& plan, double* memory, const JacobianRows& rows, double* X,
                       std::ptrdiff_t stride);

  /// Where the order of coordinates is that of slots: from X = J, J itself, the squares of its
  /// rows' norms, X, 1/D and the lower triangle of J H⁻¹Jᵀ, both in whole blocks; f ← L⁻ᵀf and
  /// b = J H⁻¹f; and y ← L⁻¹D⁻¹(y + Xᵀλ).
  void (*whiten_constraints)(const PlanView& plan, const ConstraintView& at, MatrixView J,
                             double* squares, MatrixView G);
  void (*project_force)(const PlanView& plan, const ConstraintView& at, double* f, double* b);
  void (*release_force)(const PlanView& plan, const ConstraintView& at, const double* lambda,
                        double* y);

  /// @returns whether H, symmetric and zero where that of a model is, is positive definite; else L
  /// and `inverse` are undefined.
  bool (*factor)(const PlanView& plan, double* memory, ConstMatrixView H, MatrixView L,
                 double* inverse);

  /// X ← H⁻¹ X of `count` columns.
  void (*solve)(const PlanView& plan, double* memory, ConstMatrixView L, const double* inverse,
                MatrixView X, std::ptrdiff_t count);

  /// All of H⁻¹.
  void (*invert)(const PlanView& plan, double* memory, ConstMatrixView L, const double* inverse,
                 MatrixView H_inverse);

  /// From these to −H⁻¹ ∂τ/∂q, −H⁻¹ ∂τ/∂v and H⁻¹ in their places, and the factor. @returns as
  /// `factor`; where H is not positive definite all are undefined.
  bool (*forward_dynamics_derivatives)(const PlanView& plan, double* memory, MatrixView L,
                                       double* inverse, MatrixView dtau_dq, MatrixView dtau_dv,
                                       MatrixView H);

  /// H v̇_r + C v_r + g with C of the one-parameter family, armature included ([EW], remark 2).
  void (*passivity_inverse_dynamics)(const PlanView& plan, double* memory, double t,
                                     const double* q, const double* v, const double* v_r,
                                     const double* vdot_r, double* tau);

  /// ∂τ/∂q and ∂τ/∂v of H v̇_r + C v_r + g with C of the bodies' factorization, v_r and v̇_r
  /// constant, but for armature (civita/dynamics_derivatives.h).
  void (*passivity_derivatives)(const PlanView& plan, double* memory, const Torsion& torsion,
                                const double* q, const double* v, const double* v_r,
                                const double* vdot_r, MatrixView dtau_dq, MatrixView dtau_dv);

  /// The regressor of `frames` and the family's t, ten columns each, but for armature: Y by slot,
  /// and Yᵀ, zero before, by coordinate.
  void (*regressor)(const PlanView& plan, double* memory, const FramesView& frames, double t,
                    const double* q, const double* v, const double* v_r, const double* vdot_r,
                    MatrixView Y);
  void (*transposed_regressor)(const PlanView& plan, double* memory, const FramesView& frames,
                               double t, const double* q, const double* v, const double* v_r,
                               const double* vdot_r, MatrixView YT);
  /// Y x, unless x is nullptr, and Yᵀ s, unless s is.
  void (*regressor_products)(const PlanView& plan, double* memory, const FramesView& frames,
                             double t, const double* q, const double* v, const double* v_r,
                             const double* vdot_r, const double* x, const double* s, double* Yx,
                             double* YTs);
  /// Jacobians of `count` frames and, where v is given, their rates (civita/frame_motion.h).
  void (*frame_jacobians)(const PlanView& plan, double* memory, const double* q, const double* v,
                          const FrameQuery* queries, int count);

  /// Velocity and, unless it is nullptr, spatial acceleration of a frame, where the plan is without
  /// gravity.
  void (*frame_motion)(const PlanView& plan, double* memory, const double* q, const double* v,
                       const double* vdot, const FrameQuery& query, Motion<double>* velocity,
                       Motion<double>* acceleration);

  /// Without v neither momentum nor rates. @returns the total mass; where it is 0 results are
  /// undefined.
  double (*centroidal)(const PlanView& plan, double* memory, const double* q, const double* v,
                       const CentroidalQuery& query);

  /// Derivatives of the rate of the centroidal momentum, 6 × nv by coordinate, where the plan is
  /// without gravity. @returns the total mass, likewise.
  double (*centroidal_derivatives)(const PlanView& plan, double* memory, const double* q,
                                   const double* v, const double* vdot, MatrixView by_q,
                                   MatrixView by_v, MatrixView by_vdot);

  /// Algorithm 2 of [EW]: the packed form of ChristoffelLayout, and the dense tensor, i fastest,
  /// then j, then k.
  void (*packed_christoffel_symbols)(const PlanView& plan, double* memory, const double* q,
                                     double* packed);
  void (*christoffel_symbols)(const PlanView& plan, double* memory, const double* q, double* Gamma);

  /// Z ← (Σ f X M)ᵀ, X rows × inner. @returns false, and does nothing, where these are too few.
  bool (*transposed_products)(std::span<const Product> products, int rows, int inner, int columns,
                              MatrixView Z);
};

/// The name of an instruction set as a text.
#define CIVITA_TEXT_OF(name) #name
#define CIVITA_NAME_OF(set) CIVITA_TEXT_OF(set)

/// Those that this machine can run, the fastest first; none where the plain algorithms serve.
std::span<const Kernels* const> AvailableKernels();

}  // namespace civita::kernels
