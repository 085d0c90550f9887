"""What every layer uses: sources, diagnostics, records, graphs, caches, resources, options."""
