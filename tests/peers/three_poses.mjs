// Poses of a GLB file as three.js plays it.   node three_poses.mjs FILE OUT.json FRACTION...
// For every clip and every fraction of its duration: world matrices of all nodes (16 numbers, column-major) and world
// positions of up to 64 vertices of each primitive.
import { readFileSync, writeFileSync } from 'node:fs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class {};

const VERTEX_COUNT = 64;
const [file, out, ...fractions] = process.argv.slice(2);
const bytes = readFileSync(file);
const loader = new GLTFLoader();
loader.register((parser) => ({
  name: 'POSES_ONLY',
  loadTexture: async () => new THREE.Texture(),
  // three.js binds tracks by name, and names of its own making can collide with those of nodes.
  beforeRoot: async () => {
    parser.json.nodes?.forEach((node, index) => (node.name = `node${index}`));
    parser.json.meshes?.forEach((mesh, index) => (mesh.name = `mesh${index}`));
  },
}));
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await loader.parseAsync(buffer, '');

// Nodes outside the scene are not in gltf.scene: all of them are asked for by index.
const root = new THREE.Group();
const nodes = await gltf.parser.getDependencies('node');
for (const node of nodes) if (node.parent === null) root.add(node);
for (const scene of gltf.scenes) root.add(scene);

const associations = gltf.parser.associations;
function primitives() {
  const found = [];
  nodes.forEach((node, index) => {
    if (gltf.parser.json.nodes[index].mesh === undefined) return;
    const parts = node.children.filter((child) => associations.get(child)?.nodes === undefined && child.isMesh);
    const meshes = node.isMesh ? [node] : parts;
    for (const mesh of meshes) found.push({ node: index, primitive: associations.get(mesh)?.primitives ?? 0, mesh });
  });
  return found;
}

function pose() {
  root.updateMatrixWorld(true);
  const vertex = new THREE.Vector3();
  return {
    nodes: nodes.map((node) => [...node.matrixWorld.elements]),
    primitives: primitives().map(({ node, primitive, mesh }) => {
      const count = mesh.geometry.attributes.position.count;
      const step = Math.max(1, Math.floor(count / VERTEX_COUNT));
      const indices = Array.from({ length: Math.min(VERTEX_COUNT, Math.ceil(count / step)) }, (_, i) => i * step);
      const positions = indices.map((i) => mesh.getVertexPosition(i, vertex).applyMatrix4(mesh.matrixWorld).toArray());
      return { node, primitive, indices, positions };
    }),
  };
}

const result = { rest: pose(), clips: [] };
for (const clip of gltf.animations) {
  const samples = fractions.map((fraction) => {
    const mixer = new THREE.AnimationMixer(root);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce, 1);
    action.clampWhenFinished = true;
    action.play();
    const time = Number(fraction) * clip.duration;
    mixer.setTime(time);
    const sample = { time, ...pose() };
    mixer.stopAllAction();
    mixer.uncacheRoot(root);
    return sample;
  });
  result.clips.push({ name: clip.name, duration: clip.duration, samples });
}
writeFileSync(out, JSON.stringify(result));
