// Neighbours against a search of all words in float64, over stores, types and pieces.
#include "app/workflow/neighbours/neighbours_job.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "analysis/figure_data/no_cell.h"
#include "app/workflow/recordings/open_recording.h"
#include "io/hdf5/recording/recording_writer.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

using test::error_of;
using test::TemporaryFolder;

constexpr std::int64_t kWidth = 19;  // no whole number of vectors of any processor
constexpr std::int64_t kHeads = 2;

QuantitySchema schema(const std::string& name, std::vector<Axis> axes, std::vector<std::int64_t> extents,
                      DType dtype) {
  return {QuantityName::parse(name), std::move(axes), std::move(extents), dtype, "1", ""};
}

// Random sentences with words of one to three pieces, a special token at each end, one word of them without a
// token; some states are those of another word (ties), some zero, some no numbers.
struct Corpus {
  RecordingHeader header;
  RecordingBatch batch;

  explicit Corpus(DType dtype, int sentences = 40, std::uint32_t seed = 1) {
    header.model.name = "random";
    header.model.encoder_kind = "transformer";
    header.model.layers = 2;
    header.model.heads = kHeads;
    header.model.d_model = kWidth;
    header.model.weights_sha256 = std::string(64, 'a');
    header.provenance.corpus_sha256 = std::string(64, 'c');
    header.provenance.corpus_name = "corpus";
    header.model.tasks["upos"] = {"A", "B", "C"};
    header.quantities = {schema("encoder.1.output", {Axis::token, Axis::d_model}, {0, kWidth}, dtype),
                         schema("encoder.2.output", {Axis::token, Axis::d_model}, {0, kWidth}, dtype),
                         schema("encoder.2.full.attention", {Axis::head, Axis::query, Axis::key},
                                {kHeads, 0, 0}, DType::float32),
                         schema("heads.upos.logits", {Axis::token, Axis::tag}, {0, 3}, DType::float32)};
    std::sort(header.quantities.begin(), header.quantities.end(),
              [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::map<QuantityName, std::vector<float>> values;
    for (int number = 1; number <= sentences; ++number) {
      Sentence sentence;
      sentence.number = number;
      sentence.tokens.push_back({"<s>", 0, -1, {}});
      const auto words = static_cast<std::int64_t>(1 + random() % 9);
      for (std::int64_t word = 0; word < words; ++word) {
        const std::string form = (random() % 2 == 0 ? "W" : "w") + std::to_string(random() % 12);
        const auto begin = static_cast<std::int64_t>(sentence.text.size());
        sentence.text += form + " ";
        sentence.words.push_back({form, {begin, begin + static_cast<std::int64_t>(form.size())}});
        const bool none = number == 7 && word == 0;
        for (std::uint32_t piece = none ? 0U : 1U + static_cast<std::uint32_t>(random() % 3); piece > 0;
             --piece) {
          sentence.tokens.push_back({form, 5, word, {begin, begin + 1}});
        }
      }
      sentence.tokens.push_back({"</s>", 1, -1, {}});
      const std::size_t tokens = sentence.tokens.size();
      for (const QuantitySchema& one : header.quantities) {
        std::vector<float>& to = values[one.name];
        if (one.name.quantity() == Quantity::attention) {
          for (std::size_t row = 0; row < static_cast<std::size_t>(kHeads) * tokens; ++row) {
            std::vector<float> weights(tokens);
            float sum = 0;
            for (float& weight : weights) {
              weight = static_cast<float>(random() % 1000) + 1;
              sum += weight;
            }
            for (const float weight : weights) {
              to.push_back(weight / sum);
            }
          }
          continue;
        }
        const bool states = one.name.quantity() == Quantity::output;
        for (std::size_t token = 0; token < tokens; ++token) {
          const std::size_t width = states ? kWidth : 3;
          const bool twin = states && to.size() > width && random() % 8 == 0;
          for (std::size_t i = 0; i < width; ++i) {
            // Rounded to what half floats hold, so that all types have the same values.
            const float value = twin ? to[to.size() - width] : to_float(to_float16(normal(random) + 0.7F));
            to.push_back(states && number == 9 ? 0.0F : states && number == 11 ? std::nanf("") : value);
          }
        }
      }
      batch.sentences.push_back(std::move(sentence));
    }
    for (const auto& [name, all] : values) {
      batch.quantities.emplace_back(
          name,
          HostTensor::of<float>({static_cast<std::int64_t>(all.size())}, all).to(header.find(name)->dtype));
    }
  }

  std::shared_ptr<MemoryRecording> memory() const {
    auto recording = std::make_shared<MemoryRecording>();
    recording->begin(header);
    recording->write(batch);
    recording->finish();
    return recording;
  }
};

// Sentences [first, last) of a recording as a batch.
RecordingBatch part_of(const RecordingSource& source, bool odd) {
  RecordingBatch batch;
  std::map<QuantityName, std::vector<float>> values;
  for (std::int64_t index = 0; index < source.size(); ++index) {
    if ((index % 2 == 1) != odd) {
      continue;
    }
    batch.sentences.push_back(source.sentence(index));
    for (const QuantitySchema& one : source.header().quantities) {
      const std::vector<float> read = source.read(index, one.name).to_floats();
      values[one.name].insert(values[one.name].end(), read.begin(), read.end());
    }
  }
  for (const auto& [name, all] : values) {
    batch.quantities.emplace_back(name, HostTensor::of<float>({static_cast<std::int64_t>(all.size())}, all)
                                            .to(source.header().find(name)->dtype));
  }
  return batch;
}

struct Brute {
  double similarity;
  std::int64_t sentence;
  std::int64_t word;  // from 1
  std::string text;
};

std::vector<double> state_of(const RecordingSource& source, std::int64_t index, std::int64_t word,
                             const std::string& name) {
  const Sentence sentence = source.sentence(index);
  const std::vector<float> values = source.read(index, QuantityName::parse(name)).to_floats();
  std::vector<double> state(kWidth, 0.0);
  double pieces = 0;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word == word) {
      ++pieces;
      for (std::size_t i = 0; i < kWidth; ++i) {
        state[i] += static_cast<double>(values[token * kWidth + i]);
      }
    }
  }
  for (double& value : state) {
    value /= pieces;  // NaN without a piece
  }
  return state;
}

