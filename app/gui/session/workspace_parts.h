// What opening, running and restoring share; the functions are safe on any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/gui/session/workspace.h"

namespace mog::gui {

QString name_of(const QString& path);
std::filesystem::path to_path(const QString& path);

// What is kept of typed sentences, for `mog record`.
inline constexpr const char* kCaptureOptions = "--capture summary,attention,gates,shares --store float32";
// The tokenizer that cuts text as a typed sentence asks for.
std::shared_ptr<const model::Tokenizer> tokenizer_of(const OpenedModel& loaded, model::WordCut words);
std::shared_ptr<const RecordingSource> run_typed(const OpenedModel& loaded, const TypedSentence& sentence,
                                                 const std::stop_token& stop);
// The same run with these quantities alone.
std::shared_ptr<const RecordingSource> run_for(const OpenedModel& loaded, const TypedSentence& sentence,
                                               const QString& quantities, const std::stop_token& stop);

// In the language of the window.
QString typed_name(const QString& model);
// Gives every model and every item a name that no other one has.
void name_apart(std::vector<WorkspaceModel>& models, std::vector<WorkspaceItem>& items);
// Without a name as yet.
WorkspaceItem typed_item(int id, int model, std::vector<TypedSentence> typed,
                         std::vector<std::shared_ptr<const RecordingSource>> sentences);
WorkspaceItem recorded_item(int id, const QString& name, const QString& path,
                            std::shared_ptr<const RecordingSource> source, std::vector<std::int64_t> tokens);
WorkspaceModel model_of(int id, const QString& path, OpenedModel loaded);

}  // namespace mog::gui
