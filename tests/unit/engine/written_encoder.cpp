#include "tests/unit/engine/written_encoder.h"

#include <cmath>
#include <utility>

namespace mog::test {
namespace {

using Values = std::vector<double>;
using Matrix = std::vector<Values>;
using Written = WrittenLayer;

double dot(const Values& left, const Values& right) {
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    sum += left[i] * right[i];
  }
  return sum;
}
Values plus(Values left, const Values& right, double factor = 1.0) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] += factor * right[i];
  }
  return left;
}
Values times(const Matrix& map, const Values& vector) {
  Values result;
  for (const Values& row : map) {
    result.push_back(dot(row, vector));
  }
  return result;
}

// A layer norm with the scale that it has at z.
struct Frozen {
  Values weight;
  Values bias;
  double scale = 1;
  Values linear(const Values& vector) const {
    double mean = 0;
    for (const double value : vector) {
      mean += value / static_cast<double>(vector.size());
    }
    Values result;
    for (std::size_t i = 0; i < vector.size(); ++i) {
      result.push_back(weight[i] * (vector[i] - mean) / scale);
    }
    return result;
  }
  Values operator()(const Values& z) const { return plus(linear(z), bias); }
};

class Encoder {
 public:
  Encoder(const model::ModelConfig& config, const std::map<std::string, HostTensor>& weights)
      : config_(config),
        weights_(weights),
        width_(static_cast<std::size_t>(config.encoder.d_model)),
        heads_(static_cast<std::size_t>(config.encoder.heads)),
        head_width_(width_ / heads_) {}

  // [layer]
  std::vector<Written> run(const GraphSentence& sentence) {
    const std::size_t tokens = sentence.ids.size();
    relation_.assign(tokens, std::vector<std::size_t>(tokens, 0));
    for (const model::GraphArc& arc : sentence.arcs) {
      relation_[static_cast<std::size_t>(arc.query)][static_cast<std::size_t>(arc.key)] =
          static_cast<std::size_t>(arc.relation);
    }
    const Matrix table = matrix("encoder.embed_tokens");
    Matrix x;
    std::vector<Matrix> sources(tokens, Matrix(tokens + 1, Values(width_, 0.0)));
    for (std::size_t i = 0; i < tokens; ++i) {
      x.push_back(table[static_cast<std::size_t>(sentence.ids[i])]);
      sources[i][i] = x[i];
    }
    Matrix previous(tokens, Values(width_, 0.0));
    std::vector<Written> layers;
    for (std::int64_t layer = 0; layer < config_.encoder.layers; ++layer) {
      prefix_ = "encoder.layers." + std::to_string(layer) + ".";
      layers.push_back(through(x, previous, sources));
      x = layers.back().output;
      sources = layers.back().sources;
      previous = carried_;
    }
    return layers;
  }

 private:
  Values vector(const std::string& name) const {
    const std::vector<float> values = weights_.at(name).to_floats();
    return {values.begin(), values.end()};
  }
  Matrix matrix(const std::string& name) const {
    const HostTensor& tensor = weights_.at(name + ".weight");
    const Values flat = vector(name + ".weight");
    const auto columns = static_cast<std::ptrdiff_t>(tensor.shape().at(1));
    Matrix rows;
    for (auto at = flat.begin(); at != flat.end(); at += columns) {
      rows.emplace_back(at, at + columns);
    }
    return rows;
  }
  Matrix relations(const std::string& name) const {
    const std::string full =
        (config_.encoder.graph_input->share ? "encoder." : prefix_ + "self_attn.") + name;
    const model::GraphInputConfig& input = *config_.encoder.graph_input;
    Matrix rows = matrix(full);
    const auto none = weights_.find(full + ".none");
    if (none != weights_.end()) {
      rows.insert(rows.begin(), vector(full + ".none"));
    }
    if ((name == "relation_key" && input.key_norm) || (name == "relation_value" && input.value_norm)) {
      for (Values& row : rows) {
        row = norm_of(full + "_layer_norm", row, 1e-5)(row);
      }
    }
    if (none == weights_.end()) {  // nothing, whatever the norm's bias
      rows.insert(rows.begin(), Values(head_width_, 0.0));
    }
    return rows;
  }
  Frozen norm_at(const std::string& name, const Values& z) const {
    return norm_of(prefix_ + name, z, config_.encoder.layer_norm_eps);
  }
  Frozen norm_of(const std::string& name, const Values& z, double epsilon) const {
    Frozen norm{vector(name + ".weight"), vector(name + ".bias")};
    double mean = 0;
    double square = 0;
    for (const double value : z) {
      mean += value / static_cast<double>(z.size());
    }
    for (const double value : z) {
      square += (value - mean) * (value - mean) / static_cast<double>(z.size());
    }
    norm.scale = std::sqrt(square + epsilon);
    return norm;
  }
  Values head_of(const Values& row, std::size_t head) const {
    const auto begin = row.begin() + static_cast<std::ptrdiff_t>(head * head_width_);
    return {begin, begin + static_cast<std::ptrdiff_t>(head_width_)};
  }
  bool pre() const { return config_.encoder.norm == model::NormPlace::pre; }

