"""Why a verdict is so."""
