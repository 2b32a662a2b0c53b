#include "civita/study/survive/survival.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>
#include <type_traits>

#include "base/number_text.h"
#include "civita/build_info.h"
#include "civita/error.h"

namespace civita {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

using Figure = std::function<double(const SurvivalTrial&)>;

std::string Tenths(double x) { return internal::WithDecimals(x, 1); }
std::string Hundredths(double x) { return internal::WithDecimals(x, 2); }
std::string TwoDigits(double x) { return internal::General(x, 2); }

using CellOf = std::function<std::string(const SurvivalRow&)>;

CellOf Mean(std::string (*text)(double), const Figure& figure) {
  return [text, figure](const SurvivalRow& row) -> std::string {
    if (row.trials.empty()) return "–";
    double sum = 0;
    for (const SurvivalTrial& trial : row.trials) sum += figure(trial);
    return text(sum / static_cast<double>(row.trials.size()));
  };
}

/// Text of a range: "9.8 … 21.5".
CellOf Range(const Figure& figure) {
  return [figure](const SurvivalRow& row) -> std::string {
    if (row.trials.empty()) return "–";
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const SurvivalTrial& trial : row.trials) {
      low = std::min(low, figure(trial));
      high = std::max(high, figure(trial));
    }
    const std::string from = Tenths(low), to = Tenths(high);
    return from == to ? from : from + " … " + to;
  };
}

std::string Survived(const SurvivalRow& row) {
  const long n = static_cast<long>(row.trials.size()), k = row.num_survived();
  if (n == 0) return "–";
  const Interval interval = row.interval();
  const double share = 100.0 * static_cast<double>(k) / static_cast<double>(n);
  return std::to_string(k) + " = " + Tenths(share) + " % [" + Tenths(100 * interval.low) + ", " +
         Tenths(100 * interval.high) + "]";
}

struct Column {
  Table::Column column;
  CellOf cell;
};

const Column kColumns[] = {
    {{.title = "scene", .is_text = true}, &SurvivalRow::scene},
    {{.title = "variant", .is_text = true}, &SurvivalRow::variant},
    {{.title = "push"}, [](const SurvivalRow& row) { return row.push.name(); }},
    {{.title = "impulse, N·s", .is_detail = true}, Range(&SurvivalTrial::impulse)},
    {{.title = "ceiling, N·s", .is_detail = true}, Range(&SurvivalTrial::ceiling)},
    {{.title = "n", .is_detail = true},
     [](const SurvivalRow& row) { return std::to_string(row.trials.size()); }},
    {{.title = "survived"}, Survived},
    {{.title = "fell"}, [](const SurvivalRow& row) { return std::to_string(row.num_fallen()); }},
    {{.title = "no foot moved", .is_detail = true},
     [](const SurvivalRow& row) {
       const auto stayed = [](const SurvivalTrial& t) { return t.farthest_foot <= kFootMoved; };
       return std::to_string(std::ranges::count_if(row.trials, stayed));
     }},
    {{.title = "steps", .is_detail = true}, Mean(Tenths, &SurvivalTrial::steps)},
    {{.title = "feet moved, m", .is_detail = true}, Mean(Hundredths, &SurvivalTrial::moved)},
    {{.title = "peak tilt, °", .is_detail = true},
     Mean(Tenths, [](const SurvivalTrial& t) { return kDegrees * t.tilt_peak; })},
    {{.title = "unmet, N", .is_detail = true}, Mean(TwoDigits, &SurvivalTrial::unmet_force)},
    {{.title = "unmet, N·m", .is_detail = true}, Mean(TwoDigits, &SurvivalTrial::unmet_moment)},
    {{.title = "QP fallbacks", .is_detail = true},
     [](const SurvivalRow& row) {
       long sum = 0;
       for (const SurvivalTrial& trial : row.trials) sum += trial.qp_fallbacks;
       return std::to_string(sum);
     }},
};

