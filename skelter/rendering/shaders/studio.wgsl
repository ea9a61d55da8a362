// The backdrop, and a floor that shows only what falls on it.
// Includes: frame.wgsl, light.wgsl.

const FLOOR_SIDES = 6u;
const FLOOR_SIZE = 40.0;  // in radii of the crowd
const SHADE_COLOR = vec3f(0.035, 0.042, 0.07);

struct StudioPoint {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
}

@vertex
fn backdrop_vertex(@builtin(vertex_index) vert: u32) -> StudioPoint {
    let corner = vec2f(f32(vert & 1u), f32(vert >> 1u)) * 4.0 - 1.0;
    return StudioPoint(vec4f(corner, 1.0, 1.0), vec3f(0.0));
}

@fragment
fn backdrop_fragment(point: StudioPoint) -> @location(0) vec4f {
    let at = point.clip.xy / frame.size;
    var color = mix(frame.backdrop_high, frame.backdrop_low, smoothstep(0.0, 0.7, at.y));
    if frame.studio > 0.0 {
        let from_middle = (at - vec2f(0.5, 0.55)) * vec2f(1.0, 0.9);
        color = vec4f(color.rgb * (1.0 - 0.30 * smoothstep(0.05, 0.75, dot(from_middle, from_middle) * 2.0)), color.a);
        // Half a step of the 8-bit sRGB scale, against bands.
        let step = 2.2 * pow(max(color.rgb, vec3f(1e-4)), vec3f(0.55)) / 255.0;
        color = vec4f(color.rgb + (pixel_noise(point.clip.xy) - 0.5) * step, color.a);
    }
    return color;
}

@vertex
fn floor_vertex(@builtin(vertex_index) vert: u32) -> StudioPoint {
    let corner = vec2f(f32(vert & 1u), f32(vert >> 1u)) * 2.0 - 1.0;
    let reach = FLOOR_SIZE * frame.radius;
    let position = frame.center + vec3f(corner.x, 0.0, corner.y) * reach;
    return StudioPoint(frame.clip_from_world * vec4f(position, 1.0), position);
}

// Return how much of a pixel the lines of a grid cover.
fn grid_cover(position: vec2f, cell: f32, width: f32) -> f32 {
    let at = position / cell;
    let pixel = max(fwidth(at), vec2f(1e-6));
    let half_width = max(vec2f(width), pixel * 0.5);
    let from_line = abs(fract(at - 0.5) - 0.5);
    let cover = (1.0 - smoothstep(half_width - pixel * 0.5, half_width + pixel * 0.5, from_line)) * width / half_width;
    return max(cover.x, cover.y);
}

@fragment
fn floor_fragment(point: StudioPoint) -> @location(0) vec4f {
    let noise = pixel_noise(point.clip.xy);
    let grid = grid_cover(point.position.xz, frame.cell, 0.012);
    let distance = length(point.position - frame.center) / frame.radius;
    let key = key_visibility(point.position, vec3f(0.0, 1.0, 0.0), noise);
    let open = floor_openness(point.position, noise);
    let light = mix(0.50, 1.0, key) * mix(0.30, 1.0, open);
    let line = grid * 0.16 * (1.0 - smoothstep(0.9, 2.4, distance));
    let alpha = 1.0 - light * (1.0 - line);
    return vec4f(SHADE_COLOR * alpha, alpha);
}
