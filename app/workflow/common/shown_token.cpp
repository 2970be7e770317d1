#include "app/workflow/common/shown_token.h"

namespace mog::app {

std::string shown_token(std::string_view token, Pieces pieces) {
  const std::string bytes = piece_bytes(token, pieces);
  const bool spaced =
      bytes.starts_with(' ') && (pieces == Pieces::byte_bpe || pieces == Pieces::sentencepiece);
  std::string text = shown_bytes(bytes);
  return spaced && text != "\u2581" ? "\u2581" + text : text;
}

}  // namespace mog::app