constexpr const char* kDefinitions =
    R"(- Push: half sine of 0.1 s through the centre of mass, horizontal, its direction uniform. Its impulse is
  a share of the ceiling m·ω·d of a stand without steps, or as given: ω = √(g/h), h the height of the centre
  of mass, d how far from its ground point along the push support, friction and efforts let the feet press.
- It comes at a time that is uniform over half a second of standing, or over two steps of a gait.
- Fell: base below 60 % of its nominal height, or tilted beyond 60°.
- Survived, 3 s after the push (on two feet 3.6 s): no fall; standing again, the centre of mass within
  5 mm of its re-planned target on the ground and slower than 2 cm/s, tilt under 2°. Without steps, besides:
  no foot has moved more than 2 cm. On a gait instead: mean velocity over the last 2 s within 10 % of the
  command (within 2 cm/s of it in place), tilt over them ≤ 3° RMS.
- All of it is told from the true motion, whatever the law measures. Seed by seed every variant faces the
  same push and friction (± 10 % of the model's).
- Intervals: Wilson, 95 %. Impulse and ceiling: smallest … largest. No foot moved: trials in which none went
  farther than 2 cm. Steps: feet set down after the push. Feet moved: their middle, over ground. Unmet: RMS
  of the wrench that the law asked of the feet and the friction cones did not allow. These and the peak
  tilt are means over trials. QP fallbacks: control steps of all trials without a solution.
)";

using Json = nlohmann::ordered_json;

// Calls visit(name, member) for each figure of a trial.
template <typename Trial, typename Visit>
void VisitFigures(Trial& t, std::optional<bool> gait, const Visit& visit) {
  visit("seed", t.seed);
  visit("friction", t.friction);
  visit("direction_rad", t.direction);
  visit("start_s", t.start_s);
  visit("impulse_Ns", t.impulse);
  visit("ceiling_Ns", t.ceiling);
  visit("ceiling_by", t.bound);
  visit("survived", t.survived);
  visit("fell", t.fell);
  visit("verdict", t.verdict);
  visit("end_s", t.end_s);
  visit("steps", t.steps);
  visit("feet_moved_m", t.moved);
  visit("farthest_foot_m", t.farthest_foot);
  visit("foot_off_m", t.foot_off);
  visit("peak_tilt_rad", t.tilt_peak);
  visit("unmet_force_N", t.unmet_force);
  visit("unmet_moment_Nm", t.unmet_moment);
  visit("qp_fallbacks", t.qp_fallbacks);
  visit("cut_joint", t.cut_joint);
  visit("cut_s", t.cut_s);
  if (t.fell || !gait) return;
  if (*gait) {
    visit("velocity_error_mps", t.velocity_error);
    visit("tilt_rms_rad", t.tilt_rms);
  } else {
    visit("error_m", t.error);
    visit("speed_mps", t.speed);
    visit("tilt_rad", t.tilt);
  }
}

SurvivalRow ReadRow(const Json& json) {
  SurvivalRow row;
  row.scene = json.at("scene");
  row.variant = json.at("variant");
  row.gait = json.at("gait");
  row.may_step = json.at("may_step");
  row.push.absolute = json.at("push").contains("impulse_Ns");
  row.push.amount = json.at("push").front();
  row.config = json.at("config");
  for (const Json& figures : json.at("trials")) {
    VisitFigures(row.trials.emplace_back(), row.gait, [&figures](const char* name, auto& x) {
      using X = std::decay_t<decltype(x)>;
      const Json& value = figures.at(name);  // null: not a finite number
      x = value.is_null() ? X(std::numeric_limits<X>::quiet_NaN()) : value.get<X>();
    });
  }
  return row;
}

