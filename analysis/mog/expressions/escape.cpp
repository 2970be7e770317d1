#include "analysis/mog/expressions/escape.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "analysis/mog/expressions/identifiers.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Calls `escape(byte, out)` for ASCII characters; it returns false to have the byte copied.
template <class Escape>
std::string escaped(std::string_view text, Escape escape) {
  std::string out;
  out.reserve(text.size() + 2);
  for (std::size_t at = 0; at < text.size();) {
    const auto [bytes, sound] = utf8_sequence_at(text, at);
    if (!sound) {
      out += kReplacement;
      ++at;
    } else {
      if (bytes > 1 || !escape(text[at], out)) {
        out += text.substr(at, bytes);
      }
      at += bytes;
    }
  }
  return out;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::string json_string(std::string_view text) {
  const std::string body = escaped(text, [](char c, std::string& out) {
    switch (c) {
      case '"':
        out += "\\\"";
        return true;
      case '\\':
        out += "\\\\";
        return true;
      case '\n':
        out += "\\n";
        return true;
      case '\t':
        out += "\\t";
        return true;
      case '\r':
        out += "\\r";
        return true;
      default:
        break;
    }
    if (is_control(c)) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto value = static_cast<unsigned char>(c);
      out += "\\u00";
      out += digits[value >> 4U];
      out += digits[value & 15U];
      return true;
    }
    return false;
  });
  // U+0080-9F, which a terminal may obey too, are two bytes: 0xC2 and their number.
  std::string result = "\"";
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool c1 = body[i] == '\xC2' && static_cast<unsigned char>(body[i + 1]) < 0xA0;
    if (c1) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto value = static_cast<unsigned char>(body[++i]);
      result += "\\u00";
      result += digits[value >> 4U];
      result += digits[value & 15U];
    } else {
      result += body[i];
    }
  }
  return result + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) {
    return "null";
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

std::string dot_string(std::string_view text) {
  return '"' +
         escaped(text,
                 [](char c, std::string& out) {
                   if (c == '"' || c == '\\') {
                     out += '\\';
                     out += c;
                     return true;
                   }
                   if (c == '\n') {
                     out += "\\n";
                     return true;
                   }
                   if (is_control(c)) {
                     out += c == '\t' ? std::string_view(" ") : kReplacement;
                     return true;
                   }
                   return false;
                 }) +
         '"';
}

std::string dot_value(std::string_view text) {
  std::string value;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t c = next_code_point(text, at);
    if (c == '\\') {
      value += "\\\\";
    } else if (c == '"') {
      value += "\\\"";
    } else if (c == '\n') {
      value += "\\n";
    } else if (c == '\t' || is_escaped(c)) {
      value += code_escape(c);
    } else {
      value += text.substr(begin, at - begin);
    }
  }
  return '"' + valid_utf8(value) + '"';
}

std::string from_dot_value(std::string_view value) {
  std::string text;
  for (std::size_t at = 0; at < value.size();) {
    const std::string_view rest = value.substr(at);
    if (rest.starts_with("\\n") || rest.starts_with("\\\\")) {
      text += rest[1] == 'n' ? '\n' : '\\';
      at += 2;
    } else if (const auto escape = read_code_escape(rest)) {
      append_utf8(text, escape->first);
      at += escape->second;
    } else {
      text += value[at++];
    }
  }
  return text;
}

bool fits_xml(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t c = next_code_point(text, at);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xFFFE || c == 0xFFFF) {
      return false;
    }
  }
  return true;
}

std::string xml_text(std::string_view text) {
  return escaped(text, [](char c, std::string& out) {
    switch (c) {
      case '<':
        out += "&lt;";
        return true;
      case '>':
        out += "&gt;";
        return true;
      case '&':
        out += "&amp;";
        return true;
      case '"':
        out += "&quot;";
        return true;
      case '\'':
        out += "&apos;";
        return true;
      case ' ':
        // Readers make one of several.
        out += !out.empty() && out.back() == ' ' ? "&#32;" : " ";
        return true;
      case '\t':
        out += "&#9;";
        return true;
      case '\n':
        out += "&#10;";
        return true;
      case '\r':
        out += "&#13;";
        return true;
      default:
        break;
    }
    if (is_control(c) && c != 0x7F) {
      out += kReplacement;
      return true;
    }
    return false;
  });
}

std::string valid_utf8(std::string_view text) {
  return escaped(text, [](char, std::string&) { return false; });
}

}  // namespace mog::analysis
