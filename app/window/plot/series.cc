#include "app/window/plot/series.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "civita/error.h"

namespace civita {

namespace {

int64_t NewContent() {
  static std::atomic<int64_t> last = 0;
  return ++last;
}

// The first number in [begin, end) that is not before, or end. The search gallops: columns are cut
// in order, so the next boundary is near the start.
template <typename IsBefore>
int64_t FirstNot(int64_t begin, int64_t end, const IsBefore& is_before) {
  int64_t step = 1, low = begin;
  while (low + step < end && is_before(low + step - 1)) {
    low += step;
    step *= 2;
  }
  int64_t high = std::min(end, low + step);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

TraceBuffer::TraceBuffer(int channels, int64_t capacity)
    : channels_(channels), content_(NewContent()) {
  CIVITA_CHECK(channels >= 1);
  CIVITA_CHECK(capacity >= 1);
  // One chunk more than the capacity needs, since after a drop the newest chunk may hold a single
  // sample.
  max_chunks_ = (static_cast<size_t>(capacity) + kChunk - 1) / kChunk + 1;
}

// Whole pages, so that a chunk of the file can be mapped.
size_t TraceBuffer::ChunkBytes() const {
  constexpr size_t kPage = 4096;
  const size_t used = kChunk * sizeof(double) +
                      static_cast<size_t>(channels_) *
                          (kChunk * sizeof(float) + (kFine + kCoarse) * sizeof(ValueRange));
  return (used + kPage - 1) / kPage * kPage;
}

TraceBuffer::Chunk TraceBuffer::ChunkAt(std::shared_ptr<char> bytes) const {
  const auto n = static_cast<size_t>(channels_);
  Chunk chunk;
  chunk.time = reinterpret_cast<double*>(bytes.get());
  chunk.values = reinterpret_cast<float*>(chunk.time + kChunk);
  chunk.fine = reinterpret_cast<ValueRange*>(chunk.values + n * kChunk);
  chunk.coarse = chunk.fine + n * kFine;
  chunk.bytes = std::move(bytes);
  return chunk;
}

void TraceBuffer::MakeRoom() {
  const auto used = static_cast<size_t>((end_ >> kChunkBits) - first_chunk_);
  if (Offset(end_) != 0 || used < chunks_.size()) return;
  if (chunks_.size() - on_disk_ < max_chunks_) {
    const std::shared_ptr<char[]> bytes = std::make_shared<char[]>(ChunkBytes());
    chunks_.push_back(ChunkAt({bytes, bytes.get()}));
    return;
  }
  const Chunk oldest = chunks_[on_disk_];  // in memory, which the newest one takes over
  MoveToDisk();
  chunks_.push_back(oldest);
}

// The bytes of the file's next chunk. The first chunk of a block maps all of the block, whose other
// chunks are yet to be written.
std::shared_ptr<char> TraceBuffer::MapNext() {
  if (on_disk_ % kMapped == 0) {
    return file_->Map(on_disk_ * ChunkBytes(), kMapped * ChunkBytes());
  }
  const std::shared_ptr<char>& before = chunks_[on_disk_ - 1].bytes;
  return {before, before.get() + ChunkBytes()};
}

// The oldest chunk in memory, or drops it.
void TraceBuffer::MoveToDisk() {
  if (file_) {
    try {
      Chunk& chunk = chunks_[on_disk_];
      file_->Resize(on_disk_ * ChunkBytes());
      file_->Write({chunk.bytes.get(), ChunkBytes()});
      file_->Flush();
      Chunk moved = ChunkAt(MapNext());
      moved.first_time = chunk.time[0];
      moved.whole.resize(static_cast<size_t>(channels_));
      for (size_t c = 0; c < moved.whole.size(); ++c) {
        for (size_t k = 0; k < kCoarse; ++k) moved.whole[c].Add(chunk.coarse[c * kCoarse + k]);
      }
      chunk = std::move(moved);
      ++on_disk_;
      return;
    } catch (const Error&) {
      KeepInMemory();
    }
  }
  DropOldest(1);
}

// So that the chunk of the last sample can be written on; those after it go.
void TraceBuffer::TakeFromDisk() {
  const auto last = static_cast<size_t>(((end_ - 1) >> kChunkBits) - first_chunk_);
  if (last >= on_disk_) return;
  const Chunk& free = chunks_[on_disk_];
  std::memcpy(free.bytes.get(), chunks_[last].bytes.get(), ChunkBytes());
  chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(last),
                chunks_.begin() + static_cast<std::ptrdiff_t>(on_disk_));
  on_disk_ = last;
}

void TraceBuffer::DropOldest(size_t count) {
  chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<std::ptrdiff_t>(count));
  first_chunk_ += static_cast<int64_t>(count);
  on_disk_ -= std::min(on_disk_, count);
}

void TraceBuffer::KeepOnDisk(const std::filesystem::path& folder) {
  try {
    file_ = std::make_unique<OutputFile>(folder / ".traces", OutputFile::Kind::kScratch);
  } catch (const Error&) {
    // Then the trace goes back as far as without a recording.
  }
}

void TraceBuffer::KeepInMemory() {
  DropOldest(on_disk_);
  file_.reset();
}

void TraceBuffer::Append(double t, std::span<const float> values) {
  CIVITA_CHECK(values.size() == static_cast<size_t>(channels_));
  if (!std::isfinite(t)) return;
  if (!empty() && t <= last_time()) {
    TruncateAfter(std::nextafter(t, -std::numeric_limits<double>::infinity()));
  }
  MakeRoom();
  const Chunk& chunk = ChunkOf(end_);
  const size_t at = Offset(end_), fine = at >> kFineBits, coarse = at >> kCoarseBits;
  chunk.time[at] = t;
  for (size_t c = 0; c < values.size(); ++c) {
    chunk.values[c * kChunk + at] = values[c];
    ValueRange& f = chunk.fine[c * kFine + fine];
    ValueRange& g = chunk.coarse[c * kCoarse + coarse];
    if ((at & ((1u << kFineBits) - 1)) == 0) f = {};
    if ((at & ((1u << kCoarseBits) - 1)) == 0) g = {};
    f.Add(values[c]);
    g.Add(values[c]);
  }
  ++end_;
}

void TraceBuffer::TruncateAfter(double t) {
  const int64_t end = LowerBound(std::nextafter(t, std::numeric_limits<double>::infinity()));
  if (end == end_) return;
  if (end == begin_index()) {
    Clear();
    return;
  }
  end_ = end;
  content_ = NewContent();
  TakeFromDisk();
  RebuildTail();
}

// Recomputes the blocks that contain the end of the trace.
void TraceBuffer::RebuildTail() {
  const size_t stop = Offset(end_), coarse = stop >> kCoarseBits;
  const size_t start = coarse << kCoarseBits;
  if (start == stop) return;
  const Chunk& chunk = ChunkOf(end_ - 1);
  for (size_t c = 0; c < static_cast<size_t>(channels_); ++c) {
    ValueRange& g = chunk.coarse[c * kCoarse + coarse];
    g = {};
    for (size_t i = start; i < stop; ++i) {
      ValueRange& f = chunk.fine[c * kFine + (i >> kFineBits)];
      if ((i & ((1u << kFineBits) - 1)) == 0) f = {};
      f.Add(chunk.values[c * kChunk + i]);
      g.Add(chunk.values[c * kChunk + i]);
    }
  }
}

void TraceBuffer::Clear() {
  DropOldest(on_disk_);
  first_chunk_ = end_ = 0;
  content_ = NewContent();
}

int64_t TraceBuffer::LowerBound(double t, int64_t begin, int64_t end) const {
  if (begin >= end) return begin;
  // First the chunk that follows the sample's, by first times.
  const int64_t next =
      FirstNot((begin >> kChunkBits) + 1, ((end - 1) >> kChunkBits) + 1, [&](int64_t number) {
        const Chunk& chunk = ChunkOf(number << kChunkBits);
        return (chunk.on_disk() ? chunk.first_time : chunk.time[0]) < t;
      });
  return FirstNot(std::max(begin, (next - 1) << kChunkBits), std::min(end, next << kChunkBits),
                  [&](int64_t index) { return time(index) < t; });
}

// Calls `take` with the ranges of the largest blocks that make up [begin, end); of one that it does
// not take, with those of its parts.
template <typename Take>
void TraceBuffer::ForEachBlock(int channel, int64_t begin, int64_t end, const Take& take) const {
  const size_t c = static_cast<size_t>(channel);
  end = std::min(end, end_);
  int64_t i = std::max(begin, begin_index());
  while (i < end) {
    const Chunk& chunk = ChunkOf(i);
    const size_t at = Offset(i);
    const auto is_taken = [&](size_t samples, const ValueRange& block) {
      const auto rows = static_cast<int64_t>(samples);
      if (at % samples != 0 || i + rows > end || !take(block)) return false;
      i += rows;
      return true;
    };
    if (chunk.on_disk() && is_taken(kChunk, chunk.whole[c])) continue;
    if (is_taken(1 << kCoarseBits, chunk.coarse[c * kCoarse + (at >> kCoarseBits)])) continue;
    if (is_taken(1 << kFineBits, chunk.fine[c * kFine + (at >> kFineBits)])) continue;
    ValueRange value;
    value.Add(chunk.values[c * kChunk + at]);
    is_taken(1, value);
  }
}

ValueRange TraceBuffer::Range(int channel, int64_t begin, int64_t end) const {
  ValueRange range;
  ForEachBlock(channel, begin, end, [&](const ValueRange& block) {
    range.Add(block);
    return true;
  });
  return range;
}

ValueRange TraceBuffer::PositiveRange(int channel, int64_t begin, int64_t end) const {
  ValueRange range;
  ForEachBlock(channel, begin, end, [&](const ValueRange& block) {
    if (block.lo > 0) range.Add(block);  // an empty block has lo = ∞
    range.gap = range.gap || (block.hi <= 0 && block.gap);
    return block.lo > 0 || block.hi <= 0;  // all of one sign
  });
  return range;
}

size_t TraceBuffer::bytes() const { return (chunks_.size() - on_disk_) * ChunkBytes(); }

float PlotMapping::X(double t) const {
  return static_cast<float>(x0 + (t - t0) / (t1 - t0) * (x1 - x0));
}

float PlotMapping::Y(float value) const {
  constexpr double kBeyond = 4000;
  double v = scale * value;
  if (std::isnan(v)) return std::numeric_limits<float>::quiet_NaN();
  if (log) v = std::max(v > 0 ? std::log10(v) : -std::numeric_limits<double>::infinity(), floor);
  const double y = y_lo + (v - lo) / (hi - lo) * (y_hi - y_lo);
  return static_cast<float>(std::clamp(y, y_hi - kBeyond, y_lo + kBeyond));
}

double PlotMapping::ValueAt(float y) const {
  const double v = lo + (hi - lo) * (y_lo - y) / (y_lo - y_hi);
  return log ? std::pow(10.0, v) : v;
}

void CutColumns(const TraceBuffer& trace, double t0, double t1, float pixels,
                std::vector<int64_t>* cut) {
  cut->clear();
  if (trace.empty() || !(t1 > t0) || !(pixels >= 1)) return;
  const int64_t begin = std::max(trace.begin_index(), trace.LowerBound(t0) - 1);
  const int64_t end =
      std::min(trace.end_index(), trace.LowerBound(t1, begin, trace.end_index()) + 1);
  if (begin >= end || trace.time(begin) > t1 || trace.time(end - 1) < t0) return;
  // Where a column holds many samples, their minimum and maximum show; two pixels then do.
  constexpr double kDense = 64;
  const double of_pixel = static_cast<double>(end - begin) / pixels;
  const double per_column = of_pixel >= kDense ? 2 * of_pixel : of_pixel;
  const double width = (t1 - t0) / pixels * (per_column / of_pixel);
  // Boundaries are at whole blocks of the pyramid if a column holds several of them.
  const int64_t mask = per_column >= 1024 ? 255 : per_column >= kDense ? 15 : 0;
  cut->push_back(begin);
  double column = std::floor(std::max(t0, trace.time(begin)) / width) + 1;
  for (int64_t i = begin; i < end; column += 1) {
    i = trace.LowerBound(column * width, i, end);
    if (i >= end) break;
    const int64_t snapped = i & ~mask;
    if (snapped > cut->back()) cut->push_back(snapped);
    if (trace.time(i) > (column + 1) * width) column = std::floor(trace.time(i) / width);
  }
  cut->push_back(end);
}

std::span<const TraceColumn> TraceColumns::Update(const TraceBuffer& trace, int channel,
                                                  std::span<const int64_t> cut) {
  std::swap(columns_, before_);
  columns_.clear();
  if (content_ != trace.content() || channel_ != channel) before_.clear();
  content_ = trace.content();
  channel_ = channel;
  auto kept = before_.begin();
  for (size_t k = 0; k + 1 < cut.size(); ++k) {
    const int64_t begin = cut[k], end = cut[k + 1];
    while (kept != before_.end() && kept->begin < begin) ++kept;
    if (kept != before_.end() && kept->begin == begin && kept->end == end) {
      columns_.push_back(*kept);
    } else {
      columns_.push_back({begin, end, trace.time(begin), trace.time(end - 1),
                          trace.value(begin, channel), trace.value(end - 1, channel),
                          trace.Range(channel, begin, end)});
    }
  }
  return columns_;
}

void DecimateColumns(std::span<const TraceColumn> columns, float next, const PlotMapping& mapping,
                     std::vector<PlotPoint>* points) {
  constexpr float kSlack = 0.75f, kBreak = std::numeric_limits<float>::quiet_NaN();
  points->clear();
  if (columns.empty()) return;
  const auto pixel_y = [&](float v) { return std::isfinite(v) ? mapping.Y(v) : kBreak; };
  float y_next = pixel_y(columns[0].first);
  for (size_t k = 0; k < columns.size(); ++k) {
    const TraceColumn& column = columns[k];
    const float first = y_next;
    y_next = pixel_y(k + 1 < columns.size() ? columns[k + 1].first : next);
    points->push_back({mapping.X(column.t), first});
    const ValueRange& range = column.range;
    if (column.end - column.begin < 2 || range.empty()) continue;
    float top = mapping.Y(range.hi), bottom = mapping.Y(range.lo);
    const bool slope = !range.gap && top > std::min(first, y_next) - kSlack &&
                       bottom < std::max(first, y_next) + kSlack;
    if (!slope) {
      if (std::abs(first - bottom) < std::abs(first - top)) std::swap(top, bottom);
      const float middle = mapping.X(0.5 * (column.t + column.t_last));
      points->push_back({middle, top});
      points->push_back({middle, bottom});
    }
    // A gap inside the column breaks the line once, at the column's start or end.
    if (range.gap && (std::isfinite(first) || !std::isfinite(column.last))) {
      points->push_back({mapping.X(column.t_last), kBreak});
    }
  }
  const TraceColumn& last = columns.back();
  if (last.end - last.begin > 1) points->push_back({mapping.X(last.t_last), pixel_y(last.last)});
}

void DecimateTrace(const TraceBuffer& trace, int channel, std::span<const int64_t> cut,
                   const PlotMapping& mapping, TraceColumns* columns,
                   std::vector<PlotPoint>* points) {
  points->clear();
  if (cut.size() < 2) return;
  const float next = trace.value(std::min(cut.back(), trace.end_index() - 1), channel);
  DecimateColumns(columns->Update(trace, channel, cut), next, mapping, points);
}

LineFigures CalcLineFigures(const TraceBuffer& trace, int channel, double scale, int64_t begin,
                            int64_t end) {
  FigureSums sums;
  end = std::min(end, trace.end_index());
  for (int64_t i = std::max(begin, trace.begin_index()); i < end; ++i) {
    sums.Add(scale * static_cast<double>(trace.value(i, channel)));
  }
  return sums.Figures(1);
}

}  // namespace civita
