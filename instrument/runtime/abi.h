// SPDX-License-Identifier: Apache-2.0
// All of the records that shaders and host share. Include instead the header of what you read.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_H

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_filter.h"
#include "instrument/runtime/abi_footprints.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_printf.h"
#include "instrument/runtime/abi_ranges.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_root.h"
#include "instrument/runtime/abi_submission.h"
#include "instrument/runtime/abi_table.h"
#include "instrument/runtime/cell_fields.h"

#endif
