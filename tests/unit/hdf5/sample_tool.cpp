// Writes the sample recording, and opens recordings, for the tests in Python and by hand:
//   hdf5_sample_tool write|resume DIRECTORY SENTENCES SENTENCES_PER_SHARD [JOINED_BYTES]
//                                  shards are joined to files of so many bytes; 0, if it is not said: never
//   hdf5_sample_tool read PATH     prints "ok N" or the error's words; the exit code is that of `mog`
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unordered_set>

#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/recording/errors.h"
#include "samples.h"

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments, arguments + count);
  try {
    if ((count == 5 || count == 6) && (words[1] == "write" || words[1] == "resume")) {
      std::signal(SIGXFSZ, SIG_IGN);
      mog::io::RecordingWriter writer(words[2], {.shard_sentences = std::stoll(words[4]),
                                                 .joined_bytes = count == 6 ? std::stoll(words[5]) : 0,
                                                 .resume = words[1] == "resume"});
      writer.begin(mog::test::sample_header());
      const std::unordered_set<std::int64_t> recorded(writer.recorded().begin(), writer.recorded().end());
      for (std::int64_t number = 1; number <= std::stoll(words[3]); ++number) {
        if (!recorded.contains(number)) {
          writer.write(mog::test::sample_batch(mog::test::sample_header(), {number}));
        }
      }
      writer.finish();
      return 0;
    }
    if (count == 3 && words[1] == "read") {
      const mog::io::RecordingReader reader(words[2]);
      const mog::io::ValidationReport report = reader.validate();
      std::cout << "ok " << reader.size() << '\n';
      for (const std::string& note : report.notes) {
        std::cout << note << '\n';
      }
      return 0;
    }
  } catch (const mog::Error& error) {
    std::cout << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
  std::cout << "hdf5_sample_tool write|resume DIRECTORY SENTENCES PER_SHARD [JOINED_BYTES] | read PATH\n";
  return 2;
}
