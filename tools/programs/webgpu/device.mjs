// SPDX-License-Identifier: Apache-2.0
// A WebGPU device on Dawn's Vulkan backend, and what both programs here need of it.
import { createHash } from 'node:crypto';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const options = ['backend=vulkan'];
if (process.env.PROGRAMS_ADAPTER) options.push(`adapter=${process.env.PROGRAMS_ADAPTER}`);
const gpu = create(options);
// Dawn goes with this object; nothing else refers to it.
globalThis.programsGpu = gpu;
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error('Dawn finds no Vulkan adapter');
export const device = await adapter.requestDevice();
device.onuncapturederror = (event) => {
  console.error(event.error.message);
  process.exit(1);
};

export function buffer(data, usage) {
  const made = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(made, 0, data);
  return made;
}

export async function read(source) {
  const target = device.createBuffer({ size: source.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(source, 0, target, 0, source.size);
  device.queue.submit([encoder.finish()]);
  await target.mapAsync(GPUMapMode.READ);
  return target.getMappedRange();
}

export function say(name, bytes) {
  console.log(name, createHash('sha256').update(new Uint8Array(bytes)).digest('hex'));
}

// Numbers that look random and are the same in every run.
export function numbers(count, seed = 1) {
  let state = seed;
  return Uint32Array.from({ length: count }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0));
}
