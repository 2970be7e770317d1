// FIPS 180-4 twice: in words, and with the processor's instructions, six times as fast (decision 4 says why
// no library does it, and how the two are compared). Which one is decided once a process.
//
// Trap: the instructions keep the state as ABEF and CDGH, two registers of four words each, and the shuffles
// at both ends of a block are there for that alone. state_ itself stays in the usual order, so hex() and the
// other form need not know which one ran.
#include "io/text/sha256.h"

#include <fmt/format.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "io/text/input_file.h"

namespace mog::io {
namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U, 0xab1c5ed5U,
    0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU, 0x9bdc06a7U, 0xc19bf174U,
    0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU, 0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU,
    0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U, 0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U,
    0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU, 0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U,
    0xa2bfe8a1U, 0xa81a664bU, 0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U,
    0x19a4c116U, 0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U, 0xc67178f2U};

void block_in_words(std::array<std::uint32_t, 8>& state, const std::uint8_t* bytes) noexcept {
  std::array<std::uint32_t, 64> w = {};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = static_cast<std::uint32_t>(bytes[4 * i]) << 24U |
           static_cast<std::uint32_t>(bytes[4 * i + 1]) << 16U |
           static_cast<std::uint32_t>(bytes[4 * i + 2]) << 8U | static_cast<std::uint32_t>(bytes[4 * i + 3]);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) {
    state[i] += sum[i];
  }
}

#if defined(__x86_64__)

bool has_sha_instructions() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_SHA) != 0 &&
         __builtin_cpu_supports("sse4.1") != 0;
}

// Six times as fast as the portable rounds: weights of a gigabyte are hashed in less than a second. The
// processor keeps the state as the halves ABEF and CDGH and does two rounds an instruction.
__attribute__((target("sha,sse4.1,ssse3"))) void block_by_instructions(std::array<std::uint32_t, 8>& state,
                                                                       const std::uint8_t* bytes) noexcept {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  auto* const words = reinterpret_cast<__m128i*>(state.data());
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);
  const __m128i abef_before = _mm_alignr_epi8(badc, hgfe, 8);
  const __m128i cdgh_before = _mm_blend_epi16(hgfe, badc, 0xF0);
  __m128i abef = abef_before;
  __m128i cdgh = cdgh_before;
  __m128i w[16];  // std::array would drop the attributes of the type
  for (std::size_t i = 0; i < 16; ++i) {
    if (i < 4) {
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i), swap);
    } else {
      const __m128i sum =
          _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]), _mm_alignr_epi8(w[i - 1], w[i - 2], 4));
      w[i] = _mm_sha256msg2_epu32(sum, w[i - 1]);
    }
    const __m128i constants = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRound.data()) + i);
    const __m128i input = _mm_add_epi32(w[i], constants);
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, input);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(input, 0x0E));
  }
  const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

}  // namespace

void Sha256::block(const std::uint8_t* bytes) noexcept {
#if defined(__x86_64__)
  static const bool instructions = has_sha_instructions();
  if (instructions && !portable_) {
    block_by_instructions(state_, bytes);
    return;
  }
#endif
  block_in_words(state_, bytes);
}

void Sha256::update(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) {
    return;
  }
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  std::size_t filled = bytes_ % 64;
  bytes_ += left;
  if (filled > 0) {
    const std::size_t take = std::min(left, 64 - filled);
    std::memcpy(pending_.data() + filled, data, take);
    data += take;
    left -= take;
    filled += take;
    if (filled < 64) {
      return;
    }
    block(pending_.data());
  }
  for (; left >= 64; left -= 64, data += 64) {
    block(data);
  }
  if (left > 0) {
    std::memcpy(pending_.data(), data, left);
  }
}

void Sha256::update(std::string_view text) noexcept {
  update(std::as_bytes(std::span(text.data(), text.size())));
}

std::string Sha256::hex() const {
  Sha256 padded = *this;
  const std::uint64_t bits = bytes_ * 8;
  std::array<std::uint8_t, 72> tail = {0x80};
  const std::size_t zeros = (bytes_ % 64 < 56 ? 56 : 120) - bytes_ % 64;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[zeros + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  }
  padded.update(std::as_bytes(std::span(tail.data(), zeros + 8)));
  std::string result;
  for (const std::uint32_t word : padded.state_) {
    result += fmt::format("{:08x}", word);
  }
  return result;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::string file_sha256(const std::filesystem::path& path) {
  InputFile file = InputFile::open(path, "the file to hash");
  Sha256 hash;
  std::vector<std::byte> block(std::size_t{1} << 18U);
  while (const std::size_t got = file.read(block)) {
    hash.update(std::span(block).first(got));
  }
  return hash.hex();
}

}  // namespace mog::io
