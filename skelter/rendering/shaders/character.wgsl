// The characters, as the camera sees them.
// Includes: frame.wgsl, skin.wgsl, material.wgsl, light.wgsl.

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
    @location(3) color: vec4f,
}

@vertex
fn vertex_main(@builtin(vertex_index) vert: u32, @builtin(instance_index) char: u32) -> Point {
    let surface = skin(char, vert);
    var point: Point;
    point.clip = frame.clip_from_world * vec4f(surface.position, 1.0);
    point.position = surface.position;
    point.normal = surface.normal;
    point.uv = texture_coords(vec2f(vertices[vert].u, vertices[vert].v));
    point.color = vertex_color(vertices[vert].color, characters[char].tint, characters[char].tinted);
    return point;
}

// Return the unit normal on the side that the eye sees, whatever the winding of the triangle or a mirrored joint.
fn facing_normal(point: Point) -> vec3f {
    let flat_normal = cross(dpdx(point.position), dpdy(point.position));
    let visible_side = flat_normal * sign(dot(flat_normal, frame.eye - point.position));
    let normal = normalize(point.normal);
    return normal * select(1.0, -1.0, dot(normal, visible_side) < 0.0);
}

fn lit_color(point: Point, base: vec3f) -> vec3f {
    let normal = facing_normal(point);
    if material.unlit > 0.0 {
        return base;
    }
    let noise = pixel_noise(point.clip.xy);
    let lit = shade(point.position, normal, base, max(material.roughness, 0.08), material.metallic, noise);
    return tone_map(lit + material.emissive);
}

@fragment
fn opaque_main(point: Point) -> @location(0) vec4f {
    return vec4f(lit_color(point, surface_color(point.uv, point.color).rgb), 1.0);
}

@fragment
fn mask_main(point: Point) -> @location(0) vec4f {
    let base = surface_color(point.uv, point.color);
    let color = lit_color(point, base.rgb);
    if base.a < material.alpha_cutoff {
        discard;
    }
    return vec4f(color, 1.0);
}

struct Covered {
    @location(0) color: vec4f,
    @builtin(sample_mask) samples: u32,
}

override SAMPLE_COUNT: u32 = 1u;

// Transparency without sorting: alpha decides how many samples of the pixel are covered, and noise rounds the number.
// The mask is ours because drivers turn alpha into coverage in different ways.
@fragment
fn blend_main(point: Point) -> Covered {
    let base = surface_color(point.uv, point.color);
    let color = lit_color(point, base.rgb);
    let count = u32(clamp(base.a, 0.0, 1.0) * f32(SAMPLE_COUNT) + pixel_noise(point.clip.yx));
    if count == 0u {
        discard;
    }
    return Covered(vec4f(color, 1.0), (1u << count) - 1u);
}
