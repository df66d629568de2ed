"""All that crosses the wire, in and out: marshmallow schemas, from which OpenAPI is made."""
