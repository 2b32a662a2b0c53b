#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

// Pinocchio's side of the comparison, in a shared library of its own: what its headers compile
// there, for whichever instruction set, takes the place of nothing in civita. Between both go
// numbers alone, as their Eigen aligns otherwise.

namespace civita {

/// A BenchBody; matrices by columns.
struct PinocchioBody {
  int parent = -1;
  bool free = false;
  std::array<double, 9> R_PB{}, inertia{};
  std::array<double, 3> p_PB{}, axis{}, com{};
  double mass = 0;
};

/// A mechanism in Pinocchio, with every hinge about the z axis of its body's frame, its fastest
/// joint, and the states that its calls take.
struct PinocchioMechanism;

/// A call, and the numbers that it gives, matrices by columns.
struct PinocchioCall {
  const char* quantity;  ///< name of a BenchQuantity
  const char* name;      ///< what is called
  void (*run)(PinocchioMechanism& at, std::size_t state);
  std::vector<double> (*numbers)(const PinocchioMechanism& at);  ///< of the last run, of this call
};

#pragma GCC visibility push(default)
/// `point` is that of the last body whose motion is computed, in its axes, and of each of `feet`,
/// indices of bodies; two of them are held with their axes.
PinocchioMechanism* MakePinocchioMechanism(std::span<const PinocchioBody> bodies,
                                           const std::array<double, 3>& point,
                                           std::span<const int> feet);
void Delete(PinocchioMechanism* mechanism);
/// Adds a state in Pinocchio's coordinates: nq, nv, nv and nv numbers.
void AddState(PinocchioMechanism& to, const double* q, const double* v, const double* vdot,
              const double* tau);
std::span<const PinocchioCall> PinocchioCalls();
/// What Pinocchio was compiled for, PeerResult::code.
const char* PinocchioCode();
#pragma GCC visibility pop

}  // namespace civita
