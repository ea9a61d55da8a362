// Base colour of a material. Twin of the record: packing.py.
// Bindings: group 2.

struct Material {
    base_color: vec4f,
    emissive: vec3f,
    alpha_cutoff: f32,
    uv_matrix: vec4f,  // row-major 2 x 2
    uv_offset: vec2f,
    roughness: f32,
    metallic: f32,
    tint_factor: f32,  // 1: the tint multiplies the base colour
    tint_base: f32,    // 1: the tint replaces the base colour
    unlit: f32,
    spare: f32,
}

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_color_texture: texture_2d<f32>;
@group(2) @binding(2) var base_color_sampler: sampler;

// Return texture coordinates, v down, after KHR_texture_transform.
fn texture_coords(uv: vec2f) -> vec2f {
    return vec2f(dot(material.uv_matrix.xy, uv), dot(material.uv_matrix.zw, uv)) + material.uv_offset;
}

// Return linear RGBA of a vertex: its own colour * the base colour of the material, tinted.
fn vertex_color(color: vec4f, tint: vec3f, tinted: f32) -> vec4f {
    let base = mix(material.base_color.rgb, tint, material.tint_base * tinted);
    return color * vec4f(base * mix(vec3f(1.0), tint, material.tint_factor * tinted), material.base_color.a);
}

// Return linear RGBA of a point of the surface.
fn surface_color(uv: vec2f, color: vec4f) -> vec4f {
    return color * textureSample(base_color_texture, base_color_sampler, uv);
}
