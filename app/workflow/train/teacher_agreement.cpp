// Student and teacher read the same sentences in the same batches, and their states are compared: sentences
// by the cosine of their sums (which is that of their means), tokens layer by layer where both cut the text
// alike. Layer l of the student meets layer ceil(l·L'/L) of the teacher, as in training (distillation.cpp).
//
// All states of a batch are held, O(layers · tokens · width) for both models; sums are float64. The squared
// distance is taken as |a|² + |b|² − 2ab from the three sums that the cosine needs anyway.
//
// Trap: with that form two states that are nearly equal lose digits in the difference. It is summed over
// tokens, where that does not show; for a single token it would.
#include "app/workflow/train/teacher_agreement.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "io/recording/errors.h"

namespace mog::app {

namespace {

using States = std::vector<std::vector<float>>;  // [layer][token * d_model]; the encoder's output last

class StateObserver final : public model::Observer {
 public:
  StateObserver(Stack stack, std::int64_t layers)
      : stack_(stack), states_(static_cast<std::size_t>(layers) + 1) {}

  std::optional<DType> wants(const QuantityName& name) const override {
    const bool wanted = name.stack() == stack_ && name.part() == Part::none &&
                        name.quantity() == Quantity::output && name.reduction() == Reduction::full;
    return wanted ? std::optional<DType>(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    const std::span<const float> all = values.values.values<float>();
    const std::size_t slot =
        name.layer() == 0 ? states_.size() - 1 : static_cast<std::size_t>(name.layer()) - 1;
    states_[slot].assign(all.begin(), all.end());
    return true;
  }
  const States& states() const noexcept { return states_; }

 private:
  Stack stack_;
  States states_;
};

double cosine(std::span<const double> left, std::span<const double> right) {
  const double dot = std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
  const double norms = std::sqrt(std::inner_product(left.begin(), left.end(), left.begin(), 0.0) *
                                 std::inner_product(right.begin(), right.end(), right.begin(), 0.0));
  return norms > 0.0 ? dot / norms : 0.0;
}

std::vector<double> sum_of(std::span<const float> states, std::int64_t begin, std::int64_t end,
                           std::size_t d_model) {
  std::vector<double> sum(d_model, 0.0);
  for (std::int64_t token = begin; token < end; ++token) {
    const std::span<const float> state = states.subspan(static_cast<std::size_t>(token) * d_model, d_model);
    for (std::size_t at = 0; at < d_model; ++at) {
      sum[at] += static_cast<double>(state[at]);
    }
  }
  return sum;
}

class Comparison {
 public:
  Comparison(const model::Model& student, const model::Model& teacher,
             std::span<const PairedSentence> sentences)
      : student_(student),
        teacher_(teacher),
        sentences_(sentences),
        layers_(student.config().encoder.layers),
        d_model_(static_cast<std::size_t>(student.config().encoder.d_model)),
        cosines_(static_cast<std::size_t>(layers_), 0.0),
        squares_(static_cast<std::size_t>(layers_), 0.0) {
    result_.sentence_cosine.resize(sentences.size(), 0.0);
  }

  void add(const std::vector<std::int64_t>& batch) {
    model::PackedBatch ours;
    model::PackedBatch theirs;
    for (const std::int64_t index : batch) {
      const PairedSentence& sentence = sentences_[static_cast<std::size_t>(index)];
      ours.append(std::span<const std::int64_t>(sentence.ids));
      theirs.append(std::span<const std::int64_t>(sentence.teacher_ids));
    }
    const States left = run(student_, ours);
    const States right = run(teacher_, theirs);
    for (std::size_t at = 0; at < batch.size(); ++at) {
      const auto index = static_cast<std::size_t>(batch[at]);
      const std::vector<double> mine = sum_of(left.back(), ours.offsets[at], ours.offsets[at + 1], d_model_);
      const std::vector<double> other =
          sum_of(right.back(), theirs.offsets[at], theirs.offsets[at + 1], d_model_);
      result_.sentence_cosine[index] = cosine(mine, other);
      const PairedSentence& sentence = sentences_[index];
      if (sentence.aligned && sentence.ids.size() == sentence.teacher_ids.size()) {
        ++result_.aligned_sentences;
        add_tokens(left, right, ours.offsets[at], theirs.offsets[at], ours.length(static_cast<int>(at)));
      }
    }
  }

