// Names and values go into a text and come back as they were, whatever they hold: control characters,
// quotes, a form that looks like a prefix. can_stand_bare() and ends_identifier() must agree with what the
// parser reads; everything they doubt is quoted. In values an escape is read as one only if it stands for a
// character that could not be there bare, so that a backslash of the text stays what it is (decision 15).
//
// canonical_text() writes the tree with its repeats, in O(length of the text) by a stack of (subgraph, how
// far). The text may be exponentially longer than the expression, which shares its subgraphs.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <unordered_map>

#include "analysis/mog/expressions/expression.h"
#include "analysis/mog/expressions/identifiers.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
bool is_white_space(std::uint32_t c) {
  constexpr std::array<std::uint32_t, 9> others = {' ',    0x85,   0xA0,   0x1680, 0x2028,
                                                   0x2029, 0x202F, 0x205F, 0x3000};
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x2000 && c <= 0x200A) ||
         std::find(others.begin(), others.end(), c) != others.end();
}

bool ends_identifier(std::uint32_t c) {
  constexpr std::array<std::uint32_t, 9> others = {'(', ')', '[', ']', '"', '@', 0x2192, 0x222A, 0x7F};
  return c < 0x20 || is_white_space(c) || std::find(others.begin(), others.end(), c) != others.end();
}

bool is_escaped(std::uint32_t c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFFFE || c == 0xFFFF;
}

bool has_escaped(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_escaped(next_code_point(text, at))) {
      return true;
    }
  }
  return false;
}

std::string code_escape(std::uint32_t c) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  do {
    hex.insert(hex.begin(), digits[c & 15U]);
    c >>= 4U;
  } while (c != 0);
  return "\\u{" + hex + '}';
}

std::optional<std::pair<std::uint32_t, std::size_t>> read_code_escape(std::string_view text) {
  if (!text.starts_with("\\u{")) {
    return std::nullopt;
  }
  const std::size_t end = text.find('}');
  std::uint32_t value = 0;
  if (end == std::string_view::npos || end < 4 || end > 9) {
    return std::nullopt;
  }
  const auto [last, error] = std::from_chars(text.data() + 3, text.data() + end, value, 16);
  if (error != std::errc() || last != text.data() + end || value > 0x10FFFF ||
      (value >= 0xD800 && value < 0xE000)) {
    return std::nullopt;
  }
  return std::pair(value, end + 1);
}

namespace {

bool ends_value(std::uint32_t c) {
  return is_white_space(c) || c == ';' || c == '[' || c == ']' || c == '"';
}

}  // namespace

std::string written_value(std::string_view value) {
  std::string text;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t begin = at;
    const std::uint32_t c = next_code_point(value, at);
    const bool mistaken = c == '\\' && read_code_escape(value.substr(begin));
    text += mistaken || ends_value(c) || is_escaped(c) ? code_escape(c)
                                                       : std::string(value.substr(begin, at - begin));
  }
  return text;
}

// Escapes of characters that may stand there are text.
std::string value_of(std::string_view written) {
  std::string value;
  for (std::size_t at = 0; at < written.size();) {
    const auto escape =
        written[at] == '\\' ? read_code_escape(written.substr(at)) : decltype(read_code_escape("")){};
    if (escape && (escape->first == '\\' || ends_value(escape->first) || is_escaped(escape->first))) {
      append_utf8(value, escape->first);
      at += escape->second;
    } else {
      value += written[at++];
    }
  }
  return value;
}

namespace {

bool can_stand_bare(std::string_view form) {
  if (form.empty() || form == "U" || form.starts_with("sub_") || form.starts_with("v_") ||
      form.find("->") != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = 0; at < form.size();) {
    const std::uint32_t c = next_code_point(form, at);
    if (ends_identifier(c) || is_escaped(c)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string quoted_name(std::string_view form) {
  if (can_stand_bare(form)) {
    return std::string(form);
  }
  std::string text = "\"";
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t begin = at;
    const std::uint32_t c = next_code_point(form, at);
    if (is_escaped(c)) {
      text += code_escape(c);
    } else {
      text += c == '"' || c == '\\' ? "\\" : "";
      text += form.substr(begin, at - begin);
    }
  }
  return text + '"';
}

std::vector<std::string> node_names(std::span<const std::string> words) {
  std::unordered_map<std::string_view, int> count;
  for (const std::string& word : words) {
    ++count[word];
  }
  std::vector<std::string> names;
  names.reserve(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    names.push_back(quoted_name(words[i]));
    if (count[words[i]] > 1) {
      names.back() += '@' + std::to_string(i + 1);
    }
  }
  return names;
}

std::string canonical_text(const Expression& expression, std::span<const std::string> names) {
  return canonical_text(expression, names, {});
}

std::string canonical_text(const Expression& expression, std::span<const std::string> names,
                           std::span<const std::string> unions) {
  const auto& subgraphs = expression.subgraphs();
  const auto name = [&](std::int32_t word) -> const std::string& {
    return names[static_cast<std::size_t>(word)];
  };
  // What is still to be printed, last first: a subgraph and how far it has come.
  struct Step {
    std::size_t subgraph;
    int done;
  };
  std::string text;
  std::vector<Step> stack{{subgraphs.size() - 1, 0}};
  while (!stack.empty()) {
    Step& step = stack.back();
    const std::size_t index = step.subgraph;
    const Subgraph& subgraph = subgraphs[index];
    if (subgraph.is_atom()) {
      text += name(subgraph.source);
      stack.pop_back();
    } else if (step.done == 0) {
      step.done = 1;
      text += '(';
      stack.push_back({static_cast<std::size_t>(subgraph.left), 0});
    } else if (step.done == 1) {
      step.done = 2;
      text += ")->" + name(subgraph.source) + ' ';
      text += unions.empty() ? std::string_view("U") : std::string_view(unions[index]);
      text += " (";
      stack.push_back({static_cast<std::size_t>(subgraph.right), 0});
    } else {
      text += ")->" + name(subgraph.target);
      stack.pop_back();
    }
  }
  return text;
}

}  // namespace mog::analysis