double cosine(const std::vector<double>& left, const std::vector<double>& right) {
  double dot = 0;
  double a = 0;
  double b = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    dot += left[i] * right[i];
    a += left[i] * left[i];
    b += right[i] * right[i];
  }
  return dot / std::sqrt(a * b);
}

std::vector<Brute> all_by(const RecordingSource& source, const NeighboursOptions& options,
                          const std::function<double(std::int64_t, std::int64_t)>& similarity) {
  std::vector<Brute> found;
  for (std::int64_t index = 0; index < source.size(); ++index) {
    const Sentence sentence = source.sentence(index);
    for (std::size_t word = 0; word < sentence.words.size(); ++word) {
      const auto number = static_cast<std::int64_t>(word + 1);
      const double one = similarity(index, static_cast<std::int64_t>(word));
      if (!std::isnan(one) && !(sentence.number == options.sentence && number == options.word)) {
        found.push_back({one, sentence.number, number, sentence.words[word].text});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const Brute& left, const Brute& right) {
    return std::tuple(-left.similarity, left.sentence, left.word) <
           std::tuple(-right.similarity, right.sentence, right.word);
  });
  return found;
}

std::vector<Brute> brute(const RecordingSource& source, const NeighboursOptions& options,
                         const std::string& name, bool center) {
  std::vector<double> mean(kWidth, 0.0);
  double words = 0;
  for (std::int64_t index = 0; center && index < source.size(); ++index) {
    for (std::size_t word = 0; word < source.sentence(index).words.size(); ++word) {
      const std::vector<double> state = state_of(source, index, static_cast<std::int64_t>(word), name);
      if (std::isfinite(state[0])) {
        ++words;
        std::transform(state.begin(), state.end(), mean.begin(), mean.begin(), std::plus<>());
      }
    }
  }
  const auto centered = [&](std::vector<double> state) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      // As the command takes it, in float32.
      state[i] -= static_cast<double>(static_cast<float>(mean[i] / std::max(words, 1.0)));
    }
    return state;
  };
  const std::vector<double> query = centered(state_of(source, options.sentence - 1, options.word - 1, name));
  return all_by(source, options, [&](std::int64_t index, std::int64_t word) {
    return cosine(query, centered(state_of(source, index, word, name)));
  });
}

