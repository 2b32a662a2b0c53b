#pragma once

#include <cstddef>
#include <cstdint>

// What the fast kernels know of a model: constant tables, the same for every instruction set. Every
// velocity coordinate is a *slot*, in depth-first order of the bodies; a ball joint is three slots
// and a free joint six, all but the last one massless. Slots are kept in blocks of eight, their
// numbers side by side, the last block padded with massless slots that move nothing. Where the
// first body floats, its translations are slots −3 to −1, in no block: of them H and C have the
// bodies' momenta and their rates, so that kernels need no products for them.

namespace civita::internal {
struct Tree;
}

namespace civita::kernels {

constexpr int kLanes = 8;  ///< as many as any instruction set takes at once

/// How a joint's slots begin.
enum class SlotKind : int8_t {
  kOneDof,
  kBall,
  kFree,           ///< in six slots
  kBaseRotations,  ///< of a free joint whose translations are slots −3 to −1
  kContinued
};

/// The constants of a block of slots: [number][lane].
struct alignas(64) LinkBlock {
  double R[9][kLanes];  ///< joint's fixed frame in the parent's, row by row; the joint's axis is z
  double p[3][kLanes];  ///< its origin, m
  double m[kLanes];     ///< kg
  double com[3][kLanes];  ///< centre of mass in the body's frame
  double I[6][kLanes];    ///< xx xy xz yy yz zz about the centre of mass
  /// One-DoF joints, per unit of q: radians about the axis (1 for a hinge) and metres along it (1
  /// for a slide, the pitch of a helical joint); zero for other joints.
  double angle[kLanes], travel[kLanes];
  /// Φ = [turn·z; turn·r×z + shift·z]: the same, and 1 for rotations and translations of others.
  double turn[kLanes], shift[kLanes];
  double axes[9][kLanes];  ///< the model's axes of the body in these, row by row
};

/// Numbers in a row.
struct Run {
  std::ptrdiff_t first, count;
};

/// Coordinates one after the other, each but the first moved by the one before, that move the same
/// others: of a factor of H, columns of one pattern. Coordinates are slots with those of the base
/// counted from 0.
struct Supernode {
  int first, count;  ///< at most 4
  int depth;         ///< coordinates that move the first one
  int end;           ///< one after the last coordinate that these move
  int parent;        ///< supernode whose last coordinate moves these next, −1 the world
};

/// The tables, as plain pointers: the kernels' files see nothing of the standard library
/// (civita/spatial.h).
struct PlanView {
  const internal::Tree* tree;  ///< the model with its bodies in their joints' axes
  int nv;                      ///< velocity coordinates
  int base;                    ///< slots before slot 0: 3 or 0
  int n;                       ///< slots from 0 on: nv − base
  int blocks;                  ///< of kLanes, from slot 0 on
  const SlotKind* kind;        ///< by slot from −base on, as all of these
  const int* parent;           ///< the slot that carries this one, −base − 1 the world
  const int* end;              ///< one after the last slot that this one moves
  const int* depth;            ///< slots from 0 on on the path to this one, itself included
  const int* last_slot;        ///< by body, the one that has its mass
  const int *iq, *iv;          ///< first number in q of the slot's joint; velocity coordinate
  bool identity_order;         ///< iv[i] = i + base
  const double* armature;
  const double* reference;  ///< from slot 0 on: q of a one-DoF joint, the body sitting as placed
  const LinkBlock* links;   ///< by block
  /// [B·kLanes·blocks + k], bit l: slot kLanes·B + l moves slot k, or is k; slot k moves it.
  const uint8_t *before, *after;
  const int* triples;  ///< first slot of each ball's or free joint's rotations
  int num_triples;
  const Run* zeros;  ///< of the dense tensor: columns of slots that do not move one another
  int num_zeros;
  double gravity[3];
  const Supernode* supernodes;
  int num_supernodes;
  const int* supernode_of;  ///< by slot, those of the base counted from 0
};

}  // namespace civita::kernels
