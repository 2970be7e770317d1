// Everything is written by its name: maps, relations and tags, so that a person can read which head finds
// what. Numbers read back to the same value. Counts of pairs are those that are not 0.
#include "app/workflow/syntax/ensemble_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "app/workflow/common/text_format.h"
#include "app/workflow/syntax/learn_maps.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace mog::app {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kFormat = "mog-head-ensembles";
constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMostCount = std::int64_t{1} << 40;
constexpr std::size_t kMostNames = 10'000;  // of relations or tags
constexpr std::string_view kSides[] = {"dependent_attends", "head_attends"};

// Pairs of words of a table: [dependent tag, head tag, head before, relation or all].
struct PairPlace {
  std::size_t tags = 0;
  std::size_t entries = 0;  // relations and one more
  std::size_t operator()(std::size_t dependent, std::size_t head, bool before, std::size_t entry) const {
    return ((dependent * tags + head) * 2 + (before ? 1U : 0U)) * entries + entry;
  }
};

ordered_json ensemble_json(const analysis::HeadEnsemble& ensemble, double weight,
                           const LearntEnsembles& learnt) {
  ordered_json maps = ordered_json::array();
  for (const std::int32_t unit : ensemble.units) {
    maps.push_back(learnt.units.at(static_cast<std::size_t>(unit)));
  }
  return {{"maps", std::move(maps)}, {"accuracy", ensemble.accuracy}, {"weight", weight}};
}

ordered_json relations_json(const LearntEnsembles& learnt) {
  ordered_json relations = ordered_json::array();
  for (std::size_t i = 0; i < learnt.relations.size(); ++i) {
    const analysis::RelationScore& score = learnt.ensembles.relations[i];
    ordered_json relation = {{"relation", learnt.relations[i]}, {"edges", score.heads[0].edges}};
    for (std::size_t side = 0; side < score.heads.size(); ++side) {
      relation[kSides[side]] = ensemble_json(score.heads[side], score.weights[side], learnt);
    }
    relation["bias"] = score.bias;
    relation["bias_without_maps"] = learnt.without_maps.relations[i].bias;
    relations.push_back(std::move(relation));
  }
  return relations;
}

ordered_json pairs_json(const LearntEnsembles& learnt) {
  const std::span<const std::int64_t> counts = learnt.ensembles.table.pairs();
  const PairPlace place{learnt.known_tags.size(), learnt.relations.size() + 1};
  ordered_json pairs = ordered_json::array();
  for (std::size_t dependent = 0; dependent < place.tags; ++dependent) {
    for (std::size_t head = 0; head < place.tags; ++head) {
      for (const bool before : {true, false}) {
        ordered_json edges = ordered_json::object();
        for (std::size_t entry = 0; entry < learnt.relations.size(); ++entry) {
          if (const std::int64_t count = counts[place(dependent, head, before, entry)]; count > 0) {
            edges[learnt.relations[entry]] = count;
          }
        }
        if (const std::int64_t all = counts[place(dependent, head, before, place.entries - 1)]; all > 0) {
          pairs.push_back({{"dependent", learnt.known_tags[dependent]},
                           {"head", learnt.known_tags[head]},
                           {"side", before ? "before" : "after"},
                           {"pairs", all},
                           {"edges", std::move(edges)}});
        }
      }
    }
  }
  return pairs;
}

ordered_json tags_json(const LearntEnsembles& learnt) {
  const std::span<const std::int64_t> words = learnt.ensembles.table.words();
  ordered_json tags = ordered_json::array();
  for (std::size_t tag = 0; tag < learnt.known_tags.size(); ++tag) {
    tags.push_back(
        {{"tag", learnt.known_tags[tag]}, {"words", words[2 * tag]}, {"roots", words[2 * tag + 1]}});
  }
  return tags;
}

class Reader {
 public:
  Reader(std::string_view text, const std::filesystem::path& path) : path_(path) {
    json_ = ordered_json::parse(text, nullptr, false);
    if (json_.is_discarded() || !json_.is_object() || json_.value("format", ordered_json()) != kFormat) {
      fail(fmt::format(
          "it is no JSON document of the format \"{}\"; such a file is written by mog syntax --learn "
          "N --save-ensemble FILE",
          kFormat));
    }
    if (const std::int64_t version = count(json_, "format_version"); version != kVersion) {
      fail(fmt::format("format_version is {}, this program reads {}", version, kVersion));
    }
  }