void expect_same(const Neighbours& found, std::vector<Brute> all, std::int64_t k) {
  const std::size_t compared = all.size();
  all.resize(std::min(all.size(), static_cast<std::size_t>(k)));
  EXPECT_EQ(found.words, static_cast<std::int64_t>(compared));
  ASSERT_EQ(found.found.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(found.found[i].similarity, all[i].similarity, 1e-12) << i;
    // Where two differ by less than the rounding of the search above, either may stand first.
    const bool tied = (i > 0 && all[i - 1].similarity - all[i].similarity < 1e-12) ||
                      (i + 1 < all.size() && all[i].similarity - all[i + 1].similarity < 1e-12);
    if (!tied) {
      EXPECT_EQ(std::tuple(found.found[i].sentence, found.found[i].word),
                std::tuple(all[i].sentence, all[i].word))
          << i;
    }
    EXPECT_EQ(found.found[i].text(), all[i].text) << i;
  }
}

NeighboursOptions options_of(std::int64_t sentence, std::int64_t word, std::int64_t k = 25) {
  NeighboursOptions options;
  options.sentence = sentence;
  options.word = word;
  options.k = k;
  return options;
}

TEST(Neighbours, AreThoseOfASearchOfAllWords) {
  for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
    const auto recording = Corpus(dtype).memory();
    for (const bool center : {false, true}) {
      for (const std::int64_t sentence : {1, 2, 17, 40}) {
        NeighboursOptions options = options_of(sentence, 1);
        options.center = center;
        expect_same(find_neighbours(*recording, options),
                    brute(*recording, options, "encoder.2.output", center), options.k);
        options.layer = 1;
        expect_same(find_neighbours(*recording, options),
                    brute(*recording, options, "encoder.1.output", center), options.k);
      }
    }
  }
}

