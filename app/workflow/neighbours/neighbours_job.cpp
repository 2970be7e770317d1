// A corpus is read in blocks of neighbouring sentences, shared out among threads; each keeps the k nearest,
// counts and a sample of its own, which are merged. Nothing depends on who read what: ties go by the place in
// the corpus, counts are whole numbers, and the sample is of the words with the least random keys (one key a
// word), so that threads and parts of a recording cannot show. The mean of `--center` is summed block by
// block, added up in the order of the blocks, and rounded to float32: how a corpus was cut into shards and
// parts moves its last bits in float64.
//
// Cost: one pass over the values (two with the mean), O(1) a word besides; the reference takes its size
// squared.
#include "app/workflow/neighbours/neighbours_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "analysis/neighbours/nearest.h"
#include "analysis/random/bootstrap.h"
#include "app/workflow/neighbours/corpus_blocks.h"
#include "app/workflow/neighbours/neighbours_parts.h"
#include "app/workflow/syntax/syntax_job.h"
#include "app/workflow/trees/trees_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "model/tokenizer/text/lowercase.h"

namespace mog::app {
namespace {

std::vector<Sentence> sentences_of(const std::vector<SentenceWords>& run) {
  std::vector<Sentence> sentences;
  sentences.reserve(run.size());
  for (const SentenceWords& one : run) {
    sentences.push_back(one.sentence);
  }
  return sentences;
}

using analysis::WordPlace;

constexpr std::uint64_t kWordStream = 72;  // of keyed_random

std::string key_of(const std::string& word) {
  return model::lower_case(word).text;
}

// What one thread found, or all together.
struct Found {
  struct Sampled {
    std::uint64_t key;
    WordPlace place;
    std::shared_ptr<const WordValues> values;
    auto order() const { return std::tie(key, place); }
    friend bool operator<(const Sampled& left, const Sampled& right) { return left.order() < right.order(); }
  };
  explicit Found(const NeighboursOptions& options)
      : nearest(options.k), reference(static_cast<std::size_t>(options.reference)) {}

  bool samples(std::uint64_t key, WordPlace place) const {
    if (bound && !(std::tie(key, place) < std::tie(bound->first, bound->second))) {
      return false;
    }
    return sampled.size() < reference || (reference > 0 && std::tie(key, place) < sampled.front().order());
  }
  void sample(Sampled word) {
    if (!samples(word.key, word.place)) {
      return;
    }
    if (sampled.size() == reference) {
      std::pop_heap(sampled.begin(), sampled.end());
      sampled.pop_back();
    }
    sampled.push_back(std::move(word));
    std::push_heap(sampled.begin(), sampled.end());
  }
  void merge(Found&& other) {
    nearest.merge(other.nearest);
    words += other.words;
    left_out += other.left_out;
    sentences += other.sentences;
    for (auto& [value, count] : other.upos) {
      upos[value] += count;
    }
    for (auto& [value, count] : other.relations) {
      relations[value] += count;
    }
    for (Sampled& word : other.sampled) {
      sample(std::move(word));
    }
  }

  analysis::Nearest nearest;
  std::int64_t words = 0;
  std::int64_t left_out = 0;
  std::int64_t sentences = 0;
  std::map<std::string, std::int64_t> upos;
  std::map<std::string, std::int64_t> relations;
  // Words at or behind it are in no sample: what is known when a block begins.
  std::optional<std::pair<std::uint64_t, WordPlace>> bound;
  std::vector<Sampled> sampled;  // a heap, the greatest key on top
  std::size_t reference;
};

class Search {
 public:
  Search(const NeighboursOptions& options, const WordTags& tags, const WordComparison& comparison,
         WordPlace place, std::string key)
      : options_(options), tags_(tags), comparison_(comparison), place_(place), key_(std::move(key)) {}

  void add(const Block& block, Found& found) const {
    for (const std::vector<SentenceWords>& run : read_words(block, tags_)) {
      const std::vector<Sentence> sentences = sentences_of(run);
      const std::unique_ptr<WordBlock> read = comparison_.read(*block.source, run.front().index, sentences);
      for (std::size_t at = 0; at < run.size(); ++at) {
        add(run[at], at, *read, found);
      }
    }
  }

