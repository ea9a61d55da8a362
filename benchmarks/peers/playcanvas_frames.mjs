// Time of a frame of a crowd in PlayCanvas.   node playcanvas_frames.mjs JOB.json CHARACTERS FRAMES
// The job has the joints, three clips and a state graph, as benchmarks/compare.py writes them; each character is an entity
// with an anim component. A frame updates the components and the world transforms, and multiplies them with the inverse
// bind matrices, as a skin instance does. Writes {"version": text, "frames": [ms, ...]}.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import * as pc from 'playcanvas';

const [file, count, frames] = process.argv.slice(2);
const job = JSON.parse(readFileSync(file, 'utf8'));

const canvas = { id: 'none', width: 4, height: 4, style: {}, addEventListener() {}, removeEventListener() {} };
canvas.getBoundingClientRect = () => ({ x: 0, y: 0, left: 0, top: 0, width: 4, height: 4 });
const options = new pc.AppOptions();
options.graphicsDevice = new pc.NullGraphicsDevice(canvas);
options.componentSystems = [pc.AnimComponentSystem];
options.resourceHandlers = [];
const app = new pc.AppBase(canvas);
app.init(options);

const tracks = job.clips.map((clip) => {
  const inputs = [], outputs = [], curves = [];
  for (const curve of clip.curves) {
    inputs.push(new pc.AnimData(1, new Float32Array(curve.times)));
    outputs.push(new pc.AnimData(curve.property === 'localRotation' ? 4 : 3, new Float32Array(curve.values)));
    const path = { entityPath: curve.path, component: 'graph', propertyPath: [curve.property] };
    curves.push(new pc.AnimCurve([path], inputs.length - 1, outputs.length - 1, pc.INTERPOLATION_LINEAR));
  }
  return new pc.AnimTrack(clip.name, clip.duration, inputs, outputs, curves);
});

const characters = Array.from({ length: Number(count) }, (_, index) => {
  const nodes = job.joints.map((joint) => {
    const node = new pc.Entity(joint.name);
    node.setLocalPosition(...joint.t);
    node.setLocalRotation(...joint.r);
    return node;
  });
  const root = new pc.Entity('character');
  job.joints.forEach((joint, place) => (joint.parent < 0 ? root : nodes[joint.parent]).addChild(nodes[place]));
  app.root.addChild(root);
  root.addComponent('anim', { activate: true, speed: 1 });
  root.anim.loadStateGraph(new pc.AnimStateGraph(job.graph));
  for (const [place, clip] of Object.entries(job.assignments)) {
    const [layer, path] = place.split(':');
    root.anim.findAnimationLayer(layer).assignAnimation(path, tracks[clip]);
  }
  root.anim.setFloat('blend', (index * 0.618) % 1);
  return { root, nodes, palette: nodes.map(() => new pc.Mat4()) };
});
const inverse = job.joints.map(() => new pc.Mat4());

const times = [];
const watched = characters[0].nodes.map((node) => node.getLocalRotation().clone());
for (let frame = 0; frame < Number(frames) + 3; frame++) {
  const begin = performance.now();
  app.systems.fire('animationUpdate', 1 / 60);
  for (const { nodes, palette } of characters) {
    for (let joint = 0; joint < nodes.length; joint++) palette[joint].mulAffine2(nodes[joint].getWorldTransform(), inverse[joint]);
  }
  times.push(performance.now() - begin);
}
const moved = watched.filter((before, joint) => !before.equals(characters[0].nodes[joint].getLocalRotation())).length;
if (moved < job.joints.length) throw new Error(`only ${moved} of ${job.joints.length} joints moved`);
console.log(JSON.stringify({ version: pc.version, frames: times.slice(3) }));
