// Sound files of weights with bytes changed, cut, repeated, put together: each mutant is read or refused with
// a message. Nothing brings the parser down, hangs, or takes memory that a file only claims; under
// AddressSanitizer and UBSan nothing is read or computed out of bounds. Half of the zip mutants get right
// CRCs and sizes, so that what lies behind them is met.
//
// MOG_MUTANTS=N: so many of each file instead of the few of an ordinary run (docs/hostile-files.md has the
// log of a full run).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/zip_reader.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "tests/support/places.h"
#include "tests/support/weights_bytes.h"

namespace mog::io {
namespace {

using test::MemoryFile;
using test::put;
using test::zip_of;

const std::filesystem::path kData = mog::test::data_dir() / "weights";
constexpr std::uint64_t kMemoryMore = 256;  // MB

int mutants() {
  const char* const text = std::getenv("MOG_MUTANTS");
  return text == nullptr ? 400 : std::atoi(text);
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Counts what it is given; a tensor must get no more than it announced.
class Sink : public WeightsSink {
 public:
  void begin(const PlainWeights& weights) override { weights_ = weights; }
  void write(std::size_t tensor, std::uint64_t offset, std::span<const std::byte> bytes) override {
    ASSERT_LT(tensor, weights_.tensors.size());
    ASSERT_LE(offset + bytes.size(), weights_.tensors[tensor].size_bytes);
    total += bytes.size();
  }
  std::uint64_t total = 0;

 private:
  PlainWeights weights_;
};

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string bytes) {
    for (int left = 1 + below(4); left > 0 && !bytes.empty(); --left) {
      change(bytes);
    }
    return bytes;
  }
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

 private:
  std::size_t place(const std::string& bytes) { return random_() % bytes.size(); }

  void change(std::string& bytes) {
    static constexpr unsigned char kOdd[] = {0x00, 0x01, 0x7F, 0x80, 0xFF, '(', '.',
                                             'R',  't',  'u',  '\n', '{',  '}'};
    static constexpr std::uint64_t kSizes[] = {
        0, 1, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, std::uint64_t{1} << 40U, ~std::uint64_t{0}};
    const std::size_t at = place(bytes);
    switch (below(8)) {
      case 0:  // a bit
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(kOdd[below(std::size(kOdd))]);
        break;
      case 2:  // cut
        bytes.resize(at);
        break;
      case 3: {  // a length field
        const std::uint64_t size = kSizes[below(std::size(kSizes))];
        const std::size_t width = std::size_t{1} << static_cast<unsigned>(below(4));
        for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i) {
          bytes[at + i] = static_cast<char>(size >> 8 * i & 0xFFU);
        }
        break;
      }
      case 4: {  // a part elsewhere
        const std::string part = bytes.substr(at, static_cast<std::size_t>(1 + below(64)));
        bytes.insert(place(bytes), part);
        break;
      }
      case 5:  // a part away
        bytes.erase(at, static_cast<std::size_t>(1 + below(64)));
        break;
      case 6: {  // a part over another
        const std::string part = bytes.substr(at, static_cast<std::size_t>(1 + below(64)));
        const std::size_t to = place(bytes);
        bytes.replace(to, std::min(part.size(), bytes.size() - to), part);
        break;
      }
      default: {  // a decimal digit, where there is one
        const std::size_t digit = bytes.find_first_of("0123456789", at);
        if (digit != std::string::npos) {
          bytes[digit] = static_cast<char>('0' + below(10));
        }
        break;
      }
    }
  }

  std::mt19937 random_;
};

// A tensor file whose JSON header has the length that it says.
std::string header_mutant(const std::string& bytes, Mutator& mutate) {
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  }
  const std::string header = mutate(bytes.substr(8, static_cast<std::size_t>(length)));
  std::string result;
  put(result, header.size(), 8);
  return result + header + bytes.substr(8 + static_cast<std::size_t>(length));
}

std::map<std::string, std::string> entries_of(const std::filesystem::path& path) {
  const InputFile file = InputFile::open(path, "the sample");
  const ZipReader zip(file);
  std::map<std::string, std::string> entries;
  for (const ZipEntry& entry : zip.entries()) {
    entries[entry.name] = zip.read(entry, 1U << 20U);
  }
  return entries;
}

struct Tally {
  int read = 0;
  int refused = 0;
};

void try_mutant(const std::string& bytes, WeightsFormat format, MemoryFile& memory, Tally& tally) {
  const InputFile file = memory.holding(bytes);
  Sink sink;
  try {
    translate_weights(file, format, sink);
    ++tally.read;
    EXPECT_LE(sink.total, values_limit(bytes.size(), format));
  } catch (const Error& error) {  // anything else ends the test
    ++tally.refused;
    EXPECT_NE(std::string(error.what()).find("mutant"), std::string::npos) << error.what();
  }
}

