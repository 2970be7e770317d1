#include "analysis/mog/from_recording.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// How far an attention row may miss 1 before it is refused: what the stored precision explains.
double row_tolerance(DType dtype) {
  return dtype == DType::float16 ? 5e-3 : dtype == DType::bfloat16 ? 2e-2 : 1e-3;
}

class Builder {
 public:
  Builder(const RecordingSource& source, std::int64_t index, const WordGrammarOptions& options)
      : source_(source), index_(index), options_(options), sentence_(source.sentence(index)) {}

  WordGrammar build() {
    choose_words();
    choose_kind();
    GrammarInput& input = result_.input;
    for (std::int64_t layer = 1; layer <= input.layers; ++layer) {
      read_maps(layer);
      if (input.kind == GrammarKind::graph_transformer) {
        read_gate(layer);
      }
    }
    if (input.kind == GrammarKind::transformer) {
      input.rho.assign(at(input.layers), std::vector<double>(at(words_), options_.rho));
    }
    return std::move(result_);
  }

 private:
  const ModelCard& model() const { return source_.header().model; }
  bool has(const QuantityName& name) const { return source_.header().find(name) != nullptr; }
  static QuantityName attention_name(std::int64_t layer, Part part) {
    return {Stack::encoder, layer, part, Quantity::attention};
  }
  static QuantityName gate_name(std::int64_t layer) {
    return {Stack::encoder, layer, Part::none, Quantity::gate};
  }

  // Pieces of words, or kept pieces, numbered from 1 in order; words without a token are left out.
  void choose_words() {
    std::vector<std::int64_t> number(sentence_.words.size(), 0);
    for (const Token& token : sentence_.tokens) {
      if (token.word < 0) {
        word_of_piece_.push_back(0);
        continue;
      }
      if (token.word >= static_cast<std::int64_t>(sentence_.words.size())) {
        throw FormatError(fmt::format("sentence {}: token \"{}\" belongs to word {} of {}", sentence_.number,
                                      token.text, token.word + 1, sentence_.words.size()));
      }
      if (options_.keep_pieces) {
        result_.input.words.push_back(token.text);
        word_of_piece_.push_back(static_cast<std::int64_t>(result_.input.words.size()));
        continue;
      }
      std::int64_t& word = number[at(token.word)];
      if (word == 0) {
        result_.input.words.push_back(sentence_.words[at(token.word)].text);
        word = static_cast<std::int64_t>(result_.input.words.size());
      }
      word_of_piece_.push_back(word);
    }
    words_ = static_cast<std::int64_t>(result_.input.words.size());
    if (words_ == 0) {
      throw UsageError(fmt::format("sentence {} has no words: choose another one", sentence_.number));
    }
    if (sentence_.truncated) {
      result_.notes.emplace_back("the model read only the beginning of this sentence");
    }
  }

  void choose_kind() {
    std::int64_t layers = model().layers;
    bool graph = model().encoder_kind == "graph_transformer";
    if (model().encoder_kind.empty()) {
      for (const QuantitySchema& schema : source_.header().quantities) {
        graph = graph || schema.name.part() == Part::high;
        layers = schema.name.stack() == Stack::encoder ? std::max(layers, schema.name.layer()) : layers;
      }
    }
    result_.input.kind = graph ? GrammarKind::graph_transformer : GrammarKind::transformer;
    result_.input.layers = layers;
    if (layers < 1) {
      throw UsageError("the recording holds no encoder layer: record with --capture attention,gates");
    }
  }

  // The tensor as doubles. Throws ShapeError when its shape is not `shape` (0: any extent).
  std::vector<double> read(const QuantityName& name, std::span<const std::int64_t> shape, DType& dtype,
                           std::int64_t& first_extent) {
    const HostTensor tensor = source_.read(index_, name);
    bool same = tensor.shape().size() == shape.size();
    for (std::size_t i = 0; same && i < shape.size(); ++i) {
      same = shape[i] == 0 || tensor.shape()[i] == shape[i];
    }
    if (!same) {
      throw ShapeError(fmt::format("{} of sentence {}: expected the shape {}, found {} (0: any)", name.text(),
                                   sentence_.number, shape_text(shape), shape_text(tensor.shape())));
    }
    dtype = tensor.dtype();
    first_extent = tensor.shape().empty() ? 1 : tensor.shape().front();
    if (dtype == DType::float64) {
      const auto values = tensor.values<double>();
      return {values.begin(), values.end()};
    }
    const std::vector<float> values = tensor.to_floats();
    return {values.begin(), values.end()};
  }

