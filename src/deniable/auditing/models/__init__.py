"""Models as targets: any training, its losses, and what they tell about who was trained on."""
