#pragma once

// Boost 1.74's Asio uses std::exchange without including its header, which C++20 builds notice.
// clang-format off
#include <utility>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
// clang-format on
