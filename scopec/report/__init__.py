"""Reports: one module per format."""
