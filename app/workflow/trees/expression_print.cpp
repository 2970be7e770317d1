#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/mog/expressions/escape.h"
#include "analysis/mog/graph_files/export.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/trees/expression_job.h"
#include "app/workflow/trees/treebank_text.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::MogEdge;
using analysis::ParsedExpression;

// The 6-tuple of every edge: source, target, operands (a word, or #n for what edge n made), what it makes
// (#id) and its order.
std::string report(const ParsedExpression& parsed) {
  const analysis::Expression& expression = parsed.expression;
  std::string text = fmt::format("{}\norder {}, {} leaves, depth {}, kind {}{}{}, owner {}\n", parsed.text(),
                                 expression.order(), expression.leaves(), expression.depth(),
                                 expression.kind(), expression.simple() ? ", simple" : "",
                                 expression.owner_anchored() ? ", owner-anchored" : "",
                                 parsed.names.at(static_cast<std::size_t>(expression.owner())));
  const std::vector<MogEdge> edges = expression.edges();
  std::vector<std::int32_t> maker(expression.subgraphs().size(), 0);
  for (const MogEdge& edge : edges) {
    maker[static_cast<std::size_t>(edge.made)] = edge.id;
  }
  const auto operand = [&](std::int32_t subgraph) {
    const analysis::Subgraph& s = expression.subgraphs()[static_cast<std::size_t>(subgraph)];
    return s.is_atom() ? parsed.names[static_cast<std::size_t>(s.source)]
                       : fmt::format("#{}", maker[static_cast<std::size_t>(subgraph)]);
  };
  for (const MogEdge& edge : edges) {
    const std::string annotation =
        analysis::annotation_text(parsed.annotations[static_cast<std::size_t>(edge.made)]);
    text += fmt::format("  #{:<3} {} -> {}  of {} and {}  order {}  kind {}{}\n", edge.id,
                        parsed.names[static_cast<std::size_t>(edge.source)],
                        parsed.names[static_cast<std::size_t>(edge.target)], operand(edge.left),
                        operand(edge.right), edge.order, edge.kind,
                        annotation.empty() ? "" : "  [" + annotation + "]");
  }
  return text;
}

std::string words_comment(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) {
    list += (list.empty() ? "" : ",") + analysis::json_string(word);
  }
  return "# words = [" + list + "]\n";
}

std::string facts_text(const analysis::GraphFacts& facts, std::string_view form) {
  std::string text;
  for (const auto& [name, value] : facts) {
    text += fmt::format(fmt::runtime(form), name, printable(value));
  }
  return text;
}

std::string as_text(std::span<const ExpressionSet> sets) {
  std::string text;
  bool open = false;  // what was printed last: only an empty line ends the words and facts of a sentence
  for (const ExpressionSet& set : sets) {
    const bool opens = set.sentence.has_value() || !set.facts.empty();
    text += !text.empty() && (opens || open) ? "\n" : "";
    open = opens;
    if (set.sentence) {
      text += words_comment(*set.sentence);
    }
    text += facts_text(set.facts, "# {} = {}\n");
    for (const ParsedExpression& parsed : set.expressions) {
      text += parsed.text() + "\n";
    }
  }
  return text;
}

// The words of a set in the order of the sentence, and the place of each of the parse's words.
struct Order {
  std::vector<std::string> words;
  std::vector<std::int32_t> place_of;  // [word of the parse]
};

// Without a sentence: by positions where all words have them, else as they appear if none has.
Order order_of(const ExpressionSet& set) {
  const ParsedExpression& parsed = set.expressions.front();
  Order order;
  order.place_of.resize(parsed.words.size());
  std::iota(order.place_of.begin(), order.place_of.end(), 0);
  const auto placed = std::count_if(parsed.words.begin(), parsed.words.end(),
                                    [](const analysis::ExpressionWord& word) { return word.position > 0; });
  const auto count = static_cast<std::ptrdiff_t>(parsed.words.size());
  if (!set.sentence && placed == count) {
    for (std::size_t i = 0; i < parsed.words.size(); ++i) {
      order.place_of[i] = parsed.words[i].position - 1;
      if (parsed.words[i].position > count) {
        throw UsageError(
            fmt::format("{} as CoNLL-U: its {} words have a position {}; give the sentence with "
                        "--sentence",
                        set.place, count, parsed.words[i].position));
      }
    }
  } else if (!set.sentence && placed != 0) {
    throw UsageError(
        fmt::format("{} as CoNLL-U: only some of its words have positions, so that the order of "
                    "the words is not known; give the sentence with --sentence",
                    set.place));
  }
  order.words.resize(parsed.words.size());
  for (std::size_t i = 0; i < parsed.words.size(); ++i) {
    order.words[static_cast<std::size_t>(order.place_of[i])] = parsed.words[i].form;
  }
  return order;
}

