"""What a release needs beside the wheel: descriptions, an inventory, man pages, and their check."""
