"""The HTTP side: thin views that read a request, call one function and shape the answer."""
