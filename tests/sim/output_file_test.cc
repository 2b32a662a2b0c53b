#include "civita/sim/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/number_text.h"
#include "civita/error.h"
#include "civita/sim/npz_file.h"
#include "civita/sim/output_folder.h"
#include "tests/scenes/read_all.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace output_file_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Kind = OutputFile::Kind;

std::ptrdiff_t CountFiles(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(OutputFile, NumbersReadBackToTheSameBits) {
  for (const double x : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 123456789.0}) {
    std::string text;
    internal::AppendNumber(x, &text);
    const double back = std::strtod(text.c_str(), nullptr);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(back)) << text;
  }
}

TEST(OutputFile, HasItsNameOnlyWhenItIsWhole) {
  const TemporaryFolder folder;
  const fs::path path = folder.Write("x.txt", "earlier");
  {
    OutputFile given_up(path, Kind::kWhole);
    given_up.Write("half");
    given_up.Flush();
  }
  EXPECT_EQ(ReadAll(path), "earlier");
  OutputFile first(path, Kind::kWhole), second(path, Kind::kWhole);
  first.Write("first");
  second.Write("second");
  EXPECT_EQ(CountFiles(folder.path()), 3);
  first.Commit();
  EXPECT_EQ(ReadAll(path), "first");
  second.Commit();
  EXPECT_EQ(ReadAll(path), "second");
  EXPECT_EQ(CountFiles(folder.path()), 1);
}

TEST(OutputFile, ANamedLinkStaysAndADeviceIsWrittenTo) {
  const TemporaryFolder folder;
  const fs::path path = folder.Write("x.txt", "earlier"), link = folder.path() / "link";
  fs::create_symlink("x.txt", link);
  WriteWhole(link, "later", Kind::kNamed);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(ReadAll(path), "later");
  EXPECT_NO_THROW(WriteWhole("/dev/null", "nothing"));
  EXPECT_THROW(WriteWhole("/dev/full", "nothing"), WriteError);
  const fs::path loop = folder.path() / "loop";
  fs::create_symlink("loop", loop);
  EXPECT_THROW(WriteWhole(loop, "nothing", Kind::kNamed), UserError);
  try {
    const OutputFile file(folder.path() / "none/x.txt", Kind::kWhole, "--out none/x.txt");
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--out none/x.txt: there is no directory "));
  }
}

TEST(OutputFile, FollowsNoLinkInAFolder) {
  const TemporaryFolder folder;
  const fs::path victim = folder.Write("victim.csv", "a\n1\n2\n");
  const auto link = [&](const char* name) {
    const fs::path path = folder.path() / name;
    fs::create_symlink("victim.csv", path);
    return path;
  };
  const fs::path whole = link("whole");
  WriteWhole(whole, "own");
  EXPECT_FALSE(fs::is_symlink(whole));
  EXPECT_EQ(ReadAll(whole), "own");
  {
    NpzFile npz(link("npz"));
    npz.Add("x", std::vector<double>{1});
    npz.Finish();
  }
  for (const Kind kind : {Kind::kGrowing, Kind::kContinued}) {
    const fs::path path = link(kind == Kind::kGrowing ? "growing" : "continued");
    try {
      const OutputFile file(path, kind, "the table");
      ADD_FAILURE();
    } catch (const UserError& error) {
      EXPECT_STREQ(error.what(), "the table: is a link, which is not followed");
    }
  }
  EXPECT_THROW(CsvFile(folder.path() / "continued", 1), UserError);
  fs::create_hard_link(victim, folder.path() / "other");
  EXPECT_THROW(CsvFile(folder.path() / "other", 1), UserError);
  EXPECT_EQ(ReadAll(victim), "a\n1\n2\n");
}

TEST(OutputFolder, LocksNoFileOfAnotherName) {
  const TemporaryFolder folder;
  const std::string victim = folder.Write("victim", "precious");
  for (const bool is_hard : {false, true}) {
    const fs::path out = folder.path() / (is_hard ? "hard" : "soft");
    fs::create_directory(out);
    if (is_hard) {
      fs::create_hard_link(victim, out / ".lock");
    } else {
      fs::create_symlink(victim, out / ".lock");
    }
    try {
      const OutputFolder taken(out);
      ADD_FAILURE();
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(".lock in it is a "));
    }
  }
  EXPECT_EQ(ReadAll(victim), "precious");
}

TEST(CsvFile, DropsARowThatIsNotWhole) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x.csv";
  CsvFile file(path, Kind::kGrowing, {"a", "b"});
  file.AddRow(std::vector{1.0, 2.0});
  file.Flush();
  std::ofstream(path, std::ios::app) << "3,";
  file.DropHalfRow();
  EXPECT_EQ(ReadAll(path), "a,b\n1,2\n");
}

long PeakKilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(NpzFile, ColumnsAreThoseOfArraysInLittleMemory) {
  const TemporaryFolder folder;
  const fs::path by_column = folder.path() / "a.npz", by_table = folder.path() / "b.npz";
  constexpr std::size_t kRows = 1'500'000, kWidth = 3;
  const auto number = [](std::size_t row, std::size_t column) {
    return static_cast<double>(row) + 0.25 * static_cast<double>(column);
  };
  const std::vector<std::string> names = {"t", "x"};
  const long before = PeakKilobytes();
  NpzFile table(by_table);
  table.AddColumns(names, kRows, kWidth, [&](std::size_t first, std::span<double> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = number(first + i / kWidth, i % kWidth);
  });
  table.AddText("notes.txt", "whole");
  table.Finish();
  EXPECT_LT(PeakKilobytes() - before, 16'000) << "the columns are 24 MB";
  NpzFile arrays(by_column);
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::vector<double> column(kRows);
    for (std::size_t k = 0; k < kRows; ++k) column[k] = number(k, c);
    arrays.Add(names[c], column);
  }
  arrays.AddText("notes.txt", "whole");
  arrays.Finish();
  EXPECT_TRUE(ReadAll(by_column) == ReadAll(by_table));
}

TEST(OutputFolder, RemovesOnlyWhatItMadeAndIsEmpty) {
  const TemporaryFolder folder;
  const fs::path inner = folder.path() / "a/b/c";
  { const OutputFolder made(inner); }
  EXPECT_FALSE(fs::exists(folder.path() / "a"));
  {
    const OutputFolder made(inner);
    folder.Write("a/notes.txt", "mine");
  }
  EXPECT_TRUE(fs::exists(folder.path() / "a/notes.txt"));
  EXPECT_FALSE(fs::exists(folder.path() / "a/b"));
  fs::create_directory(folder.path() / "own");
  { const OutputFolder taken(folder.path() / "own"); }
  EXPECT_TRUE(fs::exists(folder.path() / "own"));
}

}  // namespace output_file_test
}  // namespace civita
