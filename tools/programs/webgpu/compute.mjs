// SPDX-License-Identifier: Apache-2.0
// Compute on WebGPU: a bitonic sort, a prefix sum over blocks, and bodies that attract each other. Prints a hash of each
// result. With --race the bodies are moved in place, so that invocations read what others write.
import { buffer, device, numbers, read, say } from './device.mjs';

const race = process.argv.includes('--race');
const STORAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;

async function pipeline(code, entryPoint = 'main') {
  const module = device.createShaderModule({ code });
  return device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint } });
}
function group(of, ...buffers) {
  return device.createBindGroup({
    layout: of.getBindGroupLayout(0),
    entries: buffers.map((one, binding) => ({ binding, resource: { buffer: one } })),
  });
}

async function sort(count) {
  const keys = numbers(count);
  const step = await pipeline(`
    struct Step { distance: u32, block: u32 }
    @group(0) @binding(0) var<storage, read_write> keys: array<u32>;
    @group(0) @binding(1) var<uniform> step: Step;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      let other = id.x ^ step.distance;
      if (other <= id.x || other >= arrayLength(&keys)) { return; }
      let a = keys[id.x];
      let b = keys[other];
      if ((a > b) == ((id.x & step.block) == 0u)) { keys[id.x] = b; keys[other] = a; }
    }`);
  const data = buffer(keys, STORAGE);
  const encoder = device.createCommandEncoder();
  for (let block = 2; block <= count; block *= 2) {
    for (let distance = block / 2; distance > 0; distance /= 2) {
      const pass = encoder.beginComputePass();
      pass.setPipeline(step);
      pass.setBindGroup(0, group(step, data, buffer(Uint32Array.of(distance, block), GPUBufferUsage.UNIFORM)));
      pass.dispatchWorkgroups(count / 64);
      pass.end();
    }
  }
  device.queue.submit([encoder.finish()]);
  const sorted = await read(data);
  say('sort', sorted);
  keys.sort();
  if (!new Uint32Array(sorted).every((key, i) => key === keys[i])) throw new Error('the keys are not sorted');
}

async function sum(blocks) {
  const code = `
    @group(0) @binding(0) var<storage, read_write> values: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
    var<workgroup> tile: array<u32, 256>;
    @compute @workgroup_size(256)
    fn scan(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32,
            @builtin(workgroup_id) block: vec3u) {
      tile[local] = values[id.x];
      for (var distance = 1u; distance < 256u; distance *= 2u) {
        workgroupBarrier();
        var before = 0u;
        if (local >= distance) { before = tile[local - distance]; }
        workgroupBarrier();
        tile[local] += before;
      }
      values[id.x] = tile[local];
      if (local == 255u) { sums[block.x] = tile[local]; }
    }
    @compute @workgroup_size(256)
    fn add(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) block: vec3u) {
      var before = 0u;
      for (var i = 0u; i < block.x; i++) { before += sums[i]; }
      values[id.x] += before;
    }`;
  const input = numbers(256 * blocks, 7).map((value) => value >>> 20);
  const values = buffer(input, STORAGE);
  const sums = buffer(new Uint32Array(blocks), STORAGE);
  const encoder = device.createCommandEncoder();
  for (const entry of ['scan', 'add']) {
    const step = await pipeline(code, entry);
    const pass = encoder.beginComputePass();
    pass.setPipeline(step);
    pass.setBindGroup(0, group(step, values, sums));
    pass.dispatchWorkgroups(blocks);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
  const result = await read(values);
  say('sum', result);
  let expected = 0;
  new Uint32Array(result).forEach((value, i) => {
    expected += input[i];
    if (value !== expected) throw new Error(`sum ${i} is ${value}, not ${expected}`);
  });
}

async function attract(count, steps) {
  const move = await pipeline(`
    struct Body { position: vec4f, velocity: vec4f }
    @group(0) @binding(0) var<storage, read${race ? '_write' : ''}> before: array<Body>;
    ${race ? '' : '@group(0) @binding(1) var<storage, read_write> after: array<Body>;'}
    var<workgroup> tile: array<vec4f, 64>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
      var body = before[id.x];
      var force = vec3f();
      for (var first = 0u; first < arrayLength(&before); first += 64u) {
        tile[local] = before[first + local].position;
        workgroupBarrier();
        for (var i = 0u; i < 64u; i++) {
          let way = tile[i].xyz - body.position.xyz;
          let distance = dot(way, way) + 0.05;
          force += way * (tile[i].w * inverseSqrt(distance * distance * distance));
        }
        workgroupBarrier();
      }
      body.velocity += vec4f(force * 0.01, 0.0);
      body.position += vec4f(body.velocity.xyz * 0.01, 0.0);
      ${race ? 'before' : 'after'}[id.x] = body;
    }`);
  const start = Float32Array.from(numbers(count * 8, 3), (value, i) => (i % 8 < 4 ? value / 2 ** 32 : 0));
  const bodies = [buffer(start, STORAGE), buffer(start, STORAGE)];
  const encoder = device.createCommandEncoder();
  for (let i = 0; i < steps; i++) {
    const pass = encoder.beginComputePass();
    pass.setPipeline(move);
    pass.setBindGroup(0, race ? group(move, bodies[0]) : group(move, bodies[i % 2], bodies[(i + 1) % 2]));
    pass.dispatchWorkgroups(count / 64);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
  const result = await read(bodies[race ? 0 : steps % 2]);
  if (!new Float32Array(result).every(Number.isFinite)) throw new Error('a body is lost');
  if (!race) say('bodies', result);
}

if (!race) {
  await sort(512);
  await sum(16);
}
await attract(256, 8);
process.exit(0);
