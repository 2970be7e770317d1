// Pickles of torch.save, made opcode by opcode.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/weights_bytes.h"

namespace mog::test::pickle {

using Parts = std::vector<std::string>;

inline std::string joined(const Parts& parts) {
  std::string all;
  for (const std::string& part : parts) {
    all += part;
  }
  return all;
}
inline std::string text(const std::string& value) {
  return "X" + little_endian(value.size(), 4) + value;
}
inline std::string whole(std::int64_t value) {
  return "\x8a\x08" + little_endian(static_cast<std::uint64_t>(value), 8);
}
inline std::string tuple(const Parts& parts) {
  return "(" + joined(parts) + "t";
}
inline std::string wholes(const std::vector<std::int64_t>& values) {
  Parts parts;
  for (const std::int64_t value : values) {
    parts.push_back(whole(value));
  }
  return tuple(parts);
}
inline std::string dictionary(const Parts& parts) {
  return "}(" + joined(parts) + "u";
}
inline std::string torch(const std::string& name) {
  return "ctorch\n" + name + "\n";
}
inline const std::string kFalse = "\x89";
inline const std::string kHooks = "ccollections\nOrderedDict\n)R";

// One tensor, part by part: four floats of storage "0" as [2, 2].
struct Tensor {
  std::string kind = text("storage");
  std::string type = torch("FloatStorage");
  std::string key = text("0");
  std::string elements = whole(4);
  Parts view = {};  // the sixth part of the id
  std::string offset = whole(0);
  std::string shape = wholes({2, 2});
  std::string strides = wholes({2, 1});
  std::string function = "ctorch._utils\n_rebuild_tensor_v2\n";
  Parts rest = {kFalse, kHooks};

  std::string storage() const { return tuple({kind, type, key, text("cpu"), elements, joined(view)}) + "Q"; }
  std::string call() const {
    return function + tuple({storage(), offset, shape, strides, joined(rest)}) + "R";
  }
};

inline std::string pickled(const std::string& object) {
  return "\x80\x02" + object + ".";
}

}  // namespace mog::test::pickle
