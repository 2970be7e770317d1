// A corpus in a temporary folder, recorded with the fake model.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/record/record_job.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"
#include "tests/support/fake_model.h"
#include "tests/support/temporary_folder.h"

namespace mog::test {

// `lines` sentences of 1 to 17 words.
inline std::string corpus_text(int lines) {
  std::string text;
  for (int line = 1; line <= lines; ++line) {
    for (int word = 0; word < 1 + line * 7 % 17; ++word) {
      text += (word > 0 ? " w" : "w") + std::to_string(line * 31 + word * word);
    }
    text += '\n';
  }
  return text;
}

inline app::LoadedModel fake_loaded(std::shared_ptr<FakeModel> model = std::make_shared<FakeModel>()) {
  app::LoadedModel loaded;
  loaded.model = std::move(model);
  loaded.tokenizer = std::make_shared<FakeTokenizer>();
  return loaded;
}

inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// Everything that two recordings of the same sentences must share, as text.
inline std::string dump(const RecordingSource& source) {
  std::string text;
  for (std::int64_t index = 0; index < source.size(); ++index) {
    const Sentence sentence = source.sentence(index);
    text += std::to_string(sentence.number) + " " + sentence.text + "\n";
    for (const QuantitySchema& schema : source.header().quantities) {
      const HostTensor values = source.read(index, schema.name);
      std::uint64_t hash = 1469598103934665603ULL;  // FNV-1a
      for (const std::byte byte : values.bytes()) {
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211ULL;
      }
      text +=
          "  " + schema.name.text() + " " + shape_text(values.shape()) + " " + std::to_string(hash) + "\n";
    }
  }
  return text;
}

}  // namespace mog::test
