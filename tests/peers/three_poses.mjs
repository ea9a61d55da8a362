// Poses of GLB files as three.js plays them.   node three_poses.mjs FRACTION,FRACTION... FILE...
// Writes FILE.json: for every clip and every fraction of its duration, world matrices of all nodes (16 numbers,
// column-major) and world positions of up to 64 vertices of each primitive.
import { readFileSync, writeFileSync } from 'node:fs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class {};

const VERTEX_COUNT = 64;
const [list, ...files] = process.argv.slice(2);
const fractions = list.split(',').map(Number);
for (const file of files) writeFileSync(`${file}.json`, JSON.stringify(poses(await load(file))));

async function load(file) {
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
  const bytes = readFileSync(file);
  const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
  // Nodes outside the scene are not in gltf.scene: all of them are asked for by index.
  const root = new THREE.Group();
  const nodes = await gltf.parser.getDependencies('node');
  for (const node of nodes) if (node.parent === null) root.add(node);
  for (const scene of gltf.scenes) root.add(scene);
  return { root, nodes, clips: gltf.animations, primitives: primitives(gltf.parser, nodes) };
}

function primitives(parser, nodes) {
  const known = (object) => parser.associations.get(object);
  return nodes.flatMap((node, index) => {
    if (parser.json.nodes[index].mesh === undefined) return [];
    const parts = node.children.filter((child) => known(child)?.nodes === undefined && child.isMesh);
    const meshes = node.isMesh ? [node] : parts;
    return meshes.map((mesh) => ({ node: index, primitive: known(mesh)?.primitives ?? 0, mesh }));
  });
}

function poses(model) {
  const rest = pose(model);
  const clips = model.clips.map((clip) => ({
    name: clip.name,
    duration: clip.duration,
    samples: fractions.map((fraction) => sample(model, clip, fraction * clip.duration)),
  }));
  return { rest, clips };
}

function sample(model, clip, time) {
  const mixer = new THREE.AnimationMixer(model.root);
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  mixer.setTime(time);
  const result = { time, ...pose(model) };
  mixer.stopAllAction();
  mixer.uncacheRoot(model.root);
  return result;
}

function pose({ root, nodes, primitives }) {
  root.updateMatrixWorld(true);
  return { nodes: nodes.map((node) => [...node.matrixWorld.elements]), primitives: primitives.map(vertices) };
}

function vertices({ node, primitive, mesh }) {
  const count = mesh.geometry.attributes.position.count;
  const step = Math.max(1, Math.floor(count / VERTEX_COUNT));
  const indices = Array.from({ length: Math.min(VERTEX_COUNT, Math.ceil(count / step)) }, (_, i) => i * step);
  const vertex = new THREE.Vector3();
  const positions = indices.map((i) => mesh.getVertexPosition(i, vertex).applyMatrix4(mesh.matrixWorld).toArray());
  return { node, primitive, indices, positions };
}
