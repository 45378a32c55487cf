# What `bascule check` compares with: NumPy arrays come, floating ones as float64.


def reference(x, y):
    return x * y


# More to try than the shapes that `bascule check` knows of.
def cases():
    yield {"shapes": [(1000, 3), (1000, 3)]}
    yield {"shapes": [(5, 1, 7), (5, 1, 7)], "ranges": [(-100, 100), (0.01, 1)]}