TEST(Neighbours, WithoutStatesOrDirectionAreLeftOut) {
  const auto recording = Corpus(DType::float32).memory();
  const Neighbours found = find_neighbours(*recording, options_of(1, 1, 10'000));
  std::int64_t words = 0;
  for (const std::int64_t count : recording->word_counts()) {
    words += count;
  }
  const auto of = [&](std::int64_t index) {
    return recording->word_counts()[static_cast<std::size_t>(index)];
  };
  EXPECT_EQ(found.left_out, of(8) + of(10) + 1);  // zeros, no numbers, the word without a token
  EXPECT_EQ(found.words, words - 1 - found.left_out);
  for (const NeighbourWord& word : found.found) {
    EXPECT_TRUE(word.sentence != 9 && word.sentence != 11);
  }
}

TEST(Neighbours, DoNotDependOnStoresPartsOrThreads) {
  const TemporaryFolder folder;
  const Corpus corpus(DType::float16);
  const auto memory = corpus.memory();
  NeighboursOptions options = options_of(5, 1);
  options.center = true;
  options.reference = 50;
  options.sample = 30;
  const std::string expected = to_json(find_neighbours(*memory, options));
  io::RecordingWriter whole(folder / "whole.rec", {.shard_sentences = 7});
  whole.begin(memory->header());
  whole.write(corpus.batch);
  whole.finish();
  for (const bool odd : {false, true}) {
    io::RecordingWriter part(folder / (odd ? "b.rec" : "a.rec"),
                             {.shard_sentences = 5, .part = odd ? 2 : 1, .parts = 2});
    part.begin(memory->header());
    part.write(part_of(*memory, odd));
    part.finish();
  }
  const std::vector<std::filesystem::path> one = {folder / "whole.rec"};
  const std::vector<std::filesystem::path> parts = {folder / "b.rec", folder / "a.rec"};
  for (const std::int64_t threads : {1, 3}) {
    options.threads = threads;
    EXPECT_EQ(to_json(find_neighbours(*open_recording(one), options)), expected);
    EXPECT_EQ(to_json(find_neighbours(*open_recording(parts), options)), expected);
  }
  EXPECT_NE(expected.find("\"sentences\": 30,"), std::string::npos);
}

TEST(Neighbours, OfEqualSimilarityComeInTheOrderOfTheCorpus) {
  Corpus corpus(DType::float32, 6);
  for (auto& [name, values] : corpus.batch.quantities) {
    if (name.quantity() == Quantity::output) {
      std::vector<float> same(static_cast<std::size_t>(values.size()));
      for (std::size_t i = 0; i < same.size(); ++i) {
        same[i] = static_cast<float>(i % kWidth) + 1;
      }
      values = HostTensor::of<float>({values.size()}, same);
    }
  }
  const Neighbours found = find_neighbours(*corpus.memory(), options_of(3, 1, 5));
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (const NeighbourWord& word : found.found) {
    EXPECT_EQ(word.similarity, found.found.front().similarity);
    places.emplace_back(word.sentence, word.word);
  }
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  EXPECT_EQ(places.front(), std::pair(std::int64_t{1}, std::int64_t{1}));
}

TEST(Neighbours, OfOtherWordsAreNotTheSameInEitherCase) {
  const auto recording = Corpus(DType::float32).memory();
  NeighboursOptions options = options_of(2, 1, 1000);
  options.other_words = true;
  const Neighbours found = find_neighbours(*recording, options);
  const auto number = [](const std::string& word) { return word.substr(1); };  // "W3" and "w3" are one word
  std::vector<Brute> all = brute(*recording, options, "encoder.2.output", false);
  std::erase_if(all, [&](const Brute& one) { return number(one.text) == number(found.word.text()); });
  expect_same(found, all, 1000);
}

// Attention by distance in words: special tokens are one place.
std::map<std::int64_t, double> relative(const RecordingSource& source, std::int64_t index, std::int64_t word,
                                        std::size_t head) {
  const Sentence sentence = source.sentence(index);
  const std::size_t tokens = sentence.tokens.size();
  const std::vector<float> map =
      source.read(index, QuantityName::parse("encoder.2.full.attention")).to_floats();
  std::map<std::int64_t, double> row;
  double sum = 0;
  for (std::size_t query = 0; query < tokens; ++query) {
    for (std::size_t key = 0; sentence.tokens[query].word == word && key < tokens; ++key) {
      const std::int64_t of = sentence.tokens[key].word;
      const auto weight = static_cast<double>(map[(head * tokens + query) * tokens + key]);
      row[of < 0 ? 1'000 : of - word] += weight;
      sum += weight;
    }
  }
  for (auto& [place, weight] : row) {
    weight /= sum;
  }
  return row;
}

double entropy(const std::map<std::int64_t, double>& row) {
  double sum = 0;
  for (const auto& [place, weight] : row) {
    sum -= weight > 0 ? weight * std::log2(weight) : 0;
  }
  return sum;
}

TEST(Neighbours, OfAHeadAreByTheJensenShannonDistance) {
  const auto recording = Corpus(DType::float32).memory();
  for (const std::size_t head : {0U, 1U}) {
    NeighboursOptions options = options_of(12, 1);
    options.head = "2." + std::to_string(head + 1);
    const auto query = relative(*recording, 11, 0, head);
    const std::vector<Brute> all = all_by(*recording, options, [&](std::int64_t index, std::int64_t word) {
      const auto other = relative(*recording, index, word, head);
      if (other.empty()) {
        return std::nan("");
      }
      std::map<std::int64_t, double> both;
      for (const auto& [place, weight] : query) {
        both[place] += weight / 2;
      }
      for (const auto& [place, weight] : other) {
        both[place] += weight / 2;
      }
      return 1 - std::sqrt(std::max(0.0, entropy(both) - (entropy(query) + entropy(other)) / 2));
    });
    const Neighbours found = find_neighbours(*recording, options);
    ASSERT_EQ(found.found.size(), 25U);
    for (std::size_t i = 0; i < found.found.size(); ++i) {
      EXPECT_NEAR(found.found[i].similarity, all[i].similarity, 1e-9);
      ASSERT_TRUE(found.found[i].attends.has_value());
    }
  }
}

TEST(Neighbours, SharesAreThoseOfTheWordsCompared) {
  const auto recording = Corpus(DType::float32).memory();
  const Neighbours found = find_neighbours(*recording, options_of(1, 1, 20));
  std::int64_t own = 0;
  std::int64_t all = 0;
  for (const NeighbourShare& share : found.shares) {
    if (share.group == "upos") {
      own += share.neighbours;
      all += share.all;
      const auto count = std::count_if(found.found.begin(), found.found.end(),
                                       [&](const NeighbourWord& word) { return word.upos == share.value; });
      EXPECT_EQ(share.neighbours, count);
      EXPECT_LE(share.ratio.low, share.ratio.ratio);
      EXPECT_GE(share.ratio.high, share.ratio.ratio);
    }
  }
  EXPECT_EQ(own, 20);
  EXPECT_EQ(all, found.words);
}

TEST(Neighbours, OccurrencesAreThoseOfASearchAmongTheReference) {
  // Few words, so that all are in the reference.
  const Corpus corpus(DType::float32, 8, 3);
  const auto recording = corpus.memory();
  const std::int64_t k = 3;
  const Neighbours found = find_neighbours(*recording, options_of(1, 1, k));
  ASSERT_EQ(found.reference, found.words);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> counts;
  double pairs = 0;
  double sum = 0;
  std::vector<Brute> words = brute(*recording, options_of(1, 1, k), "encoder.2.output", false);
  for (const Brute& one : words) {
    std::vector<Brute> near =
        brute(*recording, options_of(one.sentence, one.word, k), "encoder.2.output", false);
    std::erase_if(near, [](const Brute& other) { return other.sentence == 1 && other.word == 1; });
    for (std::size_t i = 0; i < near.size(); ++i) {
      sum += near[i].similarity;
      ++pairs;
      if (i < static_cast<std::size_t>(k)) {
        ++counts[{near[i].sentence, near[i].word}];
      }
    }
  }
  for (const NeighbourWord& word : found.found) {
    EXPECT_EQ(word.occurrences, (counts[{word.sentence, word.word}])) << word.sentence << ":" << word.word;
  }
  EXPECT_NEAR(found.occurrence.pair_mean, sum / pairs, 1e-9);
}

std::vector<std::vector<double>> concordance(const Neighbours& found, std::int64_t context) {
  const auto figure = neighbours_figure(found, context, NeighboursShown::list);
  const auto& map = std::get<analysis::HeatMap>(figure.body);
  std::vector<std::vector<double>> rows;
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    const auto begin = map.values.begin() + static_cast<std::ptrdiff_t>(row * map.columns.size());
    rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(map.columns.size()));
  }
  return rows;
}

TEST(Neighbours, FigureHasNoCellsBeyondTheSentence) {
  const auto recording = Corpus(DType::float32).memory();
  const std::int64_t context = 4;
  const Neighbours found = find_neighbours(*recording, options_of(1, 1));
  const auto rows = concordance(found, context);
  ASSERT_EQ(rows.size(), found.found.size() + 1);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const NeighbourWord& word = row == 0 ? found.word : found.found[row - 1];
    double sum = word.special;
    for (std::int64_t place = -context; place <= context; ++place) {
      const std::int64_t at = word.word - 1 + place;
      const double value = rows[row][static_cast<std::size_t>(place + context)];
      if (at < 0 || at >= static_cast<std::int64_t>(word.words.size())) {
        EXPECT_EQ(value, analysis::kNoCell);
      } else {
        EXPECT_EQ(value, word.gives[static_cast<std::size_t>(at)]);
        const bool no_piece = word.sentence == 7 && at == 0;  // a word that no token stands for is never seen
        EXPECT_EQ(value > 0, !no_piece) << value;
        sum += no_piece ? 0 : value;
      }
    }
    EXPECT_LE(sum, 1 + 1e-6);
  }
  const auto figure = neighbours_figure(found, context, NeighboursShown::list);
  EXPECT_EQ(figure.to_csv().find("inf"), std::string::npos);
  EXPECT_NE(figure.to_csv().find(",,\"\"\n"), std::string::npos)
      << figure.to_csv();  // neither a value nor a word
  EXPECT_TRUE(figure.caption.find("compared by cosine of encoder.2.output") != std::string::npos)
      << figure.caption;
  EXPECT_NE(figure.caption.find("special tokens, not shown, take"), std::string::npos) << figure.caption;
}

