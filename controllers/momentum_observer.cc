#include "civita/controllers/momentum_observer.h"

#include <cmath>
#include <utility>

namespace civita {

MomentumObserver::MomentumObserver(ObserverOptions options)
    : options_(std::move(options)), r_(Eigen::VectorXd::Zero(options_.K_I.size())), known_(r_) {}

void MomentumObserver::Update(const Eigen::VectorXd& p, const Eigen::VectorXd& rate,
                              const Eigen::Ref<const Eigen::VectorXd>& z) {
  r_ = options_.K_I.cwiseProduct(p - z);
  known_ = rate + r_;
}

void MomentumObserver::CalcRate(const Eigen::VectorXd& tau_applied,
                                Eigen::Ref<Eigen::VectorXd> zdot) const {
  zdot = tau_applied + known_;
}

std::vector<SignalInfo> MomentumObserver::Signals(const std::string& unit) const {
  const int n = static_cast<int>(r_.size());
  std::vector<SignalInfo> signals = {
      {"/disturbance", unit, n, "joint force that the model does not explain"}};
  if (has_indicator()) {
    signals.push_back({"/contact", "", n, "1 where the disturbance is above its threshold"});
    signals.push_back({.name = "/in_contact", .doc = "1 where any of /observer/contact is"});
  }
  return signals;
}

void MomentumObserver::FillSignals(Eigen::Ref<Eigen::VectorXd> signals) const {
  const Eigen::Index n = r_.size();
  signals.head(n) = r_;
  if (!has_indicator()) return;
  bool any = false;
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool contact = std::abs(r_[i]) > options_.threshold[i];
    signals[n + i] = contact ? 1 : 0;
    any = any || contact;
  }
  signals[2 * n] = any ? 1 : 0;
}

}  // namespace civita
