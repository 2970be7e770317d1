#include "app/workflow/record/translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::span<const std::int64_t> without_end(const LoadedModel& loaded, std::span<const std::int64_t> ids) {
  return !ids.empty() && ids.back() == loaded.model->config().eos_id ? ids.first(ids.size() - 1) : ids;
}

const model::Tokenizer& target_tokenizer(const LoadedModel& loaded) {
  return loaded.target_tokenizer ? *loaded.target_tokenizer : *loaded.tokenizer;
}

std::vector<std::string> tokens_of(const LoadedModel& loaded, std::span<const std::int64_t> ids) {
  std::vector<std::string> tokens;
  for (const std::int64_t id : ids) {
    tokens.push_back(loaded.target_vocabulary->token(id));
  }
  return tokens;
}

// What a token is of, without the space before it that it may count to its bytes.
std::string_view written(std::string_view text, const ByteSpan& bytes) {
  const auto begin = static_cast<std::size_t>(bytes.begin);
  text = text.substr(begin, static_cast<std::size_t>(bytes.end) - begin);
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

// A special first token: a language, which is no word of the translation. Not what stands for an unknown
// word.
bool begins_with_language(const LoadedModel& loaded, const std::vector<std::string>& tokens,
                          std::span<const std::int64_t> ids) {
  return !tokens.empty() && ids.front() != loaded.model->config().unk_id &&
         target_tokenizer(loaded).decode(tokens).words.front() < 0;
}

}  // namespace

Hypotheses translate_sentences(const model::Model& model, std::span<const Sentence> sentences,
                               const model::BeamOptions& options, std::stop_token stop) {
  // Where sentences have no </s>, one without words is nothing to translate, and its translation is nothing.
  const model::ModelConfig& config = model.config();
  const auto empty = [&](const Sentence& sentence) {
    return !config.tokenizer.sentence_end && sentence.words.empty();
  };
  model::PackedBatch packed;
  for (const Sentence& sentence : sentences) {
    if (!empty(sentence)) {
      packed.append(sentence);
    }
  }
  Hypotheses found;
  if (std::any_of(sentences.begin(), sentences.end(), [&](const Sentence& one) { return !empty(one); })) {
    found = model.translate(packed, options, std::move(stop));
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (empty(sentences[i])) {
      found.insert(found.begin() + static_cast<std::ptrdiff_t>(std::min(i, found.size())),
                   {model::Hypothesis{.ids = {config.eos_id}}});
    }
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (i >= found.size() || found[i].empty()) {
      throw ModelError(fmt::format(
          "translating sentence {}: no hypothesis has a finite probability; the weights are damaged",
          sentences[i].number));
    }
  }
  return found;
}

