// One function a kind of file.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "app/workflow/describe/describe_job.h"
#include "io/checkpoint/weights_file.h"

namespace mog::app {

Description describe_model(const std::filesystem::path& path);
Description describe_recording(const std::filesystem::path& path, std::stop_token stop);
// Without a format: what the first bytes say.
Description describe_weights(const std::filesystem::path& path, std::optional<io::WeightsFormat> format,
                             const std::stop_token& stop);
Description describe_bpe_codes(const std::filesystem::path& path);
Description describe_vocabulary(const std::filesystem::path& path);
Description describe_tokenizer(const std::filesystem::path& path);
Description describe_dictionary(const std::filesystem::path& path);
Description describe_text(const std::filesystem::path& path, const std::stop_token& stop);
Description describe_conllu(const std::filesystem::path& path, const std::stop_token& stop);
Description describe_iob2(const std::filesystem::path& path);

}  // namespace mog::app
