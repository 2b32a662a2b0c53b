#include "core/kernels/plan.h"

#include <algorithm>
#include <memory>

#include "core/model/internal/joint_axes.h"

namespace civita::kernels {

namespace {

void SetLink(const internal::Link& from, int lane, bool massive, LinkBlock* link) {
  for (int a = 0; a < 9; ++a) link->R[a][lane] = from.R_PF.a[a];
  const auto set = [lane](const V3<double>& x, double(*to)[kLanes]) {
    to[0][lane] = x.x;
    to[1][lane] = x.y;
    to[2][lane] = x.z;
  };
  set(from.p_PF, link->p);
  if (!massive) return;
  const S3<double>& I = from.inertia;
  link->m[lane] = from.mass;
  set(from.com, link->com);
  set({I.xx, I.xy, I.xz}, link->I);
  set({I.yy, I.yz, I.zz}, link->I + 3);
}

double Pitch(const internal::Link& link) {
  return link.joint == JointType::kHelical ? link.pitch : 0;
}

SlotKind KindOf(JointType type) {
  if (type == JointType::kBall) return SlotKind::kBall;
  if (type == JointType::kFree) return SlotKind::kFree;
  return SlotKind::kOneDof;
}

}  // namespace

void Plan::AddBody(const Model& model, const internal::Link& body, const Eigen::Matrix3d& axes,
                   int carrier) {
  for (int c = 0; c < body.nv; ++c) {
    const int slot = static_cast<int>(kind_.size()) - view_.base;
    kind_.push_back(c == 0 ? KindOf(body.joint) : SlotKind::kContinued);
    if (slot == 0 && c > 0) kind_.back() = SlotKind::kBaseRotations;
    parent_.push_back(carrier);
    depth_.push_back(carrier < 0 ? 1 : depth_[At(carrier)] + 1);
    iq_.push_back(body.iq);
    iv_.push_back(body.iv + c);
    view_.identity_order = view_.identity_order && iv_.back() == slot + view_.base;
    armature_.push_back(model.armature()[body.iv + c]);
    if (body.nv > 1 && c == body.nv - 3) triples_.push_back(slot);
    carrier = slot;
    if (slot < 0) continue;
    reference_.push_back(body.reference);
    const int lane = slot % kLanes;
    LinkBlock& link = links_[static_cast<size_t>(slot / kLanes)];
    const bool translation = body.joint == JointType::kSlide || (body.nv == 6 && c < 3);
    link.turn[lane] = translation ? 0 : body.scale;
    link.shift[lane] = translation ? body.scale : Pitch(body) * body.scale;
    if (body.nv == 1) {
      link.angle[lane] = link.turn[lane];
      link.travel[lane] = link.shift[lane];
    }
    SetLink(body, lane, c == body.nv - 1, &link);
    for (int a = 0; a < 9; ++a) link.axes[a][lane] = axes(a % 3, a / 3);
  }
}

/// Which slots move one another. Depth-first, what a slot moves comes right after it.
void Plan::SetRelations() {
  const int padded = kLanes * view_.blocks;
  end_.resize(static_cast<size_t>(view_.nv));
  for (int k = view_.n - 1; k >= -view_.base; --k) {
    int& end = end_[At(k)];
    end = std::max(end, k + 1);
    const int parent = parent_[At(k)];
    if (parent < -view_.base) continue;
    int& carrier_end = end_[At(parent)];
    carrier_end = std::max(carrier_end, end);
  }
  before_.assign(static_cast<size_t>(view_.blocks) * static_cast<size_t>(padded), 0);
  after_ = before_;
  const auto set = [padded](int i, int k, std::vector<uint8_t>* bits) {
    const int at = i / kLanes * padded + k;
    uint8_t& byte = (*bits)[static_cast<size_t>(at)];
    byte = static_cast<uint8_t>(byte | 1 << i % kLanes);
  };
  for (int k = 0; k < view_.n; ++k) {
    for (int i = k; i >= 0; i = parent_[At(i)]) set(i, k, &before_);
    for (int i = k + 1; i < end_[At(k)]; ++i) set(i, k, &after_);
  }
}

void Plan::SetZeros() {
  const auto nv = static_cast<size_t>(view_.nv);
  std::vector<bool> related(nv * nv, false);  // columns of the base's translations are zero, too
  for (int k = 0; k < view_.n; ++k) {
    for (int j = k; j >= 0; j = parent_[At(j)]) {
      const auto a = static_cast<size_t>(iv_[At(j)]), b = static_cast<size_t>(iv_[At(k)]);
      related[a + nv * b] = related[b + nv * a] = true;
    }
  }
  for (size_t column = 0; column < nv * nv; ++column) {
    if (related[column]) continue;
    const Run zeros = {static_cast<std::ptrdiff_t>(nv * column), view_.nv};
    if (!zeros_.empty() && zeros_.back().first + zeros_.back().count == zeros.first) {
      zeros_.back().count += zeros.count;
    } else {
      zeros_.push_back(zeros);
    }
  }
}

void Plan::SetSupernodes() {
  constexpr int kMost = 4;
  for (int k = 0; k < view_.nv; ++k) {
    const auto at = static_cast<size_t>(k);
    const int parent = parent_[at] + view_.base;
    const bool goes_on = k > 0 && parent == k - 1 && end_[at] == end_[at - 1];
    if (goes_on && supernodes_.back().count < kMost) {
      ++supernodes_.back().count;
    } else {
      const int node = parent < 0 ? -1 : supernode_of_[static_cast<size_t>(parent)];
      int depth = 0;
      if (node >= 0) {
        const Supernode& above = supernodes_[static_cast<size_t>(node)];
        depth = above.depth + above.count;
      }
      supernodes_.push_back({k, 1, depth, end_[at] + view_.base, node});
    }
    supernode_of_.push_back(static_cast<int>(supernodes_.size()) - 1);
  }
}

void Plan::AddInjection(const Factorization::BodyInjection& injection, double beta,
                        double* sums) const {
  const int padded = kLanes * view_.blocks;
  double* sum = sums + last_slot(injection.body);
  if (injection.part == Factorization::Part::kAngular) {
    *sum += beta;
    return;
  }
  const Eigen::Vector3d p = axes(injection.body).transpose() * injection.point;
  const double moments[10] = {1,           p[0],        p[1],        p[2],        p[0] * p[0],
                              p[0] * p[1], p[0] * p[2], p[1] * p[1], p[1] * p[2], p[2] * p[2]};
  for (const double moment : moments) *(sum += padded) += beta * moment;
}

Plan::Plan(const Model& model, const std::vector<internal::Link>& links)
    : tables_(model, internal::InJointAxes(links)) {
  const std::vector<Model::Body>& bodies = model.bodies();
  const bool floats = !bodies.empty() && bodies[0].joint == JointType::kFree && bodies[0].iv == 0;
  view_.tree = &tables_.tree();
  view_.nv = model.nv();
  view_.base = floats ? 3 : 0;
  view_.n = view_.nv - view_.base;
  view_.identity_order = true;
  view_.blocks = (view_.n + kLanes - 1) / kLanes;
  links_.resize(static_cast<size_t>(view_.blocks));
  last_slot_.resize(bodies.size());
  for (size_t b = 0; b < bodies.size(); ++b) {
    const Model::Body& body = bodies[b];
    const int carrier =
        body.parent < 0 ? -view_.base - 1 : last_slot_[static_cast<size_t>(body.parent)];
    axes_.push_back(internal::JointAxes(links[b]));
    AddBody(model, tables_.links()[b], axes_.back(), carrier);
    last_slot_[b] = static_cast<int>(kind_.size()) - view_.base - 1;
  }
  const size_t padded = size_t{kLanes} * links_.size();
  armature_.resize(At(static_cast<int>(padded)), 0);
  iq_.resize(armature_.size(), 0);
  reference_.resize(padded, 0);
  SetRelations();
  SetZeros();
  SetSupernodes();
  view_.zeros = zeros_.data();
  view_.num_zeros = static_cast<int>(zeros_.size());
  view_.end = end_.data() + view_.base;
  view_.depth = depth_.data() + view_.base;
  view_.last_slot = last_slot_.data();
  view_.before = before_.data();
  view_.after = after_.data();
  view_.kind = kind_.data() + view_.base;
  view_.parent = parent_.data() + view_.base;
  view_.iq = iq_.data() + view_.base;
  view_.iv = iv_.data() + view_.base;
  view_.armature = armature_.data() + view_.base;
  view_.reference = reference_.data();
  view_.links = links_.data();
  view_.triples = triples_.data();
  view_.num_triples = static_cast<int>(triples_.size());
  view_.supernodes = supernodes_.data();
  view_.num_supernodes = static_cast<int>(supernodes_.size());
  view_.supernode_of = supernode_of_.data();
  for (int a = 0; a < 3; ++a) view_.gravity[a] = model.gravity()[a];
}

const Plan& PlanOf(const Model& model) {
  const internal::TreeTables& tables = internal::TablesOf(model);
  return tables.plan().Get<Plan>(
      [&] { return std::make_shared<const Plan>(model, tables.links()); });
}

}  // namespace civita::kernels
