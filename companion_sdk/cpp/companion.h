// Everything a companion in C++ includes.
#pragma once

#include "companion_sdk/cpp/exceptions.h"
#include "companion_sdk/cpp/input.h"
#include "companion_sdk/cpp/output.h"
#include "companion_sdk/cpp/process_function.h"
#include "companion_sdk/cpp/registry.h"
#include "companion_sdk/cpp/run_companion.h"
#include "companion_sdk/cpp/runtime_context.h"
#include "companion_sdk/cpp/state_client.h"
#include "companion_sdk/cpp/yson_struct.h"
