"""Messages marked for translation where they stand; they are translated where they are shown."""


def _(message: str) -> str:
    return message
