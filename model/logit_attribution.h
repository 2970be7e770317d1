// A logit taken apart: what every head, block and bias adds to it (direct logit attribution; Elhage et al.
// 2021).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/patching.h"

namespace mog::model {

// embedding: what the first layer reads. head: one attention head, through the output map. attention_bias:
// the bias of the output map, and of a norm behind it. feed_forward: the block with its biases. norm_bias:
// biases of norms of the residual state, of a layer or (layer 0) of the last one. output_bias: what the map
// to the vocabulary adds by itself.
enum class LogitPart : std::uint8_t { embedding, head, attention_bias, feed_forward, norm_bias, output_bias };
std::string_view name(LogitPart part) noexcept;  // "embedding", "head", "attention_bias", …

struct LogitShare {
  LogitPart part = LogitPart::embedding;
  std::int64_t layer = 0;                   // from 1; 0: of no layer
  std::int64_t head = 0;                    // from 1; 0: of no head
  std::optional<std::int64_t> source = {};  // of a head, by source: the token that it reads, from 0
  double value = 0;
};

struct LogitPartsRequest {
  std::vector<std::int64_t> ids = {};  // of the text
  std::int64_t token = 0;              // behind which the logit stands, from 0
  LogitPair logits = {};
  bool by_source = false;  // heads token by token: weight · value row, through the output map
};

struct LogitParts {
  double logit = 0;                // of the ordinary forward pass, before the cap
  double capped = 0;               // after it
  std::vector<LogitShare> shares;  // from the embedding up; they sum to `logit`
};

// What a model offers that predicts the next token. An interface beside Model, as Patching is.
class LogitAttribution {
 public:
  virtual ~LogitAttribution() = default;
  // Scales of the norms are those of this pass (level 1). Costs two forward passes of one text. Throws
  // UsageError for a model without a map to the next token, a token or id that is not there, and in bfloat16
  // or 8 bits; as Model::run.
  virtual LogitParts logit_parts(const LogitPartsRequest& request) const = 0;
};

// Throws UsageError for a model that has none.
const LogitAttribution& logit_attribution_of(const Model& model);

}  // namespace mog::model
