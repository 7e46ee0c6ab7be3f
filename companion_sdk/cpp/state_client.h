// MutableStateClient<T>: the way to a named state. Get one in init, then one accessor an input:
//
//   void init(RuntimeContext& context) override { totals_ = context.state_client<Totals>("totals");
//   } … auto totals = totals_.get(message);
//     totals->count += 1;
//
// Changes are found by comparing bytes when the batch is done: reading sends nothing, and an object
// that ends up empty deletes its row. All accessors of one key share one object.
// Threads: the one that processes the batch.
#pragma once

#include "companion_sdk/cpp/epoch_scope.h"
#include "companion_sdk/cpp/exceptions.h"
#include "companion_sdk/cpp/input.h"
#include "companion_sdk/cpp/state_table.h"

namespace retinue::companion {

// A pointer to one key's state, good for the epoch it was got in. Later, or on another thread,
// every use throws StaleStateError: do not keep one in a member.
template <State T>
class StateAccessor {
 public:
  // The state as it is now; T{} when absent. Throws StateError when it was not loaded, or what was
  // loaded cannot be decoded.
  T& operator*() const {
    check_epoch(epoch_);
    return table_->value(*slot_);
  }
  T* operator->() const { return &**this; }

  // Deletes the row, without having to load it. Writing to the object afterwards sets it anew.
  void clear() const {
    check_epoch(epoch_);
    table_->clear(*slot_);
  }

  // Whether there was a row when the batch began that was not cleared since: tells absent from
  // empty.
  bool exists() const {
    check_epoch(epoch_);
    return table_->exists(*slot_);
  }

 private:
  template <State U>
  friend class MutableStateClient;

  StateAccessor(StateTable<T>& table, typename StateTable<T>::Slot& slot)
      : table_(&table), slot_(&slot), epoch_(EpochScope::current()) {}

  StateTable<T>* table_;
  typename StateTable<T>::Slot* slot_;
  uint64_t epoch_;
};

template <State T>
class MutableStateClient {
 public:
  MutableStateClient() = default;  // assign one from RuntimeContext::state_client in init
  explicit MutableStateClient(StateTable<T>& table) : table_(&table) {}

  // Of the input's key: a Message, a Timer or a Visit. Throws StaleStateError outside of a batch.
  StateAccessor<T> get(const Input& input) const {
    if (table_ == nullptr) {
      throw UsageError("a state client must come from RuntimeContext::state_client, in init");
    }
    if (EpochScope::current() == 0) {
      throw StaleStateError("a state can only be had on the thread that processes a batch");
    }
    return {*table_, table_->open(input.key_index())};
  }

 private:
  StateTable<T>* table_ = nullptr;
};

}  // namespace retinue::companion
