#include "analysis/mog/internal_graph_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kDeepest = 32;

std::int64_t line_of(std::string_view text, std::size_t place) {
  return 1 + std::count(text.begin(),
                        text.begin() + static_cast<std::ptrdiff_t>(std::min(place, text.size())), '\n');
}

[[noreturn]] void refuse(std::string_view text, std::size_t place, const std::string& where,
                         std::string_view defect) {
  throw FormatError(fmt::format("{}: line {}: {}", where, line_of(text, place), defect));
}

// Past the end of `ending`, which must come.
std::size_t past(std::string_view text, std::size_t from, std::string_view ending, const std::string& where) {
  const std::size_t found = text.find(ending, from);
  if (found == std::string_view::npos) {
    refuse(text, from, where, fmt::format("something begins here that has no end \"{}\"", ending));
  }
  return found + ending.size();
}

// Past the ">" of the tag that begins at `from`.
std::size_t past_tag(std::string_view text, std::size_t from, const std::string& where) {
  char quote = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      quote = c == quote ? char{0} : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  refuse(text, from, where, "a tag begins here that has no end \">\"");
}

}  // namespace

std::vector<std::string> split_graphml_graphs(std::string_view text, const std::string& where) {
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;  // 0 while it is open
  };
  std::size_t depth = 0;
  std::vector<Span> graphs;
  for (std::size_t i = text.find('<'); i != std::string_view::npos; i = text.find('<', i)) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("<!--")) {
      i = past(text, i, "-->", where);
    } else if (rest.starts_with("<![CDATA[")) {
      i = past(text, i, "]]>", where);
    } else if (rest.starts_with("<?")) {
      i = past(text, i, "?>", where);
    } else if (rest.starts_with("<!")) {
      refuse(text, i, where, "GraphML with a document type declaration is not read");
    } else if (rest.starts_with("</")) {
      if (depth == 0) {
        refuse(text, i, where, "an end tag without its start");
      }
      --depth;
      i = past_tag(text, i, where);
      if (depth == 1 && !graphs.empty() && graphs.back().end == 0) {
        graphs.back().end = i;
      }
    } else {
      const std::size_t end = past_tag(text, i, where);
      const bool closed = text[end - 2] == '/';
      if (depth == 1 && rest.starts_with("<graph") && rest.size() > 6 &&
          std::string_view(" \t\r\n/>").find(rest[6]) != std::string_view::npos) {
        graphs.push_back({i, closed ? end : 0});
      }
      depth += closed ? 0U : 1U;
      if (depth > kDeepest) {
        refuse(text, i, where, fmt::format("elements nested in more than {} levels", kDeepest));
      }
      i = end;
    }
  }
  if (depth != 0) {
    refuse(text, text.size(), where, "the end of the file, where end tags are missing");
  }
  if (graphs.empty()) {
    throw FormatError(fmt::format("{}: expected GraphML with a <graph>, found none", where));
  }
  std::string after;  // what stands between and behind the graphs
  for (std::size_t at = 0; at < graphs.size(); ++at) {
    const std::size_t next = at + 1 < graphs.size() ? graphs[at + 1].begin : text.size();
    after += text.substr(graphs[at].end, next - graphs[at].end);
  }
  std::vector<std::string> documents;
  for (const Span& graph : graphs) {
    std::string document(text.substr(0, graphs.front().begin));
    document += text.substr(graph.begin, graph.end - graph.begin);
    documents.push_back(document + after);
  }
  return documents;
}

std::vector<std::string_view> split_dot_graphs(std::string_view text, const std::string& where) {
  std::vector<std::string_view> graphs;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//") || (rest[0] == '#' && (i == 0 || text[i - 1] == '\n'))) {
      i = std::min(text.find('\n', i), text.size() - 1) + 1;
    } else if (rest.starts_with("/*")) {
      i = past(text, i + 2, "*/", where);
    } else if (rest[0] == '"') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != '"') {
        end += text[end] == '\\' ? 2U : 1U;
      }
      if (end >= text.size()) {
        refuse(text, i, where, "a string begins here that has no end");
      }
      i = end + 1;
    } else {
      if (rest[0] == '{' && ++depth > kDeepest) {
        refuse(text, i, where, fmt::format("subgraphs nested in more than {} levels", kDeepest));
      }
      ++i;
      if (rest[0] == '}') {
        if (depth == 0) {
          refuse(text, i, where, "a \"}\" without its \"{\"");
        }
        if (--depth == 0) {
          graphs.push_back(text.substr(begin, i - begin));
          begin = i;
        }
      }
    }
  }
  if (depth != 0 || graphs.empty()) {
    throw FormatError(fmt::format("{}: expected digraph NAME {{ … }}, found no whole one", where));
  }
  return graphs;
}

std::string without_doubled_backslashes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\\') {
      ++i;
    }
  }
  return result;
}

}  // namespace mog::analysis
