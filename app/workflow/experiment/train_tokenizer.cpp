#include "app/workflow/experiment/train_tokenizer.h"

#include <algorithm>
#include <map>
#include <optional>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"
#include "model/foreign/foreign_model.h"
#include "model/model_directory.h"
#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/bpe/learn_bpe.h"
#include "model/tokenizer/text/lowercase.h"

namespace mog::app {

namespace {

constexpr std::uint64_t kFileLimit = std::uint64_t{1} << 28U;

class Counter {
 public:
  explicit Counter(bool lowercase) : lowercase_(lowercase) {}
  void add(std::string_view text) {
    if (lowercase_) {
      const std::string lowered = model::lower_case(text).text;
      words_.add_line(lowered);
    } else {
      words_.add_line(text);
    }
  }
  const model::WordCounts& words() const noexcept { return words_; }

 private:
  bool lowercase_;
  model::WordCounts words_;
};

std::string vocabulary_text(const model::WordCounts& words, const model::Bpe* bpe, std::int64_t min_count) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [word, count] : words.words()) {
    if (bpe == nullptr) {
      counts[word] += count;
      continue;
    }
    const std::vector<std::string_view> pieces = bpe->segment(word);
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      counts[std::string(pieces[at]) + (at + 1 < pieces.size() ? "@@" : "")] += count;
    }
  }
  const std::vector<std::string> special = {"<s>", "<pad>", "</s>", "<unk>"};
  std::vector<std::pair<std::string, std::int64_t>> sorted;
  for (const auto& [token, count] : counts) {
    if (count >= min_count && std::find(special.begin(), special.end(), token) == special.end()) {
      sorted.emplace_back(token, count);
    }
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  std::string text;
  for (const std::string& token : special) {
    text += token + "\n";
  }
  for (const auto& [token, count] : sorted) {
    text += token + "\n";
  }
  return text;
}

void copy(const std::filesystem::path& root, const std::filesystem::path& from,
          const std::filesystem::path& to) {
  const std::filesystem::path path = from.is_absolute() || root.empty() ? from : root / from;
  io::write_file(to, io::read_file(path, "the tokenizer file", kFileLimit));
}

void learn(const TrainConfig& config, const std::filesystem::path& folder,
           const std::vector<TaggedSentence>& tagged, const std::vector<SentencePair>& pairs) {
  const model::TokenizerConfig& names = config.model.tokenizer;
  const TokenizerPlan& plan = config.tokenizer;
  Counter source(plan.lowercase);
  Counter target(plan.lowercase);
  for (const TaggedSentence& sentence : tagged) {
    for (const std::string& word : sentence.words) {
      source.add(word);
    }
  }
  for (const SentencePair& pair : pairs) {
    source.add(pair.source);
    target.add(pair.target);
  }
  std::optional<model::Bpe> bpe;
  if (plan.kind == model::TokenizerKind::bpe) {
    model::WordCounts all = source.words();
    for (const auto& [word, count] : target.words().words()) {
      all.add_word(word, count);
    }
    io::write_file(folder / names.codes, model::learn_bpe(all, {.symbols = plan.merges}));
    bpe.emplace(model::Bpe::read(folder / names.codes));
  }
  const model::Bpe* codes = bpe ? &*bpe : nullptr;
  io::write_file(folder / names.vocab, vocabulary_text(source.words(), codes, plan.min_count));
  if (config.translation()) {
    io::write_file(folder / names.target_vocab, vocabulary_text(target.words(), codes, plan.min_count));
  }
}

// Of a translator's tokenizer.json what an encoder needs: its ids are those that frame a source, not those
// where a decoder starts and ends.
void take_source_side(const model::Tokenizer& tokenizer, model::ModelConfig& config) {
  config.tokenizer.target_vocab.clear();
  config.tokenizer.target_file.clear();
  const std::vector<Token> tokens = tokenizer.encode("a").tokens;
  const auto in_text = [](const Token& token) { return token.word >= 0; };
  const auto begin = std::find_if(tokens.begin(), tokens.end(), in_text);
  const auto end = std::find_if_not(begin, tokens.end(), in_text);
  if (end != tokens.end()) {
    config.eos_id = end->id;
  }
  config.bos_id = begin != tokens.begin() ? (begin - 1)->id : config.eos_id;
}

}  // namespace

