#include "civita/christoffel_layout.h"

#include <algorithm>

namespace civita {

ChristoffelLayout::ChristoffelLayout(const Model& model)
    : structure_(model.structure()), blocks_(static_cast<size_t>(model.nv())) {
  std::vector<int> path(static_cast<size_t>(model.max_depth()));
  for (const Model::Body& body : model.bodies()) {
    for (int c = 0; c < body.nv; ++c) {
      const int k = body.iv + c;
      Block& block = blocks_[static_cast<size_t>(k)];
      block = {size_, paths_.size(), body.depth + c + 1, model.rotation_triple(k)};
      const size_t depth = static_cast<size_t>(block.depth);
      path[depth - 1] = k;
      paths_.insert(paths_.end(), path.begin(), path.begin() + block.depth);
      size_ += depth * depth;
      for (size_t d = 0; d + 1 < depth; ++d) {
        const int j = path[d];
        if (InOneTriple(j, k)) size_ += depth;
        if (at(j).triple >= 0) block.pairs += static_cast<size_t>(j - at(j).triple);
      }
      size_ += block.pairs;
    }
  }
}

bool ChristoffelLayout::OnPath(int i, int k) const {
  return at(i).depth <= at(k).depth && path(k)[static_cast<size_t>(at(i).depth - 1)] == i;
}

ChristoffelLayout::Place ChristoffelLayout::Find(int i, int j, int k) const {
  for (const int index : {i, j, k}) Check(index);
  const auto shallower = [this](int a, int b) { return at(a).depth < at(b).depth; };
  const int deepest = std::max({i, j, k}, shallower);
  if (!OnPath(i, deepest) || !OnPath(j, deepest) || !OnPath(k, deepest)) return {};
  const Block& block = at(deepest);
  const size_t depth = static_cast<size_t>(block.depth);
  const auto place = [this](int a) { return static_cast<size_t>(at(a).depth - 1); };
  const auto in_square = [&](int row, int column) {
    return block.begin + place(column) * depth + place(row);
  };
  if (k == deepest) return {in_square(i, j), 1};
  const size_t columns = block.begin + depth * depth;  // Γ_ikj of its own triple
  if (j == deepest) {
    if (!InOneTriple(j, k)) return {in_square(i, k), 1};
    return {columns + static_cast<size_t>(k - block.triple) * depth + place(i), 1};
  }
  if (!InOneTriple(j, k) || shallower(j, k) || j == k) {
    return {in_square(std::max(j, k, shallower), std::min(j, k, shallower)), -1};
  }
  const int triple = at(k).triple;
  const size_t own = block.triple < 0 ? 0 : static_cast<size_t>(deepest - block.triple);
  const size_t pair = static_cast<size_t>((k - triple) + (j - triple) - 1);
  return {columns + own * depth + at(triple).pairs + pair, 1};
}

}  // namespace civita
