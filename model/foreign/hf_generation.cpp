#include "model/foreign/hf_generation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "io/text/input_file.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;

// Those that change which translation is found; a search says its own with --beam, --length-penalty and
// --max-tokens.
constexpr std::array kSearch = {"num_beams",
                                "length_penalty",
                                "min_length",
                                "max_length",
                                "early_stopping",
                                "do_sample",
                                "num_beam_groups",
                                "diversity_penalty",
                                "no_repeat_ngram_size",
                                "encoder_no_repeat_ngram_size",
                                "repetition_penalty",
                                "exponential_decay_length_penalty",
                                "suppress_tokens",
                                "begin_suppress_tokens",
                                "forced_eos_token_id",
                                "force_words_ids",
                                "sequence_bias",
                                "min_new_tokens",
                                "max_new_tokens",
                                "renormalize_logits"};

// Whether the tokens that must not be said are padding alone, which a search never says.
bool only_padding(const nlohmann::ordered_json& words, std::optional<std::int64_t> pad) {
  return words.is_array() && words.size() == 1 && words[0].is_array() && words[0].size() == 1 &&
         pad.has_value() && words[0][0] == *pad;
}

std::string not_applied(const HfConfig& config, std::optional<std::int64_t> pad) {
  std::vector<std::string> stated;
  for (const char* const key : kSearch) {
    const auto* const value = config.value(key);
    if (const std::string text = config.stated(key); !text.empty() && *value != 1) {
      stated.push_back(text);
    }
  }
  const auto* const words = config.value("bad_words_ids");
  if (words != nullptr && !config.stated("bad_words_ids").empty() && !only_padding(*words, pad)) {
    stated.push_back(config.stated("bad_words_ids"));
  }
  return fmt::format("{}", fmt::join(stated, ", "));
}

}  // namespace

Generation read_generation(const fs::path& folder, HfConfig& config) {
  std::optional<HfConfig> file;
  const fs::path path = folder / "generation_config.json";
  if (std::error_code error; fs::exists(path, error)) {
    file.emplace(io::read_file(path, "the configuration of the search", kMostBytes), path);
  }
  const auto id = [&](const char* key) {
    const auto own = file ? file->id(key) : std::nullopt;
    return own ? own : config.id(key);
  };
  Generation generation;
  generation.start = id("decoder_start_token_id");
  if (!generation.start) {
    generation.start = id("bos_token_id");
  }
  generation.end = id("eos_token_id");
  HfConfig& searched = file ? *file : config;
  generation.first = searched.id("forced_bos_token_id");  // where the file is silent, nothing is forced
  if (const std::string rest = not_applied(searched, id("pad_token_id")); !rest.empty()) {
    generation.notes.push_back(
        fmt::format("of the search that {} asks for this is not applied: {}; --beam, --length-penalty and "
                    "--max-tokens choose",
                    fs::path(searched.file()).filename().string(), rest));
  }
  return generation;
}

}  // namespace mog::model
