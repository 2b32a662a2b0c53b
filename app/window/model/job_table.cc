#include "app/window/model/job_table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/read_file.h"
#include "base/typeset_number.h"
#include "civita/error.h"
#include "civita/sim/metric_table.h"
#include "civita/study/compare/comparison.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Json ReadJson(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? Json::parse(internal::ReadText(path.string())) : Json();
}

double NumberOf(const Json& json) { return json.is_number() ? json.get<double>() : kUnknown; }

/// The table's line of a metric's key; one of a plug-in's law may be missing here.
MetricInfo DescribeMetric(const std::string& key) {
  for (const Metric* metric : Metrics()) {
    if (key != metric->key) continue;
    return {.key = key,
            .label = metric->label,
            .unit = "",
            .doc = metric->doc,
            .kind = metric->kind,
            .floor = metric->floor};
  }
  MetricInfo unknown{.key = key, .label = key, .unit = "", .doc = ""};
  std::ranges::replace(unknown.label, '_', ' ');
  return unknown;
}

/// A row of the variants' values, which `at` finds in a variant's metrics or intervals; nothing if
/// no variant has one.
template <typename At>
void AddMetric(const Json& variants, const MetricInfo& info, At at, JobTable* table) {
  JobTable::Row row{.name = info.label, .unit = info.unit, .cells = {}};
  double least = kUnknown, most = kUnknown;
  for (const Json& variant : variants) {
    Estimate estimate{NumberOf(at(variant.at("metrics"))), kUnknown};
    if (variant.contains("intervals")) {
      const Json& interval = at(variant.at("intervals"));
      estimate.half = 0.5 * (NumberOf(interval.at(1)) - NumberOf(interval.at(0)));
    }
    row.cells.push_back(std::isnan(estimate.mean) ? "–" : TypesetNumbers(FormatEstimate(estimate)));
    least = std::fmin(least, estimate.mean);
    most = std::fmax(most, estimate.mean);
  }
  if (std::isnan(least)) return;
  row.is_apart = RelativeDifference(info, least, most) > kApart;
  table->rows.push_back(std::move(row));
}

void ReadComparison(const Json& json, JobTable* table) {
  const Json& variants = json.at("variants");
  for (const Json& variant : variants) {
    table->columns.push_back(variant.at("name").get<std::string>());
  }
  JobTable::Row status{.name = "status", .unit = "", .cells = {}};
  for (const Json& variant : variants) status.cells.push_back(variant.value("status", "–"));
  if (variants.at(0).contains("status")) table->rows.push_back(std::move(status));
  table->summary = json.at("summary").get<std::string>();
  if (table->summary.empty()) table->summary = json.at("text").get<std::string>();
  for (const auto& metric : variants.at(0).at("metrics").items()) {
    const std::string& key = metric.key();
    const Json& value = metric.value();
    MetricInfo info = DescribeMetric(key);
    info.unit = json.at("units").at(key).get<std::string>();
    if (!value.is_object()) {
      AddMetric(
          variants, info, [&key](const Json& of) -> const Json& { return of.at(key); }, table);
      continue;
    }
    const std::string label = info.label;
    for (const auto& marked : value.items()) {
      const std::string& mark = marked.key();
      info.label = label;
      info.label.append("(").append(mark).append(" s)");
      const auto at = [&](const Json& of) -> const Json& { return of.at(key).at(mark); };
      AddMetric(variants, info, at, table);
    }
  }
}

void ReadSurvival(const Json& json, JobTable* table) {
  constexpr double kPercent = 100;
  table->columns = {"push", "survived", "95 %", "fell"};
  table->bars = "share, 95 % interval";
  for (const Json& of : json.at("rows")) {
    const long n = of.at("n"), survived = of.at("survived");
    if (n == 0) continue;
    const double low = of.at("interval").at(0), high = of.at("interval").at(1);
    const Json& push = of.at("push");
    const bool absolute = push.contains("impulse_Ns");
    const double amount = push.begin()->get<double>();
    JobTable::Row row{.name = of.at("variant").get<std::string>(), .unit = "", .cells = {}};
    row.cells = {absolute ? Short(amount) + " N·s" : Short(kPercent * amount) + " %",
                 std::to_string(survived) + " of " + std::to_string(n),
                 Fixed(kPercent * low, 0) + " – " + Fixed(kPercent * high, 0) + " %",
                 std::to_string(of.at("fell").get<long>())};
    row.bar = {static_cast<double>(survived) / static_cast<double>(n), low, high};
    table->rows.push_back(std::move(row));
  }
}

void ReadBenchmarks(const Json& json, JobTable* table) {
  constexpr double kPercent = 100, kKilo = 1e-3;
  table->columns = {"median, µs", "p99, µs", "kflop", "of peak"};
  table->bars = "median; least to p99";
  const Json& results = json.at("results");
  std::string model;
  for (const Json& of : results) {
    JobTable::Row row{.name = of.at("quantity").get<std::string>(), .unit = "", .cells = {}};
    if (of.at("model") != model) row.heading = model = of.at("model").get<std::string>();
    if (const int batch = of.at("batch"); batch > 1) row.name += " ×" + std::to_string(batch);
    if (const int threads = of.at("threads"); threads > 1) {
      row.name += ", " + std::to_string(threads) + " threads";
    }
    double longest = 0;
    for (const Json& other : results) {
      if (other.at("model") == model)
        longest = std::max(longest, other.at("median_us").get<double>());
    }
    const double median = of.at("median_us"), least = of.at("min_us"), most = of.at("p99_us");
    const double flops = NumberOf(of.at("kernel_flops"));  // null where nothing counts them
    const double share = NumberOf(of.at("share_of_peak"));
    row.cells = {Tabular(median), Tabular(most), std::isnan(flops) ? "–" : Tabular(kKilo * flops),
                 std::isnan(share) ? "–" : Fixed(kPercent * share, 0) + " %"};
    row.bar = {median / longest, least / longest, std::min(1.0, most / longest)};
    table->rows.push_back(std::move(row));
  }
}

struct JobFiles {
  std::string_view verb, json, report;  ///< report: empty if there is none
  void (*read)(const Json& json, JobTable* table);
};
// In the order of kJobKinds.
constexpr JobFiles kFiles[] = {
    {"compare", "compare.json", "report.html", ReadComparison},
    {"sweep", "summary.json", "", ReadComparison},
    {"survive", "survival.json", "survival.md", ReadSurvival},
    {"bench", "benchmarks.json", "benchmarks.md", ReadBenchmarks},
};

const JobFiles& FilesOf(JobKind kind) { return kFiles[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view NameOf(JobKind kind) { return FilesOf(kind).verb; }

JobTable ReadJobTable(JobKind kind, const fs::path& folder) {
  const JobFiles& files = FilesOf(kind);
  JobTable table;
  try {
    const Json json = ReadJson(folder / files.json);
    if (json.is_object()) files.read(json, &table);
  } catch (const Json::exception&) {
    table = {};  // cut off by the end of the process
  } catch (const Error& error) {
    table = {};
    table.summary = error.what();
  }
  std::error_code ignored;
  if (!files.report.empty() && fs::exists(folder / files.report, ignored))
    table.report = folder / files.report;
  return table;
}

}  // namespace civita
