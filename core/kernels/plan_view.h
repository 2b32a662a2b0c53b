#pragma once

#include <cstdint>

// What the fast kernels know of a model: constant tables, the same for every instruction set. Every
// velocity coordinate is a *slot*, in depth-first order of the bodies; a ball joint is three slots
// and a free joint six, all but the last one massless. Slots are kept in blocks of four, their
// numbers side by side, the last block padded with massless slots that move nothing.

namespace civita::kernels {

constexpr int kLanes = 4;

/// How a joint's slots begin.
enum class SlotKind : int8_t { kOneDof, kBall, kFree, kContinued };

/// The constants of four slots: [number][lane].
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
};

/// Blocks I ≤ K of slots with coordinates that move one another. Full: all sixteen pairs.
struct PairBlock {
  int16_t I, K;
  bool full;
};

/// Symbols Γ_ijk whose k is in block K and whose j is this slot, a tile of 4×4 for every block of
/// i. Bits by lane: slots k that j moves (or is).
struct TileStep {
  int16_t K, j;
  uint8_t moves_k;
  int first, count;  ///< its tiles
};
/// Bits by lane: slots i that j moves (or is) and that move some of K.
struct Tile {
  int16_t I;
  uint8_t moves_i;
  bool full;  ///< all i before all k, with j before all k
};

/// The tables, as plain pointers: the kernels' files see nothing of the standard library (pack.h).
struct PlanView {
  int n;                    ///< slots
  int blocks;               ///< of four
  const SlotKind* kind;     ///< by slot, as all of these
  const int* parent;        ///< the slot that carries this one, −1 the world
  const int* depth;         ///< slots on the path from the world to this one, itself included
  const int *iq, *iv;       ///< first number in q of the slot's joint; velocity coordinate
  const double* reference;  ///< q of a one-DoF joint at which the body sits as placed
  const double* armature;
  const LinkBlock* links;  ///< by block
  const PairBlock* pairs;  ///< that hold a related pair; K ascending, then I
  int num_pairs;
  const PairBlock* apart;  ///< the others
  int num_apart;
  const uint8_t* related;    ///< [K·4·blocks + i]: bit l: slot i is on the path to slot 4K + l
  const uint8_t* ancestors;  ///< [I·4·blocks + k]: bit l: slot 4I + l is on the path to slot k
  const TileStep* tile_steps;
  int num_tile_steps;
  const Tile* tiles;
  bool chain;          ///< every slot moves all later ones
  const int* triples;  ///< first slot of each ball's or free joint's rotations
  int num_triples;
  double gravity[3];
};

}  // namespace civita::kernels
