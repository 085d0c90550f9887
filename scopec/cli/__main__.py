"""``python -m scopec.cli``."""

from scopec.cli import main

if __name__ == "__main__":
    main()
