// Whitespace and BPE tokenizers: words at spaces, optional lower-casing, pieces, ids.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "io/recording/errors.h"
#include "model/config/config.h"
#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/json/tokenizer_json.h"
#include "model/tokenizer/sentence_check.h"
#include "model/tokenizer/text/lowercase.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {
namespace {

class TextTokenizer final : public Tokenizer {
 public:
  TextTokenizer(Vocabulary vocabulary, std::optional<Bpe> bpe, const TokenizerConfig& config, SpecialIds ids)
      : vocabulary_(std::move(vocabulary)),
        bpe_(std::move(bpe)),
        lowercase_(config.lowercase),
        sentence_end_(config.sentence_end),
        ids_(ids) {}

  Sentence encode(std::string_view text, std::int64_t number) const override {
    check_sentence(text, number);
    Sentence sentence;
    sentence.number = number;
    sentence.text = text;
    for (const std::string_view word : split_at_spaces(text)) {
      const auto begin = word.data() - text.data();
      sentence.words.push_back({std::string(word), {begin, begin + static_cast<std::int64_t>(word.size())}});
      add_tokens(word, begin, static_cast<std::int64_t>(sentence.words.size()) - 1, sentence);
    }
    finish(sentence);
    return sentence;
  }

  Sentence encode_words(std::span<const std::string> words, std::int64_t number) const override {
    Sentence sentence = sentence_of_words(words, number);
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (const std::string_view part : split_at_spaces(words[i])) {
        add_tokens(part, sentence.words[i].bytes.begin + (part.data() - words[i].data()),
                   static_cast<std::int64_t>(i), sentence);
      }
    }
    finish(sentence);
    return sentence;
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string_view kind() const override { return bpe_ ? "bpe" : "whitespace"; }

 private:
  // Tokens of `word` (or a part of it), which begins at byte `offset` of the text and has the number `index`.
  void add_tokens(std::string_view word, std::int64_t offset, std::int64_t index, Sentence& sentence) const {
    LoweredText lowered;
    if (lowercase_) {
      lowered = lower_case(word);
    } else {
      lowered.text = word;
    }
    const std::string_view text = lowered.text;
    const auto pieces = bpe_ ? bpe_->segment(text) : std::vector<std::string_view>{text};
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto first = static_cast<std::size_t>(pieces[i].data() - text.data());
      Token token;
      token.text = pieces[i];
      token.text += i + 1 < pieces.size() ? "@@" : "";
      token.id = vocabulary_.find(token.text).value_or(ids_.unknown);
      token.word = index;
      token.bytes = {offset + lowered.original_begin(first),
                     offset + lowered.original_end(first + pieces[i].size())};
      sentence.tokens.push_back(std::move(token));
    }
  }

  void finish(Sentence& sentence) const {
    if (!sentence_end_ && !sentence.tokens.empty()) {
      return;  // a line without words is </s> alone: a model reads at least one token
    }
    const auto end = static_cast<std::int64_t>(sentence.text.size());
    sentence.tokens.push_back({vocabulary_.token(ids_.eos), ids_.eos, -1, {end, end}});
  }

  Vocabulary vocabulary_;
  std::optional<Bpe> bpe_;
  bool lowercase_;
  bool sentence_end_;
  SpecialIds ids_;
};

// Throws ModelError naming the first token that the two files do not share. `longer`: there may be more
// lines.
void check_same(const Vocabulary& own, const Vocabulary& lines, const std::string& file,
                const std::string& vocab, bool longer) {
  for (std::int64_t id = 0; id < (longer ? own.size() : std::max(lines.size(), own.size())); ++id) {
    if (id >= lines.size() || id >= own.size() || lines.token(id) != own.token(id)) {
      throw ModelError(fmt::format("{}: it disagrees with {} about the token with id {} (line {})", file,
                                   vocab, id, id + 1));
    }
  }
}

// `file` names a tokenizer.json, `vocab` its lines.
TokenizerJson read_json(const TokenizerConfig& config, const std::string& file, const std::string& vocab,
                        const std::filesystem::path& directory, bool longer = false) {
  TokenizerJson read = open_tokenizer_json(directory / file);
  const std::string path = (directory / file).string();
  if (read.kind != config.kind) {
    throw ModelError(
        fmt::format("{}: it is a tokenizer of the kind {}, but config.json has tokenizer.kind = {}", path,
                    read.tokenizer->kind(), name(config.kind)));
  }
  check_same(read.tokenizer->vocabulary(), Vocabulary::read(directory / vocab), path, vocab, longer);
  return read;
}

// The two files and the configuration say the same thing three times; they must agree. A decoder starts and
// ends with ids of its own, whatever frames the source.
std::shared_ptr<const Tokenizer> make_from_json(const TokenizerConfig& config, const SpecialIds& ids,
                                                const std::filesystem::path& directory) {
  const std::string file = (directory / config.file).string();
  const TokenizerJson read = read_json(config, config.file, config.vocab, directory);
  const Vocabulary& own = read.tokenizer->vocabulary();
  const bool framed = config.target_vocab.empty();
  const std::pair<std::optional<std::int64_t>, std::pair<const char*, std::int64_t>> roles[] = {
      {framed ? read.first : std::nullopt, {"bos_id", ids.bos}},
      {framed ? read.last : std::nullopt, {"eos_id", ids.eos}},
      {read.unknown, {"unk_id", ids.unknown}}};
  for (const auto& [id, role] : roles) {
    if (id && *id != role.second) {
      throw ModelError(fmt::format("{}: the token {} has the id {}, but config.json has {} = {}", file,
                                   own.token(*id), *id, role.first, role.second));
    }
  }
  if (read.lowercase != config.lowercase) {
    throw ModelError(fmt::format("{}: its normalizer {} case, but config.json has tokenizer.lowercase = {}",
                                 file, read.lowercase ? "drops" : "keeps", config.lowercase));
  }
  return read.tokenizer;
}

}  // namespace

std::shared_ptr<const Tokenizer> make_text_tokenizer(Vocabulary vocabulary, std::optional<Bpe> bpe,
                                                     const TokenizerConfig& config, const SpecialIds& ids) {
  return std::make_shared<TextTokenizer>(std::move(vocabulary), std::move(bpe), config, ids);
}

std::shared_ptr<const Tokenizer> make_target_tokenizer(const TokenizerConfig& config,
                                                       const std::filesystem::path& directory) {
  return config.target_file.empty()
             ? nullptr
             : read_json(config, config.target_file, config.target_vocab, directory, /*longer=*/true)
                   .tokenizer;
}

std::shared_ptr<const Tokenizer> make_tokenizer(const TokenizerConfig& config, const SpecialIds& ids,
                                                const std::filesystem::path& directory) {
  if (has_tokenizer_json(config.kind)) {
    return make_from_json(config, ids, directory);
  }
  Vocabulary vocabulary = Vocabulary::read(directory / config.vocab);
  if (ids.eos < 0 || ids.unknown < 0 || ids.eos >= vocabulary.size() || ids.unknown >= vocabulary.size()) {
    throw ModelError(fmt::format("{}: {} tokens, but eos_id is {} and unk_id {}",
                                 (directory / config.vocab).string(), vocabulary.size(), ids.eos,
                                 ids.unknown));
  }
  std::optional<Bpe> bpe;
  if (config.kind == TokenizerKind::bpe) {
    bpe = Bpe::read(directory / config.codes);
  }
  return std::make_shared<TextTokenizer>(std::move(vocabulary), std::move(bpe), config, ids);
}

}  // namespace mog::model
