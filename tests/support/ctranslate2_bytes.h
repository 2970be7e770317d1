// Models of CTranslate2 as bytes, made variable by variable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/weights_bytes.h"

namespace mog::test {

inline constexpr std::uint64_t kF32 = 0;
inline constexpr std::uint64_t kI8 = 1;
inline constexpr std::uint64_t kI16 = 2;
inline constexpr std::uint64_t kI32 = 3;

inline std::string named(const std::string& name) {
  return little_endian(name.size() + 1, 2) + name + '\0';
}

struct Variable {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::uint64_t type = kF32;
  std::string data = {};                         // zeros where it is empty
  std::optional<std::uint64_t> declared = {};    // bytes; before version 4 elements
  std::optional<std::string> written_name = {};  // with its length and NUL

  std::string bytes(std::uint64_t version) const {
    static constexpr std::uint64_t kWidths[] = {4, 1, 2, 4, 2, 2};
    const std::uint64_t width = type < std::size(kWidths) ? kWidths[type] : 1;
    std::uint64_t elements = 1;
    std::string all = written_name.value_or(named(name)) + little_endian(shape.size(), 1);
    for (const std::uint64_t extent : shape) {
      all += little_endian(extent, 4);
      elements *= extent;
    }
    all += little_endian(version >= 4 ? type : width, 1);
    all += little_endian(declared.value_or(version >= 4 ? elements * width : elements), 4);
    return all + (data.empty() ? std::string(elements * width, '\0') : data);
  }
};

// A sound encoder of one layer of width 4 with feed-forward parts of width 8, part by part.
struct CTranslate2Model {
  std::uint64_t version = 6;
  std::string specification = named("TransformerEncoderSpec");
  std::uint64_t revision = 1;
  std::vector<Variable> variables = {{"encoder/embeddings_0/weight", {5, 4}},
                                     {"encoder/layer_0/ffn/layer_norm/gamma", {4}},
                                     {"encoder/layer_0/ffn/layer_norm/beta", {4}},
                                     {"encoder/layer_0/ffn/linear_0/weight", {8, 4}},
                                     {"encoder/layer_0/ffn/linear_0/bias", {8}},
                                     {"encoder/layer_0/ffn/linear_1/weight", {4, 8}},
                                     {"encoder/layer_0/ffn/linear_1/bias", {4}},
                                     {"encoder/layer_0/self_attention/linear_0/weight", {12, 4}},
                                     {"encoder/layer_0/self_attention/linear_0/bias", {12}},
                                     {"encoder/layer_0/self_attention/linear_1/weight", {4, 4}},
                                     {"encoder/layer_0/self_attention/linear_1/bias", {4}},
                                     {"encoder/num_heads", {}, kI32, little_endian(2, 4)}};
  std::vector<std::pair<std::string, std::string>> aliases = {};
  std::optional<std::uint64_t> count = {};
  std::string end = {};

  std::string bytes() const {
    std::string all = little_endian(version, 4);
    if (version >= 2) {
      all += specification + little_endian(revision, 4);
    }
    all += little_endian(count.value_or(variables.size()), 4);
    for (const Variable& variable : variables) {
      all += variable.bytes(version);
    }
    if (version >= 3) {
      all += little_endian(aliases.size(), 4);
      for (const auto& [alias, target] : aliases) {
        all += named(alias) + named(target);
      }
    }
    return all + end;
  }
  Variable& operator[](const std::string& name) {
    for (Variable& variable : variables) {
      if (variable.name == name) {
        return variable;
      }
    }
    variables.push_back({name, {}});
    return variables.back();
  }
  void remove(const std::string& name) {
    std::erase_if(variables, [&](const Variable& variable) { return variable.name == name; });
  }
};

}  // namespace mog::test
