// Record what PlayCanvas's engine gives for the jobs of tests/golden/playcanvas:
//
//   npm install --no-save playcanvas@2.23.3 && node scripts/golden/record_playcanvas.mjs
//
// For each NAME.job.json: NAME.result.json as it is, and NAME.dense.result.json with rotations resampled by slerp at
// 240 Hz. fuzz/000.json.gz, which holds its own job, is recorded anew as well. It reads only what these jobs use.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as pc from 'playcanvas';

const FOLDER = new URL('../../tests/golden/playcanvas/', import.meta.url);
const PROPERTIES = { translation: ['localPosition', 3], rotation: ['localRotation', 4], scale: ['localScale', 3] };
const RATE = 240;

function makeApp() {
    const box = { x: 0, y: 0, left: 0, top: 0, width: 1, height: 1 };
    const canvas = { width: 1, height: 1, style: {}, getBoundingClientRect: () => box, addEventListener() {}, removeEventListener() {} };
    const options = new pc.AppOptions();
    options.graphicsDevice = new pc.NullGraphicsDevice(canvas);
    options.componentSystems = [pc.AnimComponentSystem];
    options.resourceHandlers = [];
    const app = new pc.AppBase(canvas);
    app.init(options);
    return app;
}

function makeTrack(clip) {
    const inputs = [], outputs = [], curves = [];
    clip.curves.forEach((curve, index) => {
        const [name, components] = PROPERTIES[curve.property];
        inputs.push(new pc.AnimData(1, curve.times));
        outputs.push(new pc.AnimData(components, curve.values));
        const path = { entityPath: curve.path.split('/'), component: 'graph', propertyPath: [name] };
        curves.push(new pc.AnimCurve([path], index, index, pc[`INTERPOLATION_${curve.interpolation}`]));
    });
    return new pc.AnimTrack(clip.name, clip.duration, inputs, outputs, curves, new pc.AnimEvents([]));
}

// Resample rotations by slerp, at the keys and at RATE between them.
function dense(job) {
    const copy = structuredClone(job);
    for (const curve of copy.clips.flatMap(clip => clip.curves).filter(c => c.property === 'rotation' && c.interpolation === 'LINEAR')) {
        const { times, values } = curve, keys = times.map((_, i) => new pc.Quat(values.slice(4 * i, 4 * i + 4)));
        const end = times.at(-1), grid = Array.from({ length: Math.floor(end * RATE) + 1 }, (_, i) => i / RATE);
        curve.times = [...new Set([...times, ...grid.filter(t => t < end)])].sort((a, b) => a - b);
        curve.values = curve.times.flatMap((time) => {
            const i = Math.min(times.findLastIndex(t => t <= time), times.length - 2);
            const q = new pc.Quat().slerp(keys[i], keys[i + 1], (time - times[i]) / (times[i + 1] - times[i])).normalize();
            return [q.x, q.y, q.z, q.w];
        });
    }
    return copy;
}

const number = value => (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value ?? null);

function view(layer) {
    const clips = layer._controller.animEvaluator.clips.map(clip => ({
        name: clip.name, track: clip.track.name, time: number(clip.time), speed: number(clip.speed), weight: number(clip.blendWeight)
    }));
    const names = ['activeState', 'previousState', 'transitioning', 'transitionProgress', 'activeStateProgress'];
    return { ...Object.fromEntries(names.map(name => [name, number(layer[name])])), clips };
}

function record(app, job) {
    const entities = {};
    for (const { name, parent, t } of job.hierarchy) {
        entities[name] = new pc.Entity(name, app);
        if (t) entities[name].setLocalPosition(...t);
        (entities[parent] ?? app.root).addChild(entities[name]);
    }
    const root = entities[job.hierarchy[0].name];
    root.addComponent('anim', { activate: true, speed: 1 });
    const { anim } = root, tracks = Object.fromEntries(job.clips.map(clip => [clip.name, makeTrack(clip)]));
    const layerOf = name => (name ? anim.findAnimationLayer(name) : anim.baseLayer);
    const steps = [];
    const bones = () => Object.fromEntries(job.output.bones.map((name) => {
        const p = entities[name].getLocalPosition(), q = entities[name].getLocalRotation(), s = entities[name].getLocalScale();
        return [name, { t: [p.x, p.y, p.z], r: [q.x, q.y, q.z, q.w], s: [s.x, s.y, s.z] }];
    }));
    const calls = {
        blendToWeight: call => layerOf(call.layer).blendToWeight(call.value, call.time),
        pause: call => layerOf(call.layer).pause(),
        play: call => layerOf(call.layer).play(call.state),
        assign: call => layerOf(call.layer).assignAnimation(call.path, tracks[call.clip])
    };
    try {
        anim.loadStateGraph(structuredClone(job.stateGraph));
        for (const [key, clip] of Object.entries(job.assignments)) {
            const [path, layer] = key.split(':').reverse();
            layerOf(layer).assignAnimation(path, tracks[clip]);
        }
        for (const step of job.steps) {
            for (let i = 0; i < (step.repeat ?? 1); i++) {
                if (i === 0) {
                    for (const [name, value] of Object.entries(step.set ?? {})) anim.setFloat(name, value);
                    for (const name of step.trigger ?? []) anim.setTrigger(name);
                    for (const name of step.singleFrameTrigger ?? []) anim.setTrigger(name, true);
                    for (const call of step.calls ?? []) calls[call.op](call);
                }
                app.systems.fire('animationUpdate', step.dt);
                const layers = Object.fromEntries(anim.layers.map(layer => [layer.name, view(layer)]));
                const parameters = Object.fromEntries(Object.entries(anim.parameters).map(([name, { value }]) => [name, number(value)]));
                steps.push({ layers, parameters, bones: bones() });
            }
        }
    } catch (error) {
        steps.push({ error: `${error.constructor.name}: ${error.message}` });
    }
    root.destroy();
    return { engine: pc.version, steps };
}

const app = makeApp();
const write = (name, value) => writeFileSync(new URL(name, FOLDER), `${JSON.stringify(value)}\n`);
for (const file of readdirSync(FOLDER).filter(name => name.endsWith('.job.json'))) {
    const job = JSON.parse(readFileSync(new URL(file, FOLDER)));
    write(file.replace('.job.', '.result.'), record(app, job));
    write(file.replace('.job.', '.dense.result.'), record(app, dense(job)));
}
const packed = new URL('fuzz/000.json.gz', FOLDER), { job } = JSON.parse(gunzipSync(readFileSync(packed)));
const both = { job, result: record(app, job), dense_result: record(app, dense(job)) };
writeFileSync(packed, gzipSync(JSON.stringify(both)));
process.exit(0);
