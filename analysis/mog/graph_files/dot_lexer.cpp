#include "analysis/mog/graph_files/dot_lexer.h"

#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

DotLexer::DotLexer(std::string_view text, const std::string& where) : text_(text), where_(where) {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    at_ = 3;
  }
}

DotToken DotLexer::next() {
  skip();
  DotToken token;
  token.place = place_;
  token.byte = at_;
  if (at_ >= text_.size()) {
    return token;
  }
  const char c = text_[at_];
  if (c == '-' && at_ + 1 < text_.size() && (text_[at_ + 1] == '>' || text_[at_ + 1] == '-')) {
    token.kind = text_[at_ + 1] == '>' ? DotToken::Kind::arrow : DotToken::Kind::line;
    advance(2);
  } else if (c == '"') {
    token.kind = DotToken::Kind::name;
    token.quoted = true;
    token.text = quoted();
  } else if (c == '<') {
    token.kind = DotToken::Kind::name;
    token.quoted = true;
    token.text = html();
  } else if (in_name(c) || c == '-' || c == '.') {
    token.kind = DotToken::Kind::name;
    while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '.' || token.text.empty())) {
      token.text += text_[at_];
      advance(1);
    }
  } else if (std::string_view("{}[]=;,:+").find(c) != std::string_view::npos) {
    token.kind = DotToken::Kind::sign;
    token.text = c;
    advance(1);
  } else {
    refuse_graph(where_, place_, "no DOT: a character that can begin nothing");
  }
  return token;
}

void DotLexer::advance(std::size_t bytes) {
  for (; bytes > 0; --bytes, ++at_) {
    if (text_[at_] == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if (begins_character(text_[at_])) {
      ++place_.column;
    }
  }
}

void DotLexer::skip() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//") || (rest[0] == '#' && place_.column == 1)) {
      advance(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      if (end == std::string_view::npos) {
        refuse_graph(where_, place_, "a comment begins here that has no end \"*/\"");
      }
      advance(end + 2);
    } else if (std::string_view(" \t\r\n\f\v").find(rest[0]) != std::string_view::npos) {
      advance(1);
    } else {
      break;
    }
  }
}

// Without its quotes; \" is a quote, a backslash before a line end joins lines, all others stay.
std::string DotLexer::quoted() {
  const TextPlace begin = place_;
  std::string result;
  advance(1);
  while (at_ < text_.size() && text_[at_] != '"') {
    const bool escape = text_[at_] == '\\' && at_ + 1 < text_.size();
    if (escape && text_[at_ + 1] == '\n') {
      advance(2);
      continue;
    }
    if (!escape || text_[at_ + 1] != '"') {
      result += text_[at_];
    }
    if (escape) {
      result += text_[at_ + 1];
    }
    advance(escape ? 2 : 1);
  }
  if (at_ >= text_.size()) {
    refuse_graph(where_, begin, "a string begins here that has no end");
  }
  advance(1);
  return result;
}

std::string DotLexer::html() {
  const TextPlace begin = place_;
  const std::size_t first = at_ + 1;
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    depth += text_[at_] == '<' ? 1U : 0U;
    const bool closes = text_[at_] == '>' && --depth == 0;
    advance(1);
    if (closes) {
      return std::string(text_.substr(first, at_ - 1 - first));
    }
  }
  refuse_graph(where_, begin, "an HTML string begins here that has no end");
}

}  // namespace mog::analysis
