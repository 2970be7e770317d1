// Threads take blocks of neighbouring sentences: up to 64, and up to 4,000,000 values, so that a map of a
// block is one read and stays in the cache of a core, and long sentences do not gather. The treebank is a
// stream and can only be read forwards; gold trees are ready when a block leaves.
//
// Trap: next() is called by one thread at a time (share_out) and does the reading of sentences and trees.
// Whatever is slow belongs into load().
#include "app/workflow/syntax/syntax_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "app/workflow/common/parallel.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

// Of one block: large enough that reading is one call a map and not one a sentence, small enough that the
// maps of a block stay in the cache of one core.
constexpr std::int64_t kBlockValues = 4'000'000;
constexpr std::int64_t kBlockSentences = 64;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

void SentenceBlock::load(std::span<const QuantityName> maps) {
  for (const QuantityName& name : maps) {
    Packed packed{header().find(name), source_.read_packed(first_, size(), name), {0}};
    for (const Sentence& sentence : sentences_) {
      packed.starts.push_back(
          packed.starts.back() +
          packed.schema->elements(static_cast<std::int64_t>(sentence.tokens.size()),
                                  static_cast<std::int64_t>(sentence.target_tokens.size())));
    }
    if (packed.starts.back() != packed.values.size()) {
      throw FormatError(fmt::format("{} of sentences {} to {}: expected {} values, found {}", name.text(),
                                    sentences_.front().number, sentences_.back().number, packed.starts.back(),
                                    packed.values.size()));
    }
    packed_.emplace(name, std::move(packed));
  }
}

std::vector<std::int64_t> SentenceBlock::token_counts() const {
  std::vector<std::int64_t> counts;
  for (const Sentence& sentence : sentences_) {
    counts.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  return counts;
}

std::vector<std::int64_t> SentenceBlock::word_counts() const {
  std::vector<std::int64_t> counts;
  for (const Sentence& sentence : sentences_) {
    counts.push_back(static_cast<std::int64_t>(sentence.words.size()));
  }
  return counts;
}

HostTensor SentenceBlock::read(std::int64_t index, const QuantityName& name) const {
  const auto found = packed_.find(name);
  if (found == packed_.end()) {
    return source_.read(first_ + index, name);
  }
  const Packed& packed = found->second;
  const Sentence& sentence = sentences_.at(at(index));
  return packed.values.slice_flat(
      packed.starts[at(index)],
      packed.schema->shape(static_cast<std::int64_t>(sentence.tokens.size()),
                           static_cast<std::int64_t>(sentence.target_tokens.size())));
}

BlockReader::BlockReader(const RecordingSource& source, const SyntaxOptions& options,
                         const TreebankSurvey& survey, std::int64_t values)
    : source_(source),
      options_(options),
      survey_(survey),
      values_(values),
      tokens_(source.token_counts()),
      treebank_(options.treebank) {}

GoldSentence BlockReader::gold_of(std::int64_t number) {
  while (tree_.number < number) {
    if (!treebank_.next(tree_)) {
      if (options_.mismatch == MismatchPolicy::skip) {
        return {.number = number, .line = tree_.line, .missing = true};
      }
      throw FormatError(
          fmt::format("{}: it has {} sentences, the recording has a sentence {}; sentence n of the recording "
                      "must be sentence n of the treebank; --mismatch skip leaves the rest out",
                      options_.treebank.string(), survey_.sentences, number));
    }
  }
  return gold_sentence(tree_, survey_, options_);
}

std::unique_ptr<SentenceBlock> BlockReader::next() {
  if (next_ >= source_.size()) {
    return nullptr;
  }
  const std::int64_t first = next_;
  std::vector<GoldSentence> gold;
  std::vector<Sentence> sentences;
  std::int64_t values = 0;
  while (next_ < source_.size() && std::ssize(gold) < kBlockSentences) {
    const std::int64_t more = tokens_[at(next_)] * tokens_[at(next_)] * values_;
    if (!gold.empty() && values + more > kBlockValues) {
      break;
    }
    values += more;
    sentences.push_back(source_.sentence(next_));
    gold.push_back(gold_of(sentences.back().number));
    ++next_;
  }
  return std::make_unique<SentenceBlock>(source_, first, std::move(gold), std::move(sentences));
}

std::string align_or_refuse(Sentence& sentence, const GoldSentence& gold, const SyntaxOptions& options,
                            const TreebankSurvey& survey) {
  if (gold.missing) {
    return fmt::format("the treebank ends before it, with {} sentences", survey.sentences);
  }
  std::string why = align(sentence, gold.forms);
  if (!why.empty() && options.mismatch == MismatchPolicy::error) {
    throw FormatError(fmt::format(
        "{}: line {}: sentence {}: {}; record the treebank itself (mog record --input {}), or "
        "leave such sentences out with --mismatch skip",
        options.treebank.string(), gold.line, gold.number, why, options.treebank.filename().string()));
  }
  return why;
}

std::vector<SkippedSentence> walk_aligned(const RecordingSource& source, const SyntaxOptions& options,
                                          const TreebankSurvey& survey, std::span<const QuantityName> maps,
                                          const analysis::SearchControl& control, std::string_view what,
                                          const ProgressCallback& progress, const EachBlock& each) {
  std::int64_t values = 1;  // of a token squared
  for (const QuantityName& name : maps) {
    const std::int64_t heads = source.header().find(name)->extents.at(0);
    values += std::max<std::int64_t>(heads, 1);
  }
  BlockReader blocks(source, options, survey, values);
  std::vector<SkippedSentence> skipped(at(source.size()));  // number 0: not skipped
  std::mutex mutex;                                         // of progress
  std::int64_t done = 0;
  const auto work = [&](SentenceBlock& block) {
    block.load(maps);
    std::vector<std::int64_t> aligned;
    for (std::int64_t index = 0; index < block.size(); ++index) {
      const GoldSentence& gold = block.gold(index);
      std::string why = align_or_refuse(block.aligned(index), gold, options, survey);
      if (why.empty()) {
        aligned.push_back(index);
      } else {
        skipped[at(block.first() + index)] = {gold.number, gold.line, std::move(why)};
      }
    }
    each(block, aligned);
    const std::lock_guard lock(mutex);
    done += block.size();
    if (progress) {
      progress({.done = done, .total = source.size(), .unit = "sentences", .message = std::string(what)});
    }
  };
  try {
    share_out(std::min(thread_count(options.threads), source.size()), [&]() -> std::function<void()> {
      std::shared_ptr<SentenceBlock> block = control.stop.stop_requested() ? nullptr : blocks.next();
      if (block == nullptr) {
        return {};
      }
      return [&work, block = std::move(block)] { work(*block); };
    });
  } catch (...) {
    control.check();  // before what the stop made of a block
    throw;
  }
  control.check();
  std::erase_if(skipped, [](const SkippedSentence& sentence) { return sentence.number == 0; });
  return skipped;
}

}  // namespace mog::app
