// SPDX-License-Identifier: Apache-2.0
// Rendering on WebGPU: a compute pass places instances, a first pass draws them lit and with depth, a second one blurs
// the picture into a texture that is read back. Prints a hash of each frame.
import { buffer, device, numbers, read, say } from './device.mjs';

const SIZE = 256;
const INSTANCES = 64;
const { TEXTURE_BINDING, RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const { STORAGE, UNIFORM, VERTEX, INDEX, COPY_DST } = GPUBufferUsage;

const scene = device.createShaderModule({ code: `
  struct Frame { time: f32, count: u32 }
  struct Instance { place: vec4f, colour: vec4f }
  @group(0) @binding(0) var<uniform> frame: Frame;
  @group(0) @binding(1) var<storage, read_write> placed: array<Instance>;
  @group(0) @binding(2) var<storage, read> instances: array<Instance>;

  @compute @workgroup_size(16) fn place(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= frame.count) { return; }
    let turn = f32(id.x) * 0.7 + frame.time;
    placed[id.x].place = vec4f(cos(turn), sin(turn * 1.3), 0.4 * sin(turn * 0.9) + 0.5, 0.12) * vec4f(0.8, 0.8, 1.0, 1.0);
    placed[id.x].colour = vec4f(abs(sin(vec3f(1.0, 2.0, 3.0) * turn)), 1.0);
  }

  struct Varying { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) colour: vec4f }
  @vertex fn vertex(@location(0) corner: vec3f, @builtin(instance_index) i: u32) -> Varying {
    let at = instances[i].place;
    var out: Varying;
    out.position = vec4f(at.xyz + corner * at.w, 1.0);
    out.normal = corner;
    out.colour = instances[i].colour;
    return out;
  }
  @fragment fn shade(in: Varying) -> @location(0) vec4f {
    let light = max(dot(normalize(in.normal), normalize(vec3f(0.4, 0.7, -0.6))), 0.0);
    return vec4f(in.colour.rgb * (0.2 + 0.8 * light), 1.0);
  }` });
const blur = device.createShaderModule({ code: `
  @group(0) @binding(0) var picture: texture_2d<f32>;
  @group(0) @binding(1) var smooth_: sampler;
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32(i & 1u), f32(i >> 1u)) * 4.0 - 1.0, 0.0, 1.0);
  }
  @fragment fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
    var sum = vec4f();
    for (var y = -2; y <= 2; y++) {
      for (var x = -2; x <= 2; x++) {
        sum += textureSampleLevel(picture, smooth_, (at.xy + vec2f(f32(x), f32(y))) / ${SIZE}.0, 0.0);
      }
    }
    return sum / 25.0;
  }` });

const octahedron = Float32Array.of(1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1);
const faces = Uint16Array.of(0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5);
const corners = buffer(octahedron, VERTEX);
const indices = buffer(faces, INDEX);
const frame = buffer(new Float32Array(4), UNIFORM);
const instances = buffer(Float32Array.from(numbers(INSTANCES * 8), () => 0), STORAGE);
const texture = (format, usage) => device.createTexture({ size: [SIZE, SIZE], format, usage: usage | RENDER_ATTACHMENT });
const picture = texture('rgba8unorm', TEXTURE_BINDING);
const depth = texture('depth24plus', 0);
const result = texture('rgba8unorm', COPY_SRC);

const place = await device.createComputePipelineAsync({ layout: 'auto', compute: { module: scene, entryPoint: 'place' } });
const draw = await device.createRenderPipelineAsync({
  layout: 'auto',
  vertex: { module: scene, entryPoint: 'vertex',
    buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }] },
  fragment: { module: scene, entryPoint: 'shade', targets: [{ format: 'rgba8unorm' }] },
  depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  primitive: { topology: 'triangle-list', cullMode: 'none' },
});
const soften = await device.createRenderPipelineAsync({
  layout: 'auto', vertex: { module: blur, entryPoint: 'vertex' },
  fragment: { module: blur, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
});
const entries = (...resources) => resources.map(([binding, resource]) => ({ binding, resource }));
const placeGroup = device.createBindGroup({ layout: place.getBindGroupLayout(0),
  entries: entries([0, { buffer: frame }], [1, { buffer: instances }]) });
const drawGroup = device.createBindGroup({ layout: draw.getBindGroupLayout(0),
  entries: entries([2, { buffer: instances }]) });
const softenGroup = device.createBindGroup({ layout: soften.getBindGroupLayout(0),
  entries: entries([0, picture.createView()], [1, device.createSampler({ magFilter: 'linear', minFilter: 'linear' })]) });

for (let number = 0; number < 4; number++) {
  const values = new ArrayBuffer(16);
  new Float32Array(values)[0] = number * 0.25;
  new Uint32Array(values)[1] = INSTANCES;
  device.queue.writeBuffer(frame, 0, values);
  const encoder = device.createCommandEncoder();
  const compute = encoder.beginComputePass();
  compute.setPipeline(place);
  compute.setBindGroup(0, placeGroup);
  compute.dispatchWorkgroups(INSTANCES / 16);
  compute.end();
  const first = encoder.beginRenderPass({
    colorAttachments: [{ view: picture.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0.1, 0.1, 0.2, 1] }],
    depthStencilAttachment: { view: depth.createView(), depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 1 },
  });
  first.setPipeline(draw);
  first.setBindGroup(0, drawGroup);
  first.setVertexBuffer(0, corners);
  first.setIndexBuffer(indices, 'uint16');
  first.drawIndexed(faces.length, INSTANCES);
  first.end();
  const second = encoder.beginRenderPass({
    colorAttachments: [{ view: result.createView(), loadOp: 'clear', storeOp: 'store' }] });
  second.setPipeline(soften);
  second.setBindGroup(0, softenGroup);
  second.draw(3);
  second.end();
  const pixels = device.createBuffer({ size: SIZE * SIZE * 4, usage: COPY_DST | GPUBufferUsage.COPY_SRC });
  encoder.copyTextureToBuffer({ texture: result }, { buffer: pixels, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  const bytes = await read(pixels);
  if (new Set(new Uint32Array(bytes)).size < 1000) throw new Error('the picture is nearly empty');
  say(`frame ${number}`, bytes);
}
process.exit(0);
