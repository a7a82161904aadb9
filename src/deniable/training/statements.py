"""Sentences of a training's certificate: the unit, what is rested on, what is not covered."""

from deniable.training.certificate import NamedRecord

UNIT = NamedRecord(
    adjacency="add-remove",
    sentence="The protected unit is one record of the training data. Whether it is there at all "
    "stays hidden.",
    claim="a given record was among the training data",
    members="training records",
    others="other records",
)
"""What is protected."""

ASSUMPTIONS = (
    "The history is what was done: these numbers of steps with this noise and these sampling "
    "rates, and no step besides. Nobody can recompute that from here.",
    "Before the model is seen, the adversary's beliefs about different records are independent of "
    "one another.",
    "The adversary may know everything else: all other records, the model before training, every "
    "noisy step on the way, this history, this program.",
    "In each step every record was taken with the stated probability, anew and independently of "
    "all other records and steps (Poisson sampling).",
    "In each step the contribution of every record, computed from this record alone and from what "
    "earlier steps gave, was clipped to a fixed L2 norm; to the sum normal noise was added in "
    "every coordinate, of a standard deviation of the stated multiple of that norm.",
    "Noise and samples were drawn afresh in every step from a generator that nobody can predict, "
    "and forgotten after use.",
    "Whatever else entered the training (architecture, clipping norm, learning rates, sampling "
    "rates, number of steps) was chosen without looking at these records, or by steps of the "
    "history. A sampling rate that was computed from the number of records makes that number "
    "public.",
)
"""What the guarantee rests on."""

NOT_COVERED = (
    "Shuffling: data that are passed through in an order and cut into batches are not sampled "
    "independently, and this guarantee does not hold for them, even at the same average rate.",
    "Tuning: every run on the same records whose outcome was looked at adds to what this one "
    "gives away, also where its model was thrown away. Each is a charge to a ledger.",
    "Batch normalisation, and whatever else mixes records within a step: the contribution of one "
    "record is then not its own to clip.",
    "Floating-point noise: the guarantee is that of exact normal noise. What trainers draw are "
    "floating-point numbers, whose last digits can tell more.",
    "What is published besides the model: losses and accuracies on these records, an early stop "
    "or a choice of epoch by them, scalers, vocabularies or weights that were fitted to them "
    "without noise.",
    "Records that belong together: somebody who owns several records, or a record that was copied "
    "into the data several times, is not protected as one.",
    "Other releases: what was or will be published from the same records, by anyone, adds to what "
    "this model gives away.",
    "What is true of everybody: what a model has learned of people in general is news about each "
    "of them, whether or not their record was there.",
)
"""What the guarantee does not speak about."""
