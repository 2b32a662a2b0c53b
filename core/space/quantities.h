#pragma once

#include <span>
#include <string_view>

#include "civita/space_kinematics.h"

namespace civita {

/// A quantity X of the state alone, declared once: with how it changes with velocities v = A(q) w
/// it is there in those of a tree, in those that loops leave, and in coordinates, as a row of
/// `civita eval` and as a method of Python's Dynamics.
struct StateQuantity {
  std::string_view name;  ///< in civita eval
  /// Of Python's Dynamics; empty: that has a method of its own.
  std::string_view method;
  /// "1" of a number, else one or two dimensions, such as "3 × nv" with nv for nw.
  std::string_view shape;
  std::string_view angle_unit, length_unit;  ///< if all coordinates are angles, lengths
  std::string_view doc;                      ///< a phrase, without a period
  Stage stage;                               ///< kPosition: of q alone
  /// Sets X at the state of the workspace, a vector as a column, a number as a 1 × 1 matrix. Needs
  /// `stage` of the tree.
  void (*calc)(const VelocitySpace& space, SpaceWorkspace<double>& workspace, MatrixOut<double> X);
  bool needs_mass = false;  ///< a model without mass has none
};

/// All of them.
std::span<const StateQuantity> StateQuantities();

/// The one of this name. @throws UserError that lists the known ones.
const StateQuantity& FindStateQuantity(std::string_view name);

}  // namespace civita
