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
    tinted: f32,
    unlit: f32,
    spare: vec2f,
}

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_color_texture: texture_2d<f32>;
@group(2) @binding(2) var base_color_sampler: sampler;

// Return texture coordinates, v down, after KHR_texture_transform.
fn texture_coords(uv: vec2f) -> vec2f {
    return vec2f(dot(material.uv_matrix.xy, uv), dot(material.uv_matrix.zw, uv)) + material.uv_offset;
}

// Return linear RGBA: factor * vertex colour * tint * texture.
fn base_color(uv: vec2f, color: vec4f) -> vec4f {
    return material.base_color * color * textureSample(base_color_texture, base_color_sampler, uv);
}

// Return vertex colour * tint, for materials that take a tint.
fn tinted_color(color: vec4f, tint: vec3f) -> vec4f {
    return vec4f(color.rgb * mix(vec3f(1.0), tint, material.tinted), color.a);
}
