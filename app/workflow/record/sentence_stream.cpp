// One sentence at a time, so that a corpus of any size takes the memory of a line. Its number is its line,
// also with shards, cuts and lines that are left out: recordings of parts can then be joined, and everything
// can be found in the corpus again. A part is a stretch of the file (io/text/corpus_index.h), of which alone
// it reads, and of the translations the same lines.
//
// A shuffle draws from the seed and the sentence's number alone: it is the same in every part, order and
// run.
//
// The translations are read beside, forwards; a line that is missing on either side is an error with its
// number, never a pair that has slipped by one.
//
// Traps: a cut sentence keeps its last token, </s>, and all its words; those beyond have no token. With
// lines joined, the number is that of the first, and what is left at the end and fills no sentence is
// dropped.
#include "app/workflow/record/sentence_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "app/workflow/record/translation.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::string_view kUtf8Advice = "or read it with --invalid-utf8 replace";

std::int64_t count(const std::vector<Token>& tokens) {
  return static_cast<std::int64_t>(tokens.size());
}

// Fisher and Yates; the draws depend on the seed and the sentence alone.
void shuffle(std::vector<std::string>& words, std::uint64_t seed, std::uint64_t number) {
  for (std::size_t left = words.size(); left > 1; --left) {
    const auto other = static_cast<std::size_t>(
        analysis::resampled_index(static_cast<std::int64_t>(left), seed, number, 0, left));
    std::swap(words[left - 1], words[other]);
  }
}

}  // namespace

std::string transformation_text(const RecordOptions& options) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (options.first_words > 0) {
    add(fmt::format("first {} words", options.first_words));
  }
  if (options.concatenate > 1) {
    add(fmt::format("{} lines joined", options.concatenate));
  }
  if (options.shuffle_words) {
    add(fmt::format("words shuffled (seed {})", *options.shuffle_words));
  }
  if (options.round) {
    add(fmt::format("graph of round {}", *options.round));
  }
  return text;
}

SentenceStream::SentenceStream(const LoadedModel& loaded, const RecordOptions& options,
                               const std::filesystem::path& input, const CorpusPart& part)
    : loaded_(loaded), options_(options), input_(input), sample_(part.sample), limit_(options.max_length) {
  if (!io::is_treebank(options.input)) {
    lines_ = std::make_unique<io::CorpusReader>(
        input, io::CorpusOptions{
                   .invalid_utf8 = options.invalid_utf8, .utf8_advice = kUtf8Advice, .range = part.source});
  } else if (options.invalid_utf8 == io::InvalidUtf8::error) {
    trees_ = std::make_unique<io::ConlluReader>(input, io::TreebankHeads::optional, part.source);
  } else {
    throw UsageError(fmt::format("recording {}: treebanks are read as strict UTF-8; leave out --invalid-utf8",
                                 options.input.string()));
  }
  if (!options.target.empty()) {
    targets_ = std::make_unique<io::CorpusReader>(
        options.target,
        io::CorpusOptions{
            .invalid_utf8 = options.invalid_utf8, .utf8_advice = kUtf8Advice, .range = part.target});
  }
  if (limit_ == 0) {
    limit_ = kLongest;
  }
  if (loaded.longest > 0 && loaded.longest <= limit_) {
    limit_ = loaded.longest;
    limit_is_models_ = true;
  }
}

std::int64_t SentenceStream::advance() {
  while (true) {
    const bool there = lines_ != nullptr ? lines_->next(text_) : trees_->next(tree_);
    const std::int64_t number = lines_ != nullptr ? text_.number : tree_.number;
    lines_read_ = there ? number : lines_ != nullptr ? lines_->last() : lines_read_;
    if (!there || !sample_ || sample_->holds(number)) {
      return there ? number : 0;
    }
  }
}

Sentence SentenceStream::encoded() const {
  return lines_ != nullptr ? loaded_.tokenizer->encode(text_.text, text_.number)
                           : loaded_.tokenizer->encode_words(first_words(), tree_.number);
}

std::vector<std::string> SentenceStream::first_words() const {
  std::vector<std::string> words;
  const auto add = [&](const std::string& word) {
    if (options_.first_words == 0 || static_cast<std::int64_t>(words.size()) < options_.first_words) {
      words.push_back(word);
    }
  };
  if (lines_ == nullptr) {
    for (const io::TreebankWord& word : tree_.words) {
      add(word.form);
    }
    return words;
  }
  for (const Word& word : loaded_.tokenizer->encode(text_.text).words) {
    add(word.text);
  }
  return words;
}

