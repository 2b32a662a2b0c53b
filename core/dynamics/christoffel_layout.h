#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "civita/error.h"
#include "civita/model.h"

namespace civita {

/// Layout of the packed Christoffel symbols of a Model. The packed form holds only symbols whose
/// three coordinates lie on one path from the world (all others are zero), each number once: about
/// nv³/3 numbers for a chain, and far fewer for a tree. Immutable and shared between threads.
///
/// Every coordinate k has a block, for the symbols whose deepest coordinate is k. With D the length
/// of the path to k, k itself last, and x_ij = Γ_ijk, the block holds by columns, i first,
///   - the D × D square x: Γ_ijk = x_ij (its last row is zero), and where coordinates commute
///     Γ_ikj = x_ij and Γ_kij = Γ_kji = −x_ji for i before j before k;
///   - D numbers Γ_ikj for every j before k in the triple of rotations that k belongs to, if any;
///   - Γ_kji for all pairs i before j before k of one triple, along the path, by j and then i.
/// The last two are empty except for ball and free joints.
class ChristoffelLayout {
 public:
  explicit ChristoffelLayout(const Model& model);  ///< of models of this structure

  int nv() const { return static_cast<int>(blocks_.size()); }  ///< velocity coordinates
  /// Model::structure of the models whose symbols it places, whatever their inertias.
  std::uint64_t structure() const { return structure_; }
  size_t size() const { return size_; }  ///< count of numbers in the packed form

  /// Place of Γ_ijk: it equals sign times the number at index; with sign 0 it is zero for every q.
  struct Place {
    size_t index = 0;  ///< into the packed numbers
    int sign = 0;      ///< of Γ_ijk there; 0 where the symbol is zero
  };
  Place Find(int i, int j, int k) const;  ///< where Γ_ijk stands

  /// Index at which the block of coordinate k begins.
  size_t block(int k) const {
    Check(k);
    return at(k).begin;
  }
  /// Coordinates on the path from the world to k, k itself last: rows and columns of the square of
  /// k's block.
  std::span<const int> path(int k) const {
    Check(k);
    return {&paths_[at(k).path], static_cast<size_t>(at(k).depth)};
  }
  /// Calls visit(i, j, k, Γ_ijk) once for every symbol that the packed form holds; i, j and k lie
  /// on one path.
  template <typename Packed, typename Visit>
  void ForEach(const Packed& packed, Visit visit) const {
    for (int k = 0; k < nv(); ++k) ForEachOfBlock(k, &packed[block(k)], visit);
  }

 private:
  struct Block {
    size_t begin = 0;
    size_t path = 0;   ///< where its path begins in paths_
    int depth = 0;     ///< length of the path
    int triple = -1;   ///< Model::rotation_triple
    size_t pairs = 0;  ///< inside one triple, among the coordinates before it on its path
  };

  void Check(int k) const {
    CIVITA_CHECK(k >= 0 && k < nv(), "coordinate " << k << ", the model has nv = " << nv());
  }
  const Block& at(int k) const { return blocks_[static_cast<size_t>(k)]; }
  /// How many rotations come before k in the triple that it belongs to, if any.
  size_t RotationsBefore(int k) const {
    return at(k).triple < 0 ? 0 : static_cast<size_t>(k - at(k).triple);
  }
  template <typename T, typename Visit>
  void ForEachOfBlock(int k, const T* block, Visit& visit) const;
  bool InOneTriple(int i, int j) const { return at(i).triple >= 0 && at(i).triple == at(j).triple; }
  bool OnPath(int i, int k) const;

  std::uint64_t structure_;
  std::vector<Block> blocks_;
  std::vector<int> paths_;
  size_t size_ = 0;
};

template <typename T, typename Visit>
void ChristoffelLayout::ForEachOfBlock(int k, const T* block, Visit& visit) const {
  const std::span<const int> path = this->path(k);
  const size_t depth = path.size();
  const size_t own_triple = depth - 1 - RotationsBefore(k);
  const T* own = block + depth * depth;
  for (size_t e = 0; e < own_triple; ++e) {
    const int j = path[e];
    const T* x = block + e * depth;
    for (size_t d = 0; d < depth; ++d) {
      visit(path[d], j, k, x[d]);
      visit(path[d], k, j, x[d]);
    }
  }
  for (size_t e = own_triple; e < depth; ++e) {
    const int j = path[e];
    for (size_t d = 0; d < depth; ++d) visit(path[d], j, k, block[e * depth + d]);
    if (j == k) continue;
    for (size_t d = 0; d < depth; ++d) visit(path[d], k, j, own[d]);
    own += depth;
  }
  const T* pair = own;
  for (size_t e = 0; e + 1 < depth; ++e) {
    const int j = path[e];
    const size_t first = e - RotationsBefore(j);
    for (size_t d = 0; d < e; ++d) {
      const T minus = -block[d * depth + e];
      visit(k, path[d], j, minus);
      if (d < first) visit(k, j, path[d], minus);
    }
    for (size_t d = first; d < e; ++d) visit(k, j, path[d], *pair++);
    visit(k, j, j, T(-block[e * depth + e]));
  }
}

}  // namespace civita
