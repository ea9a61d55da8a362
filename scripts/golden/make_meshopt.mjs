// Make tests/golden/meshopt/streams.json: compressed streams and what they decode to.
//
//     npm install --no-save meshoptimizer@1.3.0 && node scripts/golden/make_meshopt.mjs
//
// The encoder and the decoder are those of the meshoptimizer package, not skelter's. Every stream is made from numbers
// of a fixed generator or from closed forms, so the file comes out the same on every machine.

import { writeFileSync } from "node:fs";
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";

await MeshoptDecoder.ready;
await MeshoptEncoder.ready;

const streams = [];
let seed = 1;

function random() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

function add(name, mode, filter, count, stride, data) {
  const decoded = new Uint8Array(count * stride);
  MeshoptDecoder.decodeGltfBuffer(decoded, count, stride, data, mode, filter);
  const text = (bytes) => Buffer.from(bytes).toString("base64");
  streams.push({ name, mode, filter, count, stride, data: text(data), decoded: text(decoded) });
}

function addAttributes(name, bytes, stride, filter = "NONE") {
  const count = bytes.length / stride;
  for (const version of filter === "COLOR" ? [1] : [0, 1]) {
    for (const level of version === 1 ? [0, 3] : [0]) {
      const data = MeshoptEncoder.encodeVertexBufferLevel(bytes, count, stride, level, version);
      add(`${name}, version ${version}, level ${level}`, "ATTRIBUTES", filter, count, stride, data);
    }
  }
}

const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

// Plain attributes: smooth integers (2-byte deltas), floats (XOR deltas), noise (literals), constants, sparse jumps.
const wave = (index, column) => Math.sin(0.05 * index + column) * (column + 1);
addAttributes("int16 waves", bytesOf(Int16Array.from({ length: 130 * 4 }, (_, i) => 8000 * wave(i >> 2, i & 3))), 8);
addAttributes("float waves", bytesOf(Float32Array.from({ length: 50 * 3 }, (_, i) => wave(Math.floor(i / 3), i % 3))), 12);
addAttributes("times", bytesOf(Float32Array.from({ length: 90 }, (_, i) => i / 30)), 4);
addAttributes("noise", Uint8Array.from({ length: 40 * 8 }, () => 256 * random()), 8);
addAttributes("constant", new Uint8Array(260 * 4).fill(7), 4);
addAttributes("sparse jumps", Uint8Array.from({ length: 200 * 4 }, (_, i) => (i % 13 === 0 ? 256 * random() : 3)), 4);
addAttributes("steps of one", Uint8Array.from({ length: 70 * 4 }, (_, i) => (i >> 2) * (i & 3)), 4);
addAttributes("wide elements", Uint8Array.from({ length: 18 * 256 }, (_, i) => (i % 256 < 6 ? 256 * random() : i >> 9)), 256);
addAttributes("one element", Uint8Array.from([1, 2, 3, 250]), 4);
addAttributes("no element", new Uint8Array(0), 4);

// Filters.
const unit = (values) => values.map((value) => value / Math.hypot(...values));
const normals = Array.from({ length: 60 }, () => [...unit([random() - 0.5, random() - 0.5, random() - 0.5]), 1]);
normals.push([0, 0, 1, -1], [0, 0, -1, 1], [1, 0, 0, 1], [0, -1, 0, 1], ...[[-1, 0, -0, 1]]);
const flatNormals = Float32Array.from(normals.flat());
for (const [stride, bits] of [[4, 8], [4, 6], [8, 16], [8, 10]]) {
  const bytes = MeshoptEncoder.encodeFilterOct(flatNormals, normals.length, stride, bits);
  addAttributes(`normals of ${bits} bits`, bytes, stride, "OCTAHEDRAL");
}
const rotations = Array.from({ length: 60 }, () => unit([random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5]));
rotations.push([0, 0, 0, 1], [1, 0, 0, 0], [0, -1, 0, 0], unit([1, 1, 1, 1]));
for (const bits of [16, 12, 5]) {
  const bytes = MeshoptEncoder.encodeFilterQuat(Float32Array.from(rotations.flat()), rotations.length, 8, bits);
  addAttributes(`rotations of ${bits} bits`, bytes, 8, "QUATERNION");
}
const vectors = Float32Array.from({ length: 60 * 3 }, () => (random() - 0.5) * 10 ** Math.floor(random() * 12 - 6));
for (const [bits, share] of [[23, "Separate"], [15, "SharedVector"], [8, "SharedComponent"]]) {
  const bytes = MeshoptEncoder.encodeFilterExp(vectors, 60, 12, bits, share);
  addAttributes(`vectors of ${bits} bits`, bytes, 12, "EXPONENTIAL");
}
const colors = Float32Array.from({ length: 64 * 4 }, (_, i) => (i < 32 ? Math.floor(i / 4) >> (i & 3) & 1 : random()));
for (const [stride, bits] of [[4, 8], [4, 5], [8, 16], [8, 12]]) {
  addAttributes(`colors of ${bits} bits`, MeshoptEncoder.encodeFilterColor(colors, 64, stride, bits), stride, "COLOR");
}

// Indices: a grid (good locality), separate grids (the sequence of new vertices restarts), and random triangles.
function grid(width, height) {
  const corner = (x, y) => y * (width + 1) + x;
  const cells = Array.from({ length: width * height }, (_, i) => [i % width, Math.floor(i / width)]);
  return cells.flatMap(([x, y]) => [
    corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x, y + 1), corner(x + 1, y), corner(x + 1, y + 1),
  ]);
}
const scattered = Array.from({ length: 120 }, () => Math.floor(60000 * random()));
const triangleLists = { grid: grid(12, 9), "two grids": [...grid(4, 5), ...grid(6, 3)], scattered, none: [] };
for (const [name, list] of Object.entries(triangleLists)) {
  for (const Type of [Uint16Array, Uint32Array]) {
    const stride = Type.BYTES_PER_ELEMENT;
    const bytes = bytesOf(Type.from(list));
    for (const [mode, encode] of [["TRIANGLES", "encodeIndexBuffer"], ["INDICES", "encodeIndexSequence"]]) {
      const data = MeshoptEncoder[encode](bytes, list.length, stride);
      add(`${name}, ${stride} bytes`, mode, "NONE", list.length, stride, data);
    }
  }
}
const far = Uint32Array.from({ length: 30 }, (_, i) => (i & 1 ? 1000000 + 3 * i : 2 * i));
add("two strands", "INDICES", "NONE", 30, 4, MeshoptEncoder.encodeIndexSequence(bytesOf(far), 30, 4));

const target = new URL("../../tests/golden/meshopt/streams.json", import.meta.url);
writeFileSync(target, `[\n${streams.map((stream) => JSON.stringify(stream)).join(",\n")}\n]\n`);
