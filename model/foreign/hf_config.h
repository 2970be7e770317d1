// config.json of a Hugging Face folder, read so that nothing is overlooked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"
#include "model/config/config_reader.h"

namespace mog::model {

// Every key is either read, or known to change nothing for the encoder, or off (null, false, 0, empty);
// finish() refuses any other by name: what is not understood might change what is computed.
class HfConfig {
 public:
  HfConfig(std::string_view json, const std::filesystem::path& file);

  const std::string& file() const noexcept { return file_; }
  std::string model_type() const;      // "" where there is none
  std::string architectures() const;   // "BertModel, BertForMaskedLM"; only shown
  bool given(const char* key) const;   // there and not null
  std::int64_t size(const char* key);  // from 1, at most 2^20; required
  std::int64_t size(const char* key, std::int64_t otherwise);
  // Of tokens, where no table has as many rows: from 1, at most 2^31 - 1.
  std::int64_t length(const char* key, std::int64_t otherwise);
  std::int64_t layers(const char* key);
  std::int64_t vocabulary(const char* key);
  // A list of one is that one; of several is refused.
  std::optional<std::int64_t> id(const char* key);
  // "KEY = VALUE"; "" where it is absent or off.
  std::string stated(const char* key) const;
  const nlohmann::ordered_json* value(const char* key) const;  // nullptr where it is absent
  bool flag(const char* key, bool otherwise);
  double epsilon(const char* key, double otherwise);
  double number(const char* key);  // above 0, at most 1e12; required
  double number(const char* key, double otherwise);
  // The first of a list, or the one id; nothing where there is none or where it is below 0.
  std::optional<std::int64_t> first_id(const char* key);
  std::int64_t whole(const char* key, std::int64_t otherwise);  // also below 0
  std::int64_t count(const char* key, std::int64_t otherwise);  // from 0
  // Empty where it is absent; throws ModelError for another number of entries.
  std::vector<std::int64_t> whole_numbers(const char* key, std::int64_t count);
  // "layer_types" and its like: the texts; empty where it is absent. Throws ModelError for another number of
  // entries.
  std::vector<std::string> texts(const char* key, std::int64_t count);
  std::string text(const char* key, const std::string& otherwise);
  Activation activation(const char* key, const char* otherwise);
  Activation activation_named(const char* key, const std::string& name);  // throws ModelError
  // Throws ModelError naming the key when it is given and is not as the supported form has it.
  void require_flag(const char* key, bool wanted, const char* why);
  void harmless(std::initializer_list<const char*> keys);
  // "FILE: KEY = VALUE is not supported: WHY".
  [[noreturn]] void refuse(const char* key, const std::string& why) const;
  void finish(const std::string& family);

  // Of a GGUF file: norms that Hugging Face stores without the 1 that is added to them hold it, all maps are
  // [out, in], and every tensor is the model's.
  void set_gguf() noexcept { gguf_ = true; }
  bool is_gguf() const noexcept { return gguf_; }

 private:
  const nlohmann::ordered_json& document() const noexcept { return document_; }
  std::string file_;
  nlohmann::ordered_json document_;
  ConfigReader reader_;
  std::set<std::string, std::less<>> known_;
  bool gguf_ = false;
};

}  // namespace mog::model
