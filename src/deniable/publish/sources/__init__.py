"""Where tables live, and the engine that reads them."""
