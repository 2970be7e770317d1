#include "app/workflow/effects/token_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "app/workflow/common/shown_token.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

Pieces pieces_of(const LoadedModel& loaded) {
  return mog::pieces_of(loaded.model->card().tokenizer);
}

// The tokens of a text alone, without those that stand around a sentence.
std::vector<Token> tokens_of(const LoadedModel& loaded, std::string_view text) {
  std::vector<Token> tokens;
  for (Token& token : loaded.tokenizer->encode(text).tokens) {
    if (token.word >= 0) {
      tokens.push_back(std::move(token));
    }
  }
  return tokens;
}

// The row for unknown words, of a text that is not its own spelling.
bool stands_for_unknown(const LoadedModel& loaded, const Token& token, std::string_view text) {
  return token.id == loaded.model->config().unk_id &&
         shown_bytes(piece_bytes(token.text, pieces_of(loaded))) != shown_bytes(text);
}

std::optional<std::int64_t> numbered(std::string_view text) {
  constexpr std::string_view kId = "id:";
  std::int64_t id = 0;
  if (!text.starts_with(kId)) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(kId.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(id) : std::nullopt;
}

}  // namespace

std::int64_t token_named(const LoadedModel& loaded, std::string_view option, std::string_view text) {
  if (const auto id = numbered(text)) {
    const std::int64_t rows = loaded.model->config().next_token_rows();
    if (*id < 0 || *id >= rows) {
      throw UsageError(fmt::format("{} {}: there are ids 0 to {}", option, text, rows - 1));
    }
    return *id;
  }
  const std::vector<Token> tokens = tokens_of(loaded, text);
  const model::Vocabulary& vocabulary = loaded.tokenizer->vocabulary();
  if (tokens.size() == 1 && !stands_for_unknown(loaded, tokens.front(), text)) {
    return tokens.front().id;
  }
  if (const auto spelled = vocabulary.find(text)) {
    return *spelled;
  }
  const std::string spaced = " " + std::string(text);
  const std::vector<Token> behind_space = tokens_of(loaded, spaced);
  const bool with_space = !text.starts_with(' ') && behind_space.size() == 1 &&
                          !stands_for_unknown(loaded, behind_space.front(), text);
  std::string pieces;
  for (const Token& token : tokens) {
    pieces += (pieces.empty() ? "" : " | ") + shown_token(token.text, pieces_of(loaded));
  }
  throw UsageError(fmt::format(
      "{} \"{}\": one token of the vocabulary is expected, and it is {}{}; a token may also be named as the "
      "vocabulary spells it, or by its number as id:N",
      option, text,
      tokens.empty()       ? std::string("none")
      : tokens.size() == 1 ? std::string("not in it")
                           : fmt::format("{}: {}", tokens.size(), pieces),
      with_space ? fmt::format("; with a space before it, \"{}\", it is one", spaced) : std::string()));
}

namespace {

// The most probable next token behind one token of a text.
class BestNext final : public model::Observer {
 public:
  BestNext(std::int64_t token, std::int64_t tokens) : token_(token), tokens_(tokens) {}
  std::optional<DType> wants(const QuantityName& name) const override {
    return name.layer() == 0 && name.quantity() == Quantity::next_token && name.reduction() == Reduction::best
               ? std::optional(DType::float32)
               : std::nullopt;
  }
  bool observe(const QuantityName& /*name*/, const model::PackedValues& values) override {
    const auto all = values.values.values<float>();
    const std::size_t best = all.size() / static_cast<std::size_t>(tokens_);
    id = static_cast<std::int64_t>(all[static_cast<std::size_t>(token_) * best]);
    return true;
  }

  std::int64_t id = 0;

