// What all shaders of a picture share. Twin of the record: stage.py.
// Bindings: group 0, binding 0.

struct Frame {
    clip_from_world: mat4x4f,   // of this pass: the camera's, the key light's or the floor's
    key_from_world: mat4x4f,    // key light: xy in [-1, 1] over its shadow map, z in [0, 1] away from the light
    floor_from_world: mat4x4f,  // seen from below: xy in [-1, 1] over the floor map, z in [0, 1] from -0.1 to 1 character heights
    eye: vec3f,
    key_spread: f32,            // half width of a penumbra per unit of key depth, in shadow map coordinates
    to_key: vec3f,              // unit vector towards the key light
    key_texel: f32,             // [m]
    center: vec3f,              // middle of the crowd, on the floor
    radius: f32,                // of the crowd [m]
    backdrop_low: vec4f,        // linear, premultiplied
    backdrop_high: vec4f,
    size: vec2f,                // of the picture [pixels]
    height: f32,                // of a character [m]
    floor_reach: f32,           // how far a foot darkens the floor, in floor map coordinates
    cell: f32,                  // of the floor's grid [m]
    studio: f32,                // 1: backdrop with a glow, 0: plain colour
    key_depth: f32,             // from key depth 0 to 1 [m]
}

@group(0) @binding(0) var<uniform> frame: Frame;

const PI = 3.14159265;

// Return noise in [0, 1) that is even over small windows of pixels.
// Interleaved gradient noise: Jimenez, "Next generation post processing in Call of Duty", SIGGRAPH 2014.
fn pixel_noise(pixel: vec2f) -> f32 {
    return fract(52.9829189 * fract(dot(floor(pixel), vec2f(0.06711056, 0.00583715))));
}
