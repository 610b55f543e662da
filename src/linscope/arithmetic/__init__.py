"""Numbers beyond floats: double-double, whole numbers, rationals, balls with proven radii."""
