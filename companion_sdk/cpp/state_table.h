// StateTable<T>: the values of one state that the handlers of a batch opened, one object a key.
//
// Users see it only through MutableStateClient. Objects are reused from batch to batch.
// Threads: the one that processes the batch. Borrows: the batch, between begin() and end().
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <typeindex>
#include <vector>

#include "companion_sdk/core/batch_answer.h"
#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/cpp/exceptions.h"
#include "companion_sdk/cpp/state_codec.h"

namespace retinue::companion {

class StateTableBase {
 public:
  StateTableBase(StateIndex state, InternalStateSpec spec, std::type_index type)
      : state_(state), spec_(std::move(spec)), type_(type) {}
  virtual ~StateTableBase() = default;
  StateTableBase(const StateTableBase&) = delete;
  StateTableBase& operator=(const StateTableBase&) = delete;

  // Drops every object of the last batch.
  void begin(const BatchView& batch) {
    batch_ = &batch;
    slot_of_key_.assign(batch.keys().row_count(), 0);
    used_ = 0;
  }
  void end() { batch_ = nullptr; }
  // Hands what changed to the answer. Throws what encoding throws.
  virtual void flush(BatchAnswer& answer) = 0;

  const std::string& name() const { return spec_.name; }
  std::type_index type() const { return type_; }

 protected:
  [[noreturn]] void throw_not_loaded() const;
  [[noreturn]] void throw_undecodable(const std::exception& error) const;

  const StateIndex state_;
  const InternalStateSpec spec_;
  const std::type_index type_;
  const BatchView* batch_ = nullptr;
  std::vector<uint32_t> slot_of_key_;  // 1 + place among the objects; 0: none
  size_t used_ = 0;
};

template <State T>
class StateTable final : public StateTableBase {
 public:
  struct Slot {
    KeyIndex key;
    bool is_decoded = false;  // `value` is what the state is
    bool is_cleared = false;
    T value{};
  };

  StateTable(StateIndex state, const InternalStateSpec& spec)
      : StateTableBase(state, spec, typeid(T)) {
    T empty{};
    clear_value(empty);
    StateCodec<T>::encode(spec_.format, empty_bytes_, empty);
  }

  Slot& open(KeyIndex key) {
    uint32_t& place = slot_of_key_[key.value()];
    if (place == 0) {
      if (used_ == slots_.size()) {
        slots_.emplace_back();
      }
      Slot& fresh = slots_[used_];
      fresh.key = key;
      fresh.is_decoded = false;
      fresh.is_cleared = false;
      place = static_cast<uint32_t>(++used_);
    }
    return slots_[place - 1];
  }

  T& value(Slot& slot) {
    if (!slot.is_decoded) {
      decode(slot);
    }
    return slot.value;
  }

  void clear(Slot& slot) {
    clear_value(slot.value);
    slot.is_decoded = true;
    slot.is_cleared = true;
  }

  bool exists(const Slot& slot) const {
    const StatePresence presence = batch_->state(state_, slot.key).presence;
    if (!slot.is_cleared && presence == StatePresence::kNotLoaded) {
      throw_not_loaded();
    }
    return !slot.is_cleared && presence == StatePresence::kPresent;
  }

  void flush(BatchAnswer& answer) override {
    for (size_t i = 0; i < used_; ++i) {
      const Slot& slot = slots_[i];
      if (!slot.is_decoded) {
        continue;
      }
      bytes_.clear();
      StateCodec<T>::encode(spec_.format, bytes_, slot.value);
      const StateValue loaded = batch_->state(state_, slot.key);
      if (loaded.presence == StatePresence::kPresent && loaded.bytes == bytes_ &&
          !slot.is_cleared) {
        continue;  // was only read
      }
      if (is_empty_value(slot)) {
        answer.clear_state(state_, slot.key);
      } else {
        answer.set_state(state_, slot.key, bytes_);
      }
    }
  }

 private:
  static void clear_value(T& value) {
    if constexpr (HasCustomClear<T>) {
      clear_state(value);
    } else {
      value = T{};
    }
  }

  bool is_empty_value(const Slot& slot) const {
    if constexpr (HasCustomIsEmpty<T>) {
      return is_empty(slot.value) || (slot.is_cleared && bytes_ == empty_bytes_);
    } else {
      return bytes_ == empty_bytes_;
    }
  }

  void decode(Slot& slot) {
    const StateValue loaded = batch_->state(state_, slot.key);
    if (loaded.presence == StatePresence::kNotLoaded) {
      throw_not_loaded();
    }
    slot.value = T{};
    if (loaded.presence == StatePresence::kPresent) {
      try {
        StateCodec<T>::decode(spec_.format, loaded.bytes, slot.value);
      } catch (const std::exception& error) {
        throw_undecodable(error);
      }
    }
    slot.is_decoded = true;
  }

  std::string empty_bytes_;
  std::string bytes_;
  std::deque<Slot> slots_;  // a deque: accessors point at slots
};

}  // namespace retinue::companion
