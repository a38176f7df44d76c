"""How one population becomes the next: new individuals, selection, offspring."""
