#pragma once

#include "civita/workspace.h"
#include "core/space/internal/loop_layout.h"

// The rows of one cluster, K v = 0: rotations in rad, lengths by Cluster::length, columns by
// Cluster::coordinates. Points and rotations are compared in axes that move with the body that
// carries both legs, so that only the cluster's own coordinates have columns. Stage::kPosition.

namespace civita::internal {

/// Poses and Φ of all clusters at once, before their rows: one kernel computes them.
template <typename T>
void UpdateLegs(const VelocitySpace& model, Workspace<T>& tree);

/// By how much the loops are open, A less B; its rate is K v where they are closed.
template <typename T>
void CalcGap(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree, VectorIn<T> q,
             VectorOut<T> gap);

template <typename T>
void CalcRows(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree,
              VectorIn<T> q, MatrixOut<T> K);

/// K̇ when the tree moves with v, of which only the cluster's own coordinates are read.
template <typename T>
void CalcRowRates(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree,
                  VectorIn<T> q, VectorIn<T> v, MatrixOut<T> Kdot);

/// Vectors of the tree's coordinates, and their rates where the tree moves along `direction`.
template <typename T>
struct MotionAlong {
  const VectorX<T>& direction;
  const VectorX<T>&v, &v_rate;
  const VectorX<T>&y, &y_rate;
  const VectorX<T>& x;
};

/// Rate of K(q) x + K̇(q,v) y with x constant, in the units of K's rows; of all vectors the
/// cluster's own coordinates alone are read.
template <typename T>
void CalcRowAccelerationRate(const VelocitySpace& model, const LoopRows& cluster,
                             Workspace<T>& tree, VectorIn<T> q, const MotionAlong<T>& along,
                             VectorOut<T> rate);

}  // namespace civita::internal