TEST(Neighbours, KeysThatAWordDoesNotSeeAreNoCells) {
  Corpus corpus(DType::float32);
  corpus.header.model.causal = true;
  const Neighbours found = find_neighbours(*corpus.memory(), options_of(1, 1));
  const auto rows = concordance(found, 3);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const NeighbourWord& word = row == 0 ? found.word : found.found[row - 1];
    for (std::size_t place = 4; place < 7; ++place) {  // behind the word
      const bool there =
          word.word - 1 + static_cast<std::int64_t>(place) - 3 < static_cast<std::int64_t>(word.words.size());
      EXPECT_EQ(rows[row][place], there ? analysis::kUnseen : analysis::kNoCell) << row << " " << place;
    }
    EXPECT_TRUE(std::isfinite(rows[row][3]));
  }
}

TEST(Neighbours, WithoutAttentionOnlyTheWordHasACell) {
  const auto recording = Corpus(DType::float32).memory();
  NeighboursOptions options = options_of(1, 1, 10'000);
  options.layer = 1;  // whose attention was not recorded
  const Neighbours found = find_neighbours(*recording, options);
  const auto rows = concordance(found, 2);
  double least = 1;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    for (std::size_t place = 0; place < 5; ++place) {
      EXPECT_EQ(rows[row][place], place == 2 ? found.found[row - 1].similarity : analysis::kNoCell);
    }
    least = std::min(least, rows[row][2]);
  }
  EXPECT_LT(least, 0);  // with its sign
  EXPECT_EQ(print_neighbours(found).find("attends"), std::string::npos);
  EXPECT_NE(to_json(found).find("\"special\": null"), std::string::npos);
}

