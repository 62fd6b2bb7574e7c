#pragma once

/// Asks the processor for the cache line of an address. Has no effect if nothing is mapped there.
static inline void cpf_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }
