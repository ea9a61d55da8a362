// The studio's light: a warm key light with soft shadows, a sky, a bounce from the floor, a fill, a rim
// light from behind, and a soft box that glossy surfaces reflect.
// Includes: frame.wgsl. Bindings: group 0, bindings 1 to 3.

@group(0) @binding(1) var key_map: texture_depth_2d;
@group(0) @binding(2) var floor_map: texture_depth_2d;
@group(0) @binding(3) var depth_sampler: sampler_comparison;

const KEY_COLOR = vec3f(1.0, 0.955, 0.89) * 1.2;
const SKY_COLOR = vec3f(0.80, 0.88, 1.0) * 0.40;
const BOUNCE_COLOR = vec3f(1.0, 0.96, 0.92) * 0.24;
const FILL_COLOR = vec3f(0.74, 0.84, 1.0) * 0.26;
const TO_FILL = vec3f(0.78, 0.25, 0.57);
const RIM_COLOR = vec3f(1.0, 0.98, 0.95) * 0.9;
const TO_RIM = vec3f(0.45, 0.55, -0.70);
const SEARCH_TAPS = 12u;
const SHADOW_TAPS = 24u;
const WIDEST = 64.0;  // half width of the widest penumbra, in pixels of the shadow map
const FLOOR_TAPS = 24u;
const FLOOR_DIP = 0.1;  // depth 0 of the floor map lies this far below the floor, in character heights
const EMPTY = 0.9999;  // deeper than this lies nothing in a depth map
const GOLDEN_ANGLE = 2.39996323;

// Return point `index` of `count` on the unit disc, evenly spread (Vogel's spiral).
fn disc_point(index: u32, count: u32, turn: f32) -> vec2f {
    let angle = f32(index) * GOLDEN_ANGLE + turn;
    return sqrt((f32(index) + 0.5) / f32(count)) * vec2f(cos(angle), sin(angle));
}

fn map_coords(clip: vec3f) -> vec2f {
    return clip.xy * vec2f(0.5, -0.5) + 0.5;
}

fn map_depth(map: texture_depth_2d, uv: vec2f) -> f32 {
    let size = vec2i(textureDimensions(map));
    return textureLoad(map, clamp(vec2i(uv * vec2f(size)), vec2i(0), size - 1), 0);
}

// Return the mean depth of what lies between the light and a point, or -1 if nothing does.
fn blocker_depth(uv: vec2f, depth: f32, slope: vec2f, reach: f32, turn: f32) -> f32 {
    var sum = 0.0;
    var count = 0.0;
    for (var tap = 0u; tap < SEARCH_TAPS; tap++) {
        let shift = disc_point(tap, SEARCH_TAPS, turn) * reach;
        let found = map_depth(key_map, uv + shift);
        if found < min(depth + dot(slope, shift), EMPTY) {
            sum += found;
            count += 1.0;
        }
    }
    return select(-1.0, sum / max(count, 1.0), count > 0.0);
}

// Return how much of the key light reaches a point, in [0, 1].
// Percentage closer soft shadows (Fernando 2005): the penumbra grows with the distance to the blocker. Every tap is
// compared with the depth of the receiving plane at that tap, so that wide filters do not shade their own surface.
fn key_visibility(position: vec3f, normal: vec3f, noise: f32) -> f32 {
    let clip = (frame.key_from_world * vec4f(position + normal * (2.0 * frame.key_texel), 1.0)).xyz;
    let uv = map_coords(clip);
    if any(uv < vec2f(0.0)) || any(uv > vec2f(1.0)) {
        return 1.0;
    }
    let size = f32(textureDimensions(key_map).x);
    let texel = 1.0 / size;
    let slope = plane_slope(normal, size * frame.key_texel);
    let depth = clip.z - 0.4 * frame.key_texel / frame.key_depth;
    let turn = noise * 2.0 * PI;
    let reach = clamp(frame.key_spread * frame.height / frame.key_depth, 2.0 * texel, WIDEST * texel);
    let blocker = blocker_depth(uv, depth, slope, reach, turn);
    if blocker < 0.0 {
        return 1.0;
    }
    let spread = clamp((depth - blocker) * frame.key_spread, 1.3 * texel, WIDEST * texel);
    var sum = 0.0;
    for (var tap = 0u; tap < SHADOW_TAPS; tap++) {
        let shift = disc_point(tap, SHADOW_TAPS, turn) * spread;
        let receiver = min(depth + dot(slope, shift), EMPTY);
        sum += textureSampleCompareLevel(key_map, depth_sampler, uv + shift, receiver);
    }
    return sum / f32(SHADOW_TAPS);
}

// Return how key depth changes along the shadow map on a plane with this normal, at most 4 deep for 1 across.
fn plane_slope(normal: vec3f, side: f32) -> vec2f {
    // The map scales lengths by 2 / side and 1 / depth; a normal has to be scaled the other way.
    let half_side = 0.5 * side;
    let scaled = (frame.key_from_world * vec4f(normal, 0.0)).xyz;
    let plane = scaled * vec3f(half_side * half_side, half_side * half_side, frame.key_depth * frame.key_depth);
    let slope = -plane.xy / select(plane.z, -1e-12, plane.z == 0.0);
    let limit = 4.0 * half_side / frame.key_depth;
    return clamp(slope, vec2f(-limit), vec2f(limit)) * vec2f(2.0, -2.0);
}