TEST(Neighbours, SayWhatSpecialTokensTake) {
  const Corpus corpus(DType::float32);
  const auto recording = corpus.memory();
  const Neighbours found = find_neighbours(*recording, options_of(2, 1));
  // The mean over heads and pieces of what goes to the first and the last token.
  const Sentence sentence = recording->sentence(1);
  const auto tokens = static_cast<std::size_t>(sentence.tokens.size());
  const auto map = recording->read(1, QuantityName::parse("encoder.2.full.attention")).to_floats();
  double sum = 0;
  double rows = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(kHeads) * tokens; ++row) {
    if (sentence.tokens[row % tokens].word == 0) {
      sum += static_cast<double>(map[row * tokens]) + static_cast<double>(map[row * tokens + tokens - 1]);
      ++rows;
    }
  }
  EXPECT_NEAR(found.word.special, sum / rows, 1e-6);
  EXPECT_NE(print_neighbours(found).find(fmt::format(", special tokens {:.2f}", sum / rows)),
            std::string::npos)
      << print_neighbours(found);
  const analysis::Table table = neighbours_table(found);
  const auto column = std::find(table.columns.begin(), table.columns.end(), "special");
  ASSERT_NE(column, table.columns.end());
  EXPECT_EQ(std::get<double>(table.rows.front()[static_cast<std::size_t>(column - table.columns.begin())]),
            found.found.front().special);
}

