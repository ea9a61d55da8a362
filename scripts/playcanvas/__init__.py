"""An independent model of PlayCanvas's animation engine, and what `scripts/check_playcanvas.py` is made of.

    job.py          what a recording was made from: hierarchy, clips, graph, steps
    quirks.py       where skelter does the sensible thing instead; each can be switched off in the model
    curves.py       keys to values
    trees.py        parameters to weights and speeds of the leaves of a blend tree
    machine.py      the state machine of a layer
    binding.py      paths of curves and masks to bones
    blending.py     clips to a layer's values, layers to bones
    model.py        all of it together: job in, frames out
    frames.py       frames, recorded or computed, and their comparison
    peer.py         the same job in skelter
    explanation.py  which quirks a difference comes from

It shares no code with skelter, so that a mistake in one of them is seen.
"""
