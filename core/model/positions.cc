#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "civita/error.h"
#include "civita/manifold.h"
#include "core/model/internal/checks.h"
#include "core/model/internal/normalized.h"
#include "core/model/internal/tree_tables.h"

// Configurations: between two, neutral, random.

namespace civita {

namespace {

void CheckPosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q,
                   const char* name) {
  CIVITA_CHECK(q.size() == model.nq(),
               name << " has " << q.size() << " numbers, the model has nq = " << model.nq());
}

/// Uniform in SO(3) (Marsaglia 1972), by roots alone, so that no library's cosine is in it.
Eigen::Vector4d DrawQuaternion(Random* random) {
  const auto in_disk = [random](double* x, double* y) {
    for (;;) {
      *x = 2 * random->Uniform() - 1;
      *y = 2 * random->Uniform() - 1;
      const double square = *x * *x + *y * *y;
      if (square > 0 && square < 1) return square;
    }
  };
  double a = 0, b = 0, c = 0, d = 0;
  const double first = in_disk(&a, &b), second = in_disk(&c, &d);
  const double scale = std::sqrt((1 - first) / second);
  return {a, b, scale * c, scale * d};
}

/// Uniform in [lower, upper] or, where these are infinite, in an interval of this width.
double Draw(double lower, double upper, double middle, double width, Random* random) {
  if (std::isinf(lower) && std::isinf(upper)) lower = middle - 0.5 * width;
  if (std::isinf(lower)) lower = upper - width;
  if (std::isinf(upper)) upper = lower + width;
  const double share = random->Uniform();
  return std::clamp((1 - share) * lower + share * upper, lower, upper);
}

}  // namespace

void InterpolatePosition(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& q_0,
                         const Eigen::Ref<const Eigen::VectorXd>& q_1, double u,
                         Eigen::Ref<Eigen::VectorXd> q) {
  CheckPosition(model, q_0, "q_0");
  CheckPosition(model, q_1, "q_1");
  CheckPosition(model, q, "q");
  for (const auto* end : {&q_0, &q_1}) {
    CIVITA_CHECK(q.data() == end->data() || !internal::Overlap(q, *end),
                 "q lies on a part of " << (end == &q_0 ? "q_0" : "q_1"));
  }
  for (const Model::Body& body : model.bodies()) {
    int iq = body.iq;
    if (body.nv == 1) {
      q[iq] = (1 - u) * q_0[iq] + u * q_1[iq];
      continue;
    }
    if (body.joint == JointType::kFree) {
      q.segment<3>(iq) = (1 - u) * q_0.segment<3>(iq) + u * q_1.segment<3>(iq);
      iq += 3;
    }
    const Eigen::Vector4d begin = internal::Normalized<double>(q_0.segment<4>(iq));
    const Eigen::Vector4d end = internal::Normalized<double>(q_1.segment<4>(iq));
    const Eigen::Vector3d turn = QuaternionLog(QuaternionProduct(QuaternionConjugate(begin), end));
    q.segment<4>(iq) =
        internal::Normalized<double>(QuaternionProduct(begin, QuaternionExp(u * turn)));
  }
}

void NeutralPosition(const Model& model, Eigen::Ref<Eigen::VectorXd> q) {
  CheckPosition(model, q, "q");
  q.setZero();
  for (const Model::Body& body : model.bodies()) {
    if (body.nv == 1) {
      q[body.iq] =
          std::clamp(0.0, model.position_lower()[body.iq], model.position_upper()[body.iq]);
    } else {
      q[body.iq + (body.joint == JointType::kFree ? 3 : 0)] = 1;
    }
  }
}

void RandomPosition(const Model& model, int seed, Eigen::Ref<Eigen::VectorXd> q) {
  CheckPosition(model, q, "q");
  const Eigen::VectorXd& lower = model.position_lower();
  const Eigen::VectorXd& upper = model.position_upper();
  const Eigen::VectorXd middle = model.DefaultPosition();
  Random random(seed, Random::Stream::kPosition);
  for (int b = 0; b < model.num_bodies(); ++b) {
    const internal::Link& link = internal::TreeOf(model).links[b];
    int iq = link.iq;
    if (link.nv == 1) {
      const double width =
          (link.joint == JointType::kSlide ? 2 : 2 * std::numbers::pi) / link.scale;
      q[iq] = Draw(lower[iq], upper[iq], middle[iq], width, &random);
      continue;
    }
    if (link.joint == JointType::kFree) {
      for (int i = 0; i < 3; ++i, ++iq) q[iq] = Draw(lower[iq], upper[iq], middle[iq], 2, &random);
    }
    q.segment<4>(iq) = DrawQuaternion(&random);
  }
}

}  // namespace civita
