// docs/quantity-names.md is the list of record: name, axes and units of every quantity of every system.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "model/model.h"

namespace mog::model {
namespace {

ModelConfig config(EncoderKind kind, Fusion fusion, bool decoder) {
  ModelConfig result;
  result.encoder.kind = kind;
  result.encoder.fusion = fusion;
  result.encoder.layers = 2;
  result.vocab_size = 20;
  if (decoder) {
    result.decoder.emplace().layers = 2;
    result.target_vocab_size = 30;
  } else {
    result.tasks["upos"] = {"A", "B"};
  }
  return result;
}

// The row that the document must have.
std::string row_of(const QuantitySchema& schema) {
  const QuantityName& full = schema.name;
  std::string name = full.text();
  if (full.layer() > 0) {
    const std::string number = "." + std::to_string(full.layer()) + ".";
    name.replace(name.find(number), number.size(), ".L.");
  } else if (!full.task().empty()) {
    name.replace(name.find(full.task()), full.task().size(), "TASK");
  }
  std::string axes;
  for (const Axis axis : schema.axes) {
    axes += (axes.empty() ? "" : ", ") + std::string(mog::name(axis));
  }
  return name + " [" + axes + "] " + schema.units;
}

std::set<std::string> computed() {
  std::set<std::string> rows;
  for (const ModelConfig& one :
       {config(EncoderKind::graph_transformer, Fusion::weight_gate, true),
        config(EncoderKind::graph_transformer, Fusion::self_gate, false),
        config(EncoderKind::graph_transformer, Fusion::sum, true),
        config(EncoderKind::transformer, Fusion::sum, false), config(EncoderKind::gru, Fusion::sum, false),
        config(EncoderKind::lstm, Fusion::sum, false)}) {
    for (const QuantitySchema& schema : quantities(one)) {
      rows.insert(row_of(schema));
    }
  }
  return rows;
}

// Rows of the tables below a heading ("": of those before the first one).
std::set<std::string> documented(const std::string& heading) {
  std::ifstream file(std::filesystem::path(MOG_TEST_DATA_DIR) / ".." / ".." / "docs" / "quantity-names.md");
  EXPECT_TRUE(file.good());
  std::set<std::string> rows;
  std::string line;
  bool inside = heading.empty();
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) {
      if (inside) {
        break;
      }
      inside = line == heading;
    }
    if (!inside) {
      continue;
    }
    if (!line.starts_with("| `")) {
      continue;
    }
    std::vector<std::string> cells;  // "| a | b |" gives "a", "b"
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = std::min(line.find(" | ", at), line.size());
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    EXPECT_GE(cells.size(), 4U) << line;
    EXPECT_TRUE(rows.insert(cells[0].substr(1, cells[0].size() - 2) + " " + cells[1] + " " + cells[2]).second)
        << line;
  }
  return rows;
}

void expect_same(const std::set<std::string>& in_code, const std::set<std::string>& in_document) {
  for (const std::string& row : in_code) {
    EXPECT_TRUE(in_document.contains(row)) << "missing in docs/quantity-names.md: " << row;
  }
  for (const std::string& row : in_document) {
    EXPECT_TRUE(in_code.contains(row)) << "docs/quantity-names.md lists what no model offers: " << row;
  }
}

TEST(QuantityNames, DocumentAndListAgree) {
  const auto in_code = computed();
  const auto in_document = documented("");
  EXPECT_GT(in_code.size(), 50U);
  expect_same(in_code, in_document);
}

// Those of a direction are listed once, D for forward and backward.
TEST(QuantityNames, DocumentAndListOfTwoDirectionsAgree) {
  std::set<std::string> in_code;
  std::set<std::string> joined;
  for (const EncoderKind kind : {EncoderKind::gru, EncoderKind::lstm}) {
    ModelConfig one = config(kind, Fusion::sum, false);
    one.encoder.bidirectional = true;
    for (const QuantitySchema& schema : quantities(one)) {
      EXPECT_EQ(QuantityName::parse(schema.name.text()), schema.name);
      std::string row = row_of(schema);
      bool directed = false;
      for (const std::string_view word : {"forward", "backward"}) {
        if (const std::size_t at = row.find("." + std::string(word)); at != std::string::npos) {
          row.replace(at + 1, word.size(), "D");
          directed = true;
        }
      }
      (directed ? in_code : joined).insert(row);
      if (schema.name.layer() == 2 && schema.axes.size() == 2 && schema.axes.back() == Axis::d_model) {
        EXPECT_EQ(schema.extents.back(), directed ? one.encoder.d_model / 2 : one.encoder.d_model) << row;
      }
    }
  }
  EXPECT_GT(in_code.size(), 20U);
  expect_same(in_code, documented("## Two directions"));
  const auto common = documented("");
  for (const std::string& row : joined) {
    EXPECT_TRUE(common.contains(row)) << "missing in docs/quantity-names.md: " << row;
  }
}

TEST(QuantityNames, DocumentAndListOfDecompositionsAgree) {
  std::set<std::string> in_code;
  const ModelConfig plain = config(EncoderKind::transformer, Fusion::sum, false);
  for (const QuantitySchema& schema : decomposition_quantities(plain)) {
    in_code.insert(row_of(schema));
    EXPECT_EQ(QuantityName::parse(schema.name.text()), schema.name);
    for (std::size_t i = 0; i < schema.axes.size(); ++i) {
      const auto entries = entry_names(schema.axes[i]);
      EXPECT_TRUE(entries.empty() || static_cast<std::int64_t>(entries.size()) == schema.extents.at(i))
          << schema.name.text();
    }
  }
  EXPECT_GT(in_code.size(), 25U);
  expect_same(in_code, documented("## Exact decompositions"));
}

TEST(QuantityNames, GatedAndRecurrentEncodersHaveNoDecompositionsAndSayWhy) {
  for (const EncoderKind kind : {EncoderKind::graph_transformer, EncoderKind::gru, EncoderKind::lstm}) {
    const ModelConfig other = config(kind, Fusion::weight_gate, false);
    EXPECT_TRUE(decomposition_quantities(other).empty());
    EXPECT_NE(why_no_decompositions(other).find("plain Transformer"), std::string::npos);
  }
}

TEST(QuantityNames, APlainFirstLayerHasTheHighPartAlone) {
  ModelConfig one = config(EncoderKind::graph_transformer, Fusion::weight_gate, false);
  one.encoder.first_layer = FirstLayer::plain;
  std::string first;
  for (const QuantitySchema& schema : quantities(one)) {
    if (schema.name.layer() == 1 && schema.name.reduction() == Reduction::full) {
      first += schema.name.text() + "\n";
    }
  }
  EXPECT_EQ(first,
            "encoder.1.input\nencoder.1.previous\nencoder.1.incremental\nencoder.1.output\n"
            "encoder.1.fused\nencoder.1.attended\nencoder.1.feed_forward\nencoder.1.high.attention\nencoder."
            "1.high.output\n");
}

}  // namespace
}  // namespace mog::model
