// SPDX-License-Identifier: Apache-2.0
// Accesses that the invocations of a subgroup or workgroup (the team) make together: the lines (rows or columns) of a
// cooperative matrix. The invocations divide the lines among them, and each checks its lines in the name of the team. The file
// that includes this has included accesses.glsl, and has defined
//   uint sqa_join(team)    from here on accesses are the team's; returns who made them before
//   void sqa_leave(alone)  from here on they are made by `alone` again

// lines: how many, bytes of each, bytes from one to the next. team: number of this invocation in its team, size of the team,
// number of its subgroup in the workgroup, from 1; 0: the team is the workgroup.
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
