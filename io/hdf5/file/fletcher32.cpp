// HDF5's own goes word by word. Here 16 columns of words are summed side by side, as the words stand in
// memory: on a little-endian machine every word is byte-swapped, which is a factor of 256 modulo 65535 and is
// put right at the end.
#include "io/hdf5/file/fletcher32.h"

#include <array>
#include <bit>
#include <cstring>

namespace mog::io::h5 {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kModulus = 65535;
constexpr std::size_t kColumns = 16;
constexpr std::size_t kRows = 256;  // 65535 · 256 · 257 / 2 < 2³²: no column overflows

using Words = std::uint16_t __attribute__((vector_size(2 * kColumns)));
using Sums = std::uint32_t __attribute__((vector_size(4 * kColumns)));

// Sums of each column of words and of its running sums. [row][column] of words
[[gnu::always_inline]] inline void sum_columns(const std::byte* bytes, std::size_t rows, std::uint32_t* sum,
                                               std::uint32_t* total) {
  Sums sums = {};
  Sums totals = {};
  for (std::size_t row = 0; row < rows; ++row) {
    Words words;
    std::memcpy(&words, bytes + row * sizeof(words), sizeof(words));
    sums += __builtin_convertvector(words, Sums);
    totals += sums;
  }
  std::memcpy(sum, &sums, sizeof(sums));
  std::memcpy(total, &totals, sizeof(totals));
}

using SumColumns = void (*)(const std::byte*, std::size_t, std::uint32_t*, std::uint32_t*);

void sum_columns_anywhere(const std::byte* bytes, std::size_t rows, std::uint32_t* sum,
                          std::uint32_t* total) {
  sum_columns(bytes, rows, sum, total);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void sum_columns_avx2(const std::byte* bytes, std::size_t rows,
                                                      std::uint32_t* sum, std::uint32_t* total) {
  sum_columns(bytes, rows, sum, total);
}
#endif

SumColumns fastest_sum_columns() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) {
    return sum_columns_avx2;
  }
#endif
  return sum_columns_anywhere;
}

struct Running {
  std::uint64_t sum = 0;    // of the words, below 2⁶³ for files of any size
  std::uint64_t total = 0;  // of the running sums, modulo kModulus

  // Words [row][column] whose number is rows * kColumns.
  void add_rows(const std::byte* bytes, std::size_t rows) {
    static const SumColumns sum_up = fastest_sum_columns();
    std::array<std::uint32_t, kColumns> sums;
    std::array<std::uint32_t, kColumns> totals;
    sum_up(bytes, rows, sums.data(), totals.data());
    // A word in row r and column c is in (rows - r) * kColumns - c of the running sums.
    const std::uint64_t words = rows * kColumns;
    std::uint64_t weighted = (sum % kModulus) * words;
    for (std::size_t column = 0; column < kColumns; ++column) {
      weighted += std::uint64_t{totals[column]} * kColumns - std::uint64_t{sums[column]} * column;
      sum += sums[column];
    }
    total = (total + weighted) % kModulus;
  }
  void add_word(std::uint16_t word) {
    sum += word;
    total = (total + sum) % kModulus;
  }
};

// The representative that HDF5's folding ends at.
std::uint32_t folded(std::uint64_t value, bool any) {
  const std::uint64_t rest = value * 256 % kModulus;
  return static_cast<std::uint32_t>(any && rest == 0 ? kModulus : rest);
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t kRowBytes = 2 * kColumns;
  Running running;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  while (left >= kRowBytes) {
    const std::size_t rows = left / kRowBytes < kRows ? left / kRowBytes : kRows;
    running.add_rows(at, rows);
    at += rows * kRowBytes;
    left -= rows * kRowBytes;
  }
  while (left > 0) {
    std::array<std::byte, 2> word = {at[0], left > 1 ? at[1] : std::byte{0}};
    running.add_word(std::bit_cast<std::uint16_t>(word));
    const std::size_t used = left > 1 ? 2 : 1;
    at += used;
    left -= used;
  }
  const bool any = running.sum > 0;
  return folded(running.total, any) << 16U | folded(running.sum % kModulus, any);
}

}  // namespace mog::io::h5
