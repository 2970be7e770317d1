// SHA-256 (FIPS 180-4), which names models and corpora in recordings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mog::io {

class Sha256 {
 public:
  // `portable`: not by the processor's own instructions, where it has them.
  explicit Sha256(bool portable = false) noexcept : portable_(portable) {}
  void update(std::span<const std::byte> bytes) noexcept;
  void update(std::string_view text) noexcept;
  // 64 hexadecimal digits of everything that was given so far; the object may go on.
  std::string hex() const;

 private:
  void block(const std::uint8_t* bytes) noexcept;
  std::array<std::uint32_t, 8> state_ = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                         0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<std::uint8_t, 64> pending_ = {};
  std::uint64_t bytes_ = 0;
  bool portable_;
};

std::string sha256(std::string_view text);
// Of a regular file, in blocks.
std::string file_sha256(const std::filesystem::path& path);

}  // namespace mog::io