TEST(Neighbours, OfFewWordsHaveNoOccurrences) {
  const Corpus corpus(DType::float32, 3, 3);
  const auto recording = corpus.memory();
  const std::int64_t words = find_neighbours(*recording, options_of(1, 1, 1)).words;
  for (const std::int64_t k : {words - 2, words - 1, words, words + 5}) {
    const Neighbours found = find_neighbours(*recording, options_of(1, 1, k));
    ASSERT_EQ(found.reference, words);
    const bool enough = k < words - 1;
    EXPECT_EQ(found.tells_occurrences(), enough) << k;
    EXPECT_EQ(found.notes.empty(), enough) << k;
    EXPECT_EQ(print_neighbours(found).find("k-occurrence N") != std::string::npos, enough) << k;
    EXPECT_EQ(to_json(found).find("\"most\": null") == std::string::npos, enough) << k;
    EXPECT_EQ(std::any_of(found.shares.begin(), found.shares.end(),
                          [](const NeighbourShare& share) { return share.group == "occurrences"; }),
              enough);
  }
  const Neighbours many = find_neighbours(*recording, options_of(1, 1, 100));
  ASSERT_EQ(many.notes.size(), 1U);
  EXPECT_EQ(
      many.notes.front(),
      fmt::format("too few words drawn for k = 100 ({}): no k-occurrences; a smaller -k has them", words));
  NeighboursOptions options = options_of(1, 1, 2);
  options.reference = 1;
  const Neighbours one = find_neighbours(*recording, options);
  EXPECT_NE(one.notes.front().find("or a greater --reference"), std::string::npos);
  EXPECT_NE(print_neighbours(one).find("any two words: – (1 word drawn)"), std::string::npos)
      << print_neighbours(one);
  EXPECT_EQ(print_neighbours(one).find("nan"), std::string::npos);
  EXPECT_EQ(neighbours_figure(one, 2).caption.find("nan"), std::string::npos);
  EXPECT_NE(to_json(one).find("\"pair_mean\": null"), std::string::npos);
}

TEST(Neighbours, SayWhatIsMissingAndHowToRecordIt) {
  const auto recording = Corpus(DType::float32).memory();
  const auto refused = [&](const NeighboursOptions& options) {
    return error_of([&] { find_neighbours(*recording, options); });
  };
  EXPECT_NE(refused(options_of(41, 1)).find("numbered from 1 to 40"), std::string::npos);
  EXPECT_NE(refused(options_of(1, 99)).find("--word 99: sentence 1 has"), std::string::npos);
  EXPECT_NE(refused(options_of(7, 1)).find("has no token"), std::string::npos);
  EXPECT_NE(refused(options_of(9, 1)).find("has no direction"), std::string::npos);
  EXPECT_NE(refused(options_of(11, 1)).find("has no direction"), std::string::npos);
  NeighboursOptions options = options_of(1, 1);
  options.layer = 0;
  EXPECT_NE(refused(options).find("mog record --quantity 'encoder.embedding'"), std::string::npos);
  options.layer = 3;
  EXPECT_NE(refused(options).find("has 2 layers"), std::string::npos);
  options = options_of(1, 1);
  options.quantity = "encoder.2.full.attention";
  EXPECT_NE(refused(options).find("[token, width]"), std::string::npos);
  options.quantity = "";
  for (const char* const head : {"2", "2.0", "0.1", "2.1x", "2.", ".1", "a.b"}) {
    options.head = head;
    EXPECT_NE(refused(options).find("counted from 1"), std::string::npos) << head;
  }
  options.head = "1.1";
  EXPECT_NE(refused(options).find("--capture attention"), std::string::npos);
  options.head = "2.3";
  EXPECT_NE(refused(options).find("has 2 heads"), std::string::npos);
  options.head = "2.1";
  options.center = true;
  EXPECT_NE(refused(options).find("--center is of states"), std::string::npos);
}

}  // namespace
}  // namespace mog::app