  // Refuses rows that are no probabilities; renormalises the others, which storing has rounded.
  void check_rows(const QuantityName& name, std::vector<double>& map, DType dtype) {
    const auto pieces = static_cast<std::int64_t>(word_of_piece_.size());
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(map.size()) / pieces; ++row) {
      double* const values = map.data() + row * pieces;
      double sum = 0;
      double least = 0;
      for (std::int64_t k = 0; k < pieces; ++k) {
        sum += values[k];
        least = std::min(least, values[k]);
      }
      if (!(std::abs(sum - 1) <= row_tolerance(dtype)) || least < 0) {
        throw FormatError(
            fmt::format("{} of sentence {}, head {}, query {}: expected probabilities with sum 1, found the "
                        "sum {}{}; the "
                        "recording is damaged or its maps were changed",
                        name.text(), sentence_.number, row / pieces + 1, row % pieces + 1, sum,
                        least < 0 ? " and negative values" : ""));
      }
      for (std::int64_t k = 0; k < pieces; ++k) {
        values[k] /= sum;
      }
    }
  }

  void read_maps(std::int64_t layer) {
    static constexpr Part kGraph[] = {Part::high, Part::middle1, Part::middle2};
    static constexpr Part kFull[] = {Part::full};
    const bool graph = result_.input.kind == GrammarKind::graph_transformer;
    // Layer 1 has nothing previous: only its high map makes joins.
    const std::span<const Part> parts =
        !graph ? std::span<const Part>(kFull) : std::span<const Part>(kGraph).first(layer == 1 ? 1 : 3);
    auto& maps = result_.input.attention.emplace_back();
    auto& dropped = result_.dropped.emplace_back();
    const auto pieces = static_cast<std::int64_t>(word_of_piece_.size());
    for (const Part part : parts) {
      QuantityName name = attention_name(layer, part);
      const bool every_head = has(name);
      if (!every_head) {
        if (!has(name.with(Reduction::mean_heads))) {
          throw UsageError(fmt::format(
              "the recording does not hold {}, which trees need: record with --capture attention,gates",
              name.text()));
        }
        if (!options_.head_weights.empty()) {
          throw UsageError(
              fmt::format("head weights need {}, but the recording holds its mean only", name.text()));
        }
        name = name.with(Reduction::mean_heads);
      }
      const std::int64_t shape[] = {0, pieces, pieces};
      DType dtype = DType::float32;
      std::int64_t heads = 1;
      std::vector<double> map = read(name, std::span(shape).subspan(every_head ? 0 : 1), dtype, heads);
      check_rows(name, map, dtype);
      maps.push_back(merge_map(map, every_head ? heads : 1, word_of_piece_, words_, options_.head_weights,
                               dropped.emplace_back()));
    }
    maps.resize(graph ? 3 : 1);
    dropped.resize(maps.size());
  }

  void read_gate(std::int64_t layer) {
    std::vector<double> gate(at(words_), 0.75);  // sum: three of the four parts are new
    std::vector<double> pi(at(words_ * 3), 1.0 / 3);
    const bool plain = layer == 1 && model().first_layer == "plain";
    const QuantityName self_gate(Stack::encoder, layer, Part::none, Quantity::self_gate);
    std::string_view fusion = model().fusion;
    if (fusion.empty()) {
      fusion = has(self_gate) ? "self_gate" : "weight_gate";
    }
    if (plain) {
      gate.assign(at(words_), 0.5);
    } else if (fusion == "self_gate") {
      read_self_gate(self_gate, gate, pi);
    } else if (fusion == "weight_gate") {
      gate = read_weight_gate(layer);
      if (layer == result_.input.layers) {
        result_.notes.emplace_back("g is the weight of high and middle order together (mean over d_model)");
      }
    } else if (layer == result_.input.layers) {
      result_.notes.emplace_back("the model has no gate: g = 3/4");
    }
    for (double& g : gate) {
      g *= 1 - options_.residual_share;
    }
    result_.input.gate.push_back(std::move(gate));
    result_.input.pi.push_back(std::move(pi));
  }

  // Values outside [0, 1] by no more than rounding are put back; others are damage.
  void check_unit(const QuantityName& name, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] >= -1e-3 && values[i] <= 1 + 1e-3)) {
        throw FormatError(fmt::format("{} of sentence {}: expected numbers in [0, 1], found {} at place {}",
                                      name.text(), sentence_.number, values[i], i + 1));
      }
      values[i] = std::clamp(values[i], 0.0, 1.0);
    }
  }

  std::vector<double> read_weight_gate(std::int64_t layer) {
    const auto pieces = static_cast<std::int64_t>(word_of_piece_.size());
    DType dtype = DType::float32;
    std::int64_t extent = 0;
    const QuantityName whole = gate_name(layer);
    const QuantityName mean = whole.with(Reduction::mean);
    if (has(mean)) {
      const std::int64_t shape[] = {pieces};
      std::vector<double> values = read(mean, shape, dtype, extent);
      check_unit(mean, values);
      return merge_values(values, 1, word_of_piece_, words_);
    }
    if (!has(whole)) {
      throw UsageError(fmt::format(
          "the recording holds neither {} nor {}, which trees need: record with --capture attention,gates",
          mean.text(), whole.text()));
    }
    const std::int64_t shape[] = {pieces, 0};
    std::vector<double> values = read(whole, shape, dtype, extent);
    check_unit(whole, values);
    const std::int64_t width = static_cast<std::int64_t>(values.size()) / std::max<std::int64_t>(pieces, 1);
    std::vector<double> means(at(pieces), 0.0);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      for (std::int64_t d = 0; d < width; ++d) {
        means[at(piece)] += values[at(piece * width + d)] / static_cast<double>(width);
      }
    }
    return merge_values(means, 1, word_of_piece_, words_);
  }

  // Shares u of i_h, i_m1, i_m2, i_l: the column means of S. g = 1 - u_low, pi_p = u_p / (1 - u_low).
  void read_self_gate(const QuantityName& name, std::vector<double>& gate, std::vector<double>& pi) {
    if (!has(name)) {
      throw UsageError(fmt::format(
          "the recording does not hold {}, which trees need: record with --capture attention,gates",
          name.text()));
    }
    const auto pieces = static_cast<std::int64_t>(word_of_piece_.size());
    const std::int64_t shape[] = {pieces, 4, 4};
    DType dtype = DType::float32;
    std::int64_t extent = 0;
    std::vector<double> values = read(name, shape, dtype, extent);
    check_unit(name, values);
    std::vector<double> g(at(pieces));
    std::vector<double> shares(at(pieces * 3));
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      double u[4] = {0, 0, 0, 0};
      double total = 0;
      for (std::int64_t cell = 0; cell < 16; ++cell) {
        u[cell % 4] += values[at(piece * 16 + cell)];
        total += values[at(piece * 16 + cell)];
      }
      if (!(std::abs(total - 4) <= 0.1)) {
        throw FormatError(
            fmt::format("{} of sentence {}, token {}: expected four rows with sum 1, found the sum {}",
                        name.text(), sentence_.number, piece + 1, total));
      }
      const double fresh = u[0] + u[1] + u[2];
      g[at(piece)] = fresh / total;
      for (std::int64_t p = 0; p < 3; ++p) {
        shares[at(piece * 3 + p)] = fresh > 0 ? u[p] / fresh : 1.0 / 3;
      }
    }
    gate = merge_values(g, 1, word_of_piece_, words_);
    pi = merge_values(shares, 3, word_of_piece_, words_);
  }

  const RecordingSource& source_;
  std::int64_t index_;
  const WordGrammarOptions& options_;
  Sentence sentence_;
  std::vector<std::int64_t> word_of_piece_;
  std::int64_t words_ = 0;
  WordGrammar result_;
};

}  // namespace

WordGrammar build_word_grammar(const RecordingSource& source, std::int64_t index,
                               const WordGrammarOptions& options) {
  if (index < 0 || index >= source.size()) {
    throw UsageError(
        fmt::format("sentence {}: the recording holds sentences 1 to {}", index + 1, source.size()));
  }
  for (const double share : {options.rho, options.residual_share}) {
    if (!(share >= 0 && share <= 1)) {
      throw UsageError(fmt::format("residual share: expected a number in [0, 1], found {}", share));
    }
  }
  return Builder(source, index, options).build();
}

}  // namespace mog::analysis
