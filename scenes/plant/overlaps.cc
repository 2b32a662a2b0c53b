#include "civita/scenes/plant/overlaps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "civita/scenes/plant/model_assets.h"

namespace civita {
namespace {

// The bodies of the spec by their number in the model that it was compiled to, each with a name,
// as contacts are left out by names. Empty if the spec's order is another.
std::vector<std::string> NameBodies(const mjModel& m, mjSpec* spec) {
  std::vector<std::string> names;
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_BODY)) {
    const int body = static_cast<int>(names.size());
    if (body >= m.nbody) return {};
    const char* compiled = mj_id2name(&m, mjOBJ_BODY, body);
    std::string name = internal::NameOf(e);
    if (name != (compiled != nullptr ? compiled : "")) return {};
    if (name.empty()) {
      name = "body " + std::to_string(body);
      if (mjs_setName(e, name.c_str()) != 0) return {};
    }
    names.push_back(std::move(name));
  }
  return static_cast<int>(names.size()) == m.nbody ? names : std::vector<std::string>();
}

// Whether the body belongs to a robot, whose contacts are judged: fixed to the world or not.
class Robot {
 public:
  Robot(const mjModel& m, const FreeParts& parts) : m_(m), parts_(parts) {}

  bool Has(int body) const { return !IsFixed(body) && !parts_.is_loose[static_cast<size_t>(body)]; }
  bool IsFixed(int body) const { return m_.body_weldid[body] == 0; }
  bool Floats(int body) const {
    return std::ranges::any_of(parts_.bases, [&](const FloatingBase& base) {
      return m_.body_rootid[base.body] == m_.body_rootid[body];
    });
  }

 private:
  const mjModel& m_;
  const FreeParts& parts_;
};

}  // namespace

std::vector<BodyOverlap> FindOverlaps(const mjModel& m, const FreeParts& parts,
                                      const Eigen::VectorXd& q) {
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(&m));
  Eigen::VectorXd::Map(d->qpos, m.nq) = q;
  mj_fwdPosition(&m, d.get());
  const Robot robot(m, parts);
  const double allowed = 1e-3 * m.stat.extent;
  std::map<std::pair<int, int>, double> depths;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    // A margin makes contacts push from a distance on.
    const double depth = contact.includemargin - contact.dist;
    if (depth <= allowed || contact.geom[0] < 0 || contact.geom[1] < 0) continue;
    int a = m.geom_bodyid[contact.geom[0]], b = m.geom_bodyid[contact.geom[1]];
    if (robot.IsFixed(a)) std::swap(a, b);
    const bool counts = robot.Has(a) && (robot.IsFixed(b) ? !robot.Floats(a) : robot.Has(b));
    if (!counts) continue;
    double& deepest = depths[std::minmax(a, b)];
    deepest = std::max(deepest, depth);
  }
  std::vector<BodyOverlap> overlaps;
  for (const auto& [pair, depth] : depths) overlaps.push_back({pair.first, pair.second, depth});
  std::ranges::stable_sort(overlaps, std::greater<>(), &BodyOverlap::depth);
  return overlaps;
}

SpecEdit LeaveOutContacts(const std::vector<BodyOverlap>& overlaps, const mjModel& m,
                          std::vector<std::string>* notices) {
  return [&overlaps, &m, notices](mjSpec* spec, bool) {
    const std::vector<std::string> names = NameBodies(m, spec);
    std::vector<std::string> left_out, acting;
    for (const BodyOverlap& overlap : overlaps) {
      const auto name_of = [&names](int body) {
        return names.empty() ? "body " + std::to_string(body) : names[static_cast<size_t>(body)];
      };
      const std::string a = name_of(overlap.body_a), b = name_of(overlap.body_b);
      std::string text = a;
      text.append(" and ").append(b).append(" (");
      text.append(internal::ShortNumber(overlap.depth)).append(" m)");
      if (names.empty()) {
        acting.push_back(text);
        continue;
      }
      const mjsExclude* exclude = mjs_addExclude(spec);
      mjs_setString(exclude->bodyname1, a.c_str());
      mjs_setString(exclude->bodyname2, b.c_str());
      left_out.push_back(text);
    }
    using internal::TellNames;
    TellNames("bodies overlap at the start, and their contacts are left out: ", left_out, notices);
    TellNames("bodies overlap at the start and push one another away: ", acting, notices);
  };
}

}  // namespace civita
