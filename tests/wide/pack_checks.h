// Lane-by-lane checks of core/kernels/pack.h and batch_pack.h. Included by one file for each
// instruction set, which defines CIVITA_INSTRUCTION_SET and the name of the tests,
// CIVITA_PACK_TEST.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/kernels/batch_pack.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kUntouched = -77;

/// first, first + 1, …
template <typename P>
P Counting(double first) {
  P x{};
  for (unsigned l = 0; l < sizeof(P) / sizeof(double); ++l) x[l] = first + l;
  return x;
}

template <typename P>
void ExpectTransposes() {
  constexpr int kLanesOfP = sizeof(P) / sizeof(double);
  P rows[kLanesOfP];
  for (int i = 0; i < kLanesOfP; ++i) rows[i] = Counting<P>(10 * i);
  Transpose(rows);
  for (int i = 0; i < kLanesOfP; ++i) {
    for (int k = 0; k < kLanesOfP; ++k) EXPECT_EQ(rows[i][k], 10 * k + i) << i << ' ' << k;
  }
}

TEST(CIVITA_PACK_TEST, TransposesStates) { ExpectTransposes<States>(); }

TEST(CIVITA_PACK_TEST, AllWithinSeesEveryLane) {
  const double bound = 3;
  EXPECT_TRUE(AllWithin(OfAll(bound), bound));
  EXPECT_TRUE(AllWithin(OfAll(-bound), bound));
  for (int l = 0; l < kStates; ++l) {
    for (const double beyond :
         {std::nextafter(3, 4), -std::nextafter(3, 4), HUGE_VAL, -HUGE_VAL, kNan}) {
      States x = OfAll(1);
      x[l] = beyond;
      EXPECT_FALSE(AllWithin(x, bound)) << beyond << " in lane " << l;
    }
  }
}

/// Columns of a matrix with gaps become packs and packs become columns, for every size and number
/// of states.
TEST(CIVITA_PACK_TEST, LoadsAndStoresColumns) {
  constexpr int kFirst = 2, kGap = 3;
  for (int size = 1; size <= 2 * kStates + 3; ++size) {
    for (int count = 1; count <= kStates; ++count) {
      SCOPED_TRACE(std::to_string(size) + " numbers of " + std::to_string(count) + " states");
      const int stride = size + kGap, columns = kFirst + count;
      std::vector<double> from(static_cast<size_t>(stride * columns), kNan), to(from);
      const auto at = [&](int i, int state) { return static_cast<size_t>(stride * state + i); };
      for (int s = kFirst; s < columns; ++s) {
        for (int i = 0; i < size; ++i) from[at(i, s)] = 100 * s + i;
      }
      std::vector<States> packs(static_cast<size_t>(size));
      LoadColumns({from.data(), stride}, kFirst, count, size, packs.data());
      for (int i = 0; i < size; ++i) {
        for (int l = 0; l < kStates; ++l) {  // lanes beyond the last state repeat it
          const int s = kFirst + (l < count ? l : count - 1);
          EXPECT_EQ(packs[static_cast<size_t>(i)][l], 100 * s + i);
        }
      }
      to.assign(to.size(), kUntouched);
      StoreColumns(packs.data(), size, {to.data(), stride}, kFirst, count);
      for (int s = 0; s < columns; ++s) {
        for (int i = 0; i < stride; ++i) {
          const bool wanted = s >= kFirst && i < size;
          EXPECT_EQ(to[at(i, s)], wanted ? 100 * s + i : kUntouched);
        }
      }
    }
  }
}

#if defined(__AVX__) || defined(CIVITA_PACK_HEADER)

TEST(CIVITA_PACK_TEST, LoadsAndStores) {
  alignas(64) double aligned[kWidth + 1];
  for (int l = 0; l <= kWidth; ++l) aligned[l] = l;
  const Pack x = Load(aligned), y = LoadUnaligned(aligned + 1), z = Broadcast(5);
  alignas(64) double a[kWidth], b[kWidth + 1];
  Store(a, x);
  StoreUnaligned(b + 1, y);
  for (int l = 0; l < kWidth; ++l) {
    EXPECT_EQ(x[l], l);
    EXPECT_EQ(y[l], l + 1);
    EXPECT_EQ(z[l], 5);
    EXPECT_EQ(a[l], l);
    EXPECT_EQ(b[l + 1], l + 1);
  }
}

/// Masked lanes have no effect, including NaN.
template <typename P>
void ExpectMasks() {
  constexpr unsigned kLanesOfP = sizeof(P) / sizeof(double);
  const P yes = Counting<P>(1), no = Counting<P>(-20);
  const P nan = yes * kNan;
  for (unsigned bits = 0; bits < 1u << kLanesOfP; ++bits) {
    const LaneMask mask = MaskOf(bits);
    const P selected = Select(mask, yes, no), alone = And(yes, mask), rest = And(nan, mask);
    for (unsigned l = 0; l < kLanesOfP; ++l) {
      const bool set = (bits >> l & 1u) != 0;
      EXPECT_EQ(selected[l], set ? yes[l] : no[l]) << bits;
      EXPECT_EQ(alone[l], set ? yes[l] : 0) << bits;
      EXPECT_EQ(std::isnan(rest[l]), set) << bits;
    }
  }
}

TEST(CIVITA_PACK_TEST, SelectsByMask) {
  ExpectMasks<Pack>();
  ExpectMasks<Quad>();
}

template <typename P>
void ExpectStoresSome() {
  constexpr int kLanesOfP = sizeof(P) / sizeof(double);
  const P x = Counting<P>(1);
  for (int count = 1; count <= kLanesOfP + 2; ++count) {
    std::vector<double> to(kLanesOfP + 4, kUntouched);
    StoreSome(to.data() + 1, x, count);
    for (int i = 0; i < kLanesOfP + 4; ++i) {
      const bool wanted = i >= 1 && i <= std::min(count, kLanesOfP);
      EXPECT_EQ(to[static_cast<size_t>(i)], wanted ? i : kUntouched) << count;
    }
  }
}

TEST(CIVITA_PACK_TEST, StoresTheFirstLanes) {
  ExpectStoresSome<Pack>();
  ExpectStoresSome<Quad>();
}

TEST(CIVITA_PACK_TEST, TransposesQuads) { ExpectTransposes<Quad>(); }

TEST(CIVITA_PACK_TEST, HalvesAPack) {
  const Pack x = Counting<Pack>(1);
  for (int i = 0; i < kWidth / 4; ++i) {
    for (int l = 0; l < 4; ++l) EXPECT_EQ(QuadOf(x, i)[l], 4 * i + l + 1);
  }
}

TEST(CIVITA_PACK_TEST, MultipliesVectors) {
  const Quad a = {2, -3, 5, 0}, b = {-7, 11, 13, 0}, rotated = Rotate3(Quad{1, 2, 3, 4});
  const Quad product = Cross3(a, b);
  const double wanted[] = {-3 * 13 - 5 * 11, 5 * -7 - 2 * 13, 2 * 11 - -3 * -7, 0};
  const double turned[] = {2, 3, 1, 4};
  for (int l = 0; l < 4; ++l) {
    EXPECT_EQ(product[l], wanted[l]);
    EXPECT_EQ(rotated[l], turned[l]);
  }
}

#endif

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
