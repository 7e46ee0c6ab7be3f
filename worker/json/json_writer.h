// Writes values as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/yson/node.h"

namespace retinue::worker {

bool is_utf8(std::string_view bytes);

// `bytes` as a JSON string when they are UTF-8, as {"$base64": "…"} when they are not.
void append_json_string(std::string& out, std::string_view bytes);
// The shortest form that reads back to the same double, always with . or e; "nan", "inf" and "-inf"
// as strings.
void append_json_double(std::string& out, double value);

enum class JsonFormat : uint8_t {
  kCompact,  // one line, no blanks
  kPretty,   // indented by 2
};

// Entities are null, uint64 and int64 plain numbers, attributes {"$attributes": …, "$value": …}. A
// map's key that is no UTF-8 becomes "$base64:…".
void append_json(std::string& out, const yson::Node& node,
                 JsonFormat format = JsonFormat::kCompact);
std::string node_to_json(const yson::Node& node, JsonFormat format = JsonFormat::kCompact);

}  // namespace retinue::worker
