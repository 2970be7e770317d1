// The tokenizer of a GGUF file as a tokenizer.json.
//
// "llama" and "t5" are sentencepiece's (merges by score, Unigram), of which pieces, scores and kinds are
// listed; "gpt2" is byte-level BPE with its merges, and a name ("tokenizer.ggml.pre") stands for how a text
// is cut before; "bert" is WordPiece, whose pieces at the beginning of a word have U+2581 and whose others
// lost their "##". What a name stands for is what the tokenizer.json of the models with it says, which
// llama.cpp follows; where it is missing, llama.cpp's way is taken, and told.
//
// Trap: control tokens are found whole in a text, as Hugging Face finds them; tokens that a user defined too,
// but those of sentencepiece are its own to find.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"
#include "model/foreign/gguf.h"
#include "model/tokenizer/sentencepiece/sentencepiece_file.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kSpace = "\u2581";

// As sentencepiece counts them.
enum class Kind : std::uint8_t { normal = 1, unknown, control, user_defined, unused, byte };

// ---- how a text is cut before BPE

constexpr const char* kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kBloom = R"( ?[^(\s|[.,!?…。，、।۔،])]+)";
constexpr const char* kThree = "[0-9][0-9][0-9]";

struct Before {
  std::string_view names;               // with spaces around each
  std::array<const char*, 4> patterns;  // one after another; nullptr: no more
  bool digits = false;                  // each digit alone, first
  bool punctuation = false;             // runs of it, first
  bool whole_words = false;             // a word that is a token is not merged
  bool composed = false;                // NFC
  bool begins = false;                  // a text begins with the token of that role where no key says it
};

const std::array<Before, 8>& known_before() {
  static const std::array<Before, 8> all = {{
      {" gpt-2 phi-2 mpt olmo jais trillion jina-es jina-de jina-v1-en ", {kGpt2}},
      {" llama3 llama-v3 llama-bpe falcon3 pixtral ", {kLlama3}, false, false, true, false, true},
      {" dbrx smaug-bpe chatglm-bpe glm4 ", {kLlama3}},
      {" qwen2 deepseek-r1-qwen stablelm2 ", {kQwen2}, false, false, false, true},
      {" smollm starcoder refact command-r codeshell exaone ", {kGpt2}, true},
      {" falcon ", {kGpt2, kThree}, false, true},
      {" gpt-4o llama4 ", {kGpt4o}},
      {" tekken ", {kTekken}, false, false, true, false, true},
  }};
  return all;
}

class GgufTokenizer {
 public:
  GgufTokenizer(const GgufKeys& keys, std::vector<std::string>& notes) : keys_(keys), notes_(notes) {}

  std::string document() {
    const std::string model = keys_.text("tokenizer.ggml.model");
    read();
    if (model == "llama" || model == "t5") {
      return sentencepiece(model == "llama");
    }
    if (model == "gpt2") {
      return byte_pairs();
    }
    if (model == "bert") {
      return word_pieces();
    }
    keys_.refuse("tokenizer.ggml.model",
                 fmt::format("expected llama, gpt2, bert or t5, found \"{}\"", io::printable(model)));
  }

