"""Where large bytes are kept."""

from __future__ import annotations

from pydantic import Field

from veille.settings.values import NO_OR_WEB, SettingsTable


class BodySettings(SettingsTable):
    """Where large bytes are: kept answers, pictures of pages, and the archive files of old revisions."""

    place: str = Field(
        "",
        pattern=r"^(?:|/.*|s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[^\s?#]*)?)$",
        description="An absolute folder, or `s3://bucket/prefix` (needs the extra `s3`). Empty: kept answers and "
        "pictures in the store, archive files beside the dossier. Either place needs the extra `warc`.",
    )
    endpoint: str = Field(
        "", pattern=NO_OR_WEB, description="The address of a server that speaks like S3. Empty: that of AWS."
    )
    region: str = Field("", pattern=r"^[a-z0-9-]*$", description="The region of the bucket. Empty: as AWS finds it.")
