// Depth only, for the maps of the key light and of the floor.
// Includes: frame.wgsl, skin.wgsl, material.wgsl.

struct DepthPoint {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
    @location(1) alpha: f32,
}

@vertex
fn vertex_main(@builtin(vertex_index) vert: u32, @builtin(instance_index) char: u32) -> DepthPoint {
    var point: DepthPoint;
    point.clip = frame.clip_from_world * vec4f(skin(char, vert).position, 1.0);
    point.uv = texture_coords(vec2f(vertices[vert].u, vertices[vert].v));
    point.alpha = vertices[vert].color.a * material.base_color.a;
    return point;
}

// Only for materials with holes.
@fragment
fn fragment_main(point: DepthPoint) {
    if surface_color(point.uv, vec4f(point.alpha)).a < material.alpha_cutoff {
        discard;
    }
}
