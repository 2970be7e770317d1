// How vocabularies spell pieces of words, and the text that these stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mog {

enum class Pieces : std::uint8_t {
  none,           // tokens are words, or say nothing of pieces
  wordpiece,      // "##ing" continues
  bpe,            // "over@@" is continued (subword-nmt)
  byte_bpe,       // characters stand for bytes, "Ġthe" begins with a space (GPT-2)
  sentencepiece,  // "▁the" begins with a space, "<0xE2>" is a byte
};
// "none", "wordpiece", "bpe", "byte-bpe", "sentencepiece".
std::string_view name(Pieces pieces) noexcept;
std::optional<Pieces> pieces_named(std::string_view name) noexcept;
// How the tokens of a recording are spelled, by ModelCard::tokenizer: as the kind of a tokenizer in
// config.json says, or as its name says in brackets, "roberta-base (byte-bpe)".
Pieces pieces_of(std::string_view tokenizer) noexcept;
// `tokenizer`, with brackets where it would say something else.
std::string with_pieces(std::string_view tokenizer, Pieces pieces);

// GPT-2's printable character that stands for a byte: itself, or from U+0100 on.
char32_t byte_character(unsigned char byte) noexcept;
// The byte that it stands for; nothing for other characters.
std::optional<unsigned char> character_byte(char32_t character) noexcept;

// The bytes that a piece adds to its text, with the space before its word where the piece holds it. They may
// be a part of a character: only those of all pieces are UTF-8.
std::string piece_bytes(std::string_view piece, Pieces pieces);

// Bytes of one piece or several to be read: without spaces around them, "▁" for each where there is nothing
// else ("▁×8" for many); "↵" and "⇥" for line ends and tabulators; bytes that are no character, and control
// characters, as "⟨E2⟩"; other characters that cannot be seen as "⟨U+200B⟩"; a mark without its letter on
// "◌".
std::string shown_bytes(std::string_view bytes);
// A piece of a vocabulary by itself: as its bytes are shown, behind "▁" where it begins with a space, since
// " the" and "the" are two of them.
std::string shown_piece(std::string_view piece, Pieces pieces);
// A piece of a vocabulary by itself: as its bytes are shown, behind "▁" where it begins with a space, since
// " the" and "the" are two of them.
std::string shown_piece(std::string_view piece, Pieces pieces);

}  // namespace mog
