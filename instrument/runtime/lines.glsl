// SPDX-License-Identifier: Apache-2.0
// Accesses that the invocations of a subgroup or workgroup make together: the lines (rows or columns) of a
// cooperative matrix. They share the lines, and each checks its own in the name of all. What includes this has
// defined
//   uint sqa_join(team)    from here on accesses are the team's; who made them before
//   void sqa_leave(alone)  they are that one's again
// and includes accesses.glsl before.

// lines: how many, bytes of each, bytes from one to the next. team: number of this invocation among those that share
// them, how many they are, number of their subgroup in the workgroup from 1 on, or 0: they are the workgroup.
void sqa_lines_set(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                   const uint offset, const uvec3 lines, const uvec3 team, const bool live) {
  uint alone = sqa_join(team);
  [[dont_unroll]] for (uint line = team.x; line < lines.x; line += team.y)
    sqa_access_set(root, hash, site, descriptor, index, offset + line * lines.z, lines.y, live);
  sqa_leave(alone);
}

void sqa_lines_address(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 address, const uint offset,
                       const uvec3 lines, const uvec3 team, const bool live) {
  uint alone = sqa_join(team);
  [[dont_unroll]] for (uint line = team.x; line < lines.x; line += team.y)
    sqa_access_address(root, hash, site, address, offset + line * lines.z, lines.y, live);
  sqa_leave(alone);
}
