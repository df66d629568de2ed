"""What requests are measured against: Flask that does next to nothing, and Flask with one plain insert.

``APP=bench.baselines:create_app()`` under the service's own gunicorn settings.
"""

import os
import threading
from typing import Any

import psycopg2
from flask import Flask, request
from sqlalchemy import make_url

TABLE = "CREATE TABLE IF NOT EXISTS bench_documents (id bigserial PRIMARY KEY, document jsonb NOT NULL)"
_INSERT = "INSERT INTO bench_documents (document) VALUES (%s)"


def libpq_address(url: str) -> str:
    """An address of SQLAlchemy's as psycopg2 itself takes it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def create_app() -> Flask:
    """The baselines on the database of DATABASE_URL, in which ``TABLE`` must be there."""
    app = Flask(__name__, static_folder=None)
    address, kept = libpq_address(os.environ["DATABASE_URL"]), threading.local()

    @app.get("/livez")
    def livez() -> dict[str, str]:
        return {"status": "ok"}

    @app.route("/bare", methods=["GET", "POST"])
    def bare() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/insert")
    def insert() -> tuple[dict[str, str], int]:
        # A connection of each thread: a pool could only be slower.
        if not hasattr(kept, "connection"):
            kept.connection = psycopg2.connect(address)
        connection: Any = kept.connection
        with connection, connection.cursor() as cursor:
            # As it came: to parse it, and to write it anew, could only be slower, too.
            cursor.execute(_INSERT, (request.get_data(as_text=True),))
        return {"status": "stored"}, 201

    return app
