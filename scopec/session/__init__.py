"""One call of scopec: what files ask, who is asked, and what the answers mean."""
