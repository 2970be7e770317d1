#include "app/workflow/neighbours/word_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double dot(std::span<const double> left, std::span<const double> right) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t at = 0;
  for (; at + kLanes <= left.size(); at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += left[at + lane] * right[at + lane];
    }
  }
  double sum = 0;
  for (; at < left.size(); ++at) {
    sum += left[at] * right[at];
  }
  for (const double lane : sums) {
    sum += lane;
  }
  return sum;
}

// The tokens of each word of some sentences, tokens counted through all of them.
struct Pieces {
  std::vector<std::vector<std::vector<std::int64_t>>> of;  // [sentence][word]
  std::int64_t tokens = 0;
};
Pieces pieces_in(std::span<const Sentence> sentences) {
  Pieces pieces;
  for (const Sentence& sentence : sentences) {
    std::vector<std::vector<std::int64_t>>& words = pieces.of.emplace_back(sentence.words.size());
    for (const Token& token : sentence.tokens) {
      if (token.word >= 0) {
        words.at(static_cast<std::size_t>(token.word)).push_back(pieces.tokens);
      }
      ++pieces.tokens;
    }
  }
  return pieces;
}

// [token, width] of some sentences in one of the types that are multiplied.
class States {
 public:
  States(const RecordingSource& source, std::int64_t first, std::int64_t sentences, const QuantityName& name)
      : width_(source.header().find(name)->extents.back()),
        values_(source.read_packed(first, sentences, name)) {
    const DType dtype = values_.dtype();
    if (dtype != DType::float16 && dtype != DType::float32 && dtype != DType::float64) {
      values_ = values_.to(DType::float32);
    }
  }
  std::int64_t width() const noexcept { return width_; }
  const HostTensor& values() const noexcept { return values_; }
  std::vector<double> mean(std::span<const std::int64_t> tokens) const {
    std::vector<double> result(static_cast<std::size_t>(width_), 0.0);
    std::vector<float> wide;
    for (const std::int64_t token : tokens) {
      const auto first = static_cast<std::size_t>(token * width_);
      switch (values_.dtype()) {
        case DType::float64:
          add(values_.values<double>().subspan(first, result.size()), result);
          break;
        case DType::float16:
          wide.resize(result.size());
          convert(values_.values<Float16>().subspan(first, result.size()), wide);
          add<float>(wide, result);
          break;
        default:
          add(values_.values<float>().subspan(first, result.size()), result);
      }
    }
    for (double& value : result) {
      value /= static_cast<double>(tokens.size());
    }
    return result;
  }

 private:
  template <class T>
  static void add(std::span<const T> row, std::span<double> sum) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += static_cast<double>(row[i]);
    }
  }
  std::int64_t width_;
  HostTensor values_;
};

class StateBlock final : public WordBlock {
 public:
  StateBlock(States states, Pieces pieces, const analysis::RowQuery& query, std::span<const double> mean)
      : states_(std::move(states)), pieces_(std::move(pieces)), query_(query), mean_(mean) {
    products_.resize(static_cast<std::size_t>(pieces_.tokens));
    const HostTensor& values = states_.values();
    switch (values.dtype()) {
      case DType::float16:
        query_.products(values.values<Float16>(), products_);
        break;
      case DType::float64:
        query_.products(values.values<double>(), products_);
        break;
      default:
        query_.products(values.values<float>(), products_);
    }
  }

  double similarity(std::size_t sentence, std::int64_t word) const override {
    const std::vector<std::int64_t>& tokens = pieces_.of.at(sentence).at(static_cast<std::size_t>(word));
    if (tokens.empty()) {
      return kNone;
    }
    if (tokens.size() == 1) {
      return query_.cosine(products_[static_cast<std::size_t>(tokens.front())]);
    }
    analysis::RowProduct product;
    query_.products(states_.mean(tokens), std::span(&product, 1));
    return query_.cosine(product);
  }

  WordValues values(std::size_t sentence, std::int64_t word) const override {
    const std::vector<std::int64_t>& tokens = pieces_.of.at(sentence).at(static_cast<std::size_t>(word));
    if (tokens.empty()) {
      return std::vector<double>();
    }
    std::vector<double> state = states_.mean(tokens);
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      state[i] -= mean_[i];
    }
    const double norm = std::sqrt(dot(state, state));
    if (!(norm > 0) || !std::isfinite(norm)) {
      return std::vector<double>();
    }
    for (double& value : state) {
      value /= norm;
    }
    return state;
  }

 private:
  States states_;
  Pieces pieces_;
  const analysis::RowQuery& query_;
  std::span<const double> mean_;
  std::vector<analysis::RowProduct> products_;
};

