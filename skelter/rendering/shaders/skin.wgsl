// Skin a vertex of a character into world space. Twin of the records: packing.py.
// Bindings: group 1, bindings 0 to 7. All vertices are read by index, so any number of influences fits.

struct Rig { influence_count: u32, palette_count: u32, morph_count: u32, spare: u32 }
struct Vertex { position: vec3f, u: f32, normal: vec3f, v: f32, color: vec4f }
struct Influence { entry: u32, weight: f32 }
struct Delta { position: vec3f, morph: u32, normal: vec3f, spare: f32 }
struct Character { world_from_model: array<vec4f, 3>, tint: vec3f, tinted: f32 }
struct Affine { x: vec4f, y: vec4f, z: vec4f }  // rows
struct Surface { position: vec3f, normal: vec3f }

@group(1) @binding(0) var<uniform> rig: Rig;
@group(1) @binding(1) var<storage, read> vertices: array<Vertex>;
@group(1) @binding(2) var<storage, read> influences: array<Influence>;      // [vert][influence], heaviest first
@group(1) @binding(3) var<storage, read> delta_start: array<u32>;           // [vert + 1]
@group(1) @binding(4) var<storage, read> deltas: array<Delta>;
@group(1) @binding(5) var<storage, read> skinning_matrices: array<Affine>;  // [char][palette]
@group(1) @binding(6) var<storage, read> characters: array<Character>;
@group(1) @binding(7) var<storage, read> morph_weights: array<f32>;         // [char][morph]

// Return a @ b.
fn chain(a: Affine, b: Affine) -> Affine {
    return Affine(
        a.x.x * b.x + a.x.y * b.y + a.x.z * b.z + vec4f(0, 0, 0, a.x.w),
        a.y.x * b.x + a.y.y * b.y + a.y.z * b.z + vec4f(0, 0, 0, a.y.w),
        a.z.x * b.x + a.z.y * b.y + a.z.z * b.z + vec4f(0, 0, 0, a.z.w),
    );
}

// Return the sum of weight * deltas of a vertex.
fn morph_shift(char: u32, vert: u32) -> Surface {
    var shift = Surface(vec3f(0), vec3f(0));
    for (var index = delta_start[vert]; index < delta_start[vert + 1u]; index++) {
        let weight = morph_weights[char * rig.morph_count + deltas[index].morph];
        shift.position += weight * deltas[index].position;
        shift.normal += weight * deltas[index].normal;
    }
    return shift;
}

// Return sum(weight * skinning matrix) of a vertex. Influences come heaviest first: a zero is the end.
fn blend_matrices(char: u32, vert: u32) -> Affine {
    var sum = Affine(vec4f(0), vec4f(0), vec4f(0));
    for (var slot = 0u; slot < rig.influence_count; slot++) {
        let influence = influences[vert * rig.influence_count + slot];
        if influence.weight == 0.0 {
            break;
        }
        let matrix = skinning_matrices[char * rig.palette_count + influence.entry];
        sum.x += influence.weight * matrix.x;
        sum.y += influence.weight * matrix.y;
        sum.z += influence.weight * matrix.z;
    }
    return sum;
}

// Return position and normal in the world. Normals go through the cofactors, (A^-1)^T * det A, which stay finite for a
// scale of zero along one axis; their length and sign are settled per pixel.
fn skin(char: u32, vert: u32) -> Surface {
    let shift = morph_shift(char, vert);
    let position = vec4f(vertices[vert].position + shift.position, 1.0);
    let normal = vertices[vert].normal + shift.normal;
    let place = characters[char].world_from_model;
    let matrix = chain(Affine(place[0], place[1], place[2]), blend_matrices(char, vert));
    let world = vec3f(dot(matrix.x, position), dot(matrix.y, position), dot(matrix.z, position));
    let cofactors = transpose(mat3x3f(
        cross(matrix.y.xyz, matrix.z.xyz),
        cross(matrix.z.xyz, matrix.x.xyz),
        cross(matrix.x.xyz, matrix.y.xyz),
    ));
    let turned = cofactors * normal;
    return Surface(world, turned / max(length(turned), 1e-30));
}
