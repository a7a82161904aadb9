"""How many rows a text is as CSV, one letter after the other."""


def rows(text, columns, *, quote='"', escape='"', delimiter=","):
    """The number of rows without a header; None where a quoted text does not close.

    A mark opens a text where a value starts, one space before it allowed, or where a text has
    just closed and only spaces follow. Lines without a letter are rows where there is one column.
    """
    starts = ("\n", "\r", delimiter)
    last_but_one, last = "\n", "\n"
    number, filled, inside, closed, skip = 0, False, False, False, False
    for letter in text.removeprefix("\ufeff"):
        if inside:
            filled = True
            if skip:
                skip = False
            elif letter == escape != quote:
                skip = True
            elif letter == quote:
                inside, closed = False, True
        elif letter in "\n\r":
            is_second_half = letter == "\n" and last == "\r"
            number += not is_second_half and (filled or columns == 1)
            filled = closed = False
        else:
            filled = True
            is_start = last in starts or (last == " " and last_but_one in starts)
            if quote and letter == quote and (is_start or closed):
                inside = True
            closed = closed and letter == " " and letter != delimiter
        last_but_one, last = last, letter
    return None if inside else number + filled
