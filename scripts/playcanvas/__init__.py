"""An independent model of PlayCanvas's animation engine, and what `scripts/check_playcanvas.py` is made of.

The model shares no code with skelter, so that a mistake in one of them is seen:

    job.py          what a recording was made from: hierarchy, clips, graph, steps
    quirks.py       where skelter does the sensible thing instead; each can be switched off in the model
    curves.py       keys to values
    trees.py        parameters to weights and speeds of the leaves of a blend tree
    states.py       transitions, states, running clips
    machine.py      the state machine of a layer
    binding.py      paths of curves and masks to bones
    blending.py     clips to a layer's values, layers to bones
    model.py        all of it together: job in, frames out

The same jobs in skelter:

    setup.py        character, rig, graph
    driver.py       steps to calls; reference.py and cpu.py for each engine
    baking.py       what the bake may add to differences

And what is made of both:

    frames.py       frames, recorded or computed
    comparison.py   frames against a recording; moments.py: where rounding decides
    explanation.py  which quirks a difference comes from
    verdict.py      what became of a recording
    differences.py  the list of known differences and the page about them
"""