  TeacherAgreement result() {
    const auto tokens = static_cast<double>(result_.aligned_tokens);
    for (std::size_t layer = 0; layer < cosines_.size(); ++layer) {
      result_.state_cosine.push_back(cosines_[layer] / tokens);
      result_.state_mse.push_back(squares_[layer] / tokens / static_cast<double>(d_model_));
    }
    return result_;
  }

 private:
  static States run(const model::Model& model, const model::PackedBatch& batch) {
    StateObserver observer(model.system().main().stack, model.config().encoder.layers);
    model::Observer* const observers[] = {&observer};
    model.run(batch, {}, observers);
    return observer.states();
  }

  void add_tokens(const States& left, const States& right, std::int64_t ours, std::int64_t theirs,
                  std::int64_t tokens) {
    const std::int64_t depth = teacher_.config().encoder.layers;
    for (std::int64_t layer = 1; layer <= layers_; ++layer) {
      const std::int64_t other = (layer * depth + layers_ - 1) / layers_;
      const std::span<const float> a = left[static_cast<std::size_t>(layer) - 1];
      const std::span<const float> b = right[static_cast<std::size_t>(other) - 1];
      for (std::int64_t token = 0; token < tokens; ++token) {
        add_token(static_cast<std::size_t>(layer) - 1,
                  a.subspan(static_cast<std::size_t>(ours + token) * d_model_, d_model_),
                  b.subspan(static_cast<std::size_t>(theirs + token) * d_model_, d_model_));
      }
    }
    result_.aligned_tokens += tokens;
  }

  void add_token(std::size_t layer, std::span<const float> a, std::span<const float> b) {
    double dot = 0.0;
    double left = 0.0;
    double right = 0.0;
    for (std::size_t at = 0; at < d_model_; ++at) {
      const auto x = static_cast<double>(a[at]);
      const auto y = static_cast<double>(b[at]);
      dot += x * y;
      left += x * x;
      right += y * y;
    }
    const double norms = std::sqrt(left * right);
    cosines_[layer] += norms > 0.0 ? dot / norms : 0.0;
    squares_[layer] += left + right - 2.0 * dot;
  }

  const model::Model& student_;
  const model::Model& teacher_;
  std::span<const PairedSentence> sentences_;
  std::int64_t layers_;
  std::size_t d_model_;
  std::vector<double> cosines_;  // [layer] sums over tokens
  std::vector<double> squares_;
  TeacherAgreement result_;
};

}  // namespace

double TeacherAgreement::sentence_mean() const {
  return sentence_cosine.empty() ? std::numeric_limits<double>::quiet_NaN()
                                 : std::accumulate(sentence_cosine.begin(), sentence_cosine.end(), 0.0) /
                                       static_cast<double>(sentence_cosine.size());
}

TeacherAgreement compare_with_teacher(const model::Model& student, const model::Model& teacher,
                                      std::span<const PairedSentence> sentences, std::int64_t batch_tokens,
                                      std::stop_token stop) {
  const std::int64_t ours = student.config().encoder.d_model;
  const std::int64_t theirs = teacher.config().encoder.d_model;
  if (ours != theirs) {
    throw ModelError("Comparing with a teacher: its d_model is " + std::to_string(theirs) +
                     " and the model's is " + std::to_string(ours) + "; both must be equal.");
  }
  std::vector<std::int64_t> lengths;
  for (const PairedSentence& sentence : sentences) {
    lengths.push_back(static_cast<std::int64_t>(sentence.ids.size()));
  }
  Comparison comparison(student, teacher, sentences);
  for (const std::vector<std::int64_t>& batch : model::pack_by_length(lengths, batch_tokens)) {
    if (stop.stop_requested()) {
      throw Interrupted("Comparing with a teacher was stopped.");
    }
    comparison.add(batch);
  }
  return comparison.result();
}

}  // namespace mog::app