 private:
  void add(const SentenceWords& one, std::size_t at, const WordBlock& read, Found& found) const {
    ++found.sentences;
    for (std::size_t w = 0; w < one.sentence.words.size(); ++w) {
      const auto word = static_cast<std::int64_t>(w);
      const WordPlace place{one.sentence.number, word};
      if (place == place_) {
        continue;
      }
      const double similarity = read.similarity(at, word);
      if (std::isnan(similarity)) {
        ++found.left_out;
        continue;
      }
      if (options_.other_words && key_of(one.sentence.words[w].text) == key_) {
        continue;
      }
      ++found.words;
      if (!one.tags.upos.empty()) {
        ++found.upos[one.tags.upos[w]];
      }
      if (!one.tags.relations.empty()) {
        ++found.relations[one.tags.relations[w]];
      }
      if (const analysis::NearWord near{similarity, place}; found.nearest.takes(near)) {
        found.nearest.add(near);
      }
      const std::uint64_t key =
          analysis::keyed_random(options_.seed, kWordStream, static_cast<std::uint64_t>(place.sentence),
                                 static_cast<std::uint64_t>(place.word));
      if (found.samples(key, place)) {
        found.sample({key, place, std::make_shared<const WordValues>(read.values(at, word))});
      }
    }
  }

  const NeighboursOptions& options_;
  const WordTags& tags_;
  const WordComparison& comparison_;
  WordPlace place_;
  std::string key_;
};

std::vector<double> mean_state(std::span<const Block> blocks, const NeighboursOptions& options,
                               const WordTags& tags, const QuantityName& name, std::int64_t width) {
  std::vector<std::vector<double>> sums(blocks.size());
  std::vector<std::int64_t> words(blocks.size());
  over(blocks, options, "the mean of the states", [&](std::size_t at) {
    sums[at].assign(static_cast<std::size_t>(width), 0.0);
    for (const std::vector<SentenceWords>& run : read_words(blocks[at], tags)) {
      const std::vector<Sentence> sentences = sentences_of(run);
      words[at] += add_states(*blocks[at].source, run.front().index, sentences, name, sums[at]);
    }
  });
  std::vector<double> mean(static_cast<std::size_t>(width), 0.0);
  std::int64_t count = 0;
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    std::ranges::transform(sums[at], mean, mean.begin(), std::plus<>());
    count += words[at];
  }
  for (double& value : mean) {
    value = static_cast<double>(
        static_cast<float>(value / static_cast<double>(std::max<std::int64_t>(count, 1))));
  }
  return mean;
}

}  // namespace