std::vector<std::string> tokenizer_file_names(const model::TokenizerConfig& tokenizer) {
  std::vector<std::string> names;
  for (const std::string& name :
       {tokenizer.codes, tokenizer.file, tokenizer.vocab, tokenizer.target_vocab, tokenizer.target_file}) {
    if (!name.empty()) {
      names.push_back(name);
    }
  }
  return names;
}

std::map<std::string, std::string> tokenizer_files(const std::filesystem::path& model,
                                                   const model::TokenizerConfig& tokenizer) {
  if (model::is_foreign_model(model)) {
    model::ForeignOptions names_only;
    names_only.weights = false;
    model::ForeignModel foreign = model::read_foreign_model(model, names_only);
    model::require_vocabulary_file(foreign, model);
    return std::move(foreign.tokenizer_files);
  }
  std::map<std::string, std::string> files;
  for (const std::string& name : tokenizer_file_names(tokenizer)) {
    files[name] = io::read_file(model / name, "the tokenizer file", kFileLimit);
  }
  return files;
}

void take_tokenizer(TrainConfig& config, const std::filesystem::path& folder) {
  const std::filesystem::path& from = config.tokenizer.model;
  const model::ModelDirectory directory = model::open_model_directory(from, {.weights = false});
  const bool json = model::has_tokenizer_json(directory.config.tokenizer.kind);
  if (config.translation() && json) {
    throw ModelError("Taking the tokenizer of " + from.string() +
                     ": translators are trained with words or bpe, and it is a tokenizer.json.");
  }
  if (directory.config.decoder.has_value() != config.translation() && !json) {
    throw ModelError("Taking the tokenizer of " + from.string() +
                     ": one of the two models has a decoder and the other has none.");
  }
  const model::WordCut words = config.model.tokenizer.words;
  config.model.tokenizer = directory.config.tokenizer;
  if (words != model::WordCut::automatic || config.tokenizer.words) {
    config.model.tokenizer.words = words;
  }
  config.model.pad_id = directory.config.pad_id;
  config.model.bos_id = directory.config.bos_id;
  config.model.eos_id = directory.config.eos_id;
  config.model.unk_id = directory.config.unk_id;
  if (json && directory.config.decoder) {
    take_source_side(*directory.tokenizer, config.model);
  }
  const std::vector<std::string> wanted = tokenizer_file_names(config.model.tokenizer);
  for (const auto& [name, bytes] : tokenizer_files(from, config.model.tokenizer)) {
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
      io::write_file(folder / name, bytes);
    }
  }
}

NewTokenizer new_tokenizer(const TrainConfig& config, const std::filesystem::path& data_root,
                           const std::filesystem::path& folder, const std::vector<TaggedSentence>& tagged,
                           const std::vector<SentencePair>& pairs) {
  const model::TokenizerConfig& names = config.model.tokenizer;
  const TokenizerPlan& plan = config.tokenizer;
  if (!std::filesystem::exists(folder / names.vocab)) {
    if (plan.vocab.empty()) {
      learn(config, folder, tagged, pairs);
    } else {
      if (plan.kind == model::TokenizerKind::bpe) {
        copy(data_root, plan.codes, folder / names.codes);
      }
      if (config.translation()) {
        copy(data_root, plan.target_vocab, folder / names.target_vocab);
      }
      copy(data_root, plan.vocab, folder / names.vocab);
    }
  }
  const model::SpecialIds ids{
      .eos = config.model.eos_id, .unknown = config.model.unk_id, .bos = config.model.bos_id};
  NewTokenizer result;
  result.source = model::make_tokenizer(names, ids, folder);
  if (config.translation()) {
    model::TokenizerConfig target = names;
    target.vocab = names.target_vocab;
    result.target = model::make_tokenizer(target, ids, folder);
  }
  return result;
}

}  // namespace mog::app
