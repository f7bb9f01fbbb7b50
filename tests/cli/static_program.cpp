// SPDX-License-Identifier: Apache-2.0
// A program without a dynamic linker.
int main() { return 0; }
