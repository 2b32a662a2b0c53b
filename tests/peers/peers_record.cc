#include "tests/peers/peers_record.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "base/number_text.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

const std::array<std::string, 2> kPeers = {"pinocchio", "mujoco"};

constexpr const char* kMethod = R"(
In parentheses: the least time of the fastest peer over ours. Peers are called from C++, as civita
is, on the same mechanisms and states; their numbers are compared with ours first (relative error
below 1e-9), then both are timed in turn. Pinocchio is timed twice, in a process each: as its wheel
has it, compiled for plain x86-64, and its headers compiled with -O3 -march=x86-64-v3; benchmarks.json
has both. MuJoCo's H stays sparse; Pinocchio's C is timed without H, and its second-order derivatives
are more than the Christoffel symbols that they contain.
)";

double Microseconds(double seconds) { return 1e6 * seconds; }

/// A peer's results for a row of the report.
std::vector<const PeerResult*> ResultsOf(const std::vector<PeerResult>& peers, const BenchRow& row,
                                         const std::string& peer) {
  std::vector<const PeerResult*> results;
  for (const PeerResult& each : peers) {
    const bool is_of_row = each.model == row.model && each.quantity == row.quantity;
    if (is_of_row && row.batch == 1 && each.peer == peer) results.push_back(&each);
  }
  return results;
}

/// The peer's fastest code; nullptr if it has no call for the row.
const PeerResult* Fastest(const std::vector<const PeerResult*>& results) {
  const auto ratio = [](const PeerResult* result) { return result->ratio(); };
  const auto fastest = std::ranges::min_element(results, {}, ratio);
  return fastest == results.end() ? nullptr : *fastest;
}

Json PeersOf(const std::vector<PeerResult>& peers, const BenchRow& row) {
  Json json = Json::object();
  for (const std::string& peer : kPeers) {
    const std::vector<const PeerResult*> results = ResultsOf(peers, row, peer);
    const PeerResult* fastest = Fastest(results);
    if (fastest == nullptr) continue;
    json[peer] = {{"call", fastest->call},
                  {"min_us", Microseconds(fastest->times.min)},
                  {"median_us", Microseconds(fastest->times.median)},
                  {"ratio", fastest->ratio()},
                  {"civita_min_us", Microseconds(fastest->civita.min)},
                  {"relative_error", fastest->error}};
    for (const PeerResult* each : results) {
      if (each->code.empty()) continue;
      json[peer]["code"] = fastest->code;
      json[peer]["min_us_by_call"][each->call + ", " + each->code] = Microseconds(each->times.min);
    }
  }
  return json;
}

void AddColumns(const BenchReport& report, const std::vector<PeerResult>& peers, Table* table) {
  for (const std::string& peer : kPeers) {
    std::vector<const PeerResult*> fastest;
    for (const BenchRow& row : report.rows) fastest.push_back(Fastest(ResultsOf(peers, row, peer)));
    if (std::ranges::none_of(fastest, [](const PeerResult* each) { return each != nullptr; })) {
      continue;
    }
    table->columns.push_back({.title = peer + ", µs"});
    table->columns.push_back({.title = "to ours"});
    for (std::size_t i = 0; i < fastest.size(); ++i) {
      std::string time = "–", ratio = "–";
      if (const PeerResult* each = fastest[i]; each != nullptr) {
        time = internal::WithDecimals(Microseconds(each->times.min), 2);
        ratio = internal::WithDecimals(each->ratio(), 1) + "×";
      }
      table->rows[i].cells.push_back({.text = time});
      table->rows[i].cells.push_back({.text = ratio});
    }
  }
}

/// What the peers were asked for; empty if nothing.
std::string CallsTable(const BenchReport& report, const std::vector<PeerResult>& peers) {
  std::map<std::vector<std::string>, std::set<std::string>> calls;  // codes that were the faster
  for (const BenchRow& row : report.rows) {
    for (const std::string& peer : kPeers) {
      const PeerResult* fastest = Fastest(ResultsOf(peers, row, peer));
      if (fastest != nullptr) calls[{row.quantity, peer, fastest->call}].insert(fastest->code);
    }
  }
  if (calls.empty()) return "";
  Table table;
  table.names.title = "for";
  table.columns = {{.title = "peer", .is_text = true},
                   {.title = "its call", .is_text = true},
                   {.title = "compiled for", .is_text = true}};
  for (const auto& [call, codes] : calls) {
    std::string code = *codes.begin();
    if (codes.size() > 1) code += " or " + *codes.rbegin();
    table.AddRow(call[0], {call[1], call[2], code.empty() ? "–" : code});
  }
  return "\n## What the peers do\n\n" + ToMarkdown(table);
}

}  // namespace

void AddPeers(const BenchReport& report, const std::vector<PeerResult>& peers,
              BenchRecord* record) {
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    record->json["results"][i]["peers"] = PeersOf(peers, report.rows[i]);
  }
  AddColumns(report, peers, &record->times);
  record->method += kMethod;
  record->rest += CallsTable(report, peers);
}

}  // namespace civita
