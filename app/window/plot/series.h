// Storage of the plots' traces, and their reduction to pixels. Independent of Dear ImGui.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "civita/sim/output_file.h"

namespace civita {

/// Smallest and largest finite value of a set of samples, and whether any was not finite.
struct ValueRange {
  float lo = std::numeric_limits<float>::infinity();
  float hi = -std::numeric_limits<float>::infinity();
  bool gap = false;  // a sample was NaN or infinite

  /// Whether there was no finite value.
  bool empty() const { return lo > hi; }
  /// Extends the range by one sample.
  void Add(float value) {
    if (!std::isfinite(value)) {
      gap = true;
      return;
    }
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
  /// Extends the range by another one.
  void Add(const ValueRange& other) {
    lo = std::min(lo, other.lo);
    hi = std::max(hi, other.hi);
    gap = gap || other.gap;
  }
};

/// Traces of several channels (single precision) over one common time axis (double, s) that grows
/// at the end. Samples need not be evenly spaced. Every channel has a pyramid of minima and maxima
/// over 16 and 256 samples, so that drawing a minute of samples costs hardly more than drawing a
/// second.
///
/// A sample keeps its index: indices start at 0 and continue when the oldest samples are dropped.
/// Memory is allocated in chunks while the trace grows, and bounded by the capacity; what leaves it
/// may go to disk. Not thread-safe.
class TraceBuffer {
 public:
  static constexpr int64_t kDefaultCapacity = 120'000;  // two minutes at 1 kHz

  /// `channels` ≥ 1; `capacity` ≥ 1 is the number of samples kept at least. When full, the oldest
  /// are dropped in chunks of 4096 samples.
  explicit TraceBuffer(int channels, int64_t capacity = kDefaultCapacity);

  /// From now on samples that leave memory are kept in a file without a name in the folder, which
  /// vanishes with them. Where it cannot be written, the oldest are dropped as before.
  void KeepOnDisk(const std::filesystem::path& folder);
  /// Drops what is on disk, and keeps no more there.
  void KeepInMemory();
  bool keeps_on_disk() const { return file_ != nullptr; }

  int channels() const { return channels_; }
  /// Index of the oldest sample kept, and one past the newest.
  int64_t begin_index() const { return first_chunk_ << kChunkBits; }
  int64_t end_index() const { return end_; }
  int64_t size() const { return end_ - begin_index(); }
  bool empty() const { return size() == 0; }
  /// Time of the oldest and of the newest sample; 0 when empty.
  double first_time() const { return empty() ? 0 : time(begin_index()); }
  double last_time() const { return empty() ? 0 : time(end_ - 1); }

  /// Time (s) of sample `index` in [begin_index, end_index).
  double time(int64_t index) const { return ChunkOf(index).time[Offset(index)]; }
  /// Value of `channel` at sample `index`.
  float value(int64_t index, int channel) const {
    return ChunkOf(index).values[static_cast<size_t>(channel) * kChunk + Offset(index)];
  }

  /// Appends a sample; `values` holds one value for each channel, which may be non-finite (drawn
  /// as a gap). If time does not increase (a reset or a rewind), the samples from `t` on are
  /// dropped first. A non-finite `t` is ignored.
  void Append(double t, std::span<const float> values);
  /// Drops the samples later than `t`.
  void TruncateAfter(double t);
  /// Drops all samples; indices start at 0 again.
  void Clear();

  /// Index of the first sample at or after `t`; end_index() if there is none.
  int64_t LowerBound(double t) const { return LowerBound(t, begin_index(), end_); }
  /// The index within [begin, end), with a search that starts near `begin`.
  int64_t LowerBound(double t, int64_t begin, int64_t end) const;

  /// Range of `channel` over the samples [begin, end), clipped to those kept.
  ValueRange Range(int channel, int64_t begin, int64_t end) const;
  /// Range of the positive values alone, for a logarithmic axis.
  ValueRange PositiveRange(int channel, int64_t begin, int64_t end) const;

  /// Memory held by the samples and pyramids, in bytes.
  size_t bytes() const;

  /// A number that no other trace has, and that changes when samples are dropped at the end: while
  /// it stays, a sample of an index stays what it was.
  int64_t content() const { return content_; }

 private:
  static constexpr int kChunkBits = 12, kFineBits = 4, kCoarseBits = 8;
  static constexpr size_t kChunk = size_t{1} << kChunkBits;
  static constexpr size_t kFine = kChunk >> kFineBits, kCoarse = kChunk >> kCoarseBits;

  static constexpr size_t kMapped = 64;  // chunks that are mapped together, since maps are few

  struct Chunk {                  // channel-major: the values of a channel are contiguous
    std::shared_ptr<char> bytes;  // holds all of it, in memory or as a part of the file
    double* time;
    float* values;
    ValueRange *fine, *coarse;
    // Of a chunk on disk, so that a search and a range of all samples read no part of the file.
    double first_time = 0;
    std::vector<ValueRange> whole;  // of each channel

    bool on_disk() const { return !whole.empty(); }
  };

