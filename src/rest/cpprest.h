#pragma once

// cpprestsdk defines a macro U, which breaks fmt and spdlog.
#ifndef _TURN_OFF_PLATFORM_STRING
#define _TURN_OFF_PLATFORM_STRING
#endif

// clang-format off
#include "rest/asio.h"
#include <cpprest/http_client.h>
#include <cpprest/http_listener.h>
#include <cpprest/details/http_server.h>
#include <cpprest/details/http_server_api.h>
// clang-format on
