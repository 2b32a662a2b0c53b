#include "core/kernels/plan.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace civita::kernels {

namespace {

/// The axes B' of a body in which its joint's axis is z; the body's own where there is no one axis.
Eigen::Matrix3d JointAxes(const Model::Body& body) {
  if (body.nv != 1) return Eigen::Matrix3d::Identity();
  return Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), body.axis).toRotationMatrix();
}

void SetLink(const Model& model, const Model::Body& body, int lane, bool massive, LinkBlock* link) {
  const Eigen::Matrix3d R_BZ = JointAxes(body);
  Eigen::Matrix3d R = body.X_PF.R * R_BZ;
  Eigen::Vector3d p = body.X_PF.p;
  if (body.parent >= 0) {
    const Eigen::Matrix3d R_ZP =
        JointAxes(model.bodies()[static_cast<size_t>(body.parent)]).transpose();
    R = R_ZP * R;
    p = R_ZP * p;
  }
  for (int a = 0; a < 9; ++a) link->R[a][lane] = R(a / 3, a % 3);
  for (int a = 0; a < 3; ++a) link->p[a][lane] = p[a];
  if (!massive) return;
  const Inertia<double>& inertia = body.inertia;
  const Eigen::Vector3d com =
      inertia.m > 0 ? Eigen::Vector3d(inertia.h / inertia.m) : Eigen::Vector3d::Zero();
  const Eigen::Matrix3d cross = Skew<double>(com);
  const Eigen::Matrix3d I = R_BZ.transpose() * (inertia.Ibar + inertia.m * cross * cross) * R_BZ;
  const Eigen::Vector3d com_Z = R_BZ.transpose() * com;
  link->m[lane] = inertia.m;
  for (int a = 0; a < 3; ++a) link->com[a][lane] = com_Z[a];
  const double moments[6] = {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
  for (int a = 0; a < 6; ++a) link->I[a][lane] = moments[a];
}

double Pitch(const Model::Body& body) { return body.joint == JointType::kHelical ? body.pitch : 0; }

SlotKind KindOf(JointType type) {
  if (type == JointType::kBall) return SlotKind::kBall;
  if (type == JointType::kFree) return SlotKind::kFree;
  return SlotKind::kOneDof;
}

}  // namespace

void Plan::AddBody(const Model& model, const Model::Body& body, int carrier) {
  for (int c = 0; c < body.nv; ++c) {
    const int slot = static_cast<int>(kind_.size());
    kind_.push_back(c == 0 ? KindOf(body.joint) : SlotKind::kContinued);
    parent_.push_back(carrier);
    iq_.push_back(body.iq);
    iv_.push_back(body.iv + c);
    identity_order_ = identity_order_ && iv_.back() == slot;
    reference_.push_back(body.position_reference);
    armature_.push_back(model.armature()[body.iv + c]);
    if (body.nv > 1 && c == body.nv - 3) triples_.push_back(slot);
    depth_.push_back(body.depth + c + 1);
    const int lane = slot % kLanes;
    LinkBlock& link = links_[static_cast<size_t>(slot / kLanes)];
    const bool translation = body.joint == JointType::kSlide || (body.nv == 6 && c < 3);
    link.turn[lane] = translation ? 0 : body.scale;
    link.shift[lane] = translation ? body.scale : Pitch(body) * body.scale;
    if (body.nv == 1) {
      link.angle[lane] = link.turn[lane];
      link.travel[lane] = link.shift[lane];
    }
    SetLink(model, body, lane, c == body.nv - 1, &link);
    carrier = slot;
  }
}

/// Which slots move one another, and the blocks of four by four that hold such pairs.
void Plan::SetPairs() {
  const int blocks = view_.blocks, padded = kLanes * blocks;
  related_.assign(static_cast<size_t>(blocks) * static_cast<size_t>(padded), 0);
  const auto bits = [&](int K, int i) -> uint8_t& {
    const int at = K * padded + i;
    return related_[static_cast<size_t>(at)];
  };
  for (int k = 0; k < view_.n; ++k) {
    for (int i = k; i >= 0; i = parent_[static_cast<size_t>(i)]) {
      bits(k / kLanes, i) = static_cast<uint8_t>(bits(k / kLanes, i) | 1 << k % kLanes);
    }
  }
  for (int K = 0; K < blocks; ++K) {
    for (int I = 0; I <= K; ++I) {
      int any = 0, all = 15;
      for (int i = kLanes * I; i < kLanes * (I + 1); ++i) {
        any |= bits(K, i);
        all &= bits(K, i);
      }
      const bool full = all == 15 && I != K;
      (any != 0 ? pairs_ : apart_)
          .push_back({static_cast<int16_t>(I), static_cast<int16_t>(K), full});
    }
  }
}

