"""How people are told of alerts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from veille.settings.values import Count, Seconds, SettingsTable, host_names


class MailSettings(SettingsTable):
    """The mail server that alerts are sent with."""

    host: str = Field("", pattern=r"^[^\s/@]*$", description="The mail server (SMTP). Without it no mail can be sent.")
    port: int = Field(587, ge=1, le=65535, description="Its port: usually 587 with starttls, 465 with tls.")
    security: Literal["starttls", "tls", "none"] = Field(
        "starttls",
        description="How the connection is encrypted: `starttls` and `tls` refuse a server without it or with a wrong "
        "certificate; `none` is for a server on the same machine.",
    )
    username: str = Field("", description="Whom to log in as; empty: no login.")
    password: SecretStr | None = Field(None, description="The password; better set by variable.")
    sender: str = Field(
        "",
        pattern=r"^$|^[^\x00-\x1f\x7f<>]*<?[!-;=?-~]+@[^\s@<>]+>?$",
        description="Whom mails are from: `veille <veille@example.org>`.",
    )
    to_domains: frozenset[str] = Field(
        frozenset(), description="Domains that mails may be sent to, such as `example.org`. Default: any."
    )
    ca_file: Path | None = Field(None, description="Further trusted certificates (PEM) for this server.")
    timeout_s: Seconds = Field(20, description="Longest wait for each answer of the server.")

    @field_validator("to_domains")
    @classmethod
    def _are_domains(cls, names: frozenset[str]) -> frozenset[str]:
        return host_names(names)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.host and not self.sender:
            raise ValueError("`host` is set and `sender` is not: say whom mails are from")
        if self.username and not self.host:
            raise ValueError("`username` is set and `host` is not: name the mail server")
        return self


class AlertSettings(SettingsTable):
    """How people are told of alerts."""

    storm: Count = Field(
        30, description="More alerts of one channel than this in an hour are told in one message, as a summary."
    )
    kinds: tuple[str, ...] = Field(
        ("apprise", "email", "webhook", "webpush"),
        description="The kinds of channels that people may set up; those of other packages have to be named here.",
    )
    mail: Annotated[MailSettings, Field(description="The mail server.")] = MailSettings()