// Return how much a point of the floor sees of the sky past the characters above it, in [0, 1].
fn floor_openness(position: vec3f, noise: f32) -> f32 {
    let uv = map_coords((frame.floor_from_world * vec4f(position, 1.0)).xyz);
    var sum = 0.0;
    var total = 0.0;
    for (var tap = 0u; tap < FLOOR_TAPS; tap++) {
        let point = disc_point(tap, FLOOR_TAPS, noise * 2.0 * PI);
        let shift = point * length(point);  // denser in the middle, where feet touch the floor
        let found = map_depth(floor_map, uv + shift * frame.floor_reach);
        let above = max(found * (1.0 + FLOOR_DIP) - FLOOR_DIP, 0.0);
        let weight = 1.0 - 0.8 * length(shift);
        sum += weight * exp(-6.0 * above);
        total += weight;
    }
    return 1.0 - sum / total;
}

// Return the light of a direction of the studio for glossy surfaces: floor, sky and a large soft box.
fn studio_radiance(direction: vec3f, roughness: f32) -> vec3f {
    let horizon = smoothstep(-0.35 - roughness, 0.35 + roughness, direction.y);
    let box = smoothstep(0.70 - 0.7 * roughness, 0.96, dot(direction, normalize(vec3f(-0.5, 0.75, 0.6))));
    return mix(BOUNCE_COLOR, SKY_COLOR, horizon) + vec3f(1.0, 0.97, 0.93) * (box * mix(2.4, 0.5, roughness));
}

// Return the share of a uniform surrounding that a glossy surface reflects at this angle.
// Karis, "Physically based shading on mobile", 2014: a fit of the GGX integral.
fn reflected_share(specular: vec3f, roughness: f32, facing: f32) -> vec3f {
    let r = roughness * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    let scale = vec2f(-1.04, 1.04) * a + r.zw;
    return specular * scale.x + scale.y;
}

// Return the GGX lobe of the key light, times the cosine (Walter 2007, Schlick's Fresnel).
fn key_highlight(normal: vec3f, to_eye: vec3f, specular: vec3f, roughness: f32) -> vec3f {
    let half_way = normalize(to_eye + frame.to_key);
    let n_h = max(dot(normal, half_way), 0.0);
    let n_l = max(dot(normal, frame.to_key), 0.0);
    let n_v = max(dot(normal, to_eye), 1e-3);
    let a2 = max(roughness * roughness * roughness * roughness, 1e-3);
    let d = n_h * n_h * (a2 - 1.0) + 1.0;
    let lobe = a2 / (PI * d * d);
    let masking = 0.5 / mix(2.0 * n_l * n_v, n_l + n_v, roughness);
    let fresnel = specular + (1.0 - specular) * pow(1.0 - max(dot(to_eye, half_way), 0.0), 5.0);
    return fresnel * (lobe * masking * n_l);
}

// Return the light that a surface sends to the eye.
fn shade(position: vec3f, normal: vec3f, albedo: vec3f, roughness: f32, metallic: f32, noise: f32) -> vec3f {
    let to_eye = normalize(frame.eye - position);
    let facing = clamp(dot(normal, to_eye), 0.0, 1.0);
    let specular = mix(vec3f(0.04), albedo, metallic);
    let matte = albedo * (1.0 - metallic);
    let n_l = max(dot(normal, frame.to_key), 0.0);
    var key = 0.0;
    if n_l > 0.0 {
        key = key_visibility(position, normal, noise);
    }
    // Near the floor less sky is seen, and more of the floor's own shade.
    let above = clamp((position.y - frame.center.y) / frame.height, 0.0, 1.0);
    let open = mix(0.55, 1.0, smoothstep(0.0, 0.55, above));
    let sky = mix(BOUNCE_COLOR, SKY_COLOR, 0.5 + 0.5 * normal.y) * open;
    let fill = FILL_COLOR * max(dot(normal, TO_FILL), 0.0) * open;
    let rim = RIM_COLOR * max(dot(normal, TO_RIM), 0.0) * pow(1.0 - facing, 2.0);
    let reflected = studio_radiance(reflect(-to_eye, normal), roughness) * open;
    return matte * (KEY_COLOR * (key * n_l) + sky + fill + rim)
        + key_highlight(normal, to_eye, specular, roughness) * KEY_COLOR * key
        + reflected_share(specular, roughness, facing) * reflected * mix(0.45, 1.0, key);
}

// Compress highlights and leave everything below 0.8 as it is, hue kept.
// Khronos PBR Neutral tone mapper, specification 1.0, 2024.
fn tone_map(color: vec3f) -> vec3f {
    let start = 0.8 - 0.04;
    let lowest = min(color.r, min(color.g, color.b));
    let offset = select(0.04, lowest - 6.25 * lowest * lowest, lowest < 0.08);
    let shifted = color - offset;
    let peak = max(shifted.r, max(shifted.g, shifted.b));
    if peak < start {
        return shifted;
    }
    let room = 1.0 - start;
    let new_peak = 1.0 - room * room / (peak + room - start);
    let fade = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
    return mix(shifted * new_peak / peak, vec3f(new_peak), fade);
}
