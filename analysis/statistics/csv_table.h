// Tables in CSV, read back: what to_csv() writes and other programs' files of the same kind.
#pragma once

#include <string_view>

#include "analysis/statistics/table.h"

namespace mog::analysis {

// RFC 4180, lines ended by LF or CR LF, UTF-8 (a byte-order mark is dropped); the first line names the
// columns. Empty fields are nothing, all others texts. `file` is only named in messages. Throws FormatError
// naming file and line: no columns, a column twice or without a name, a row of another length, a quote that
// is not closed or stands inside a bare field.
Table parse_csv(std::string_view text, std::string_view file);

}  // namespace mog::analysis