io::TreebankSentence sentence_of(const ExpressionSet& set) {
  const Order order = order_of(set);
  const std::size_t count = order.words.size();
  const DependencyTree by_word = analysis::dependency_tree(set.expressions, count);
  io::TreebankSentence sentence;
  if (set.treebank) {
    sentence = *set.treebank;
  } else {
    sentence = bare_sentence(order.words, set.place + " as CoNLL-U");
    sentence.comments.push_back("# text = " + printable(joined(order.words, " ")));
    for (const auto& [name, value] : set.facts) {
      sentence.comments.push_back(fmt::format("# {} = {}", name, printable(value)));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    io::TreebankWord& word = sentence.words.at(static_cast<std::size_t>(order.place_of[i]));
    const std::int32_t head = by_word.heads[i];
    const bool root_as_before = head == 0 && word.head == 0 && set.treebank;
    word.head = head == 0 ? 0 : order.place_of[static_cast<std::size_t>(head - 1)] + 1;
    if (!root_as_before) {  // what the treebank calls its roots stays
      word.deprel = by_word.relations[i];
      if (word.deprel.find_first_of(std::string_view("\t\n\r\0", 4)) != std::string::npos) {
        throw UsageError(
            fmt::format("{} as CoNLL-U: the relation of word {} holds a tab, a line end or NUL, which "
                        "no column can",
                        set.place, order.place_of[i] + 1));
      }
    }
  }
  return sentence;
}

std::string as_conllu(std::span<const ExpressionSet> sets) {
  std::string text;
  for (const ExpressionSet& set : sets) {
    try {
      text += io::to_conllu(sentence_of(set));
    } catch (const analysis::DependencyError& error) {
      throw FormatError(fmt::format("{} as CoNLL-U: {}", set.place, error.what()));
    }
  }
  return text;
}

constexpr double kMostGraphBytes = 512.0 * 1024 * 1024;

// Bytes of the texts in a graph: every edge has those of both operands and of what it makes, so that a chain
// of joins takes the square of its length.
double graph_bytes(const ParsedExpression& parsed) {
  const auto& subgraphs = parsed.expression.subgraphs();
  std::vector<double> length(subgraphs.size());
  double total = 0;
  for (const std::string& name : parsed.names) {
    total += static_cast<double>(name.size()) + 64;
  }
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const analysis::Subgraph& subgraph = subgraphs[i];
    const auto name = [&](std::int32_t word) {
      return static_cast<double>(parsed.names[static_cast<std::size_t>(word)].size());
    };
    if (subgraph.is_atom()) {
      length[i] = name(subgraph.source);
      continue;
    }
    const double operands =
        length[static_cast<std::size_t>(subgraph.left)] + length[static_cast<std::size_t>(subgraph.right)];
    length[i] = operands + name(subgraph.source) + name(subgraph.target) + 11;
    total += operands + length[i] + 128;
  }
  return total;
}

void check_graphs(std::span<const ExpressionSet> sets) {
  double bytes = 0;
  for (const ExpressionSet& set : sets) {
    for (const ParsedExpression& parsed : set.expressions) {
      bytes += graph_bytes(parsed);
      if (bytes > kMostGraphBytes) {
        throw UsageError(
            fmt::format("{}: as graphs these expressions take more than {:.0f} MiB, because each edge has "
                        "the text of both "
                        "operands; the formats text, report and conllu have no such limit",
                        set.place, kMostGraphBytes / 1024 / 1024));
      }
    }
  }
}

std::string as_graphs(std::span<const ExpressionSet> sets, analysis::GraphFormat format) {
  check_graphs(sets);
  std::vector<analysis::MultiOrderGraph> graphs;
  for (const ExpressionSet& set : sets) {
    for (const ParsedExpression& parsed : set.expressions) {
      graphs.push_back(analysis::make_multi_order_graph(parsed, set.sentence.has_value()));
      graphs.back()[boost::graph_bundle].facts = set.facts;
    }
  }
  return analysis::export_graphs(graphs, format);
}

}  // namespace

std::string print_expressions(std::span<const ExpressionSet> sets, ExpressionFormat format) {
  switch (format) {
    case ExpressionFormat::text:
      return as_text(sets);
    case ExpressionFormat::json:
      return as_graphs(sets, analysis::GraphFormat::json);
    case ExpressionFormat::graphml:
      return as_graphs(sets, analysis::GraphFormat::graphml);
    case ExpressionFormat::dot:
      return as_graphs(sets, analysis::GraphFormat::dot);
    case ExpressionFormat::conllu:
      return as_conllu(sets);
    case ExpressionFormat::report:
      break;
  }
  std::string text;
  const analysis::GraphFacts* last = nullptr;
  for (const ExpressionSet& set : sets) {
    // What graphs in a row have in common is said once.
    if (!set.facts.empty() && (last == nullptr || *last != set.facts)) {
      text += (text.empty() ? "" : "\n") + facts_text(set.facts, "{}: {}\n");
    }
    last = &set.facts;
    for (const ParsedExpression& parsed : set.expressions) {
      text += (text.empty() ? "" : "\n") + report(parsed);
    }
  }
  return text;
}

std::vector<std::string> print_apart(std::span<const ExpressionSet> sets, ExpressionFormat format) {
  std::vector<std::string> documents;
  for (const ExpressionSet& set : sets) {
    ExpressionSet one = set;
    for (const ParsedExpression& parsed : set.expressions) {
      one.expressions = {parsed};
      documents.push_back(print_expressions({&one, 1}, format));
    }
  }
  return documents;
}

}  // namespace mog::app
