// Models of llama.cpp: one file with configuration, weights and tokenizer (docs/model-directory.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint/weights_file.h"
#include "model/foreign/foreign_model.h"
#include "model/foreign/foreign_weights.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"

namespace mog::model {

// What a config.json may say, too.
inline constexpr std::int64_t kMostGgufLayers = 1024;
inline constexpr std::int64_t kMostGgufWidth = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostGgufTokens = std::int64_t{1} << 24;

// The keys of one file. All methods throw ModelError naming file and key where a key is missing or is not
// what it has to be.
class GgufKeys {
 public:
  explicit GgufKeys(const io::WeightsFile& file);

  const std::string& file() const noexcept { return name_; }
  const std::string& architecture() const noexcept { return architecture_; }
  // Names below are those behind "ARCHITECTURE.", but for names that begin with "tokenizer." or "general.".
  std::string full(std::string_view key) const;
  bool has(std::string_view key) const;
  std::int64_t size(std::string_view key, std::int64_t most) const;                  // from 1
  std::optional<std::int64_t> count(std::string_view key, std::int64_t most) const;  // from 0
  std::optional<double> number(std::string_view key) const;
  std::optional<double> above_zero(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::string text(std::string_view key) const;                   // "" where it is absent
  std::vector<std::string> texts(std::string_view key) const;     // empty where it is absent
  std::vector<std::int64_t> wholes(std::string_view key) const;   // likewise
  std::vector<double> numbers(std::string_view key) const;        // likewise
  std::vector<std::int64_t> pattern(std::string_view key) const;  // a number alone is a list of one
  // "FILE: GGUF: key "KEY": WHY".
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;

 private:
  const io::WeightsFile& file_;
  std::string name_;
  nlohmann::ordered_json values_;
  std::string architecture_;
};

// How an architecture of llama.cpp is a type of Hugging Face's.
struct GgufArchitecture {
  std::string_view name;
  const char* type;     // model_type
  const char* epsilon;  // its key for the epsilon of norms
  bool rms = true;      // norms divide by the root of the mean square
  const char* inner = "intermediate_size";
  bool turned = false;          // rows of queries and keys are those of neighbouring pairs
  bool part = false;            // rotary positions may turn a part of a head
  std::string_view names = {};  // parts that are called otherwise than Llama's: "ffn_up mlp.fc1 …"
  bool free_heads = true;       // heads of keys and values, and the width of a head, are keys of their own
};
// Throws ModelError for one that is not known.
const GgufArchitecture& gguf_architecture(const GgufKeys& keys);

// What most of the rest is measured by. All heads of queries together are at most kMostGgufWidth wide.
struct GgufSizes {
  std::int64_t layers = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t groups = 0;  // heads of keys and values, a divisor of heads
  std::int64_t head = 0;    // width of one
};
GgufSizes gguf_sizes(const GgufKeys& keys);

// What a config.json of Hugging Face would say.
std::string gguf_config(const GgufKeys& keys, const GgufArchitecture& architecture, const GgufSizes& sizes,
                        const io::WeightsFile& file);
// Of it, what says how positions are turned; `head`: the width of a head.
bool gguf_is_rotary(const GgufArchitecture& architecture) noexcept;
nlohmann::ordered_json gguf_rotary(const GgufKeys& keys, const GgufArchitecture& architecture,
                                   const io::WeightsFile& file, std::int64_t head);
// The tensors that belong to them.
inline constexpr std::string_view kGgufFrequencies = "rope_freqs.weight";
inline constexpr std::string_view kGgufShort = "rope_factors_short.weight";
inline constexpr std::string_view kGgufLong = "rope_factors_long.weight";

// The tensors under the names and with the rows that Hugging Face's have. Throws ModelError for a tensor that
// has no place there. Takes `file`, which `keys` read: they are of no use behind it. `notes`: what is left
// out.
ForeignWeights gguf_weights(const GgufKeys& keys, const GgufArchitecture& architecture,
                            const GgufSizes& sizes, io::WeightsFile& file, std::vector<std::string>& notes);
// A tokenizer.json that says what the file does. `notes`: what had to be assumed.
std::string gguf_tokenizer(const GgufKeys& keys, std::vector<std::string>& notes);

// Throws as read_foreign_model.
ForeignModel read_gguf(const std::filesystem::path& file, bool weights);

}  // namespace mog::model
