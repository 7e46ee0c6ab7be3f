// What the SDK throws at a handler that asks for something impossible. Left uncaught, each fails
// the batch (or, in init, the job) with its message.
#pragma once

#include <stdexcept>

namespace retinue::companion {

// A stream, column or type that the job does not have.
class SchemaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A state that is not declared, has another format or type, was not loaded, or cannot be decoded.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A StateAccessor used after its epoch, or on a thread that does not process that epoch's batch.
class StaleStateError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// An input of a kind that the function does not process.
class NotImplementedError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A call at the wrong time: now() in init, a second row of a stream that has one open, …
class UsageError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace retinue::companion