  LearntEnsembles read() {
    LearntEnsembles learnt;
    learnt.model = text(json_, "model");
    learnt.weights_sha256 = text(json_, "weights_sha256");
    learnt.grammar = text(json_, "grammar");
    learnt.treebank = text(json_, "treebank");
    learnt.sentences = count(json_, "sentences");
    learnt.words = count(json_, "words");
    learnt.seed = whole(json_, "seed");
    learnt.tags = choice(parse_tag_choice, "tags");
    learnt.weights = choice(parse_weight_choice, "weights");
    learnt.sources = choice(parse_syntax_sources, "sources");
    learnt.units = names(array(json_, "maps"), "maps");
    for (const ordered_json& number : array(json_, "drawn")) {
      learnt.drawn.push_back(counted_value(number, "drawn"));
    }
    std::sort(learnt.drawn.begin(), learnt.drawn.end());
    read_relations(learnt);
    read_table(learnt);
    return learnt;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: {}", path_.string(), what));
  }
  [[noreturn]] void wrong(std::string_view key, std::string_view expected) const {
    fail(fmt::format("\"{}\": expected {}", key, expected));
  }
  const ordered_json& member(const ordered_json& object, std::string_view key) const {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) {
      fail(fmt::format("\"{}\" is missing", key));
    }
    return *found;
  }
  const ordered_json& array(const ordered_json& object, std::string_view key) const {
    const ordered_json& found = member(object, key);
    if (!found.is_array()) {
      wrong(key, "a list");
    }
    return found;
  }
  std::string text(const ordered_json& object, std::string_view key) const {
    const ordered_json& found = member(object, key);
    if (!found.is_string()) {
      wrong(key, "a text");
    }
    return found.get<std::string>();
  }
  std::uint64_t whole(const ordered_json& object, std::string_view key) const {
    const ordered_json& found = member(object, key);
    if (!found.is_number_unsigned()) {
      wrong(key, "a whole number, at least 0");
    }
    return found.get<std::uint64_t>();
  }
  std::int64_t counted_value(const ordered_json& found, std::string_view key) const {
    if (!found.is_number_unsigned() || found.get<std::uint64_t>() > kMostCount) {
      wrong(key, fmt::format("a whole number from 0 to {}", kMostCount));
    }
    return found.get<std::int64_t>();
  }
  std::int64_t count(const ordered_json& object, std::string_view key) const {
    return counted_value(member(object, key), key);
  }
  double number(const ordered_json& object, std::string_view key) const {
    const ordered_json& found = member(object, key);
    if (!found.is_number() || !std::isfinite(found.get<double>()) || std::abs(found.get<double>()) > 1e6) {
      wrong(key, "a number from -1e6 to 1e6");
    }
    return found.get<double>();
  }
  // Different ones.
  std::vector<std::string> names(const ordered_json& list, std::string_view key) const {
    std::vector<std::string> result;
    std::set<std::string> seen;
    for (const ordered_json& name : list) {
      if (!name.is_string() || !seen.insert(name.get<std::string>()).second) {
        wrong(key, "different texts");
      }
      result.push_back(name.get<std::string>());
    }
    return result;
  }
  template <typename Parse>
  std::invoke_result_t<const Parse&, std::string_view> choice(const Parse& parse,
                                                              std::string_view key) const {
    const std::string value = text(json_, key);
    try {
      return parse(value);
    } catch (const UsageError& error) {
      fail(fmt::format("\"{}\": {}", key, error.what()));
    }
  }
  std::size_t place(const NumberedNames& numbers, const std::string& name, std::string_view key) const {
    const std::int32_t number = numbers.number(name);
    if (number < 0) {
      fail(fmt::format("\"{}\": \"{}\" is not among the file's own", key, printable(name)));
    }
    return static_cast<std::size_t>(number);
  }

  void read_relations(LearntEnsembles& learnt) const {
    const NumberedNames units(learnt.units);
    ordered_json list = ordered_json::array();
    for (const ordered_json& entry : array(json_, "relations")) {
      list.push_back(text(entry, "relation"));
      analysis::RelationScore score;
      for (std::size_t side = 0; side < score.heads.size(); ++side) {
        const ordered_json& ensemble = member(entry, kSides[side]);
        for (const std::string& unit : names(array(ensemble, "maps"), "maps")) {
          score.heads[side].units.push_back(static_cast<std::int32_t>(place(units, unit, kSides[side])));
        }
        score.heads[side].accuracy = number(ensemble, "accuracy");
        score.heads[side].edges = count(entry, "edges");
        score.weights[side] = number(ensemble, "weight");
      }
      score.bias = number(entry, "bias");
      learnt.ensembles.relations.push_back(score);
      score.weights = {};
      score.bias = number(entry, "bias_without_maps");
      learnt.without_maps.relations.push_back(std::move(score));
    }
    learnt.relations = names(list, "relations");
    learnt.ensembles.table_weight = number(json_, "table_weight");
    learnt.without_maps.table_weight = number(json_, "table_weight_without_maps");
  }

  void read_table(LearntEnsembles& learnt) const {
    std::vector<std::int64_t> words;
    ordered_json list = ordered_json::array();
    for (const ordered_json& entry : array(json_, "known_tags")) {
      list.push_back(text(entry, "tag"));
      words.push_back(count(entry, "words"));
      words.push_back(count(entry, "roots"));
    }
    learnt.known_tags = names(list, "known_tags");
    const PairPlace at{learnt.known_tags.size(), learnt.relations.size() + 1};
    if (at.tags * at.tags * at.entries > kMostNames * kMostNames) {
      fail(fmt::format("{} tags and {} relations are more than this program reads", at.tags, at.entries - 1));
    }
    const NumberedNames tags(learnt.known_tags);
    const NumberedNames relations(learnt.relations);
    std::vector<std::int64_t> pairs(at.tags * at.tags * 2 * at.entries, 0);
    for (const ordered_json& entry : array(json_, "pairs")) {
      const std::string side = text(entry, "side");
      if (side != "before" && side != "after") {
        wrong("side", "\"before\" or \"after\"");
      }
      const std::size_t dependent = place(tags, text(entry, "dependent"), "dependent");
      const std::size_t head = place(tags, text(entry, "head"), "head");
      pairs[at(dependent, head, side == "before", at.entries - 1)] = count(entry, "pairs");
      for (const auto& [relation, edges] : member(entry, "edges").items()) {
        pairs[at(dependent, head, side == "before", place(relations, relation, "edges"))] =
            counted_value(edges, "edges");
      }
    }
    try {
      learnt.ensembles.table = analysis::RelationTable::of(static_cast<std::int32_t>(at.tags),
                                                           static_cast<std::int32_t>(at.entries - 1),
                                                           std::move(pairs), std::move(words));
    } catch (const UsageError& error) {
      fail(error.what());
    }
    learnt.without_maps.table = learnt.ensembles.table;
  }

  std::filesystem::path path_;
  ordered_json json_;
};

}  // namespace