class WeightsMutants : public testing::Test {
 protected:
  // `make(bytes, mutator)` gives one mutant.
  template <class Make>
  void run(const std::string& name, WeightsFormat format, const Make& make) {
    rusage before{};
    rusage after{};
    ::getrusage(RUSAGE_SELF, &before);
    Tally tally;
    MemoryFile memory;
    Mutator mutate(static_cast<unsigned>(std::hash<std::string>{}(name)));
    for (int i = 0; i < mutants(); ++i) {
      try_mutant(make(mutate), format, memory, tally);
    }
    ::getrusage(RUSAGE_SELF, &after);
    const auto seconds = static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                         static_cast<double>(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e-6;
    std::printf("%-12s %6d mutants: %6d refused, %6d read; %.1f s, most memory %ld MB\n", name.c_str(),
                mutants(), tally.refused, tally.read, seconds, after.ru_maxrss / 1024);
    EXPECT_GT(tally.refused, mutants() / 4);
#if !defined(__SANITIZE_ADDRESS__)
    EXPECT_LT(static_cast<std::uint64_t>(after.ru_maxrss - before.ru_maxrss) / 1024, kMemoryMore);
#endif
  }
};

TEST_F(WeightsMutants, Safetensors) {
  const std::string whole = read_all(kData / "expected.safetensors");
  run("safetensors", WeightsFormat::safetensors,
      [&](Mutator& mutate) { return mutate.below(2) == 0 ? mutate(whole) : header_mutant(whole, mutate); });
}

TEST_F(WeightsMutants, TorchZip) {
  const std::string whole = read_all(kData / "zip.pt");
  const auto entries = entries_of(kData / "zip.pt");
  run("torch zip", WeightsFormat::torch, [&](Mutator& mutate) {
    if (mutate.below(2) == 0) {
      return mutate(whole);
    }
    auto changed = entries;
    auto at = changed.find("zip/data.pkl");
    if (mutate.below(4) == 0) {
      at = std::next(changed.begin(), mutate.below(static_cast<int>(changed.size())));
    }
    at->second = mutate(at->second);
    return zip_of(changed);
  });
}

TEST_F(WeightsMutants, TorchLegacy) {
  const std::string views = read_all(kData / "legacy.pt");
  const std::string fairseq = read_all(kData / "fairseq.pt");
  run("torch legacy", WeightsFormat::torch,
      [&](Mutator& mutate) { return mutate(mutate.below(2) == 0 ? views : fairseq); });
}

TEST_F(WeightsMutants, CTranslate2) {
  const std::string eight = read_all(kData / "ct2-int8.bin");
  const std::string sixteen = read_all(kData / "ct2-int16.bin");
  run("ctranslate2", WeightsFormat::ctranslate2,
      [&](Mutator& mutate) { return mutate(mutate.below(2) == 0 ? eight : sixteen); });
}

TEST_F(WeightsMutants, SentencePiece) {
  const auto folder = kData.parent_path() / "sentencepiece";
  const std::string unigram = read_all(folder / "unigram.model");
  const std::string bytes = read_all(folder / "bpe-bytes.model");
  run("sentencepiece", WeightsFormat::sentencepiece,
      [&](Mutator& mutate) { return mutate(mutate.below(2) == 0 ? unigram : bytes); });
}

TEST_F(WeightsMutants, Gguf) {
  const std::string blocks = read_all(kData / "blocks.gguf");
  run("gguf", WeightsFormat::gguf, [&](Mutator& mutate) {
    constexpr std::size_t kHeader = 1024;  // half of the changes there, where everything is said
    return mutate.below(2) == 0 ? mutate(blocks) : mutate(blocks.substr(0, kHeader)) + blocks.substr(kHeader);
  });
}

TEST_F(WeightsMutants, TheSamplesThemselvesAreRead) {
  MemoryFile memory;
  Tally tally;
  try_mutant(read_all(kData / "expected.safetensors"), WeightsFormat::safetensors, memory, tally);
  try_mutant(read_all(kData / "zip.pt"), WeightsFormat::torch, memory, tally);
  try_mutant(zip_of(entries_of(kData / "zip.pt")), WeightsFormat::torch, memory, tally);
  try_mutant(read_all(kData / "fairseq.pt"), WeightsFormat::torch, memory, tally);
  try_mutant(read_all(kData / "ct2-int8.bin"), WeightsFormat::ctranslate2, memory, tally);
  try_mutant(read_all(kData.parent_path() / "sentencepiece" / "unigram.model"), WeightsFormat::sentencepiece,
             memory, tally);
  try_mutant(read_all(kData / "blocks.gguf"), WeightsFormat::gguf, memory, tally);
  EXPECT_EQ(tally.read, 7);
}

}  // namespace
}  // namespace mog::io