class StateComparison final : public WordComparison {
 public:
  StateComparison(const QuantityName& name, std::span<const double> state, std::span<const double> mean)
      : name_(name), mean_(mean.begin(), mean.end()), query_(state, mean) {}
  std::unique_ptr<WordBlock> read(const RecordingSource& source, std::int64_t first,
                                  std::span<const Sentence> sentences) const override {
    return std::make_unique<StateBlock>(
        States(source, first, static_cast<std::int64_t>(sentences.size()), name_), pieces_in(sentences),
        query_, mean_);
  }

 private:
  QuantityName name_;
  std::vector<double> mean_;
  analysis::RowQuery query_;
};

class RowBlock final : public WordBlock {
 public:
  RowBlock(const AttentionRows& rows, std::int64_t head, const analysis::RelativeRow& query,
           const RecordingSource& source, std::int64_t first, std::span<const Sentence> sentences)
      : query_(query) {
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const Sentence& sentence = sentences[i];
      std::vector<analysis::RelativeRow>& words = rows_.emplace_back(sentence.words.size());
      const AttentionRows::OfSentence read = rows.read(source, first + static_cast<std::int64_t>(i),
                                                       static_cast<std::int64_t>(sentence.tokens.size()));
      const Pieces pieces = pieces_in(sentences.subspan(i, 1));
      for (std::size_t word = 0; word < words.size(); ++word) {
        if (const std::vector<std::int64_t>& tokens = pieces.of.front()[word]; !tokens.empty()) {
          const TokenRow row = read.row(tokens, head);
          words[word] =
              analysis::relative_row(sentence, static_cast<std::int64_t>(word), row.weights, row.unknown);
        }
      }
    }
  }
  double similarity(std::size_t sentence, std::int64_t word) const override {
    return analysis::row_similarity(query_, rows_.at(sentence).at(static_cast<std::size_t>(word)));
  }
  WordValues values(std::size_t sentence, std::int64_t word) const override {
    return rows_.at(sentence).at(static_cast<std::size_t>(word));
  }

 private:
  const analysis::RelativeRow& query_;
  std::vector<std::vector<analysis::RelativeRow>> rows_;
};

class RowComparison final : public WordComparison {
 public:
  RowComparison(const AttentionRows& rows, std::int64_t head, analysis::RelativeRow row)
      : rows_(rows), head_(head), row_(std::move(row)) {}
  std::unique_ptr<WordBlock> read(const RecordingSource& source, std::int64_t first,
                                  std::span<const Sentence> sentences) const override {
    return std::make_unique<RowBlock>(rows_, head_, row_, source, first, sentences);
  }

 private:
  const AttentionRows& rows_;
  std::int64_t head_;
  analysis::RelativeRow row_;
};

}  // namespace

double similarity(const WordValues& left, const WordValues& right) {
  if (const auto* const state = std::get_if<std::vector<double>>(&left)) {
    const auto& other = std::get<std::vector<double>>(right);
    return state->empty() || other.empty() ? kNone : std::clamp(dot(*state, other), -1.0, 1.0);
  }
  return analysis::row_similarity(std::get<analysis::RelativeRow>(left),
                                  std::get<analysis::RelativeRow>(right));
}

std::vector<double> word_state(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                               std::int64_t word, const QuantityName& name) {
  return States(source, index, 1, name).mean(tokens_of(sentence, word));
}

std::int64_t add_states(const RecordingSource& source, std::int64_t first,
                        std::span<const Sentence> sentences, const QuantityName& name,
                        std::span<double> sum) {
  const States states(source, first, static_cast<std::int64_t>(sentences.size()), name);
  const bool causal = source.header().stack().causal;
  const Pieces pieces = pieces_in(sentences);
  std::int64_t words = 0;
  std::int64_t first_token = 0;  // of the sentence
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (const std::vector<std::int64_t>& tokens : pieces.of[i]) {
      if (tokens.empty() || (causal && tokens.front() == first_token)) {
        continue;
      }
      const std::vector<double> state = states.mean(tokens);
      if (std::isfinite(dot(state, state))) {
        std::ranges::transform(state, sum, sum.begin(), std::plus<>());
        ++words;
      }
    }
    first_token += static_cast<std::int64_t>(sentences[i].tokens.size());
  }
  return words;
}

std::unique_ptr<WordComparison> compare_states(const QuantityName& name, std::span<const double> state,
                                               std::span<const double> mean) {
  return std::make_unique<StateComparison>(name, state, mean);
}

std::unique_ptr<WordComparison> compare_rows(const AttentionRows& rows, std::int64_t head,
                                             analysis::RelativeRow row) {
  return std::make_unique<RowComparison>(rows, head, std::move(row));
}

}  // namespace mog::app
