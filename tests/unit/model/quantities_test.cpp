// docs/quantities.md is the list of record: name, axes and units of every quantity of every system. It is
// printed by the program, and committed: whoever prints it anew sees what has changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "model/model.h"
#include "tests/support/places.h"

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

std::string with(std::string text, const std::string& what, const std::string& by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// "encoder.L.D.gate [token, d_model] 1": what the page must have.
std::string row_of(const QuantitySchema& schema) {
  std::string name = with(schema.name.text(), "." + std::to_string(schema.name.layer()) + ".", ".L.");
  name = with(with(with(name, ".upos.", ".TASK."), ".forward", ".D"), ".backward", ".D");
  name = with(with(name, ".arcs.", ".TASK."), ".labels.", ".TASK.");
  std::string axes;
  for (const Axis axis : schema.axes) {
    axes += (axes.empty() ? "" : ", ") + std::string(mog::name(axis));
  }
  return name + " [" + axes + "] " + schema.units;
}

std::vector<ModelConfig> systems() {
  std::vector<ModelConfig> all = {config(EncoderKind::graph_transformer, Fusion::weight_gate, true),
                                  config(EncoderKind::graph_transformer, Fusion::self_gate, false),
                                  config(EncoderKind::graph_transformer, Fusion::sum, true),
                                  config(EncoderKind::transformer, Fusion::sum, true)};
  for (const EncoderKind kind : {EncoderKind::gru, EncoderKind::lstm}) {
    for (const bool bidirectional : {false, true}) {
      all.push_back(config(kind, Fusion::sum, false));
      all.back().encoder.bidirectional = bidirectional;
    }
  }
  all.push_back(config(EncoderKind::transformer, Fusion::sum, true));
  all.back().gret.emplace();
  all.push_back(config(EncoderKind::transformer, Fusion::sum, false));
  all.back().encoder.graph_input.emplace();
  all.back().graph.emplace().labels = {"a", "b"};
  all.push_back(config(EncoderKind::transformer, Fusion::sum, false));
  all.back().encoder.mask = Mask::causal;
  all.back().language_model.emplace();
  return all;
}

// Of the tables above the heading `end`: a row has one name or several.
std::set<std::string> documented(const std::string& end) {
  std::ifstream file(mog::test::docs_dir() / "quantities.md");
  EXPECT_TRUE(file.good());
  std::set<std::string> rows;
  for (std::string line; std::getline(file, line) && line != end;) {
    if (!line.starts_with("| `")) {
      continue;
    }
    std::vector<std::string> cells;  // "| a | b |" gives "a", "b"
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t next = std::min(line.find(" | ", at), line.size());
      cells.push_back(line.substr(at, next - at));
      at = next + 3;
    }
    EXPECT_GE(cells.size(), 4U) << line;
    std::istringstream names(cells[0]);
    std::string name;
    for (std::getline(names, name, '`'); std::getline(names, name, '`'); std::getline(names, name, '`')) {
      EXPECT_TRUE(rows.insert(name + " " + cells[1] + " " + cells[2]).second) << line;
    }
  }
  return rows;
}

// Of the greatest keys that a recording keeps in the place of a map (--store-top-k):
// "encoder.L.full.attention [" of that map, which a model offers; of other rows nothing.
std::string map_behind(const std::string& row) {
  for (const char* const kept : {".top [", ".top_key [", ".rest ["}) {
    if (const std::size_t at = row.find(std::string(".attention") + kept); at != std::string::npos) {
      return row.substr(0, at) + ".attention [";
    }
  }
  return {};
}

TEST(QuantityNames, PageAndListsAgree) {
  std::set<std::string> in_code;
  for (const ModelConfig& one : systems()) {
    for (const auto& list : {quantities(one), decomposition_quantities(one), decoder_decompositions(one)}) {
      for (const QuantitySchema& schema : list) {
        in_code.insert(row_of(schema));
        EXPECT_EQ(QuantityName::parse(schema.name.text()), schema.name);
      }
    }
  }
  const std::set<std::string> on_page = documented("## Computed from a recording");
  EXPECT_GT(in_code.size(), 120U);
  for (const std::string& row : in_code) {
    EXPECT_TRUE(on_page.contains(row)) << "missing in docs/quantities.md: " << row;
  }
  for (const std::string& row : on_page) {
    if (const std::string map = map_behind(row); !map.empty()) {
      const auto found = in_code.lower_bound(map);
      EXPECT_TRUE(found != in_code.end() && found->starts_with(map))
          << "keys of a map that is not there: " << row;
      continue;
    }
    EXPECT_TRUE(in_code.contains(row)) << "docs/quantities.md lists what no model offers: " << row;
  }
}

TEST(QuantityNames, ADirectionIsHalfAsWide) {
  for (const ModelConfig& one : systems()) {
    for (const QuantitySchema& schema : quantities(one)) {
      if (one.encoder.bidirectional && schema.name.layer() == 2 && schema.axes.size() == 2 &&
          schema.axes.back() == Axis::d_model) {
        const bool directed = row_of(schema).find(".D") != std::string::npos;
        EXPECT_EQ(schema.extents.back(), directed ? one.encoder.d_model / 2 : one.encoder.d_model)
            << schema.name.text();
      }
    }
  }
}

TEST(QuantityNames, EntriesOfDecompositionsAreNamed) {
  for (const QuantitySchema& schema :
       decomposition_quantities(config(EncoderKind::transformer, Fusion::sum, false))) {
    for (std::size_t i = 0; i < schema.axes.size(); ++i) {
      const auto entries = entry_names(schema.axes[i]);
      EXPECT_TRUE(entries.empty() || static_cast<std::int64_t>(entries.size()) == schema.extents.at(i))
          << schema.name.text();
    }
  }
}

TEST(QuantityNames, DecodersAreTakenApartBySourceTokenBehindPlainEncodersAlone) {
  for (const EncoderKind kind :
       {EncoderKind::transformer, EncoderKind::graph_transformer, EncoderKind::gru}) {
    ModelConfig one = config(kind, Fusion::weight_gate, false);
    one.decoder.reset();
    EXPECT_TRUE(decoder_decompositions(one).empty());
    one.decoder.emplace().layers = 2;
    std::set<Quantity> found;
    for (const QuantitySchema& schema : decoder_decompositions(one)) {
      found.insert(schema.name.quantity());
      EXPECT_TRUE(schema.of_target());
      // Of 3 source tokens and 5 decoder inputs.
      const std::vector<std::int64_t> shape = schema.shape(3, 5);
      EXPECT_EQ(shape[0], 5);
      const Axis columns = schema.axes[1];
      EXPECT_EQ(shape[1], columns == Axis::context        ? 8
                          : columns == Axis::context_bias ? 9
                                                          : schema.extents[1]);
      if (columns == Axis::context_side) {
        EXPECT_EQ(entry_names(columns, shape[1]).size(), static_cast<std::size_t>(shape[1]));
      }
    }
    const bool plain = kind == EncoderKind::transformer;
    EXPECT_EQ(found.contains(Quantity::contribution), plain);
    EXPECT_EQ(found.contains(Quantity::alti), plain);
    EXPECT_TRUE(found.contains(Quantity::memory_contribution));
    EXPECT_TRUE(found.contains(Quantity::memory_alti));
  }
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
            "encoder.1.fused\nencoder.1.attended\nencoder.1.feed_forward\nencoder.1.high.attention\n"
            "encoder.1.high.context\nencoder.1.high.output\n");
}

}  // namespace
}  // namespace mog::model
