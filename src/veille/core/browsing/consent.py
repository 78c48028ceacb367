"""Consent banners: the buttons that common frameworks use, and the words of the others, in several languages."""

from __future__ import annotations

from typing import Final

#: Buttons that accept everything, of frameworks that many sites use.
BUTTONS: Final = (
    "#onetrust-accept-btn-handler",  # OneTrust
    "#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll",  # Cookiebot
    "#CybotCookiebotDialogBodyButtonAccept",
    "#didomi-notice-agree-button",  # Didomi
    "button[data-testid='uc-accept-all-button']",  # Usercentrics
    "#uc-btn-accept-banner",
    ".cc-allow",  # Cookie Consent
    ".cc-btn.cc-dismiss",
    ".qc-cmp2-summary-buttons button[mode='primary']",  # Quantcast
    "#truste-consent-button",  # TrustArc
    ".sp_choice_type_11",  # Sourcepoint
    ".cmpboxbtnyes",  # consentmanager
    ".cky-btn-accept",  # CookieYes
    "#cookiescript_accept",  # Cookie-Script
    ".cmplz-accept",  # Complianz
    ".iubenda-cs-accept-btn",  # iubenda
    "#axeptio_btn_acceptAll",  # Axeptio
    "#tarteaucitronPersonalize2",  # tarteaucitron
    ".klaro .cm-btn-success",  # Klaro
    ".osano-cm-accept-all",  # Osano
    "#BorlabsCookieBtn",  # Borlabs
    ".fc-cta-consent",  # Google Funding Choices
    "#L2AGLb",  # Google
    "button[data-cookiefirst-action='accept']",  # CookieFirst
    "#cookie_action_close_header",  # WordPress: GDPR Cookie Consent
    "#wt-cli-accept-all-btn",
)
#: What buttons of banners say, in lower case.
LABELS: Final = (
    "accept all cookies",
    "accept all",
    "accept cookies",
    "allow all cookies",
    "allow all",
    "i accept",
    "i agree",
    "agree and continue",
    "accept",
    "agree",
    "got it",
    "alle akzeptieren",
    "alle cookies akzeptieren",
    "allen zustimmen",
    "alles akzeptieren",
    "zustimmen und weiter",
    "akzeptieren",
    "zustimmen",
    "einverstanden",
    "tout accepter",
    "accepter tout",
    "accepter et continuer",
    "accepter et fermer",
    "j'accepte",
    "accepter",
    "aceptar todo",
    "aceptar todas",
    "aceptar y continuar",
    "aceptar",
    "accetta tutto",
    "accetta tutti",
    "accetta e continua",
    "accetto",
    "accetta",
    "alles accepteren",
    "alle cookies accepteren",
    "akkoord",
    "accepteren",
    "aceitar tudo",
    "aceitar todos",
    "aceitar",
    "zaakceptuj wszystkie",
    "akceptuję",
    "zgadzam się",
    "přijmout vše",
    "souhlasím",
    "acceptera alla",
    "godkänn alla",
    "godta alle",
    "accepter alle",
    "hyväksy kaikki",
    "tümünü kabul et",
    "принять все",
    "принять",
    "同意する",
    "すべて許可",
    "全部接受",
)
