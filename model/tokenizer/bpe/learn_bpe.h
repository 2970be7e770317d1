// Learns byte-pair merges as subword-nmt 0.3.8 does (version 0.2 of its file), merge by merge the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mog::model {

struct LearnBpeOptions {
  std::int64_t symbols = 10000;    // merges to learn
  std::int64_t min_frequency = 2;  // stop below
  bool total_symbols = false;      // subtract the number of characters from `symbols`
};

// Counts words of text lines. Lines end with LF or CR LF (subword-nmt's command line also ends them at
// U+2028, U+0085 and the like).
class WordCounts {
 public:
  void add_line(std::string_view line);
  void add_word(std::string_view word, std::int64_t count = 1);
  // Words in the order of their first occurrence.
  const std::vector<std::pair<std::string, std::int64_t>>& words() const noexcept { return words_; }

 private:
  std::vector<std::pair<std::string, std::int64_t>> words_;
  std::unordered_map<std::string, std::size_t> places_;
};

// The codes file as text, "#version: 0.2" first. Throws UsageError when no word has two characters.
std::string learn_bpe(const WordCounts& words, const LearnBpeOptions& options = {});

}  // namespace mog::model