std::string translation_text(const LoadedModel& loaded, std::span<const std::int64_t> ids) {
  const std::vector<std::string> tokens = tokens_of(loaded, without_end(loaded, ids));
  std::string text = target_tokenizer(loaded).decode(tokens).text;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string target_line(const LoadedModel& loaded, std::span<const std::int64_t> ids) {
  std::string text = translation_text(loaded, ids);
  const std::vector<std::string> tokens = tokens_of(loaded, without_end(loaded, ids));
  const auto& decoder = loaded.model->config().decoder;
  const bool expected = !ids.empty() && decoder && decoder->first_id == ids.front();
  if (!expected && begins_with_language(loaded, tokens, ids)) {
    text = text.empty() ? tokens.front() : tokens.front() + " " + text;
  }
  return text;
}

TargetPieces target_pieces(const LoadedModel& loaded, std::string_view text) {
  const model::ModelConfig& config = loaded.model->config();
  TargetPieces pieces;
  std::vector<std::string> tokens;
  for (const Token& token : target_tokenizer(loaded).encode(text, 1).tokens) {
    if (token.word >= 0) {
      pieces.ids.push_back(loaded.target_vocabulary->find(token.text).value_or(config.unk_id));
      pieces.words.push_back(token.word);
      tokens.push_back(token.text);
    }
  }
  if (begins_with_language(loaded, tokens, pieces.ids)) {
    for (std::int64_t& word : pieces.words) {
      --word;
    }
  } else if (config.decoder && config.decoder->first_id) {
    pieces.ids.insert(pieces.ids.begin(), *config.decoder->first_id);
    pieces.words.insert(pieces.words.begin(), -1);
  }
  return pieces;
}

void begin_with(const LoadedModel& loaded, std::string_view text, model::BeamOptions& beam) {
  std::vector<std::string> tokens;
  std::vector<std::int64_t> ids;
  for (const Token& token : target_tokenizer(loaded).encode(text, 1).tokens) {
    if (token.word < 0) {
      continue;
    }
    const auto id = loaded.target_vocabulary->find(token.text);
    if (!id || *id == loaded.model->config().unk_id) {
      throw UsageError(
          fmt::format("translations that begin with \"{}\": the target vocabulary has no \"{}\"; use "
                      "words that the model can say",
                      text, written(text, token.bytes)));
    }
    tokens.push_back(token.text);
    ids.push_back(*id);
  }
  if (ids.empty()) {
    throw UsageError("translations that begin with nothing: the text has no words");
  }
  if (begins_with_language(loaded, tokens, ids)) {
    beam.first = ids.front();
    ids.erase(ids.begin());
  }
  beam.prefix = std::move(ids);
}

std::vector<Token> decoder_inputs(const LoadedModel& loaded, std::span<const std::int64_t> ids) {
  const std::int64_t bos = loaded.model->config().bos_id;
  const std::vector<std::string> texts = tokens_of(loaded, ids);
  const std::vector<std::int64_t> words = target_tokenizer(loaded).decode(texts).words;
  std::vector<Token> tokens;
  tokens.push_back({loaded.target_vocabulary->token(bos), bos, -1, {}});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    tokens.push_back({texts[i], ids[i], words[i], {}});
  }
  return tokens;
}

void add_targets(const LoadedModel& loaded, const Hypotheses& found, std::span<Sentence> sentences) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentences[i].target_tokens = decoder_inputs(loaded, without_end(loaded, found[i].front().ids));
  }
}

TranslatedSentence record_translated(const LoadedModel& loaded, std::string_view text,
                                     const TranslatingOptions& options, std::stop_token stop) {
  if (loaded.target_vocabulary == nullptr) {
    throw UsageError("translating " + loaded.model->card().name + ": the model has no decoder");
  }
  model::BeamOptions beam = options.beam;
  if (!options.begins.empty()) {
    begin_with(loaded, options.begins, beam);
  }
  const Sentence sentence = encode_typed(loaded, text);
  TranslatedSentence result;
  result.found = std::move(translate_sentences(*loaded.model, {&sentence, 1}, beam, stop).front());
  for (const model::Hypothesis& one : result.found) {
    result.texts.push_back(translation_text(loaded, one.ids));
  }
  result.chosen = std::min(options.chosen, result.found.size() - 1);
  Sentence both = sentence;
  const std::vector<std::int64_t>& ids = result.found[result.chosen].ids;
  result.target_line = target_line(loaded, ids);
  both.target_tokens = decoder_inputs(loaded, without_end(loaded, ids));
  result.recording = record_sentence(loaded, std::move(both), options.capture, beam.interventions,
                                     std::move(stop), options.quantities);
  return result;
}

void check_beam(const model::BeamOptions& options) {
  constexpr std::int64_t kGreatest = 1000;
  if (options.beam < 1 || options.beam > kGreatest) {
    throw UsageError(fmt::format("--beam {}: wanted is a number from 1 to {}", options.beam, kGreatest));
  }
  if (options.max_tokens < 1) {
    throw UsageError(
        fmt::format("--max-tokens {}: a translation has at least one token, </s>", options.max_tokens));
  }
  if (!std::isfinite(options.length_penalty)) {
    throw UsageError(fmt::format("--length-penalty {}: wanted is a finite number", options.length_penalty));
  }
}

}  // namespace mog::app
