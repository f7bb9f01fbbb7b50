// SPDX-License-Identifier: Apache-2.0
// Thread-local variables of hot commands.
#ifndef SHADERQA_LAYER_VK_FAST_THREAD_LOCAL_H
#define SHADERQA_LAYER_VK_FAST_THREAD_LOCAL_H

#include <cstddef>  // defines __GLIBC__

// For variables of few bytes with constant initialisers and trivial destructors: a thread of the application
// may end at any time. Libraries that are loaded at run time reach thread-local variables by a call, unless
// they have this model; the C library keeps some memory for such libraries.
#ifdef __GLIBC__
#define SHADERQA_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] inline constinit thread_local
#else
#define SHADERQA_THREAD_LOCAL inline constinit thread_local
#endif

#endif
