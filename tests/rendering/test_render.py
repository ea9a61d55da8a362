"""Pictures, looked at pixel by pixel on whatever adapter there is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from skelter.core.errors import ArgumentError, MissingExtraError, SkelterWarning
from skelter.core.material import Material
from skelter.rendering import adapter as adapter_module
from skelter.rendering.camera import Camera
from skelter.rendering.render import Renderer, render
from tests.rendering.conftest import BLUE, GREEN, RED, YELLOW, make_card, make_mesh, make_rig, png, stand

WIDTH, HEIGHT = 96, 64
SIZE = {"width": WIDTH, "height": HEIGHT, "samples": 1}
PLAIN = {**SIZE, "background": (1.0, 1.0, 1.0), "ground": False}
FRONT = Camera(eye=(0, 1, 8), target=(0, 1, 0), fov_y=0.5, near=1.0, far=50.0)
FLAT = Material(unlit=True)
WHITE = (255, 255, 255)


@pytest.fixture(scope="module")
def plain(adapter):
    """A renderer of small pictures on white, without a floor."""
    with Renderer(**PLAIN) as renderer:
        yield renderer


@pytest.fixture(scope="module")
def studio(adapter):
    """A renderer of small pictures on white, with a floor."""
    with Renderer(**{**PLAIN, "ground": True}) as renderer:
        yield renderer


def color_at(picture, point, camera=FRONT):
    """Return the colour of the pixel that shows a point of the world."""
    clip = camera.clip_from_world(WIDTH / HEIGHT) @ (*point, 1.0)
    column, row = (0.5 + 0.5 * clip[0] / clip[3]) * WIDTH, (0.5 - 0.5 * clip[1] / clip[3]) * HEIGHT
    return tuple(int(value) for value in picture[int(row), int(column), :3])


def card(*materials, images=(), **changes):
    return make_rig(make_card(**changes), materials or (FLAT,), images)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"width": 0}, "width"),
        ({"height": 9000}, "height"),
        ({"samples": 2}, "samples"),
        ({"background": (1.0, 2.0, 0.0)}, "background"),
        ({"background": (1.0,)}, "background"),
    ],
)
def test_impossible_options_are_refused(options, name):
    with pytest.raises(ArgumentError, match=name):
        Renderer(**options)


def test_without_an_adapter_the_error_says_what_to_install(monkeypatch):
    wgpu_device = pytest.importorskip("skelter.rendering.wgpu_device")
    monkeypatch.setattr(wgpu_device, "find_adapter_info", lambda: None)
    monkeypatch.setattr(adapter_module, "install_hint", lambda: "apt install a-driver")
    with pytest.raises(MissingExtraError, match="apt install a-driver"):
        render([])


def test_a_broken_texture_is_drawn_grey(plain):
    broken = dataclasses.replace(png([[RED]]), data=b"nothing")
    batch = stand(card(dataclasses.replace(FLAT, base_color_image=0), images=(broken,)), (0, 0, 0))
    with pytest.warns(SkelterWarning, match="cannot be read"):
        picture = plain.draw(batch, FRONT)
    assert color_at(picture, (0, 1, 0)) == (200, 200, 200)


def test_an_empty_crowd_is_a_backdrop(plain):
    assert np.array_equal(plain.draw([]), np.full((HEIGHT, WIDTH, 4), 255, np.uint8))


def test_a_batch_of_no_characters_is_a_backdrop(plain, capsule):
    assert (plain.draw(stand(capsule)) == 255).all()


def test_a_rig_without_a_mesh_is_a_backdrop(plain):
    nothing = {"joints": np.zeros((0, 0), np.int32), "weights": np.zeros((0, 0), np.float32), "draws": ()}
    mesh = make_mesh(np.zeros((0, 3)), np.zeros((0, 3)), [], **nothing)
    rig = make_rig(make_card(), (FLAT,))
    assert (plain.draw(stand(dataclasses.replace(rig, mesh=mesh), (0, 0, 0))) == 255).all()


def test_hidden_draws_are_not_drawn(plain):
    rig = card()
    hidden = dataclasses.replace(rig.mesh.draws[0], visible=False)
    rig = dataclasses.replace(rig, mesh=dataclasses.replace(rig.mesh, draws=(hidden,)))
    assert (plain.draw(stand(rig, (0, 0, 0))) == 255).all()


def test_a_joint_scaled_to_nothing_leaves_no_trace(plain, capsule):
    batch = stand(capsule, (0, 0, 0))
    batch.skinning_matrices[:] = 0.0
    assert (plain.draw(batch, FRONT) == 255).all()


def test_a_character_is_where_its_matrices_put_it(plain, capsule):
    batch = stand(capsule, (1.0, 0, 0))
    batch.skinning_matrices[0, :, 0, 3] = -2.0
    picture = plain.draw(batch, FRONT)
    red, green, _ = color_at(picture, (-1.0, 0.9, 0))
    assert red > 90
    assert green < red / 2
    assert color_at(picture, (1.0, 0.9, 0)) == WHITE


def test_a_bent_joint_moves_only_its_side(plain, capsule):
    batch = stand(capsule, (0, 0, 0))
    batch.skinning_matrices[0, 1] = [[0, -1, 0, 0.9], [1, 0, 0, 0.9], [0, 0, 1, 0]]
    picture = plain.draw(batch, FRONT)
    assert color_at(picture, (-0.6, 0.9, 0)) != WHITE
    assert color_at(picture, (0, 1.6, 0)) == WHITE
    assert color_at(picture, (0, 0.3, 0)) != WHITE


def test_textures_have_their_first_row_on_top(plain):
    picture = np.repeat(np.repeat([[RED, GREEN], [BLUE, YELLOW]], 8, axis=0), 8, axis=1)
    rig = card(dataclasses.replace(FLAT, base_color_image=0), images=(png(picture),))
    drawn = plain.draw(stand(rig, (0, 0, 0)), FRONT)
    places = [(-0.5, 1.5, 0), (0.5, 1.5, 0), (-0.5, 0.5, 0), (0.5, 0.5, 0)]
    assert [color_at(drawn, place) for place in places] == [RED, GREEN, BLUE, YELLOW]


def test_base_colour_vertex_colour_texture_and_tint_multiply(adapter):
    colors = np.tile(np.float32([0.5, 1.0, 1.0, 1.0]), (4, 1))
    material = dataclasses.replace(FLAT, base_color=(1.0, 0.5, 1.0, 1.0), base_color_image=0)
    batch = stand(card(material, colors=colors, images=(png([[(255, 255, 188)]]),)), (0, 0, 0))
    half = pytest.approx((188, 188, 188), abs=1)  # sRGB of 0.5
    assert color_at(render(batch, camera=FRONT, **PLAIN), (0, 1, 0)) == half
    tinted = dataclasses.replace(batch, tint=np.float32([[1.0, 1.0, 0.0]]))
    assert color_at(render(tinted, camera=FRONT, tint_all=True, **PLAIN), (0, 1, 0)) == pytest.approx(
        (188, 188, 0), abs=1
    )


def test_each_character_has_its_own_tint_in_place_of_the_accent(plain):
    rig = card(dataclasses.replace(FLAT, name="accent", base_color=(0, 1, 0, 1)))
    batch = stand(rig, (-1.2, 0, 0), (1.2, 0, 0))
    tinted = dataclasses.replace(batch, tint=np.float32([[1, 0, 0], [0, 0, 1]]))
    assert [color_at(plain.draw(tinted, FRONT), (x, 1, 0)) for x in (-1.2, 1.2)] == [RED, BLUE]
    assert [color_at(plain.draw(batch, FRONT), (x, 1, 0)) for x in (-1.2, 1.2)] == [GREEN, GREEN]


def test_other_materials_are_not_tinted(plain):
    batch = stand(card(dataclasses.replace(FLAT, name="skin")), (0, 0, 0), tint=np.float32([[1, 0, 0]]))
    assert (plain.draw(batch, FRONT) == 255).all()


@pytest.mark.parametrize("alpha_mode", ["MASK", "BLEND", "OPAQUE"])
def test_alpha_cuts_holes_unless_opaque(plain, alpha_mode):
    pixels = np.repeat(np.repeat([[(255, 0, 0, 255), (255, 0, 0, 0)]], 16, axis=0), 8, axis=1)
    material = dataclasses.replace(FLAT, base_color_image=0, alpha_mode=alpha_mode)
    picture = plain.draw(stand(card(material, images=(png(pixels),)), (0, 0, 0)), FRONT)
    assert color_at(picture, (-0.5, 1, 0)) == RED
    assert color_at(picture, (0.5, 1, 0)) == (RED if alpha_mode == "OPAQUE" else WHITE)


@pytest.mark.parametrize("samples", [1, 4])
def test_half_transparent_surfaces_cover_half(adapter, samples):
    rig = card(dataclasses.replace(FLAT, base_color=(0.0, 0.0, 0.0, 0.5), alpha_mode="BLEND"))
    picture = render(stand(rig, (0, 0, 0)), camera=FRONT, **{**PLAIN, "samples": samples})
    inside = picture[24:40, 40:56, 0]
    linear = np.where(inside > 10, (inside / 255.0 + 0.055) / 1.055, 0.0) ** 2.4
    assert linear.mean() == pytest.approx(0.5, abs=0.06)


def test_a_morph_moves_pixels(plain):
    morph = {
        "morph_names": ("right",),
        "morph_rest": np.zeros(1, np.float32),
        "morph_start": np.array([0, 4], np.int32),
        "morph_vert": np.arange(4, dtype=np.int32),
        "morph_position": np.tile(np.float32([2.2, 0, 0]), (4, 1)),
        "morph_normal": np.zeros((4, 3), np.float32),
    }
    rig = card(dataclasses.replace(FLAT, base_color=(0, 0, 1, 1)), **morph)
    both = np.float32([[0.0], [1.0]])
    picture = plain.draw(stand(rig, (-1.1, 0, 0), (-1.1, 0, -0.1), morph_weights=both), FRONT)
    assert [color_at(picture, (x, 1, 0)) for x in (-1.1, 1.1)] == [BLUE, BLUE]
    assert color_at(plain.draw(stand(rig, (-1.1, 0, 0)), FRONT), (1.1, 1, 0)) == WHITE


@pytest.mark.parametrize("double_sided", [False, True])
def test_back_faces_are_drawn_if_the_material_is_double_sided(plain, double_sided):
    behind = dataclasses.replace(FRONT, eye=(0, 1, -8))
    rig = card(dataclasses.replace(FLAT, base_color=(1, 0, 0, 1), double_sided=double_sided))
    assert color_at(plain.draw(stand(rig, (0, 0, 0)), behind), (0, 1, 0), behind) == (RED if double_sided else WHITE)


def test_both_sides_have_the_light_of_their_own_side(plain):
    matte = Material(base_color=(0.5, 0.5, 0.5, 1.0), metallic=0.0, double_sided=True)
    batch = stand(card(matte), (0, 0, 0))
    front = color_at(plain.draw(batch, FRONT), (0, 1, 0))
    half_turn = np.diag([-1.0, 1.0, -1.0]).astype(np.float32)
    batch.world_from_model[0, :, :3] = half_turn
    assert color_at(plain.draw(batch, FRONT), (0, 1, 0)) == pytest.approx(front, abs=2)


def test_a_mirrored_joint_is_not_inside_out(plain):
    batch = stand(card(dataclasses.replace(FLAT, base_color=(1, 0, 0, 1))), (0, 0, 0))
    batch.skinning_matrices[0, 0, 0, 0] = -1.0
    assert color_at(plain.draw(batch, FRONT), (0, 1, 0)) == RED


def test_light_comes_from_above(plain, capsule):
    picture = plain.draw(stand(capsule, (0, 0, 0)), FRONT)
    assert color_at(picture, (-0.1, 1.6, 0))[0] > color_at(picture, (0.1, 0.1, 0))[0] + 30


def test_emissive_light_is_added(plain):
    dark = Material(base_color=(0, 0, 0, 1), metallic=0.0, emissive=(0.0, 0.6, 0.0))
    _, green, blue = color_at(plain.draw(stand(card(dark), (0, 0, 0)), FRONT), (0, 1, 0))
    assert green > blue + 80


def test_a_shadow_darkens_the_floor_away_from_the_light(studio, capsule):
    above = Camera(eye=(0, 9, 6), target=(0, 0, 0), fov_y=0.7, near=1.0, far=50.0)
    picture = studio.draw(stand(capsule, (0, 0, 0)), above)
    shadow, light = color_at(picture, (0.8, 0, -0.6), above), color_at(picture, (-1.2, 0, 0.75), above)
    assert max(shadow) < min(light) - 50


def test_the_floor_is_darker_under_a_character(studio, capsule):
    level = Camera(eye=(0, 2, 9), target=(0, 0.5, 0), fov_y=0.4, near=1.0, far=50.0)
    picture = studio.draw(stand(capsule, (0, 0.02, 0)), level)
    contact, open_floor = color_at(picture, (-0.15, 0, 0.3), level), color_at(picture, (-1.15, 0, 0.3), level)
    assert max(contact) < min(open_floor) - 5


def test_two_batches_are_in_one_picture(plain, capsule):
    blue = card(dataclasses.replace(FLAT, base_color=(0, 0, 1, 1)))
    picture = plain.draw([stand(capsule, (-1.2, 0, 0)), stand(blue, (1.2, 0, 0))], FRONT)
    assert color_at(picture, (-1.2, 0.9, 0))[0] > 90
    assert color_at(picture, (1.2, 1, 0)) == BLUE


def test_near_characters_hide_far_ones(plain):
    near = card(dataclasses.replace(FLAT, base_color=(0, 1, 0, 1)))
    far = card(dataclasses.replace(FLAT, base_color=(1, 0, 0, 1)))
    picture = plain.draw([stand(near, (0, 0, 1)), stand(far, (0, 0, -1))], FRONT)
    assert color_at(picture, (0, 1, 0)) == GREEN


def test_characters_beyond_one_buffer_are_drawn(plain, monkeypatch):
    from skelter.rendering import wgpu_rig

    monkeypatch.setattr(wgpu_rig, "STORAGE_BYTES", 300)  # four characters a range
    rig = card(dataclasses.replace(FLAT, base_color=(0, 0, 1, 1)))
    mesh = dataclasses.replace(rig.mesh, positions=rig.mesh.positions * np.float32(0.2))
    places = [((x - 4) * 0.6, 0.8, 0) for x in range(9)]
    whole = plain.draw(stand(dataclasses.replace(rig, mesh=mesh), *places), FRONT)
    assert [color_at(whole, (x, y + 0.2, 0)) for x, y, _ in places[1:-1]] == [BLUE] * 7


def test_the_camera_finds_the_crowd(studio, capsule):
    for size in (0.01, 1.0, 100.0):
        batch = stand(capsule, (0, 0, 0))
        batch.skinning_matrices[:] *= size
        picture = studio.draw(batch)
        red = (picture[..., 0] > 90) & (picture[..., 1] < 90)
        assert 0.04 < red.mean() < 0.5


def test_a_picture_is_the_same_each_time_and_in_any_renderer(studio, capsule):
    batch = stand(capsule, (0, 0, 0), (0.5, 0, -1))
    first = studio.draw(batch)
    assert np.array_equal(studio.draw(batch), first)
    assert np.array_equal(render(batch, **{**PLAIN, "ground": True}), first)


def test_a_transparent_background_keeps_straight_colours(adapter):
    rig = card(dataclasses.replace(FLAT, base_color=(1, 0, 0, 1)))
    options = {**PLAIN, "background": (0.0, 0.0, 0.0, 0.0), "samples": 4}
    picture = render(stand(rig, (0, 0, 0)), camera=FRONT, **options)
    edge = picture[(picture[..., 3] > 0) & (picture[..., 3] < 255)]
    assert (picture[..., 3] == 0).any()
    assert len(edge) > 0
    assert (edge[:, 0] > 250).all()
    assert (edge[:, 1:3] < 5).all()


def test_the_studio_has_a_size_and_is_opaque(adapter, capsule):
    picture = render(stand(capsule, (0, 0, 0)), width=50, height=30)
    assert picture.shape == (30, 50, 4)
    assert picture.dtype == np.uint8
    assert (picture[..., 3] == 255).all()


def test_a_renderer_uploads_a_rig_once(plain, capsule, monkeypatch):
    from skelter.rendering import wgpu_renderer

    batch = stand(capsule, (0, 0, 0))
    first = plain.draw(batch, FRONT)
    monkeypatch.setattr(wgpu_renderer, "upload_rig", None)
    assert np.array_equal(plain.draw(batch, FRONT), first)