 private:
  void read() {
    tokens_ = keys_.texts(kTokens);
    if (tokens_.empty()) {
      keys_.refuse(kTokens,
                   "expected the list of tokens, found none; a file without a tokenizer does not open");
    }
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      if (io::first_invalid_utf8(tokens_[id]) != std::string::npos) {
        keys_.refuse(kTokens, fmt::format("token {}: \"{}\" is no UTF-8", id, io::printable(tokens_[id])));
      }
    }
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      if (tokens_[id].empty()) {  // room that nobody took
        tokens_[id] = fmt::format("[EMPTY_{}]", id);
      }
    }
    std::map<std::string_view, std::size_t> ids;
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      if (const auto [first, fresh] = ids.emplace(tokens_[id], id); !fresh) {
        keys_.refuse(kTokens, fmt::format("tokens {} and {} are both \"{}\"", first->second, id,
                                          io::printable(tokens_[id])));
      }
    }
    kinds_.assign(tokens_.size(), Kind::normal);
    const std::vector<std::int64_t> kinds = keys_.wholes("tokenizer.ggml.token_type");
    same_count("tokenizer.ggml.token_type", kinds.size());
    for (std::size_t id = 0; id < kinds.size(); ++id) {
      if (kinds[id] < 1 || kinds[id] > 6) {
        keys_.refuse("tokenizer.ggml.token_type",
                     fmt::format("expected 1 to 6, found {} for token {}", kinds[id], id));
      }
      kinds_[id] = static_cast<Kind>(kinds[id]);
    }
  }
  // A list is absent or has a number for each token.
  void same_count(const char* key, std::size_t count) const {
    if (count != 0 && count != tokens_.size()) {
      keys_.refuse(key,
                   fmt::format("expected a number for each of {} tokens, found {}", tokens_.size(), count));
    }
  }

  std::optional<std::size_t> id(const char* role) const {
    const auto found = keys_.count(fmt::format("tokenizer.ggml.{}_token_id", role),
                                   std::numeric_limits<std::uint32_t>::max());
    return found && static_cast<std::size_t>(*found) < tokens_.size()
               ? std::optional(static_cast<std::size_t>(*found))
               : std::nullopt;
  }
  bool flag(const char* name, bool otherwise) const {
    return keys_.flag(fmt::format("tokenizer.ggml.{}", name)).value_or(otherwise);
  }

  // ---- parts of the document

  Json added(bool user_defined) const {
    Json list = Json::array();
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      const bool control = kinds_[id] == Kind::control;
      if ((control || (user_defined && kinds_[id] == Kind::user_defined)) && !tokens_[id].empty()) {
        list.push_back({{"id", id},
                        {"content", tokens_[id]},
                        {"single_word", false},
                        {"lstrip", false},
                        {"rstrip", false},
                        {"normalized", false},
                        {"special", control}});
      }
    }
    return list;
  }
  // What stands around a text.
  Json frame(std::optional<std::size_t> first, std::optional<std::size_t> last) const {
    Json single = Json::array();
    Json special = Json::object();
    const auto put = [&](const std::optional<std::size_t>& token) {
      if (token) {
        single.push_back({{"SpecialToken", {{"id", tokens_[*token]}, {"type_id", 0}}}});
        special[tokens_[*token]] = {
            {"id", tokens_[*token]}, {"ids", {*token}}, {"tokens", {tokens_[*token]}}};
      }
    };
    put(first);
    single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    put(last);
    return {
        {"type", "TemplateProcessing"}, {"single", single}, {"pair", single}, {"special_tokens", special}};
  }
  Json usual_frame(bool begins, bool ends) const {
    return frame(flag("add_bos_token", begins) ? id("bos") : std::nullopt,
                 flag("add_eos_token", ends) ? id("eos") : std::nullopt);
  }
  std::string vocabulary() const {
    std::string text;
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      text += fmt::format("{}{}:{}", id == 0 ? "" : ",", Json(tokens_[id]).dump(), id);
    }
    return text;
  }

  // ---- models

  std::string sentencepiece(bool merges) {
    SentencePieceFile file;
    file.file = keys_.file();
    file.merges = merges;
    const std::vector<double> scores = keys_.numbers("tokenizer.ggml.scores");
    same_count("tokenizer.ggml.scores", scores.size());
    if (scores.empty()) {
      keys_.refuse("tokenizer.ggml.scores", "expected a number for each token, found no such key");
    }
    std::int64_t bytes = 0;
    SentencePieceRows rows;
    const auto unknown = std::ranges::find(kinds_, Kind::unknown);
    rows.unknown = unknown != kinds_.end() ? unknown - kinds_.begin()
                                           : static_cast<std::int64_t>(id("unknown").value_or(0));
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      SentencePieceEntry piece{tokens_[id], static_cast<float>(scores[id]),
                               static_cast<SentencePieceKind>(kinds_[id]), static_cast<std::int32_t>(id)};
      if (static_cast<std::int64_t>(id) == rows.unknown) {
        piece.kind = SentencePieceKind::unknown;
      } else if (piece.kind == SentencePieceKind::unknown) {
        piece.kind = SentencePieceKind::control;  // there is one
      }
      bytes += piece.kind == SentencePieceKind::byte ? 1 : 0;
      if (piece.kind == SentencePieceKind::user_defined && !piece.text.empty()) {
        file.normalizing.symbols.push_back(piece.text);
      }
      rows.tokens.push_back(piece.text);
      rows.pieces.push_back(piece.id);
      file.pieces.push_back(std::move(piece));
    }
    if (bytes != 0 && bytes != 256) {
      keys_.refuse("tokenizer.ggml.token_type",
                   fmt::format("{} tokens stand for a byte, expected none or 256", bytes));
    }
    file.byte_fallback = bytes == 256;
    file.normalizing.add_dummy_prefix = flag("add_space_prefix", true);
    file.normalizing.remove_extra_whitespaces = flag("remove_extra_whitespaces", !merges);
    file.normalizing.escape_whitespaces = true;
    for (const std::int64_t byte : keys_.wholes("tokenizer.ggml.precompiled_charsmap")) {
      file.normalizing.charsmap += static_cast<char>(byte);
    }
    return fmt::format(
        R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"pre_tokenizer":null,)"
        R"("post_processor":{},"decoder":null,{}}}
)",
        added(false).dump(), usual_frame(merges, !merges).dump(),
        sentencepiece_members(file, rows, Json::array()));
  }

  const Before& before() {
    const std::string name = keys_.text("tokenizer.ggml.pre");
    std::string all;
    for (const Before& known : known_before()) {
      if (!name.empty() && known.names.find(" " + name + " ") != std::string_view::npos) {
        return known;
      }
      all += known.names.substr(1);
    }
    static const Before kDefault = {"", {kGpt2, R"(\p{N}+)", kThree}, false, true};
    if (name.empty() || name == "default") {
      notes_.emplace_back(
          "the file does not say how a text is cut before BPE; it is cut as llama.cpp does then");
      return kDefault;
    }
    if (name == "bloom") {
      static const Before kOfBloom = {"", {kBloom}};
      return kOfBloom;
    }
    keys_.refuse("tokenizer.ggml.pre", fmt::format("\"{}\" is not supported; supported: {}bloom, default",
                                                   io::printable(name), all));
  }

  std::string byte_pairs() {
    const Before& before = this->before();
    Json steps = Json::array();
    if (before.digits) {
      steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
    }
    if (before.punctuation) {
      steps.push_back({{"type", "Punctuation"}, {"behavior", "Contiguous"}});
    }
    for (const char* const pattern : before.patterns) {
      if (pattern != nullptr) {
        steps.push_back({{"type", "Split"},
                         {"pattern", {{"Regex", pattern}}},
                         {"behavior", "Isolated"},
                         {"invert", false}});
      }
    }
    steps.push_back({{"type", "ByteLevel"},
                     {"add_prefix_space", flag("add_space_prefix", false)},
                     {"trim_offsets", false},
                     {"use_regex", false}});
    const std::vector<std::string> merges = keys_.texts("tokenizer.ggml.merges");
    if (merges.empty()) {
      keys_.refuse("tokenizer.ggml.merges", "expected a list of pairs, found none");
    }
    std::string pairs;
    for (const std::string& merge : merges) {
      if (io::first_invalid_utf8(merge) != std::string::npos) {
        keys_.refuse("tokenizer.ggml.merges", fmt::format("\"{}\" is no UTF-8", io::printable(merge)));
      }
      const std::size_t between = merge.find(' ');
      if (between == std::string::npos || between == 0 || between + 1 == merge.size() ||
          merge.rfind(' ') != between) {
        keys_.refuse(
            "tokenizer.ggml.merges",
            fmt::format("expected pairs of pieces with a space between, found \"{}\"", io::printable(merge)));
      }
      pairs += (pairs.empty() ? "" : ",") + Json(merge).dump();
    }
    const Json level = {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", false}, {"use_regex", false}};
    const Json normalizer = before.composed ? Json{{"type", "NFC"}} : Json(nullptr);
    return fmt::format(
        R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"normalizer":{},)"
        R"("pre_tokenizer":{},"post_processor":{},"decoder":{},"model":{{"type":"BPE","dropout":null,)"
        R"("unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,)"
        R"("byte_fallback":false,"ignore_merges":{},"vocab":{{{}}},"merges":[{}]}}}}
)",
        added(true).dump(), normalizer.dump(),
        Json{{"type", "Sequence"}, {"pretokenizers", std::move(steps)}}.dump(),
        usual_frame(before.begins, false).dump(), level.dump(), before.whole_words, vocabulary(), pairs);
  }

  std::string word_pieces() {
    bool capitals = false;
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      std::string& token = tokens_[id];
      if (kinds_[id] == Kind::control || kinds_[id] == Kind::unknown ||
          (token.starts_with('[') && token.ends_with(']'))) {
        continue;
      }
      // The space alone is the piece inside a word that is written so: no word is empty.
      const bool begins = token.starts_with(kSpace) && token.size() > kSpace.size();
      if (begins) {
        token.erase(0, kSpace.size());
      } else {
        token.insert(0, "##");
      }
      capitals = capitals || std::ranges::any_of(token, [](char c) { return c >= 'A' && c <= 'Z'; });
    }
    const auto token_of = [&](const char* role, const char* usual) -> std::optional<std::size_t> {
      if (const auto found = id(role)) {
        return found;
      }
      const auto at = std::ranges::find(tokens_, usual);
      return at == tokens_.end() ? std::nullopt
                                 : std::optional(static_cast<std::size_t>(at - tokens_.begin()));
    };
    const auto unknown = token_of("unknown", "[UNK]");
    const auto first = id("cls") ? id("cls") : token_of("bos", "[CLS]");
    auto last = id("seperator") ? id("seperator") : id("separator");
    last = last ? last : token_of("eos", "[SEP]");
    if (!unknown || !first || !last) {
      keys_.refuse(kTokens, "expected [UNK], [CLS] and [SEP] among them, or their ids in keys of their own");
    }
    for (const auto& token :
         {unknown, first, last, token_of("padding", "[PAD]"), token_of("mask", "[MASK]")}) {
      if (token) {
        kinds_[*token] = Kind::control;
      }
    }
    const bool lowercase = flag("normalizer.lowercase", !capitals);
    const Json normalizer = {{"type", "BertNormalizer"},
                             {"clean_text", true},
                             {"handle_chinese_chars", true},
                             {"strip_accents", nullptr},
                             {"lowercase", lowercase}};
    return fmt::format(
        R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"normalizer":{},)"
        R"("pre_tokenizer":{{"type":"BertPreTokenizer"}},"post_processor":{},)"
        R"("decoder":{{"type":"WordPiece","prefix":"##","cleanup":true}},"model":{{"type":"WordPiece",)"
        R"("unk_token":{},"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{{{}}}}}}}
)",
        added(false).dump(), normalizer.dump(), frame(first, last).dump(), Json(tokens_[*unknown]).dump(),
        vocabulary());
  }

  const GgufKeys& keys_;
  std::vector<std::string>& notes_;
  std::vector<std::string> tokens_;
  std::vector<Kind> kinds_;
};

}  // namespace

std::string gguf_tokenizer(const GgufKeys& keys, std::vector<std::string>& notes) {
  return GgufTokenizer(keys, notes).document();
}

}  // namespace mog::model
