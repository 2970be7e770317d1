// How fast the neighbours of a word are found, beside reading the same states and adding up their bits.
//
// Usage: bench_neighbours [WORDS [THREADS]]: a recording of random states of width 384 in float16, one piece
// a word, written to a temporary folder and read once before anything is timed. Three rounds in turns; JSON
// on stdout.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <vector>

#include "app/workflow/common/parallel.h"
#include "app/workflow/neighbours/neighbours_job.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"

namespace {

using namespace mog;

constexpr std::int64_t kWidth = 384;
constexpr std::int64_t kWordsOfSentence = 24;
constexpr std::int64_t kBatch = 200;  // sentences

void write(const std::filesystem::path& folder, std::int64_t words) {
  RecordingHeader header;
  header.model.name = "random";
  header.model.encoder_kind = "transformer";
  header.model.layers = 1;
  header.model.d_model = kWidth;
  const QuantityName name = QuantityName::parse("encoder.1.output");
  header.quantities = {{name, {Axis::token, Axis::d_model}, {0, kWidth}, DType::float16, "1", ""}};
  io::RecordingWriter writer(folder);
  writer.begin(header);
  std::uint32_t random = 1;
  for (std::int64_t number = 1; number <= words / kWordsOfSentence;) {
    RecordingBatch batch;
    for (std::int64_t i = 0; i < kBatch && number <= words / kWordsOfSentence; ++i, ++number) {
      Sentence sentence;
      sentence.number = number;
      for (std::int64_t word = 0; word < kWordsOfSentence; ++word) {
        random = random * 1664525 + 1013904223;
        const std::string form = "w" + std::to_string(random >> 18U);
        const auto begin = static_cast<std::int64_t>(sentence.text.size());
        const ByteSpan bytes{begin, begin + static_cast<std::int64_t>(form.size())};
        sentence.text += form + " ";
        sentence.words.push_back({form, bytes});
        sentence.tokens.push_back({form, word, word, bytes});
      }
      batch.sentences.push_back(std::move(sentence));
    }
    HostTensor states(DType::float16,
                      {static_cast<std::int64_t>(batch.sentences.size()) * kWordsOfSentence * kWidth});
    for (Float16& value : states.mutable_values<Float16>()) {
      random = random * 1664525 + 1013904223;
      value.bits = static_cast<std::uint16_t>((random >> 31U) << 15U | (0x3000U + (random >> 19U & 0xFFFU)));
    }
    batch.quantities.emplace_back(name, states);
    writer.write(batch);
  }
  writer.finish();
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The values alone, in the same blocks.
std::uint64_t read_all(const RecordingSource& source, std::int64_t threads) {
  constexpr std::int64_t kBlock = 220;
  const QuantityName name = source.header().quantities.front().name;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>((source.size() + kBlock - 1) / kBlock));
  app::share_out(threads, sums.size(), [&](std::size_t at) {
    const std::int64_t first = static_cast<std::int64_t>(at) * kBlock;
    const HostTensor values = source.read_packed(first, std::min(kBlock, source.size() - first), name);
    const auto bytes = values.bytes();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, bytes.data() + i, sizeof(eight));
      sum += eight;
    }
    sums[at] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

void read_texts(const RecordingSource& source, std::int64_t threads) {
  constexpr std::int64_t kBlock = 220;
  app::share_out(threads, static_cast<std::size_t>((source.size() + kBlock - 1) / kBlock),
                 [&](std::size_t at) {
                   const std::int64_t first = static_cast<std::int64_t>(at) * kBlock;
                   for (std::int64_t i = first; i < std::min(first + kBlock, source.size()); ++i) {
                     if (source.sentence(i).words.empty()) {
                       std::abort();
                     }
                   }
                 });
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t words = count > 1 ? std::atoll(arguments[1]) : 1'000'000;
  const std::int64_t threads = count > 2 ? std::atoll(arguments[2]) : 2;
  std::string pattern = (std::filesystem::temp_directory_path() / "mog-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return 1;
  }
  const std::filesystem::path folder = std::filesystem::path(pattern) / "states.rec";
  write(folder, words);
  {
    const io::RecordingReader reader(folder);
    const double bytes = static_cast<double>(reader.size() * kWordsOfSentence * kWidth * 2);
    read_all(reader, threads);
    std::printf("{\"words\": %lld, \"width\": %lld, \"threads\": %lld, \"rounds\": [",
                static_cast<long long>(reader.size() * kWordsOfSentence), static_cast<long long>(kWidth),
                static_cast<long long>(threads));
    for (int round = 0; round < 3; ++round) {
      app::NeighboursOptions options;
      options.sentence = 3;
      options.word = 2;
      options.threads = threads;
      const double found = seconds([&] { app::find_neighbours(reader, options); });
      options.reference = 0;
      const double bare = seconds([&] { app::find_neighbours(reader, options); });
      options.center = true;
      const double centered = seconds([&] { app::find_neighbours(reader, options); });
      const double read = seconds([&] { read_all(reader, threads); });
      const double texts = seconds([&] { read_texts(reader, threads); });
      std::printf(
          "%s{\"seconds\": %.3f, \"without_reference\": %.3f, \"centered\": %.3f, \"reading\": %.3f, "
          "\"texts\": %.3f, "
          "\"words_a_second\": %.0f, \"of_reading\": %.2f, \"gigabytes_a_second\": %.2f}",
          round == 0 ? "" : ", ", found, bare, centered, read, texts,
          static_cast<double>(reader.size() * kWordsOfSentence) / bare, read / bare, bytes / bare / 1e9);
    }
    std::printf("]}\n");
  }
  std::filesystem::remove_all(std::filesystem::path(pattern));
  return 0;
}
