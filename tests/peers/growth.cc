#include "tests/peers/growth.h"

#include <cmath>

#include "base/number_text.h"
#include "tests/peers/peers.h"

namespace civita {
namespace {

/// "–" for what is not known.
std::string Decimals(double value, int decimals) {
  return std::isnan(value) ? "–" : internal::WithDecimals(value, decimals);
}

nlohmann::ordered_json ToJson(const ScalingSeries& series) {
  auto points = nlohmann::ordered_json::array();
  for (const ScalingPoint& point : series.points) {
    points.push_back({{"joints", point.joints},
                      {"min_us", 1e6 * point.times.min},
                      {"median_us", 1e6 * point.times.median},
                      {"flops", point.flops}});
  }
  return {{"kind", series.kind},
          {"quantity", series.quantity},
          {"slope", series.TimeSlope(kSlopeFrom)},
          {"flop_slope", series.FlopSlope(kSlopeFrom)},
          {"points", points}};
}

void MeasurePeers(double seconds, const ShowProgress& show, Growth* growth) {
  std::vector<std::string> models;
  for (const std::string kind : {"chain", "tree"}) {
    for (const int joints : ScalingSizes()) {
      if (joints <= 80) models.push_back(kind + std::to_string(joints));
    }
  }
  TimePinocchio(models, "C+H,Gamma", 0.1 * seconds, [&](const PeerResult& result) {
    PeerResult& fastest = growth->peers[{result.model, result.quantity}];
    if (fastest.peer.empty() || result.ratio() < fastest.ratio()) fastest = result;
    return show("growth: " + result.peer + ", " + result.model);
  });
}

}  // namespace

Growth MeasureGrowth(double seconds, const ShowProgress& show) {
  Growth growth;
  bool goes_on = true;
  for (const std::string kind : {"chain", "tree", "biped", "quadruped"}) {
    for (const std::string quantity : {"C+H", "Gamma packed", "Gamma"}) {
      ScalingSeries series = MeasureScaling(kind, quantity, 0.2 * seconds, [&](int joints) {
        goes_on = show(std::string(kind).append(std::to_string(joints)).append(", ") + quantity);
        return goes_on;
      });
      if (!goes_on) return growth;
      growth.series.push_back(std::move(series));
    }
  }
  MeasurePeers(seconds, show, &growth);
  return growth;
}

Table GrowthTable(const Growth& growth) {
  Table table;
  table.names.title = "growth";
  table.columns = {{.title = "time ~ N^"}, {.title = "flops ~ N^"}};
  for (const ScalingPoint& point : growth.series.front().points) {
    table.columns.push_back({.title = "N = " + std::to_string(point.joints)});
  }
  for (const ScalingSeries& series : growth.series) {
    std::vector<std::string> texts = {Decimals(series.TimeSlope(kSlopeFrom), 2),
                                      Decimals(series.FlopSlope(kSlopeFrom), 2)};
    for (const ScalingPoint& point : series.points) {
      texts.push_back(Decimals(1e6 * point.times.min, point.times.min < 1e-5 ? 2 : 0));
    }
    table.AddRow(series.kind + ", " + series.quantity, texts);
  }
  return table;
}

SvgFigure GrowthFigure(const Growth& growth) {
  SvgFigure figure{.columns = 2, .width = 560, .height = 340};
  for (const std::string kind : {"chain", "tree"}) {
    std::vector<ScalingSeries> series;
    for (const ScalingSeries& each : growth.series) {
      if (each.kind == kind) series.push_back(each);
    }
    if (series.empty()) continue;
    figure.plots.push_back(PlotScaling(kind == "chain" ? "Serial chains" : "Binary trees", series));
    for (const std::string quantity : {"C+H", "Gamma"}) {
      SvgSeries line{.label = quantity == "C+H" ? "Pinocchio, C" : "Pinocchio, ∂²τ",
                     .style = SvgSeries::Style::kPoints,
                     .color = kLightTheme.muted};
      std::map<int, double> times;
      for (const auto& [_, peer] : growth.peers) {
        if (!peer.model.starts_with(kind) || peer.quantity != quantity) continue;
        times[std::stoi(peer.model.substr(kind.size()))] = 1e6 * peer.times.min;
      }
      for (const auto& [joints, time] : times) line.Add(joints, time);
      if (!line.x.empty()) figure.plots.back().series.push_back(line);
    }
  }
  return figure;
}

void AddGrowth(const Growth& growth, BenchRecord* record) {
  for (const ScalingSeries& each : growth.series) record->json["scaling"].push_back(ToJson(each));
  record->rest += "\n## Growth\n\n![Times over the number of joints](benchmarks.svg)\n\n" +
                  ToMarkdown(GrowthTable(growth)) +
                  "\nTimes in µs; slopes are fitted from N = " + std::to_string(kSlopeFrom) +
                  " on.\n";
}

}  // namespace civita