std::optional<Sentence> SentenceStream::read() {
  const bool changed = !transformation_text(options_).empty();
  std::vector<std::string> words;
  std::int64_t number = 0;
  std::int64_t joined = 0;
  while (const std::int64_t place = advance()) {
    if (!changed) {
      return encoded();
    }
    const std::vector<std::string> more = first_words();
    if (more.empty() && options_.concatenate > 1) {
      continue;
    }
    number = joined == 0 ? place : number;
    words.insert(words.end(), more.begin(), more.end());
    if (++joined < options_.concatenate) {
      continue;
    }
    if (options_.shuffle_words) {
      shuffle(words, static_cast<std::uint64_t>(*options_.shuffle_words), static_cast<std::uint64_t>(number));
    }
    return loaded_.tokenizer->encode_words(words, number);
  }
  return std::nullopt;
}

std::optional<Sentence> SentenceStream::next() {
  while (std::optional<Sentence> sentence = read()) {
    if (!fit(*sentence)) {
      continue;
    }
    if (targets_ != nullptr && !add_target(*sentence)) {
      continue;
    }
    empty_ += sentence->words.empty() ? 1 : 0;
    return sentence;
  }
  if (targets_ != nullptr) {
    require_targets_end();
  }
  return std::nullopt;
}

bool SentenceStream::fit(Sentence& sentence) {
  const std::int64_t tokens = count(sentence.tokens);
  if (tokens <= limit_) {
    return true;
  }
  if (options_.long_sentences == LongPolicy::error) {
    refuse_long(sentence.number, tokens, limit_, input_, limit_is_models_);
  }
  if (options_.long_sentences == LongPolicy::skip) {
    ++skipped_long_;
    return false;
  }
  // The final </s> stays.
  Token end = sentence.tokens.back();
  sentence.tokens.resize(static_cast<std::size_t>(std::max<std::int64_t>(limit_ - 1, 0)));
  sentence.tokens.push_back(std::move(end));
  sentence.truncated = true;
  ++truncated_;
  return true;
}

void SentenceStream::find_target(std::int64_t number, io::CorpusLine& line) {
  while (targets_read_ < number) {
    if (!targets_->next(line)) {
      throw FormatError(
          fmt::format("reading the translations {}: it ends after line {}, line {} of {} has none; the two "
                      "files must be aligned line by line",
                      options_.target.string(), targets_read_, number, input_.string()));
    }
    targets_read_ = line.number;
  }
  if (targets_read_ > number) {
    throw FormatError(fmt::format(
        "reading the translations {}, line {}: it is not UTF-8 and was left out, so line {} of {} "
        "has no translation; use --invalid-utf8 replace",
        options_.target.string(), number, number, input_.string()));
  }
}

void SentenceStream::require_targets_end() {
  io::CorpusLine line;
  while (targets_->next(line)) {
    if (line.number > lines_read_) {
      throw FormatError(
          fmt::format("reading the translations {}, line {}: {} ends after line {}; the two files must be "
                      "aligned line by line",
                      options_.target.string(), line.number, input_.string(), lines_read_));
    }
  }
}

bool SentenceStream::add_target(Sentence& sentence) {
  io::CorpusLine line;
  find_target(sentence.number, line);
  std::string text = options_.begins.empty() ? "" : options_.begins + " ";
  text += line.text;
  auto [ids, words] = target_pieces(loaded_, text);
  const std::int64_t limit =
      loaded_.longest_target > 0 ? std::min(loaded_.longest_target, kLongest) : kLongest;
  if (static_cast<std::int64_t>(ids.size()) + 1 > limit) {
    if (options_.long_sentences == LongPolicy::error) {
      refuse_long(line.number, static_cast<std::int64_t>(ids.size()) + 1, limit, options_.target,
                  loaded_.longest_target > 0);
    }
    if (options_.long_sentences == LongPolicy::skip) {
      ++skipped_long_;
      return false;
    }
    ids.resize(static_cast<std::size_t>(limit - 1));
    truncated_ += sentence.truncated ? 0 : 1;
    sentence.truncated = true;
  }
  sentence.target_tokens = decoder_inputs(loaded_, ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    sentence.target_tokens[i + 1].word = words[i];  // those of the text, whatever its pieces look like
  }
  return true;
}

void SentenceStream::refuse_long(std::int64_t line, std::int64_t tokens, std::int64_t limit,
                                 const std::filesystem::path& file, bool of_model) const {
  throw ModelError(fmt::format(
      "reading {}, {} {}: the sentence has {} tokens with </s>, {} {}; {}", file.string(),
      lines_ == nullptr && file == input_ ? "sentence" : "line", line, tokens,
      of_model ? "the model's positions end at" : "the greatest length is", limit,
      options_.long_can_be_chosen ? "leave such lines out with --long skip or cut them with --long truncate"
                                  : "shorten it or leave it out"));
}

}  // namespace mog::app
