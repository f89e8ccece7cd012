#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace fencepost {

void assertion_failed(const char* condition, const char* file, int line, const char* meaning) {
  std::fprintf(stderr, "fencepost: broken invariant: %s (%s) at %s:%d; please report this line\n", meaning, condition, file,
               line);
  std::abort();
}

}  // namespace fencepost
