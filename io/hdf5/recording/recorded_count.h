// How far a recording is, while another program writes it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace mog::io {

// Sentences that its journal names; 0 where there is no journal yet. Opens no HDF5 file. Throws FormatError
// for a damaged journal.
std::int64_t recorded_sentences(const std::filesystem::path& recording);
// Its journal, which every commit appends to.
std::filesystem::path journal_of(const std::filesystem::path& recording);

}  // namespace mog::io
