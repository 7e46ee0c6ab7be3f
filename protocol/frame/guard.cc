#include "protocol/frame/guard.h"

#include <fmt/format.h>

#include <string_view>

namespace retinue {

Error malformed_frame(const kj::Exception& exception) {
  kj::StringPtr description = exception.getDescription();
  return {ErrorCode::kMalformedFrame,
          fmt::format("the bytes are not a Cap'n Proto message of this protocol: {}",
                      std::string_view(description.begin(), description.size()))};
}

}  // namespace retinue
