// What `mog record --check` found: the largest residual of every identity of the exact decompositions.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace mog::app {

struct IdentityResidual {
  std::string identity;
  double residual = 0.0;  // relative to the largest entry of the tensor
  double tolerance = 0.0;
  std::int64_t layer = 0;     // from 1; 0: of the whole encoder
  std::int64_t head = 0;      // from 1; 0: of no single head
  std::int64_t sentence = 0;  // its number in the corpus
};

// Safe from several threads.
class IdentityReport {
 public:
  // Throws Error naming identity, layer, head and sentence when the residual is above its tolerance.
  void add(const IdentityResidual& found);
  // Sorted by identity.
  std::vector<IdentityResidual> worst() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, IdentityResidual> worst_;
};

}  // namespace mog::app
