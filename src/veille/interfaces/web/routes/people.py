"""Users, for administrators."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from veille.core.access.accounts import User
from veille.interfaces.web._routes import Routes
from veille.interfaces.web.requests.auth import ADMIN
from veille.interfaces.web.requests.calls import Caller
from veille.interfaces.web.views.shapes import ID, Body, Done, View, example

routes = Routes("admin")

RoleName = Literal["user", "admin"]


class UserView(View):
    """A user, active or removed."""

    model_config = example(
        id=ID, name="Ada", email="ada@example.org", role="user", status="active", created_at=1790000000000
    )

    id: str
    name: str
    email: str
    role: RoleName
    status: Literal["active", "deleted"]
    created_at: int

    @classmethod
    def of(cls, user: User) -> UserView:
        status = "active" if user.removed_at is None else "deleted"
        return cls.showing(user, role="admin" if user.is_admin else "user", status=status)


class NewUser(Body):
    """A user to create."""

    email: str = Field(examples=["ada@example.org"])
    name: str = Field("", examples=["Ada"])
    password: str = Field(max_length=2000, examples=["correct horse lamp"])
    role: RoleName = "user"


class MadeUser(View):
    """The user that was created."""

    model_config = example(id=ID, name="Ada", email="ada@example.org", role="user")

    id: str
    name: str
    email: str
    role: RoleName


@routes.get("/api/admin/users", auth=ADMIN)
def _list_users(call: Caller) -> list[UserView]:
    """All users, including removed ones."""
    return [UserView.of(user) for user in call.app.accounts.users.all(call.access)]


@routes.post("/api/admin/users", auth=ADMIN, status_code=201)
def _add_user(call: Caller, body: NewUser) -> MadeUser:
    """Create a user. Not allowed with a token."""
    made = call.app.accounts.users.add(call.access, body.email, body.name, body.password, is_admin=body.role == "admin")
    return MadeUser.showing(made, role=body.role)


@routes.delete("/api/admin/users/{user_id}", auth=ADMIN)
def _remove_user(call: Caller, user_id: str) -> Done:
    """Remove a user: their sessions, tokens and roles end at once; the record stays."""
    call.app.accounts.users.remove(call.access, user_id)
    return Done(status="deleted")
