// Numbers and texts as the protocols of pickles write them.
//
// Each function reads what follows an opcode and throws FormatError, naming its byte, for what is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "io/checkpoint/pickle_bytes.h"

namespace mog::io {

// What fits 64 bits; else at most 64 bytes as they stand there, in the form of the function that read them.
using PickleInteger = std::variant<std::int64_t, std::string_view>;

// Decimal digits, with the L of Python 2 or without it: at most 64 of them.
PickleInteger integer_of(std::string_view line, const PickleBytes& bytes);
// Two's complement, little-endian, of `size` bytes.
PickleInteger read_integer(PickleBytes& bytes, std::uint64_t size);

double read_real_line(PickleBytes& bytes);
double read_real(PickleBytes& bytes);  // big-endian

std::string read_quoted(PickleBytes& bytes);   // a line in quotation marks, with escapes: bytes
std::string read_escaped(PickleBytes& bytes);  // a line of Latin-1 with \u and \U: UTF-8

std::uint64_t read_slot_line(PickleBytes& bytes);  // of the memo

}  // namespace mog::io
