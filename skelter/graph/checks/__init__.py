"""What must hold for a graph to run: one file for each kind of object. `skelter.graph.check` puts them together."""