/// For every block K and slot j that moves some of it, the blocks of i that do.
void Plan::SetTiles() {
  const int blocks = view_.blocks, padded = kLanes * blocks;
  const auto related = [&](int K, int i) {
    const int at = K * padded + i;
    return related_[static_cast<size_t>(at)];
  };
  const auto moves = [&](int i, int k) { return (related(k / kLanes, i) >> k % kLanes & 1) != 0; };
  ancestors_.assign(static_cast<size_t>(blocks) * static_cast<size_t>(padded), 0);
  for (int k = 0; k < view_.n; ++k) {
    for (int i = 0; i <= k; ++i) {
      const int at = i / kLanes * padded + k;
      uint8_t& bits = ancestors_[static_cast<size_t>(at)];
      if (moves(i, k)) bits = static_cast<uint8_t>(bits | 1 << i % kLanes);
    }
  }
  for (int K = 0; K < blocks; ++K) {
    for (int j = 0; j < std::min(view_.n, kLanes * (K + 1)); ++j) {
      const uint8_t moves_k = related(K, j);
      if (moves_k == 0) continue;
      TileStep step{static_cast<int16_t>(K), static_cast<int16_t>(j), moves_k,
                    static_cast<int>(tiles_.size()), 0};
      for (int I = 0; I <= K; ++I) {
        int any = 0, all = 15, moves_i = 0;
        for (int l = 0; l < kLanes; ++l) {
          const int i = kLanes * I + l;
          any |= related(K, i) & moves_k;
          all &= related(K, i);
          if (i < view_.n && related(K, i) != 0 && moves(j, i)) moves_i |= 1 << l;
        }
        if (any == 0) continue;
        const bool full = I < K && all == 15 && moves_k == 15 && (moves_i == 0 || moves_i == 15);
        tiles_.push_back({static_cast<int16_t>(I), static_cast<uint8_t>(moves_i), full});
        ++step.count;
      }
      tile_steps_.push_back(step);
    }
  }
}

Plan::Plan(const Model& model) {
  view_.n = model.nv();
  view_.blocks = (view_.n + kLanes - 1) / kLanes;
  links_.resize(static_cast<size_t>(view_.blocks));
  std::vector<int> last_slot(model.bodies().size());
  for (size_t b = 0; b < model.bodies().size(); ++b) {
    const Model::Body& body = model.bodies()[b];
    AddBody(model, body, body.parent < 0 ? -1 : last_slot[static_cast<size_t>(body.parent)]);
    last_slot[b] = static_cast<int>(kind_.size()) - 1;
  }
  const size_t padded = size_t{kLanes} * links_.size();
  armature_.resize(padded, 0);
  reference_.resize(padded, 0);
  iq_.resize(padded, 0);
  SetPairs();
  SetTiles();
  view_.depth = depth_.data();
  view_.ancestors = ancestors_.data();
  view_.tile_steps = tile_steps_.data();
  view_.num_tile_steps = static_cast<int>(tile_steps_.size());
  view_.tiles = tiles_.data();
  view_.chain = true;
  for (int i = 0; i < view_.n; ++i) {
    view_.chain = view_.chain && parent_[static_cast<size_t>(i)] == i - 1;
  }
  view_.kind = kind_.data();
  view_.parent = parent_.data();
  view_.iq = iq_.data();
  view_.iv = iv_.data();
  view_.reference = reference_.data();
  view_.armature = armature_.data();
  view_.links = links_.data();
  view_.pairs = pairs_.data();
  view_.num_pairs = static_cast<int>(pairs_.size());
  view_.apart = apart_.data();
  view_.num_apart = static_cast<int>(apart_.size());
  view_.related = related_.data();
  view_.triples = triples_.data();
  view_.num_triples = static_cast<int>(triples_.size());
  for (int a = 0; a < 3; ++a) view_.gravity[a] = model.gravity()[a];
}

}  // namespace civita::kernels
