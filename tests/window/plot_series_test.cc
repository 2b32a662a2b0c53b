#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "app/window/plot/series.h"
#include "civita/error.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/sim/size_limit.h"

namespace civita {
namespace plot_series_test {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// A simple reference implementation of the buffer.
struct Reference {
  std::vector<double> time;
  std::vector<std::array<float, 2>> values;

  void TruncateAfter(double t) {
    while (!time.empty() && time.back() > t) {
      time.pop_back();
      values.pop_back();
    }
  }
  ValueRange Range(size_t channel, size_t begin, size_t end, bool positive) const {
    ValueRange range;
    for (size_t i = begin; i < end; ++i) {
      const float v = values[i][channel];
      if (!std::isfinite(v)) {
        range.gap = true;
      } else if (!positive || v > 0) {
        range.lo = std::min(range.lo, v);
        range.hi = std::max(range.hi, v);
      }
    }
    return range;
  }
};

void ExpectSameRange(const ValueRange& got, const ValueRange& want) {
  EXPECT_EQ(got.empty(), want.empty());
  EXPECT_EQ(got.gap, want.gap);
  if (want.empty()) return;
  EXPECT_EQ(got.lo, want.lo);
  EXPECT_EQ(got.hi, want.hi);
}

void CompareRanges(const TraceBuffer& trace, const Reference& truth, std::mt19937& random) {
  ASSERT_EQ(trace.size(), static_cast<int64_t>(truth.time.size()));
  if (trace.empty()) return;
  std::uniform_int_distribution<int64_t> index(0, trace.size());
  for (int k = 0; k < 50; ++k) {
    int64_t a = index(random), b = index(random);
    if (a > b) std::swap(a, b);
    const size_t channel = static_cast<size_t>(k % 2);
    const auto ua = static_cast<size_t>(a), ub = static_cast<size_t>(b);
    ExpectSameRange(trace.Range(k % 2, a, b), truth.Range(channel, ua, ub, false));
    ExpectSameRange(trace.PositiveRange(k % 2, a, b), truth.Range(channel, ua, ub, true));
  }
}

// Random samples, up to some in a row and some not finite, and random ways back.
void CompareWithBruteForce(TraceBuffer* buffer, int most_in_a_row, std::mt19937* generator) {
  TraceBuffer& trace = *buffer;
  std::mt19937& random = *generator;
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  Reference truth;
  double t = 0;
  for (int round = 0; round < 40; ++round) {
    const int count = 1 + static_cast<int>(unit(random) * most_in_a_row);
    for (int i = 0; i < count; ++i) {
      t += 1e-4 + 2e-3 * unit(random);
      std::array<float, 2> v = {normal(random), std::max(0.0f, normal(random))};
      if (unit(random) < 0.01) v[0] = unit(random) < 0.5 ? kNaN : -kInf;
      trace.Append(t, v);
      truth.time.push_back(t);
      truth.values.push_back(v);
    }
    CompareRanges(trace, truth, random);
    if (round % 3 == 2) {
      t *= 1 - 0.4 * unit(random);
      trace.TruncateAfter(t);
      truth.TruncateAfter(t);
      CompareRanges(trace, truth, random);
    }
  }
  for (size_t i = 0; i < truth.time.size(); i += 7) {
    const auto index = static_cast<int64_t>(i);
    EXPECT_EQ(trace.time(index), truth.time[i]);
    EXPECT_EQ(trace.LowerBound(truth.time[i]), index);
    EXPECT_EQ(trace.LowerBound(std::nextafter(truth.time[i], 1e9)), index + 1);
  }
}

TEST(TraceBufferTest, RangesMatchBruteForceThroughAppendsRewindsAndGaps) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  TraceBuffer trace(2);
  CompareWithBruteForce(&trace, 900, &random);
}

TEST(TraceBufferTest, NothingIsLostWhatLeavesMemoryForDisk) {
  const TemporaryFolder folder;
  for (int trial = 0; trial < 3; ++trial) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    TraceBuffer trace(2, 1);  // two chunks of 4096 samples
    trace.KeepOnDisk(folder.path());
    CompareWithBruteForce(&trace, 5000, &random);
    EXPECT_GT(trace.size(), 3 * 4096);
    EXPECT_LT(trace.bytes(), 300'000U);
    const double end = trace.last_time();
    trace.KeepInMemory();
    EXPECT_LE(trace.size(), 2 * 4096);
    EXPECT_GT(trace.size(), 0);
    EXPECT_EQ(trace.last_time(), end);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// The maps of files in a folder, and the memory (kB) that they take.
std::pair<int, int> MapsIn(const std::filesystem::path& folder) {
  std::ifstream smaps("/proc/self/smaps");
  std::pair<int, int> found;
  bool within = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.find('-') < line.find(' ')) {  // the first line of a map
      within = line.find(folder.string()) != std::string::npos;
      found.first += within;
    } else if (within && line.starts_with("Rss:")) {
      found.second += std::stoi(line.substr(4));
    }
  }
  return found;
}

TEST(TraceBufferTest, AHugeTraceTakesFewMapsAndIsNotReadForItsRange) {
  const TemporaryFolder folder;
  TraceBuffer trace(1, 1);
  trace.KeepOnDisk(folder.path());
  constexpr int kSamples = 200 * 4096;
  for (int i = 0; i < kSamples; ++i) trace.Append(1e-3 * i, std::array{static_cast<float>(i)});
  const ValueRange range = trace.Range(0, trace.begin_index(), trace.end_index());
  EXPECT_EQ(range.lo, 0);
  EXPECT_EQ(range.hi, kSamples - 1);
  EXPECT_EQ(trace.LowerBound(1e-3 * (kSamples - 100) - 1e-4), kSamples - 100);
  EXPECT_EQ(MapsIn(folder.path()), std::pair(4, 0));
  EXPECT_EQ(trace.value(0, 0), 0);
  EXPECT_GT(MapsIn(folder.path()).second, 0);
}

TEST(TraceBufferTest, AFullDiskDropsTheOldestSamples) {
  const TemporaryFolder folder;
  const SizeLimit limit(400'000);  // of which a chunk takes a seventh
  TraceBuffer trace(1, 1);
  trace.KeepOnDisk(folder.path() / "missing");
  EXPECT_FALSE(trace.keeps_on_disk());
  trace.KeepOnDisk(folder.path());
  EXPECT_TRUE(trace.keeps_on_disk());
  const std::array<float, 1> v = {1};
  int64_t longest = 0;
  for (int i = 0; i < 20 * 4096; ++i) {
    trace.Append(1e-3 * i, v);
    longest = std::max(longest, trace.size());
  }
  EXPECT_FALSE(trace.keeps_on_disk());
  EXPECT_GT(longest, 6 * 4096);
  EXPECT_LE(trace.size(), 2 * 4096);
  EXPECT_EQ(trace.last_time(), 1e-3 * (20 * 4096 - 1));
}

TEST(TraceBufferTest, DropsTheOldestAndKeepsIndices) {
  TraceBuffer trace(1, 10'000);
  for (int i = 0; i < 50'000; ++i) {
    const std::array<float, 1> v = {static_cast<float>(i)};
    trace.Append(1e-3 * i, v);
  }
  EXPECT_EQ(trace.end_index(), 50'000);
  EXPECT_GE(trace.size(), 10'000);
  EXPECT_LE(trace.size(), 10'000 + 2 * 4096);
  EXPECT_EQ(trace.value(trace.begin_index(), 0), static_cast<float>(trace.begin_index()));
  EXPECT_EQ(trace.first_time(), 1e-3 * static_cast<double>(trace.begin_index()));
  const ValueRange all = trace.Range(0, 0, 1 << 30);
  EXPECT_EQ(all.lo, static_cast<float>(trace.begin_index()));
  EXPECT_EQ(all.hi, 49'999.0f);
  EXPECT_EQ(trace.LowerBound(-1), trace.begin_index());
  EXPECT_EQ(trace.LowerBound(1e9), trace.end_index());
  EXPECT_LT(trace.bytes(), 300'000u);
}

TEST(TraceBufferTest, TimeThatGoesBackDropsWhatLiesAhead) {
  TraceBuffer trace(1);
  const std::array<float, 1> v = {1};
  for (int i = 0; i < 100; ++i) trace.Append(0.01 * i, v);
  const std::array<float, 1> w = {5};
  trace.Append(0.5, w);
  EXPECT_EQ(trace.last_time(), 0.5);
  EXPECT_EQ(trace.value(trace.end_index() - 1, 0), 5.0f);
  EXPECT_EQ(trace.Range(0, 0, 1000).hi, 5.0f);
  EXPECT_EQ(trace.size(), 51);
  trace.Append(0, v);
  EXPECT_EQ(trace.size(), 1);
  trace.Append(std::numeric_limits<double>::quiet_NaN(), v);
  EXPECT_EQ(trace.size(), 1);
  trace.TruncateAfter(-1);
  EXPECT_TRUE(trace.empty());
  EXPECT_TRUE(trace.Range(0, 0, 10).empty());
}

TEST(TraceBufferTest, WrongNumberOfValuesIsABrokenContract) {
  TraceBuffer trace(2);
  const std::array<float, 1> v = {1};
  EXPECT_THROW(trace.Append(0, v), ContractError);
  EXPECT_THROW(TraceBuffer(0), ContractError);
}

PlotMapping Mapping(double t0, double t1, float pixels) {
  PlotMapping m;
  m.t0 = t0;
  m.t1 = t1;
  m.x0 = 100;
  m.x1 = 100 + pixels;
  m.lo = -2;
  m.hi = 2;
  m.y_lo = 500;
  m.y_hi = 100;
  return m;
}

// At every zoom no sample is farther than about a pixel from the drawn line's extent in its
// column, and the line stays within the samples' range.
TEST(DecimateTest, CoversEverySampleAtEveryZoom) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 0.2f);
  TraceBuffer trace(1);
  for (int i = 0; i < 60'000; ++i) {
    const float spike = i % 7919 == 0 ? 1.5f : 0.0f;
    const std::array<float, 1> v = {std::sin(2e-3f * static_cast<float>(i)) * 0.3f +
                                    (i > 30'000 ? noise(random) : 0.0f) + spike};
    trace.Append(1e-3 * i, v);
  }
  for (const double span : {0.02, 0.3, 2.0, 10.0, 60.0}) {
    for (const double t0 : {0.0, 27.1234, 60.0 - span}) {
      const PlotMapping m = Mapping(t0, t0 + span, 333);
      std::vector<int64_t> cut;
      CutColumns(trace, m.t0, m.t1, 333, &cut);
      ASSERT_GE(cut.size(), 2u);
      ASSERT_TRUE(std::is_sorted(cut.begin(), cut.end()));
      TraceColumns columns;
      std::vector<PlotPoint> line;
      DecimateTrace(trace, 0, cut, m, &columns, &line);
      EXPECT_LE(line.size(), 3u * 340);
      // Extent of the drawn line over three columns around each sample, against the sample itself.
      std::vector<float> top(340, 1e9f), bottom(340, -1e9f);
      const auto column = [&](float x) {
        return static_cast<size_t>(std::clamp(x - m.x0 + 1, 0.0f, 339.0f));
      };
      for (size_t i = 0; i + 1 < line.size(); ++i) {
        for (size_t c = column(line[i].x) < 2 ? 0 : column(line[i].x) - 2;
             c <= std::min<size_t>(339, column(line[i + 1].x) + 2); ++c) {
          top[c] = std::min({top[c], line[i].y, line[i + 1].y});
          bottom[c] = std::max({bottom[c], line[i].y, line[i + 1].y});
        }
      }
      for (int64_t i = trace.LowerBound(t0); i < trace.end_index() && trace.time(i) <= t0 + span;
           ++i) {
        const size_t c = column(m.X(trace.time(i)));
        const float y = m.Y(trace.value(i, 0));
        ASSERT_GE(y, top[c] - 1.0f) << "span " << span << " t0 " << t0 << " sample " << i;
        ASSERT_LE(y, bottom[c] + 1.0f) << "span " << span << " t0 " << t0 << " sample " << i;
      }
    }
  }
}

TEST(DecimateTest, SlopeIsOnePointAColumnAndNoiseThree) {
  TraceBuffer trace(2);
  for (int i = 0; i < 10'000; ++i) {
    const std::array<float, 2> v = {1e-4f * static_cast<float>(i), i % 2 == 0 ? 1.0f : -1.0f};
    trace.Append(1e-3 * i, v);
  }
  const PlotMapping m = Mapping(0, 10, 200);
  std::vector<int64_t> cut;
  CutColumns(trace, 0, 10, 200, &cut);
  TraceColumns columns;
  std::vector<PlotPoint> line;
  DecimateTrace(trace, 0, cut, m, &columns, &line);
  EXPECT_EQ(line.size(), cut.size());  // one for each column and the last sample
  DecimateTrace(trace, 1, cut, m, &columns, &line);
  EXPECT_GT(line.size(), 2 * cut.size());
  EXPECT_LE(line.size(), 3 * cut.size());
}

TEST(DecimateTest, NonFiniteSamplesBreakTheLine) {
  TraceBuffer trace(1);
  for (int i = 0; i < 1000; ++i) {
    const bool gap = (i >= 300 && i < 400) || i == 700;
    const std::array<float, 1> v = {gap ? kNaN : 0.5f};
    trace.Append(1e-3 * i, v);
  }
  for (const float pixels : {100.0f, 3000.0f}) {
    const PlotMapping m = Mapping(0, 1, pixels);
    std::vector<int64_t> cut;
    CutColumns(trace, 0, 1, pixels, &cut);
    TraceColumns columns;
    std::vector<PlotPoint> line;
    DecimateTrace(trace, 0, cut, m, &columns, &line);
    int runs = 0;
    bool drawing = false;
    for (const PlotPoint& p : line) {
      const bool on = std::isfinite(p.y);
      if (on && !drawing) ++runs;
      drawing = on;
      const double t = m.TimeAt(p.x);
      if (on) {
        EXPECT_FALSE(t > 0.301 + 1 / pixels && t < 0.399 - 1 / pixels) << t;
      }
    }
    EXPECT_EQ(runs, 3) << pixels;
  }
}

TEST(DecimateTest, ColumnsDoNotMoveWhenTheWindowScrolls) {
  TraceBuffer trace(1);
  const std::array<float, 1> v = {0};
  for (int i = 0; i < 20'000; ++i) trace.Append(1e-3 * i, v);
  std::vector<int64_t> a, b;
  CutColumns(trace, 2.0, 12.0, 400, &a);
  CutColumns(trace, 3.0031, 13.0031, 400, &b);
  std::vector<int64_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  EXPECT_GT(common.size(), 355u);
}

// What is kept of the frame before is as if it were computed anew: while the plot scrolls, the
// trace grows, is rewound to other samples, and the channel changes.
TEST(DecimateTest, ColumnsKeptAreThoseComputed) {
  TraceBuffer trace(2, 8000);
  int samples = 0;
  const auto append = [&](int count, float phase) {
    for (int i = 0; i < count; ++i, ++samples) {
      const float x = 0.3f * static_cast<float>(samples) + phase;
      const std::array<float, 2> v = {std::sin(x), samples % 997 == 0 ? kNaN : std::cos(x)};
      trace.Append(1e-3 * samples, v);
    }
  };
  TraceColumns kept;
  const auto expect_same = [&](double t0, double t1, int channel) {
    std::vector<int64_t> cut;
    CutColumns(trace, t0, t1, 150, &cut);
    const PlotMapping m = Mapping(t0, t1, 150);
    std::vector<PlotPoint> line, expected;
    TraceColumns anew;
    DecimateTrace(trace, channel, cut, m, &kept, &line);
    DecimateTrace(trace, channel, cut, m, &anew, &expected);
    ASSERT_EQ(line.size(), expected.size());
    for (size_t i = 0; i < line.size(); ++i) {
      ASSERT_EQ(line[i].x, expected[i].x) << i;
      if (std::isfinite(expected[i].y)) {
        ASSERT_EQ(line[i].y, expected[i].y) << i;
      }
      ASSERT_EQ(std::isfinite(line[i].y), std::isfinite(expected[i].y)) << i;
    }
  };
  for (int frame = 0; frame < 200; ++frame) {
    append(97, 0);
    expect_same(trace.last_time() - 5, trace.last_time(), frame / 50 % 2);
  }
  trace.TruncateAfter(trace.last_time() - 2);
  samples -= 2000;
  append(1990, 1);
  expect_same(trace.last_time() - 5, trace.last_time(), 1);
  trace.Clear();
  samples = 0;
  append(5000, 2);
  expect_same(0, 5, 1);
}

TEST(DecimateTest, NothingToSeeGivesNoColumns) {
  TraceBuffer trace(1);
  std::vector<int64_t> cut = {1, 2};
  CutColumns(trace, 0, 1, 100, &cut);
  EXPECT_TRUE(cut.empty());
  const std::array<float, 1> v = {0};
  for (int i = 0; i < 100; ++i) trace.Append(1e-3 * i, v);
  CutColumns(trace, 5, 6, 100, &cut);
  EXPECT_LT(cut.size(), 2u);
  CutColumns(trace, -6, -5, 100, &cut);
  EXPECT_LT(cut.size(), 2u);
  TraceColumns columns;
  std::vector<PlotPoint> line;
  DecimateTrace(trace, 0, cut, Mapping(-6, -5, 100), &columns, &line);
  EXPECT_TRUE(line.empty());
}

TEST(PlotMappingTest, LeavesTheFrameWithoutClampingOnIt) {
  PlotMapping m = Mapping(0, 1, 100);
  EXPECT_FLOAT_EQ(m.Y(-2), 500);
  EXPECT_FLOAT_EQ(m.Y(2), 100);
  EXPECT_LT(m.Y(4), 0);
  EXPECT_GT(m.Y(-1e30f), 1000);
  EXPECT_TRUE(std::isfinite(m.Y(1e38f)));
  EXPECT_TRUE(std::isnan(m.Y(kNaN)));
  EXPECT_NEAR(m.ValueAt(m.Y(1.25f)), 1.25, 1e-5);
  m.log = true;
  m.lo = -3;
  m.hi = 1;
  EXPECT_FLOAT_EQ(m.Y(1e-3f), 500);
  EXPECT_FLOAT_EQ(m.Y(10.0f), 100);
  EXPECT_GT(m.Y(0), 1000);
  EXPECT_TRUE(std::isfinite(m.Y(-1)));
  EXPECT_NEAR(m.ValueAt(300), 0.1, 1e-6);
}

}  // namespace plot_series_test
}  // namespace civita