Json DescribeRow(const SurvivalRow& row) {
  Json trials = Json::array();
  for (const SurvivalTrial& trial : row.trials) {
    Json& json = trials.emplace_back();
    for (const auto& [name, value] : FiguresOf(trial, row.gait)) {
      std::visit([&of = json[name]](const auto& x) { of = x; }, value);
    }
  }
  const Interval interval = row.interval();
  return {{"scene", row.scene},
          {"variant", row.variant},
          {"gait", row.gait},
          {"may_step", row.may_step},
          {"push", {{row.push.absolute ? "impulse_Ns" : "share_of_ceiling", row.push.amount}}},
          {"n", row.trials.size()},
          {"survived", row.num_survived()},
          {"interval", {interval.low, interval.high}},
          {"fell", row.num_fallen()},
          {"trials", trials},
          {"config", row.config}};
}

}  // namespace

Interval WilsonInterval(long k, long n) {
  if (n == 0) return {};
  constexpr double z = 1.959963984540054;  // of the normal distribution at 97.5 %
  const auto count = static_cast<double>(n);
  const double p = static_cast<double>(k) / count;
  const double spread = z * z / count;
  const double middle = p + spread / 2;
  const double half = z * std::sqrt(p * (1 - p) / count + spread / (4 * count));
  return {std::max(0.0, (middle - half) / (1 + spread)),
          std::min(1.0, (middle + half) / (1 + spread))};
}

std::vector<std::pair<const char*, TrialValue>> FiguresOf(const SurvivalTrial& t,
                                                          std::optional<bool> gait) {
  std::vector<std::pair<const char*, TrialValue>> figures;
  VisitFigures(t, gait, [&figures](const char* name, const auto& x) {
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, int>) {
      figures.emplace_back(name, long{x});
    } else {
      figures.emplace_back(name, x);
    }
  });
  return figures;
}

long SurvivalRow::num_survived() const {
  return std::ranges::count_if(trials, &SurvivalTrial::survived);
}

long SurvivalRow::num_fallen() const { return std::ranges::count_if(trials, &SurvivalTrial::fell); }

Interval SurvivalRow::interval() const {
  return WilsonInterval(num_survived(), static_cast<long>(trials.size()));
}

Table PushesTable(const SurvivalTable& survival) {
  Table table{.names = kColumns[0].column, .bars = "share, 95 % interval"};
  for (const Column& each : std::span(kColumns).subspan(1)) table.columns.push_back(each.column);
  for (const SurvivalRow& row : survival.rows) {
    std::vector<std::string> texts;
    for (const Column& each : std::span(kColumns).subspan(1)) texts.push_back(each.cell(row));
    table.AddRow(kColumns[0].cell(row), texts);
    if (row.trials.empty()) continue;
    const Interval interval = row.interval();
    const auto n = static_cast<double>(row.trials.size());
    table.rows.back().bar = {static_cast<double>(row.num_survived()) / n, interval.low,
                             interval.high};
  }
  return table;
}

std::string FormatSurvival(const SurvivalTable& table) {
  return std::string(kDefinitions) + "\n" + ToMarkdown(PushesTable(table), "###", true);
}

std::string FormatSurvivalJson(const SurvivalTable& table) {
  Json json;
  json["versions"] = {{"civita", kVersion}, {"source", kGitDescribe}};
  json["trials"] = table.trials;
  json["seed"] = table.seed;
  json["interrupted"] = table.interrupted;
  json["rows"] = Json::array();
  for (const SurvivalRow& row : table.rows) json["rows"].push_back(DescribeRow(row));
  return json.dump(2) + "\n";
}

SurvivalTable ReadSurvivalJson(const std::filesystem::path& file) {
  try {
    const Json json = Json::parse(std::ifstream(file));
    const Json& versions = json.at("versions");
    if (versions.at("civita") != kVersion || versions.at("source") != kGitDescribe) {
      throw UserError(file.string() + ": is of civita " + versions.dump() +
                      ", whose trials do not go with those of this one");
    }
    SurvivalTable table;
    table.trials = json.at("trials");
    table.seed = json.at("seed");
    table.interrupted = json.at("interrupted");
    for (const Json& row : json.at("rows")) table.rows.push_back(ReadRow(row));
    return table;
  } catch (const Json::exception&) {
    throw UserError(file.string() + ": is not a survival.json");
  }
}

}  // namespace civita
