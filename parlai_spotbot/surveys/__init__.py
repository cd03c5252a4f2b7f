"""Each evaluation method as data (what is asked), and packing of segments into units."""
