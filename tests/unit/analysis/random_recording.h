// A recording of one sentence with random maps, gates, shares, head norms and cross-attention.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::test {

struct RandomRecordingOptions {
  std::string fusion = "weight_gate";  // "": a plain Transformer
  std::int64_t words = 4;
  std::int64_t layers = 3;
  std::int64_t heads = 2;
  std::int64_t decoder_layers = 2;
  std::int64_t steps = 3;  // of the translation; 0: none
  double zeros = 0.2;      // of the attention weights
  bool head_norms = true;
  bool shares = true;
  bool first_layer_plain = false;
  std::uint32_t seed = 1;
};

class RandomRecording {
 public:
  explicit RandomRecording(const RandomRecordingOptions& options) : options_(options), random_(options.seed) {
    sentence_.number = 1;
    // Words of one to three pieces, a special token at the end and sometimes at the beginning.
    if (pick(2) == 0) {
      sentence_.tokens.push_back({"<s>", 0, -1, {}});
    }
    for (std::int64_t word = 0; word < options.words; ++word) {
      const std::string form = "w" + std::to_string(word + 1);
      const auto begin = static_cast<std::int64_t>(sentence_.text.size());
      sentence_.text += form + " ";
      sentence_.words.push_back({form, {begin, begin + static_cast<std::int64_t>(form.size())}});
      for (std::int64_t piece = 1 + pick(3); piece > 0; --piece) {
        sentence_.tokens.push_back({form, 5 + word, word, {begin, begin + 1}});
      }
    }
    sentence_.tokens.push_back({"</s>", 2, -1, {}});
    for (std::int64_t step = 0; step < options.steps; ++step) {
      sentence_.target_tokens.push_back({"t", 7, step - 1, {}});
    }
    header_.model.encoder_kind = options.fusion.empty() ? "transformer" : "graph_transformer";
    header_.model.fusion = options.fusion;
    header_.model.first_layer = options.fusion.empty()      ? ""
                                : options.first_layer_plain ? "plain"
                                                            : "incremental";
    header_.model.layers = options.layers;
    header_.model.heads = options.heads;
    header_.model.decoder_layers = options.decoder_layers;
    for (std::int64_t layer = 1; layer <= options.layers; ++layer) {
      add_layer(layer);
    }
    for (std::int64_t layer = 1; options.steps > 0 && layer <= options.decoder_layers; ++layer) {
      maps("decoder." + std::to_string(layer) + ".cross.attention", options.steps, Axis::target_query);
    }
    write();
  }

  const MemoryRecording& recording() const { return recording_; }
  const Sentence& sentence() const { return sentence_; }

 private:
  std::int64_t pick(std::int64_t count) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(count));
  }
  float uniform() { return (static_cast<float>(random_() % 65536U) + 0.5F) / 65536.0F; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(sentence_.tokens.size()); }

  void add(const std::string& name, std::vector<Axis> axes, std::vector<std::int64_t> extents,
           const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    const HostTensor tensor = HostTensor::of<float>(shape, values);
    header_.quantities.push_back(
        {QuantityName::parse(name), std::move(axes), std::move(extents), tensor.dtype(), "1", ""});
    tensors_.emplace_back(QuantityName::parse(name), tensor);
  }
  // Rows [width] with sum 1, some weights 0.
  std::vector<float> rows(std::int64_t count, std::int64_t width) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < count; ++row) {
      std::vector<float> one;
      float sum = 0;
      for (std::int64_t i = 0; i < width; ++i) {
        one.push_back(uniform() < static_cast<float>(options_.zeros) ? 0.0F : uniform());
        sum += one.back();
      }
      if (sum <= 0) {
        one.assign(one.size(), 1.0F);
        sum = static_cast<float>(width);
      }
      for (const float value : one) {
        values.push_back(value / sum);
      }
    }
    return values;
  }
  void maps(const std::string& name, std::int64_t queries, Axis query) {
    add(name, {Axis::head, query, Axis::key}, {options_.heads, 0, 0}, {options_.heads, queries, tokens()},
        rows(options_.heads * queries, tokens()));
  }
  void per_token(const std::string& name, const std::vector<float>& values) {
    add(name, {Axis::token}, {0}, {tokens()}, values);
  }
  void add_layer(std::int64_t layer) {
    const std::string prefix = "encoder." + std::to_string(layer) + ".";
    const bool graph = !options_.fusion.empty();
    const bool groups = graph && !(layer == 1 && options_.first_layer_plain);
    std::vector<std::string> parts = {"full"};
    if (graph) {
      parts = {"high"};
    }
    if (groups) {
      parts = {"high", "middle1", "middle2"};
    }
    for (const std::string& part : parts) {
      maps(prefix + part + ".attention", tokens(), Axis::query);
      if (options_.head_norms) {
        std::vector<float> norms;
        for (std::int64_t i = 0; i < options_.heads * tokens(); ++i) {
          norms.push_back(3 * uniform());
        }
        add(prefix + part + ".attention.norm", {Axis::head, Axis::query}, {options_.heads, 0},
            {options_.heads, tokens()}, norms);
      }
    }
    if (groups && options_.fusion == "weight_gate") {
      std::vector<float> gate;
      for (std::int64_t i = 0; i < tokens(); ++i) {
        gate.push_back(uniform());
      }
      per_token(prefix + "gate.mean", gate);
    } else if (groups && options_.fusion == "self_gate") {
      add(prefix + "self_gate", {Axis::token, Axis::group_query, Axis::group_key}, {0, 4, 4},
          {tokens(), 4, 4}, rows(tokens() * 4, 4));
    }
    if (groups && options_.shares) {
      const std::vector<float> shares = rows(tokens(), 4);
      const char* const names[] = {"high", "middle1", "middle2", "low"};
      for (std::size_t part = 0; part < 4; ++part) {
        std::vector<float> one;
        for (std::int64_t i = 0; i < tokens(); ++i) {
          one.push_back(shares[static_cast<std::size_t>(i) * 4 + part]);
        }
        per_token(prefix + names[part] + ".output.share", one);
      }
    }
  }
  void write() {
    std::sort(header_.quantities.begin(), header_.quantities.end(),
              [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
    recording_.begin(header_);
    RecordingBatch batch;
    batch.sentences = {sentence_};
    for (const QuantitySchema& schema : header_.quantities) {
      for (const auto& [name, tensor] : tensors_) {
        if (name == schema.name) {
          batch.quantities.emplace_back(name, tensor.reshaped({tensor.size()}));
        }
      }
    }
    recording_.write(batch);
    recording_.finish();
  }

  RandomRecordingOptions options_;
  std::mt19937 random_;
  RecordingHeader header_;
  Sentence sentence_;
  std::vector<std::pair<QuantityName, HostTensor>> tensors_;
  MemoryRecording recording_;
};

}  // namespace mog::test
