# SPDX-License-Identifier: Apache-2.0
# cmake -DIN=file.spv -DOUT=file.h -DNAME=array -P embed.cmake: SPIR-V words as a C++ array.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}")
string(REPEAT "." 88 line)  # 8 words
string(REGEX REPLACE "(${line})" "\\1\n" words "${words}")
file(WRITE ${OUT} "static const uint32_t ${NAME}[] = {\n${words}};\n")