  Written through(const Matrix& x, const Matrix& previous, const std::vector<Matrix>& sources) {
    const std::size_t tokens = x.size();
    const std::string block = prefix_ + "self_attn.";
    const auto bias = [&](const char* map) { return vector(block + map + ".bias"); };
    const Matrix wq = matrix(block + "q_proj");
    const Matrix wk = matrix(block + "k_proj");
    const Matrix wv = matrix(block + "v_proj");
    const Matrix wo = matrix(block + "out_proj");
    const Matrix rk = relations("relation_key");
    const Matrix rv = relations("relation_value");
    const bool three = config_.encoder.graph_input->form == model::RelationForm::three_term;
    const Matrix rq = three ? relations("relation_query") : Matrix(rk.size(), Values(head_width_, 0.0));
    const double scale = 1.0 / std::sqrt(static_cast<double>(head_width_));
    const double relation_scale =
        config_.encoder.graph_input->form == model::RelationForm::unscaled ? 1.0 : scale;

    std::vector<Frozen> first;
    Matrix read;
    for (std::size_t i = 0; i < tokens; ++i) {
      first.push_back(norm_at("attn_layer_norm", x[i]));  // of post-norm layers again below
      read.push_back(pre() ? first[i](x[i]) : x[i]);
    }
    const auto reads = [&](std::size_t i, const Values& part) {
      return pre() ? first[i].linear(part) : part;
    };
    const auto project = [&](const Matrix& map, const Values& own, const Values& row) {
      return plus(times(map, row), own);
    };
    Written result;
    // Attention.
    std::vector<std::vector<Values>> pattern(heads_, std::vector<Values>(tokens, Values(tokens, 0.0)));
    for (std::size_t h = 0; h < heads_; ++h) {
      for (std::size_t i = 0; i < tokens; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
          const std::size_t r = relation_[i][j];
          const Values q = head_of(project(wq, bias("q_proj"), read[i]), h);
          const Values k = head_of(project(wk, bias("k_proj"), read[j]), h);
          const double score = dot(q, k) * scale + (dot(q, rk[r]) + dot(rq[r], k)) * relation_scale;
          pattern[h][i][j] = std::exp(score);
          sum += pattern[h][i][j];
          const auto query_term = [&](const char* name, const Values& of) {
            result.terms[name].push_back(dot(head_of(of, h), rk[r]) * relation_scale);
          };
          const auto key_term = [&](const char* name, const Values& of) {
            result.terms[name].push_back(dot(rq[r], head_of(of, h)) * relation_scale);
          };
          const Values beta = pre() ? first[i].bias : Values(width_, 0.0);
          query_term("pr", times(wq, reads(i, previous[i])));
          query_term("ir", times(wq, reads(i, plus(x[i], previous[i], -1))));
          query_term("br", project(wq, bias("q_proj"), beta));
          key_term("rp", times(wk, reads(j, previous[j])));
          key_term("ri", times(wk, reads(j, plus(x[j], previous[j], -1))));
          key_term("rb", project(wk, bias("k_proj"), beta));
        }
        for (double& weight : pattern[h][i]) {
          weight /= sum;
        }
      }
    }
    // W_O Σ_j weight · rows, by head.
    const auto output_of = [&](std::size_t i, const auto& weight, const auto& row) {
      Values context;
      for (std::size_t h = 0; h < heads_; ++h) {
        Values own(head_width_, 0.0);
        for (std::size_t j = 0; j < tokens; ++j) {
          own = plus(own, row(h, i, j), weight(h, i, j));
        }
        context.insert(context.end(), own.begin(), own.end());
      }
      return times(wo, context);
    };
    const auto attention = [&](std::size_t h, std::size_t i, std::size_t j) { return pattern[h][i][j]; };
    const auto of_relation = [&](std::size_t, std::size_t i, std::size_t j) { return rv[relation_[i][j]]; };
    const Matrix w1 = matrix(prefix_ + "fc1");
    const Matrix w2 = matrix(prefix_ + "fc2");
    result.sources = sources;
    carried_.clear();
    for (std::size_t i = 0; i < tokens; ++i) {
      const auto value_of = [&](std::size_t h, std::size_t, std::size_t j) {
        return head_of(project(wv, bias("v_proj"), read[j]), h);
      };
      Values a = plus(output_of(i, attention, value_of), output_of(i, attention, of_relation));
      a = plus(a, bias("out_proj"));
      const Values uniform = output_of(
          i, [&](auto...) { return 1.0 / static_cast<double>(tokens); }, of_relation);
      result.uniform.insert(result.uniform.end(), uniform.begin(), uniform.end());
      const Values z = plus(x[i], a);
      const Frozen norm1 = pre() ? first[i] : norm_at("attn_layer_norm", z);
      const Values y = pre() ? z : norm1(z);
      add_alti(result, i, tokens, y, [&](std::size_t j) {
        const auto only = [&](std::size_t h, std::size_t q, std::size_t k) {
          return k == j ? pattern[h][q][k] : 0.0;
        };
        Values given = plus(output_of(i, only, value_of), output_of(i, only, of_relation));
        if (i == j) {
          given = plus(given, x[i]);
        }
        return pre() ? given : norm1.linear(given);
      });
      // Feed-forward, relu.
      const Frozen norm2 = norm_at("ffn_layer_norm", y);
      const Values inner = plus(times(w1, pre() ? norm2(y) : y), vector(prefix_ + "fc1.bias"));
      const auto open = [&](Values rows) {
        for (std::size_t e = 0; e < rows.size(); ++e) {
          rows[e] = inner[e] > 0 ? rows[e] : 0.0;
        }
        return rows;
      };
      const Values f = plus(times(w2, open(inner)), vector(prefix_ + "fc2.bias"));
      const Values sum = plus(y, f);
      const Frozen last = pre() ? norm2 : norm_at("ffn_layer_norm", sum);
      result.output.push_back(pre() ? sum : last(sum));
      carried_.push_back(pre() ? x[i] : last.linear(norm1.linear(x[i])));
      // Sources, the bias last.
      for (std::size_t s = 0; s <= tokens; ++s) {
        const bool of_bias = s == tokens;
        const auto value = [&](std::size_t h, std::size_t, std::size_t j) {
          Values own = reads(j, sources[j][s]);
          if (of_bias && pre()) {
            own = plus(own, first[j].bias);
          }
          return head_of(of_bias ? project(wv, bias("v_proj"), own) : times(wv, own), h);
        };
        Values v = plus(sources[i][s], output_of(i, attention, value));
        if (of_bias) {
          v = plus(plus(v, output_of(i, attention, of_relation)), bias("out_proj"));
        }
        if (!pre()) {
          v = of_bias ? norm1(v) : norm1.linear(v);
        }
        Values hidden = pre() ? norm2.linear(v) : v;
        if (of_bias && pre()) {
          hidden = plus(hidden, norm2.bias);
        }
        hidden = times(w1, hidden);
        if (of_bias) {
          hidden = plus(hidden, vector(prefix_ + "fc1.bias"));
        }
        v = plus(v, times(w2, open(hidden)));
        if (of_bias) {
          v = plus(v, vector(prefix_ + "fc2.bias"));
        }
        if (!pre()) {
          v = of_bias ? last(v) : last.linear(v);
        }
        result.sources[i][s] = v;
      }
    }
    return result;
  }

  template <class Given>
  static void add_alti(Written& result, std::size_t i, std::size_t tokens, const Values& y,
                       const Given& given) {
    const auto length = [](const Values& vector) {
      double sum = 0;
      for (const double value : vector) {
        sum += std::abs(value);
      }
      return sum;
    };
    Values row;
    double sum = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
      row.push_back(std::max(0.0, length(y) - length(plus(y, given(j), -1))));
      sum += row.back();
    }
    for (std::size_t j = 0; j < tokens; ++j) {
      result.alti.push_back(sum > 0 ? row[j] / sum : (i == j ? 1.0 : 0.0));
    }
  }

  const model::ModelConfig& config_;
  const std::map<std::string, HostTensor>& weights_;
  std::size_t width_;
  std::size_t heads_;
  std::size_t head_width_;
  std::string prefix_;  // of the layer
  std::vector<std::vector<std::size_t>> relation_;
  Matrix carried_;
};

}  // namespace

std::vector<WrittenLayer> written_layers(const model::ModelConfig& config,
                                         const std::map<std::string, HostTensor>& weights,
                                         const GraphSentence& sentence) {
  return Encoder(config, weights).run(sentence);
}

}  // namespace mog::test
