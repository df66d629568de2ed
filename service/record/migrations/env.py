"""Runs the migrations on the connection that :func:`service.migrating.migrate` hands over."""

from alembic import context

from service.record.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
