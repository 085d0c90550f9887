"""``python -m scopec``."""

from scopec.cli import main

if __name__ == "__main__":
    main()
