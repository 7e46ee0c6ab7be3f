#include "tests/unit/protocol/vectors/frame_json.h"

#include <capnp/compat/json.h>
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <kj/encoding.h>

namespace retinue::vectors {

namespace {

class HexData final : public capnp::JsonCodec::Handler<capnp::Data> {
 public:
  void encode(const capnp::JsonCodec&, capnp::Data::Reader input,
              capnp::JsonValue::Builder output) const override {
    output.setString(kj::encodeHex(input));
  }

  capnp::Orphan<capnp::Data> decode(const capnp::JsonCodec&, capnp::JsonValue::Reader input,
                                    capnp::Orphanage orphanage) const override {
    kj::Array<kj::byte> bytes = kj::decodeHex(input.getString());
    return orphanage.newOrphanCopy(capnp::Data::Reader(bytes));
  }
};

// Owns: the handler that the codec borrows.
struct Codec {
  Codec() {
    json.setPrettyPrint(true);
    json.addTypeHandler(hex);
  }

  HexData hex;
  capnp::JsonCodec json;
};

}  // namespace

std::string to_json(wire::Envelope::Reader envelope) {
  kj::String json = Codec().json.encode(envelope);
  return std::string(json.cStr(), json.size()) + "\n";
}

std::string json_after_round_trip(const std::string& json) {
  capnp::MallocMessageBuilder message;
  auto envelope = message.initRoot<wire::Envelope>();
  Codec().json.decode(kj::arrayPtr(json.data(), json.size()), envelope);
  return to_json(envelope.asReader());
}

std::string message_name(wire::Envelope::Reader envelope) {
  KJ_IF_MAYBE (field, capnp::DynamicStruct::Reader(envelope).which()) {
    return field->getProto().getName().cStr();
  }
  return "";
}

std::set<std::string> message_names() {
  std::set<std::string> names;
  for (capnp::StructSchema::Field field : capnp::Schema::from<wire::Envelope>().getUnionFields()) {
    names.insert(field.getProto().getName().cStr());
  }
  return names;
}

}  // namespace retinue::vectors
