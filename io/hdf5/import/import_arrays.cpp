// Names, sizes and shapes of what an import may hold.
#include "io/hdf5/import/import_plan.h"

namespace mog::io {

std::string_view name(ImportType type) noexcept {
  switch (type) {
    case ImportType::float16:
      return "float16";
    case ImportType::float32:
      return "float32";
    case ImportType::float64:
      return "float64";
    case ImportType::integer:
      return "whole numbers";
    case ImportType::text:
      return "strings";
  }
  return "";
}

std::int64_t size_bytes(ImportType type) noexcept {
  switch (type) {
    case ImportType::float16:
      return 2;
    case ImportType::float32:
      return 4;
    case ImportType::float64:
    case ImportType::integer:
      return 8;
    case ImportType::text:
      return 0;
  }
  return 0;
}

std::string_view name(ImportArray array) noexcept {
  switch (array) {
    case ImportArray::attention:
      return "attention";
    case ImportArray::high:
      return "high";
    case ImportArray::middle1:
      return "middle1";
    case ImportArray::middle2:
      return "middle2";
    case ImportArray::gate:
      return "gate";
    case ImportArray::hidden:
      return "hidden";
  }
  return "";
}

bool is_map(ImportArray array) noexcept {
  return array != ImportArray::gate && array != ImportArray::hidden;
}

ImportPlan::Layers ImportPlan::layers_of(ImportArray array) const noexcept {
  switch (array) {
    case ImportArray::attention:
      return graph ? Layers{} : Layers{1, layers};
    case ImportArray::high:
      return graph ? Layers{1, layers} : Layers{};
    case ImportArray::middle1:
    case ImportArray::middle2:
      return graph ? Layers{plain_first ? 2 : 1, layers} : Layers{};
    case ImportArray::gate:
      return gate ? Layers{plain_first ? 2 : 1, layers} : Layers{};
    case ImportArray::hidden:
      return hidden ? Layers{0, layers} : Layers{};
  }
  return {};
}

std::vector<std::int64_t> ImportPlan::shape_of(ImportArray array, std::int64_t tokens) const {
  if (is_map(array)) {
    return {heads, tokens, tokens};
  }
  if (array == ImportArray::gate && !gate_vectors) {
    return {tokens};
  }
  return {tokens, d_model};
}

}  // namespace mog::io
