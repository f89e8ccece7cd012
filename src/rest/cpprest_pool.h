#pragma once

namespace fencepost::rest {

/// cpprestsdk makes a pool of 40 threads at its first use unless it is told a number before. Any thread, any number of times.
void limit_cpprest_threads();

}  // namespace fencepost::rest
