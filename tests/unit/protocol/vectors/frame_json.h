// A received message as JSON, for people and for SDKs that have no Cap'n Proto reader yet. Data is
// written as a string of hexadecimal digits, 64-bit integers as strings; null pointers are left
// out.
#pragma once

#include <set>
#include <string>

#include "protocol/schema/companion.capnp.h"

namespace retinue::vectors {

std::string to_json(wire::Envelope::Reader envelope);
// Builds a message from the JSON and writes that as JSON.
std::string json_after_round_trip(const std::string& json);

// The name of the union's member that is set; empty for one that the schema does not have.
std::string message_name(wire::Envelope::Reader envelope);
std::set<std::string> message_names();

}  // namespace retinue::vectors
