// Time of a frame of a crowd in three.js.   node three_frames.mjs FILE.glb CHARACTERS FRAMES
// Each character is a clone with a mixer of its own, which blends three clips; a frame updates the mixers, the matrices
// of all bones and the bone matrices of the skeletons. Writes {"version": text, "frames": [ms, ...]}.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { clone } from 'three/examples/jsm/utils/SkeletonUtils.js';

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class {};

const [file, count, frames] = process.argv.slice(2);
const bytes = readFileSync(file);
const loader = new GLTFLoader();
loader.register(() => ({ name: 'NO_PICTURES', loadTexture: async () => new THREE.Texture() }));
const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');

const weights = [0.5, 0.3, 0.2];
const characters = Array.from({ length: Number(count) }, (_, index) => {
  const root = clone(gltf.scene);
  const mixer = new THREE.AnimationMixer(root);
  gltf.animations.slice(0, 3).forEach((clip, place) => {
    const action = mixer.clipAction(clip);
    action.setEffectiveWeight(weights[place]).play();
    action.time = ((index * 0.618) % 1) * clip.duration;
  });
  const skeletons = [];
  root.traverse((object) => object.isSkinnedMesh && skeletons.push(object.skeleton));
  return { root, mixer, skeletons };
});

const times = [];
const bone = characters[0].skeletons[0].bones[1];
const before = bone.quaternion.clone();
for (let frame = 0; frame < Number(frames) + 3; frame++) {
  const begin = performance.now();
  for (const { root, mixer, skeletons } of characters) {
    mixer.update(1 / 60);
    root.updateMatrixWorld(true);
    for (const skeleton of skeletons) skeleton.update();
  }
  times.push(performance.now() - begin);
}
if (before.equals(bone.quaternion)) throw new Error('no bone moved');
console.log(JSON.stringify({ version: THREE.REVISION, frames: times.slice(3) }));
