#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "civita/model.h"

namespace civita {

/// Where each Christoffel symbol of a Model stands in the packed form, which holds only symbols
/// whose three coordinates lie on one path from the world (all others are zero), each number once:
/// about n³/3 numbers for a chain, and far less for a tree. Built once; shared between threads.
///
/// Every coordinate k has a block, for the symbols whose deepest coordinate is k. With D the length
/// of the path to k, k itself last, and x_ij = Γ_ijk, the block holds by columns, i first,
///   - the D × D square x: Γ_ijk = x_ij (its last row is zero), and where coordinates commute
///     Γ_ikj = x_ij and Γ_kij = Γ_kji = −x_ji for i before j before k;
///   - D numbers Γ_ikj for every j before k in the triple of rotations that k belongs to, if any;
///   - Γ_kji for all pairs i before j before k of one triple, along the path, by j and then i.
/// The last two are empty but for ball and free joints.
class ChristoffelLayout {
 public:
  explicit ChristoffelLayout(const Model& model);

  int nv() const { return static_cast<int>(blocks_.size()); }
  size_t size() const { return size_; }  ///< of the packed form, in numbers

  /// Γ_ijk is sign times the number at index; sign 0 says that it is zero for every q.
  struct Place {
    size_t index = 0;
    int sign = 0;
  };
  Place Find(int i, int j, int k) const;

  /// Where the block of k begins.
  size_t block(int k) const { return blocks_[static_cast<size_t>(k)].begin; }
  /// The coordinates that move k, k itself last: rows and columns of the square.
  std::span<const int> path(int k) const {
    const Block& block = blocks_[static_cast<size_t>(k)];
    return {&paths_[block.path], static_cast<size_t>(block.depth)};
  }

 private:
  struct Block {
    size_t begin = 0;
    size_t path = 0;   ///< where its path begins in paths_
    int depth = 0;     ///< length of the path
    int triple = -1;   ///< Model::rotation_triple
    size_t pairs = 0;  ///< inside one triple, among the coordinates before it on its path
  };

  const Block& at(int k) const { return blocks_[static_cast<size_t>(k)]; }
  bool InOneTriple(int i, int j) const { return at(i).triple >= 0 && at(i).triple == at(j).triple; }
  bool OnPath(int i, int k) const;

  std::vector<Block> blocks_;
  std::vector<int> paths_;
  size_t size_ = 0;
};

}  // namespace civita
