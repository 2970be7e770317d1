// Writes the sample recording, and opens recordings, for the tests in Python and by hand:
//   hdf5_sample_tool write DIRECTORY SENTENCES SENTENCES_PER_SHARD
//   hdf5_sample_tool read PATH     prints "ok N" or the error's words; the exit code is that of `mog`
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>

#include "io/hdf5/recording_reader.h"
#include "io/hdf5/recording_writer.h"
#include "io/recording/errors.h"
#include "samples.h"

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments, arguments + count);
  try {
    if (count == 5 && words[1] == "write") {
      mog::io::RecordingWriter writer(words[2], {.shard_sentences = std::stoll(words[4])});
      writer.begin(mog::test::sample_header());
      std::vector<std::int64_t> numbers(static_cast<std::size_t>(std::stoll(words[3])));
      std::iota(numbers.begin(), numbers.end(), 1);
      writer.write(mog::test::sample_batch(mog::test::sample_header(), numbers));
      writer.finish();
      return 0;
    }
    if (count == 3 && words[1] == "read") {
      const mog::io::RecordingReader reader(words[2]);
      reader.validate();
      std::cout << "ok " << reader.size() << '\n';
      return 0;
    }
  } catch (const mog::Error& error) {
    std::cout << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
  std::cout << "hdf5_sample_tool write DIRECTORY SENTENCES PER_SHARD | read PATH\n";
  return 2;
}