  static size_t Offset(int64_t index) { return static_cast<size_t>(index) & (kChunk - 1); }
  const Chunk& ChunkOf(int64_t index) const {
    return chunks_[static_cast<size_t>((index >> kChunkBits) - first_chunk_)];
  }
  template <typename Take>
  void ForEachBlock(int channel, int64_t begin, int64_t end, const Take& take) const;
  size_t ChunkBytes() const;
  Chunk ChunkAt(std::shared_ptr<char> bytes) const;
  std::shared_ptr<char> MapNext();
  void MakeRoom();
  void DropOldest(size_t count);
  void MoveToDisk();
  void TakeFromDisk();
  void RebuildTail();

  int channels_;
  size_t max_chunks_;
  int64_t first_chunk_ = 0, end_ = 0, content_;
  std::vector<Chunk> chunks_;
  size_t on_disk_ = 0;  // of the chunks, the first ones; the file has them in their order
  std::unique_ptr<OutputFile> file_;
};

/// A point in pixels; a NaN in `y` breaks the line.
struct PlotPoint {
  float x, y;
};

/// Maps time and value to pixels. On a logarithmic axis `lo` and `hi` are powers of ten.
struct PlotMapping {
  double t0 = 0, t1 = 1;     // times (s) at x0 and x1
  float x0 = 0, x1 = 1;      // pixels
  double lo = 0, hi = 1;     // values at y_lo and y_hi, scaled
  float y_lo = 1, y_hi = 0;  // pixels; y points down, so y_lo > y_hi
  bool log = false;
  double floor = -std::numeric_limits<double>::infinity();  // least exponent that Y tells apart
  double scale = 1;  // shown value = scale × stored value; > 0

  float X(double t) const;
  /// Pixel row of a stored value, clamped to a few thousand pixels beyond the frame (so that lines
  /// which leave the frame keep their slope and no coordinate overflows). NaN stays NaN.
  float Y(float value) const;
  double TimeAt(float x) const { return t0 + (t1 - t0) * (x - x0) / (x1 - x0); }
  double ValueAt(float y) const;
};

/// Cuts the samples in [t0, t1] into columns of about a pixel, plus one sample on each side so
/// that lines reach the frame. Returns ascending indices: column i holds the samples [cut[i],
/// cut[i+1]); fewer than two indices if no sample is visible. Columns are anchored in time, not in
/// the window, so that a curve does not flicker while it scrolls.
void CutColumns(const TraceBuffer& trace, double t0, double t1, float pixels,
                std::vector<int64_t>* cut);

/// The samples of a column, of one channel.
struct TraceColumn {
  int64_t begin = 0, end = 0;  // indices
  double t = 0, t_last = 0;    // times (s) of its first and of its last sample
  float first = 0, last = 0;   // their values
  ValueRange range;
};

/// The columns of a channel. While a plot scrolls nearly all of them are those of the frame before,
/// which are kept.
class TraceColumns {
 public:
  /// The columns between the indices of `cut`; valid until the next call.
  std::span<const TraceColumn> Update(const TraceBuffer& trace, int channel,
                                      std::span<const int64_t> cut);

 private:
  int64_t content_ = -1;
  int channel_ = -1;
  std::vector<TraceColumn> columns_, before_;
};

/// Reduces a channel to a polyline: of each column the first sample, and its minimum and maximum
/// where they deviate from the slope by more than three quarters of a pixel, then the last sample;
/// `next` is the value to which the last column leads. `points` is overwritten.
void DecimateColumns(std::span<const TraceColumn> columns, float next, const PlotMapping& mapping,
                     std::vector<PlotPoint>* points);

/// The same for a channel of a trace between the indices of `cut`.
void DecimateTrace(const TraceBuffer& trace, int channel, std::span<const int64_t> cut,
                   const PlotMapping& mapping, TraceColumns* columns,
                   std::vector<PlotPoint>* points);

/// Figures of a line over a stretch of time: root of the mean square, largest magnitude, mean.
struct LineFigures {
  double rms = std::numeric_limits<double>::quiet_NaN(), peak = rms, mean = rms;
};

/// The sums of which they are.
class FigureSums {
 public:
  /// Leaves out what is not finite.
  void Add(double x) {
    if (!std::isfinite(x)) return;
    squares_ += x * x;
    sum_ += x;
    peak_ = std::max(peak_, std::fabs(x));
    ++count_;
  }
  /// NaN of fewer than `least` numbers.
  LineFigures Figures(int64_t least) const {
    if (count_ < least) return {};
    const auto n = static_cast<double>(count_);
    return {std::sqrt(squares_ / n), peak_, sum_ / n};
  }

 private:
  double squares_ = 0, sum_ = 0, peak_ = 0;
  int64_t count_ = 0;
};

/// Of a channel's finite samples [begin, end), times `scale`; NaN without any.
LineFigures CalcLineFigures(const TraceBuffer& trace, int channel, double scale, int64_t begin,
                            int64_t end);

}  // namespace civita
