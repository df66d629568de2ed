"""The tables, as SQLAlchemy Core sees them; the migrations make them, and a test compares the two."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

metadata = MetaData()

#: What is counted of a player over all rounds.
PLAYER_COUNTS = ("rounds", "points", "wins", "fouls", "sweeps", "clean_sweeps", "specials")

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    Column("prefix", Text, nullable=False, unique=True),
    Column("secret_sha256", LargeBinary, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("revoked_at", DateTime(timezone=True)),
    # Collected by each worker, and written about once a minute.
    Column("last_used_at", DateTime(timezone=True)),
    Column("expires_at", DateTime(timezone=True)),
)

rulesets = Table(
    "rulesets",
    metadata,
    Column("id", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("title", Text, nullable=False),
    Column("digest", Text, nullable=False),
    # Of the document without its version: the same content is the same version.
    Column("content_digest", Text, nullable=False),
    Column("document", JSONB, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("created_by", Text),
)

matches = Table(
    "matches",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("label", Text),
    Column("ruleset_id", Text, nullable=False),
    Column("ruleset_version", Integer, nullable=False),
    Column("stake", BigInteger),
    Column("rounds", Integer, nullable=False),
    Column("rounds_played", Integer, nullable=False, server_default="0"),
    Column("status", Text, nullable=False, server_default="open"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("created_by", Text, nullable=False),
    Column("finished_at", DateTime(timezone=True)),
    Column("finish_reason", Text),
    Column("tournament_id", Uuid),
    # Goes up with every change, so that a reader can tell.
    Column("version", Integer, nullable=False, server_default="1"),
    # The end of the match's digest chain.
    Column("chain_length", Integer, nullable=False, server_default="0"),
    Column("chain_digest", Text),
    ForeignKeyConstraint(
        ["ruleset_id", "ruleset_version"], ["rulesets.id", "rulesets.version"], name="matches_ruleset"
    ),
)

match_players = Table(
    "match_players",
    metadata,
    Column("match_id", Uuid, primary_key=True),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("player", Text, nullable=False),
    # Kept with every round, so that standings need no scan.
    Column("points", BigInteger, nullable=False, server_default="0"),
    Column("net", BigInteger, nullable=False, server_default="0"),
    Column("fees", BigInteger, nullable=False, server_default="0"),
    Column("adjustments", BigInteger, nullable=False, server_default="0"),
    ForeignKeyConstraint(["match_id"], ["matches.id"], name="match_players_match"),
)

rounds = Table(
    "rounds",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("match_id", Uuid),
    Column("number", Integer),
    # The place in the match's digest chain; of a round on its own, in its own chain.
    Column("link", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("ruleset_id", Text, nullable=False),
    Column("ruleset_version", Integer, nullable=False),
    Column("request", JSONB, nullable=False),
    # As it was written, in the order of its keys: what is only read again need not be taken apart.
    Column("result", JSON, nullable=False),
    Column("submitted_at", DateTime(timezone=True), nullable=False),
    Column("submitted_by", Text, nullable=False),
    Column("reason", Text),
    Column("previous_digest", Text),
    Column("digest", Text, nullable=False),
    ForeignKeyConstraint(["match_id"], ["matches.id"], name="rounds_match"),
    ForeignKeyConstraint(
        ["ruleset_id", "ruleset_version"], ["rulesets.id", "rulesets.version"], name="rounds_ruleset"
    ),
)

seats = Table(
    "seats",
    metadata,
    Column("round_id", Uuid, primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("match_id", Uuid),
    Column("player", Text, nullable=False),
    Column("top_hand", Text),
    Column("middle_hand", Text),
    Column("bottom_hand", Text),
    Column("foul", Text),
    Column("special", Text),
    Column("sweeps", SmallInteger, nullable=False),
    Column("clean_sweep", Boolean, nullable=False),
    Column("points", Integer, nullable=False),
    Column("won", BigInteger),
    Column("fee", BigInteger),
    Column("net", BigInteger),
    ForeignKeyConstraint(["round_id", "revision"], ["rounds.id", "rounds.revision"], name="seats_round"),
)

duels = Table(
    "duels",
    metadata,
    Column("round_id", Uuid, primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("duel", SmallInteger, primary_key=True, autoincrement=False),
    Column("match_id", Uuid),
    Column("player", Text, nullable=False),
    Column("opponent", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("winner", Text),
    Column("factor", Integer, nullable=False),
    Column("bonus", Integer, nullable=False),
    # What the first of the two got; the other got as much less.
    Column("points", Integer, nullable=False),
    Column("top_winner", Text),
    Column("middle_winner", Text),
    Column("bottom_winner", Text),
    ForeignKeyConstraint(["round_id", "revision"], ["rounds.id", "rounds.revision"], name="duels_round"),
)

adjustments = Table(
    "adjustments",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("match_id", Uuid, nullable=False),
    Column("player", Text, nullable=False),
    Column("points", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("created_by", Text, nullable=False),
    ForeignKeyConstraint(["match_id"], ["matches.id"], name="adjustments_match"),
)

player_totals = Table(
    "player_totals",
    metadata,
    Column("player", Text, primary_key=True),
    *(
        Column(name, BigInteger, nullable=False, server_default="0")
        for name in ("matches", *PLAYER_COUNTS)
    ),
    Column("version", BigInteger, nullable=False, server_default="1"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("api_key_id", Uuid, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request_sha256", LargeBinary, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("headers", JSONB, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)