std::string ensembles_text(const LearntEnsembles& learnt) {
  std::string sources;
  for (const SyntaxSource source : learnt.sources) {
    sources += fmt::format("{}{}", sources.empty() ? "" : ",", name(source));
  }
  ordered_json json = {{"format", kFormat},
                       {"format_version", kVersion},
                       {"model", learnt.model},
                       {"weights_sha256", learnt.weights_sha256},
                       {"grammar", learnt.grammar},
                       {"treebank", learnt.treebank},
                       {"sentences", learnt.sentences},
                       {"words", learnt.words},
                       {"seed", learnt.seed},
                       {"drawn", learnt.drawn},
                       {"tags", name(learnt.tags)},
                       {"weights", name(learnt.weights)},
                       {"sources", sources},
                       {"table_weight", learnt.ensembles.table_weight},
                       {"table_weight_without_maps", learnt.without_maps.table_weight}};
  json["relations"] = relations_json(learnt);
  json["known_tags"] = tags_json(learnt);
  json["maps"] = learnt.units;
  json["pairs"] = pairs_json(learnt);
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

LearntEnsembles parse_ensembles(std::string_view text, const std::filesystem::path& path) {
  return Reader(text, path).read();
}

LearntEnsembles read_ensembles(const std::filesystem::path& path) {
  constexpr std::uint64_t kMostBytes = 100'000'000;
  return parse_ensembles(io::read_file(path, "the head ensembles", kMostBytes), path);
}

}  // namespace mog::app
