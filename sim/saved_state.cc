#include "civita/sim/saved_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "civita/build_info.h"
#include "civita/error.h"

namespace civita {
namespace {

/// Ends every state: a damaged one is refused.
std::uint64_t Checksum(std::string_view bytes) {
  std::uint64_t sum = bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), sizeof sum))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

/// Begins every state: those of other builds are refused, whose members may differ.
std::string Head() { return "civita state, " + std::string(kGitDescribe) + "\n"; }

class Writer {
 public:
  template <typename T>
  void operator()(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void Numbers(const double* x, std::size_t n) {
    (*this)(n);
    bytes.append(reinterpret_cast<const char*>(x), n * sizeof *x);
  }

  std::string bytes = Head();
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {
    const std::string head = Head();
    if (!bytes_.starts_with(head)) throw UserError("is of another build of civita");
    bytes_.remove_prefix(head.size());
  }
  template <typename T>
  void operator()(T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    Take(&x, sizeof x);
  }
  void Numbers(double* x, std::size_t n) {
    std::size_t size = 0;
    (*this)(size);
    if (size != n) Refuse();
    Take(x, n * sizeof *x);
  }
  /// Checks and takes off the sum at the end of all bytes.
  void CheckSum(std::string_view all) {
    std::uint64_t sum = 0;
    if (bytes_.size() < sizeof sum) Refuse();
    const std::size_t size = all.size() - sizeof sum;
    std::memcpy(&sum, all.data() + size, sizeof sum);
    if (sum != Checksum(all.substr(0, size))) throw UserError("is damaged");
    bytes_.remove_suffix(sizeof sum);
  }
  void End() const {
    if (!bytes_.empty()) Refuse();
  }

 private:
  [[noreturn]] static void Refuse() { throw UserError("is not a state of this scene"); }
  void Take(void* to, std::size_t size) {
    if (bytes_.size() < size) Refuse();
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
};

template <typename Stream, typename List>
void Numbers(Stream& stream, List& list) {
  stream.Numbers(list.data(), static_cast<std::size_t>(list.size()));
}

/// All members but the inputs.
template <typename Stream, typename Saved>
void Visit(Stream& stream, Saved& s) {
  stream(s.t);
  stream(s.step);
  Numbers(stream, s.state);
  Numbers(stream, s.law_state);
  Numbers(stream, s.sensors);
  Numbers(stream, s.drive);
  Numbers(stream, s.foot_force);
  Numbers(stream, s.torques_under_way);
  Numbers(stream, s.tau_ext);
  stream(s.V0);
  stream(s.lost);
  stream(s.balance);
  stream(s.turning.first);
  Numbers(stream, s.turning.q);
  Numbers(stream, s.turning.s);
  stream(s.turning.largest);
  stream(s.turning.twist);
  stream(s.turning.ideal_turning);
  stream(s.saturated_steps);
  stream(s.fall_watch);
  stream(s.rebase);
}

}  // namespace

std::string ToBytes(const Simulation::Saved& saved) {
  Writer writer;
  Visit(writer, saved);
  writer(Checksum(writer.bytes));
  return writer.bytes;
}

void FromBytes(std::string_view bytes, Simulation::Saved* saved) {
  Reader reader(bytes);
  reader.CheckSum(bytes);
  Visit(reader, *saved);
  reader.End();
}

}  // namespace civita
