"""Java: its processes, the virtual machines that live on, and the engines' jars."""
