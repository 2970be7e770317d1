#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "analysis/mog/expression.h"
#include "analysis/mog/internal_identifiers.h"

namespace mog::analysis {
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  std::uint32_t value = bytes == 1 ? first : first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes && at + i < text.size(); ++i) {
    value = value << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  at = std::min(at + bytes, text.size());
  return value;
}

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

namespace {

bool can_stand_bare(std::string_view form) {
  if (form.empty() || form == "U" || form.starts_with("sub_") || form.starts_with("v_") ||
      form.find("->") != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = 0; at < form.size();) {
    if (ends_identifier(next_code_point(form, at))) {
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
  for (const char c : form) {
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
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