Neighbours find_neighbours(const RecordingSource& source, const NeighboursOptions& options) {
  const ComparedQuantity compared = compared_quantity(source.header(), options);
  const bool skip = parse_mismatch_policy(options.mismatch) == MismatchPolicy::skip;
  const std::int64_t index = sentence_index(source, options.sentence);
  const WordTags tags(source.header(), options.treebank, skip, options.stop);
  Sentence sentence = source.sentence(index);
  const std::optional<TagsOfSentence> own = tags.tags(source, index, sentence);
  if (!own) {
    throw FormatError(
        fmt::format("{}; sentence {} itself cannot be compared: choose another, or leave --treebank out",
                    tags.first_skipped(), sentence.number));
  }
  check_word(sentence, options.word);
  const WordPlace place{sentence.number, options.word - 1};

  const std::vector<Block> blocks =
      blocks_of(source, *source.header().find(compared.name), options.sample, options.seed);
  const std::vector<std::int64_t> tokens = tokens_of(sentence, place.word);
  std::unique_ptr<WordComparison> comparison;
  WordValues values;
  std::vector<double> mean;
  if (compared.head == 0) {
    const std::int64_t width = source.header().find(compared.name)->extents.back();
    if (options.center) {
      mean = mean_state(blocks, options, tags, compared.name, width);
    }
    const std::vector<double> state = word_state(source, index, sentence, place.word, compared.name);
    comparison = compare_states(compared.name, state, mean);
  } else {
    const TokenRow row = compared.rows.read(source, index, static_cast<std::int64_t>(sentence.tokens.size()))
                             .row(tokens, compared.head);
    comparison = compare_rows(compared.rows, compared.head,
                              analysis::relative_row(sentence, place.word, row.weights, row.unknown));
  }
  const std::unique_ptr<WordBlock> own_block = comparison->read(source, index, std::span(&sentence, 1));
  if (std::isnan(own_block->similarity(0, place.word))) {
    throw FormatError(fmt::format(
        "neighbours: {} of word {} of sentence {} has no direction (it is zero, or holds values that are no "
        "numbers){}",
        compared.name.text(), options.word, sentence.number,
        options.center ? "; a corpus of equal states has none without its mean" : ""));
  }

  const Search search(options, tags, *comparison, place,
                      key_of(sentence.words[static_cast<std::size_t>(place.word)].text));
  Found all(options);
  std::mutex mutex;
  over(blocks, options, "comparing", [&](std::size_t at) {
    Found found(options);
    {
      const std::scoped_lock lock(mutex);
      if (!all.sampled.empty() && all.sampled.size() == all.reference) {
        found.bound = {all.sampled.front().key, all.sampled.front().place};
      }
    }
    search.add(blocks[at], found);
    const std::scoped_lock lock(mutex);
    all.merge(std::move(found));
  });

  Neighbours result;
  result.measure = compared.head == 0 ? "cosine" : "1 - Jensen-Shannon distance";
  result.quantity = compared.name.text();
  result.head = compared.head;
  result.centered = options.center;
  result.other_words = options.other_words;
  result.k = options.k;
  result.words = all.words;
  result.left_out = all.left_out;
  result.sentences = all.sentences;
  result.all_sentences = source.size();
  result.tags = tags.origin();
  result.model = source.header().model;
  result.corpus = source.header().provenance.corpus_name;
  const NeighbourFacts facts{source, tags, compared};
  result.word = facts.of({1, place});
  std::vector<WordValues> others;
  others.push_back(own_block->values(0, place.word));
  for (const analysis::NearWord& near : all.nearest.sorted()) {
    result.found.push_back(facts.of(near));
    const std::int64_t at = sentence_index(source, near.place.sentence);
    Sentence its = source.sentence(at);
    tags.tags(source, at, its);
    others.push_back(comparison->read(source, at, std::span(&its, 1))->values(0, near.place.word));
  }

  std::sort(all.sampled.begin(), all.sampled.end());
  const auto reference = static_cast<std::int64_t>(all.sampled.size());
  result.reference = reference;
  const auto value = [&](std::int64_t i) -> const WordValues& {
    return i < reference ? *all.sampled[static_cast<std::size_t>(i)].values
                         : others[static_cast<std::size_t>(i - reference)];
  };
  result.occurrence = analysis::k_occurrence(
      reference, static_cast<std::int64_t>(others.size()), options.k,
      [&](std::int64_t i, std::int64_t j) { return similarity(value(i), value(j)); },
      [&] { return options.stop.stop_requested(); });
  if (options.stop.stop_requested()) {
    throw Interrupted("neighbours: interrupted");
  }
  // A word that is in the reference itself is not counted against itself.
  std::map<WordPlace, std::int64_t> counts;
  for (std::int64_t i = 0; i < reference; ++i) {
    counts[all.sampled[static_cast<std::size_t>(i)].place] =
        result.occurrence.sample[static_cast<std::size_t>(i)];
  }
  const auto occurrences = [&](const NeighbourWord& word, std::size_t other) {
    const auto found = counts.find({word.sentence, word.word - 1});
    return found == counts.end() ? result.occurrence.others[other] : found->second;
  };
  result.word.occurrences = occurrences(result.word, 0);
  for (std::size_t i = 0; i < result.found.size(); ++i) {
    result.found[i].occurrences = occurrences(result.found[i], i + 1);
  }
  add_shares(result, {all.upos, all.relations});
  if (tags.skipped() > 0) {
    result.notes.push_back(fmt::format("{} left out that {} not the treebank's; the first: {}",
                                       counted(tags.skipped(), "sentence"),
                                       tags.skipped() == 1 ? "is" : "are", tags.first_skipped()));
  }
  if (reference > 0 && !result.tells_occurrences()) {
    result.notes.push_back(
        fmt::format("too few words drawn for k = {} ({}): no k-occurrences; a smaller -k{} has them",
                    options.k, reference, reference == options.reference ? " or a greater --reference" : ""));
  }
  if (all.left_out > 0) {
    result.notes.push_back(
        fmt::format("{} left out without a direction (no token, zero, or values that are no numbers)",
                    counted(all.left_out, "word")));
  }
  return result;
}

}  // namespace mog::app
