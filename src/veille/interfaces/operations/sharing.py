"""Operations on shared documents: links that anybody can open until a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from veille.core.show.shared_link import SHARE_DAYS
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape

if TYPE_CHECKING:
    from veille.core.show.shared_link import ShareLink


class ShareDocument(InDossier):
    """The document, and for how long."""

    document_id: str = Field(min_length=1, max_length=200, description="The document.")
    days: int = Field(SHARE_DAYS[1], description=f"For how many days: {', '.join(map(str, SHARE_DAYS))}.")


class OneShare(InDossier):
    """One link."""

    share_id: str = Field(min_length=1, max_length=200, description="The link, as veille_list_shares names it.")


class Share(Shape):
    """A link to a document. Its address is told once, when it is made."""

    id: str
    document_id: str
    title: str
    created_at: int
    until: int
    #: To be put behind the address of the service.
    path: str | None = None

    @classmethod
    def of(cls, link: ShareLink, token: str = "") -> Share:
        """The shape of a link; with its token, it can be opened."""
        return cls(
            id=link.id,
            document_id=link.document_id,
            title=link.title,
            created_at=link.created_at,
            until=link.until,
            path=f"/s/{token}" if token else None,
        )


class Revoked(Shape):
    """Nobody can open it any more."""

    status: Literal["revoked"] = "revoked"


@operation("export")
def _share_document(place: Place, given: ShareDocument) -> Share:
    """Share a document by a link that anybody can open until it ends or is revoked; the link is told only now."""
    link, token = place.services.sharing.share(
        place.dossier_id, place.access.who.user_id, given.document_id, given.days
    )
    return Share.of(link, token)


@operation("export", untrusted=True)
def _list_shares(place: Place, _: InDossier) -> list[Share]:
    """The links of a dossier that are valid, the newest first, without their addresses."""
    return list(map(Share.of, place.services.sharing.all(place.dossier_id)))


@operation("export", destructive=True)
def _revoke_share(place: Place, given: OneShare) -> Revoked:
    """End a link: nobody can open it any more."""
    place.services.sharing.revoke(place.dossier_id, given.share_id)
    return Revoked()
