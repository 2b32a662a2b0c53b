#pragma once

#include <filesystem>
#include <string>

namespace civita {

/// The time, "2026-03-01T12:00:00Z".
std::string UtcNow();

/// A folder that this process alone writes to, in other words one of --out: made with its parents
/// if need be, and held by a lock that ends with the process, however it ends. Meanwhile the file
/// .lock in it says who holds it: process, host, since when.
class OutputFolder {
 public:
  /// Removes what an earlier holder that was killed left half written. @throws UserError with the
  /// folder when it cannot be made or written, or when another one holds it, who is named.
  explicit OutputFolder(const std::filesystem::path& directory);
  /// Removes the folders that were made and are still empty.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Whether it holds nothing but the lock.
  bool is_empty() const { return is_empty_; }

 private:
  void Make();
  /// @returns false when the folder or the lock was removed meanwhile.
  bool Lock();
  void LookAround();
  void Unlock();
  void RemoveEmpty() const;

  std::filesystem::path directory_;
  std::filesystem::path made_;  ///< outermost folder created here; empty: none
  int fd_ = -1;                 ///< of the lock
  bool is_empty_ = true;
};

}  // namespace civita