 private:
  std::int64_t token_;
  std::int64_t tokens_;
};

// Of a text that is one token alone and another one behind a space (byte-level vocabularies).
void note_piece(const LoadedModel& loaded, std::string_view option, std::string_view text, std::int64_t id,
                std::vector<std::string>& notes) {
  if (numbered(text) || text.starts_with(' ')) {
    return;
  }
  const std::vector<Token> behind_space = tokens_of(loaded, " " + std::string(text));
  if (behind_space.size() == 1 && behind_space.front().id != id &&
      behind_space.front().id != loaded.model->config().unk_id) {
    notes.push_back(fmt::format("{} \"{}\" is the token without a space before it; \" {}\" is another one",
                                option, text, text));
  }
}

}  // namespace

std::int64_t best_next_token(const LoadedModel& loaded, const Sentence& sentence, std::int64_t token) {
  BestNext best(token, std::ssize(sentence.tokens));
  model::Observer* const observers[] = {&best};
  model::PackedBatch batch;
  batch.append(sentence);
  loaded.model->run(batch, {}, observers);
  return best.id;
}

ChosenLogits best_logits(const LoadedModel& loaded, const Sentence& clean, const Sentence& corrupt,
                         std::int64_t token) {
  ChosenLogits result;
  result.logits.answer = best_next_token(loaded, clean, token);
  result.answer = shown_token(loaded, result.logits.answer);
  const std::int64_t other = best_next_token(loaded, corrupt, token);
  if (other != result.logits.answer) {
    result.logits.against = other;
    result.against = shown_token(loaded, other);
  } else {
    result.notes.push_back(fmt::format(
        "{} is what the model finds most probable behind both texts: its logit is read, and no difference",
        result.answer));
  }
  return result;
}

ChosenLogits chosen_logits(const LoadedModel& loaded, std::string_view answer, std::string_view against,
                           std::int64_t best) {
  ChosenLogits result;
  result.logits.answer = best;
  if (!answer.empty()) {
    result.logits.answer = token_named(loaded, "--answer", answer);
    note_piece(loaded, "--answer", answer, result.logits.answer, result.notes);
  }
  result.answer = shown_token(loaded, result.logits.answer);
  if (!against.empty()) {
    result.logits.against = token_named(loaded, "--against", against);
    note_piece(loaded, "--against", against, *result.logits.against, result.notes);
    result.against = shown_token(loaded, *result.logits.against);
  }
  if (result.logits.against == result.logits.answer) {
    throw UsageError(
        fmt::format("--against: the same token as the answer ({}); their difference is 0 whatever the model "
                    "does",
                    result.answer));
  }
  return result;
}

std::string read_behind_special(const LoadedModel& loaded, const Sentence& sentence, std::int64_t token) {
  const Token& read = sentence.tokens[static_cast<std::size_t>(token)];
  if (read.word >= 0) {
    return {};
  }
  std::int64_t last = std::ssize(sentence.tokens);
  while (last > 0 && sentence.tokens[static_cast<std::size_t>(last) - 1].word < 0) {
    --last;
  }
  return fmt::format("what follows is read behind {}, which is no token of the text{}",
                     shown_token(loaded, read.id),
                     last > 0 ? fmt::format("; --position {} is the last one of it", last) : std::string());
}

std::string shown_token(const LoadedModel& loaded, std::int64_t id) {
  const model::Vocabulary& vocabulary = loaded.tokenizer->vocabulary();
  return id < vocabulary.size() ? shown_token(vocabulary.token(id), pieces_of(loaded))
                                : fmt::format("<row_{}>", id);
}

std::string shown_tokens(const LoadedModel& loaded, const Sentence& sentence) {
  std::string text;
  for (const Token& token : sentence.tokens) {
    text += (text.empty() ? "" : " | ") + shown_token(token.text, pieces_of(loaded));
  }
  return text;
}

std::int64_t place_named(std::string_view option, std::int64_t number, std::int64_t tokens) {
  const std::int64_t place = number > 0 ? number - 1 : tokens + number;
  if (number == 0 || place < 0 || place >= tokens) {
    throw UsageError(fmt::format("{} {}: the text has {}; they count from 1, from the end -1", option, number,
                                 counted(tokens, "token")));
  }
  return place;
}

}  // namespace mog::app
