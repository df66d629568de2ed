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
    # Where it is played in its tournament; null outside of one.
    Column("stage", Integer),
    Column("table_number", Integer),
    # Goes up with every change, so that a reader can tell.
    Column("version", Integer, nullable=False, server_default="1"),
    # The end of the match's digest chain.
    Column("chain_length", Integer, nullable=False, server_default="0"),
    Column("chain_digest", Text),
    ForeignKeyConstraint(
        ["ruleset_id", "ruleset_version"], ["rulesets.id", "rulesets.version"], name="matches_ruleset"
    ),
    ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="matches_tournament_known"),
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
    Column("rounds", Integer, nullable=False, server_default="0"),
    # Left the tournament during this match, which goes on without; rounds may still seat them.
    Column("withdrawn", Boolean, nullable=False, server_default="false"),
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

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    Column("ruleset_id", Text, nullable=False),
    Column("ruleset_version", Integer, nullable=False),
    Column("stake", BigInteger),
    Column("table_size", SmallInteger, nullable=False),
    Column("stages", Integer, nullable=False),
    # Of each match.
    Column("rounds", Integer, nullable=False),
    Column("seating", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("rank_by", Text, nullable=False),
    # For the first place, the second, ...; none: empty.
    Column("prizes", ARRAY(BigInteger), nullable=False, server_default="{}"),
    Column("status", Text, nullable=False, server_default="registering"),
    # The last that was seated; 0 before the first.
    Column("stage", Integer, nullable=False, server_default="0"),
    Column("open_matches", Integer, nullable=False, server_default="0"),
    Column("players", Integer, nullable=False, server_default="0"),
    Column("withdrawn", Integer, nullable=False, server_default="0"),
    # Goes up with everything that can change what is told of it, standings included.
    Column("version", BigInteger, nullable=False, server_default="1"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("created_by", Text, nullable=False),
    Column("finished_at", DateTime(timezone=True)),
    Column("finished_by", Text),
    Column("finish_reason", Text),
    ForeignKeyConstraint(
        ["ruleset_id", "ruleset_version"],
        ["rulesets.id", "rulesets.version"],
        name="tournaments_ruleset",
    ),
)

tournament_players = Table(
    "tournament_players",
    metadata,
    Column("tournament_id", Uuid, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("id", Uuid, nullable=False, unique=True),
    Column("first_stage", Integer, nullable=False),
    Column("entered_at", DateTime(timezone=True), nullable=False),
    Column("entered_by", Text, nullable=False),
    Column("withdrawn_at", DateTime(timezone=True)),
    Column("withdrawn_by", Text),
    Column("withdraw_reason", Text),
    ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="tournament_players_tournament"),
)

tournament_stages = Table(
    "tournament_stages",
    metadata,
    Column("tournament_id", Uuid, primary_key=True),
    Column("stage", Integer, primary_key=True, autoincrement=False),
    # As the tournament's, or "given".
    Column("seating", Text, nullable=False),
    Column("tables", Integer, nullable=False),
    Column("players", Integer, nullable=False),
    Column("repeated_meetings", Integer, nullable=False),
    Column("seated_at", DateTime(timezone=True), nullable=False),
    Column("seated_by", Text, nullable=False),
    ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="tournament_stages_tournament"),
)

# Who did what when and why: never changed. Adjustments are nowhere else.
tournament_events = Table(
    "tournament_events",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("tournament_id", Uuid, nullable=False),
    Column("kind", Text, nullable=False),
    Column("stage", Integer, nullable=False),
    Column("player", Text),
    Column("points", BigInteger),
    Column("reason", Text),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("created_by", Text, nullable=False),
    ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="tournament_events_tournament"),
)

#: What is kept of a player in a tournament. ``points`` are those of rounds, without adjustments;
#: ``half_placings`` are twice the placings, so that shared ones are whole.
TOURNAMENT_COUNTS = (
    *("points", "adjustments", "opponents", "matches", "wins", "half_placings", "rounds"),
    *("rows_won", "sweeps", "clean_sweeps", "fouls", "specials", "net", "fees"),
)

# A row for each stage that a player is seated in, and one with stage 0 for the whole tournament.
tournament_totals = Table(
    "tournament_totals",
    metadata,
    Column("tournament_id", Uuid, primary_key=True),
    Column("stage", Integer, primary_key=True, autoincrement=False),
    Column("player", Text, primary_key=True),
    *(Column(name, BigInteger, nullable=False, server_default="0") for name in TOURNAMENT_COUNTS),
    ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="tournament_totals_tournament"),
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

# Matches that were brought in from elsewhere, by what they are called there.
imports = Table(
    "imports",
    metadata,
    Column("source", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("match_id", Uuid, nullable=False, unique=True),
    # Of the line that it came as, whatever the order of its members.
    Column("content_digest", Text, nullable=False),
    Column("imported_at", DateTime(timezone=True), nullable=False),
    Column("imported_by", Text, nullable=False),
    ForeignKeyConstraint(
        ["match_id"], ["matches.id"], name="imports_match", deferrable=True, initially="DEFERRED"
    ),
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
