#include "civita/sim/coupling_watch.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "civita/scenes/plant/coupling.h"

namespace civita {
namespace {

// What a joint may be off by without a word.
double Allowance(const mjModel& m, int joint) {
  double range = m.jnt_type[joint] == mjJNT_HINGE ? 1 : 0.1;
  if (m.jnt_limited[joint]) range = m.jnt_range[2 * joint + 1] - m.jnt_range[2 * joint];
  return CouplingWatch::kMost * range;
}

bool HasFrames(const VelocitySpace* closed) {
  return closed != nullptr &&
         std::any_of(closed->clusters().begin(), closed->clusters().end(),
                     [](const VelocitySpace::Cluster& c) { return c.closes_frames; });
}

}  // namespace

CouplingWatch::CouplingWatch(const Scene& scene)
    : scene_(scene), couplings_(scene.couplings.size()) {
  if (!HasFrames(scene.closed.get())) return;
  workspace_.emplace(*scene.closed);
  clusters_.resize(scene.closed->clusters().size());
}

void CouplingWatch::Add(double t, const Eigen::VectorXd& q) {
  for (size_t i = 0; i < couplings_.size(); ++i) {
    const Coupling& c = scene_.couplings[i];
    double value = 0, slope = 0, curvature = 0;
    c.Evaluate(c.iq_from < 0 ? 0 : q[c.iq_from], &value, &slope, &curvature);
    couplings_[i].Add(std::abs(q[c.iq] - value), t);
  }
  if (!workspace_) return;
  // The status tells the gaps where loops are singular, too.
  static_cast<void>(UpdateKinematics<double>(*scene_.closed, q, *workspace_));
  for (size_t i = 0; i < clusters_.size(); ++i) {
    if (!scene_.closed->clusters()[i].closes_frames) continue;
    clusters_[i].Add(workspace_->gap(static_cast<int>(i)), t);
  }
}

double CouplingWatch::largest() const {
  double largest = 0;
  for (const Worst& worst : couplings_) largest = std::max(largest, worst.violation);
  return largest;
}

std::vector<std::string> CouplingWatch::Notes() const {
  using internal::ShortNumber;
  std::vector<std::string> notes;
  const mjModel& m = *scene_.mj;
  for (size_t i = 0; i < couplings_.size(); ++i) {
    const Coupling& c = scene_.couplings[i];
    const Worst& worst = couplings_[i];
    const double allowance = Allowance(m, m.dof_jntid[c.iv]);
    if (!(worst.violation > allowance)) continue;
    const bool angle = m.jnt_type[m.dof_jntid[c.iv]] == mjJNT_HINGE;
    notes.push_back("the coupling of " + scene_.plant.VelocityName(c.iv) +
                    (c.iv_from < 0 ? "" : " to " + scene_.plant.VelocityName(c.iv_from)) +
                    " was violated by up to " + ShortNumber(worst.violation) +
                    (angle ? " rad" : " m") + ", at " + ShortNumber(worst.t) +
                    " s: " + ShortNumber(worst.violation / allowance) + " % of its range");
  }
  for (size_t i = 0; i < clusters_.size(); ++i) {
    if (!(clusters_[i].violation > kMost)) continue;
    const VelocitySpace::Cluster& cluster = scene_.closed->clusters()[i];
    const bool soft = scene_.config.plant.loops == LoopForm::kSoft;
    notes.push_back("the loops " + cluster.name + " were open by up to " +
                    ShortNumber(clusters_[i].violation * cluster.length) + " m, at " +
                    ShortNumber(clusters_[i].t) +
                    " s: " + ShortNumber(100 * clusters_[i].violation) + " % of their size" +
                    (soft ? "; plant.loops=exact keeps loops closed" : ""));
  }
  return notes;
}

}  // namespace civita
