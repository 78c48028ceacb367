"""The services that apprise speaks to, by the scheme of their addresses: which are allowed, and why others are not.

Allowed is what only makes HTTP requests, because those are made by the door. The rest could not work anyway: apprise
runs in a process without network. A test compares this with the version of apprise that is installed.
"""

from __future__ import annotations

import re
from typing import Final

from veille.errors import ConfigError, did_you_mean

#: The module of apprise and the schemes that it is for.
_TABLE: Final = """
    africas_talking=atalk apprise_api=apprise,apprises bark=bark,barks betterstack=betterstack
    bluesky=bluesky,bsky brevo=brevo bulksms=bulksms bulkvs=bulkvs burstsms=burstsms,kudosity chanify=chanify
    clickatell=clickatell clicksend=clicksend cliq=cliq,zcliq,zohocliq cm=cm custom_form=form,forms
    custom_json=json,jsons custom_xml=xml,xmls d7networks=d7sms dapnet=dapnet dingtalk=dingtalk discord=discord
    dot=dot eight00com=eight00com emby=emby,embys enigma2=enigma2,enigma2s evolution=evolution,evolutions
    exotel=exotel fcm=fcm feishu=feishu firehydrant=firehydrant flock=flock flowtriq=flowtriq,flowtriqs
    fluxer=fluxer,fluxers fortysixelks=46elks,elks freemobile=freemobile github=github goalert=goalert,goalerts
    google_chat=gchat gorush=gorush,gorushs gotify=gotify,gotifys groundmail=groundmail groupme=groupme
    guilded=guilded gupshup=gupshup home_assistant=hassio,hassios httpsms=httpsms humhub=humhub,humhubs
    ifttt=ifttt ilert=ilert incidentio=incidentio infobip=infobip jellyfin=jellyfin,jellyfins jira=jira
    join=join kakaotalk=kakao,kakaotalk kaleyra=kaleyra,klr kavenegar=kavenegar kodi=kodi,kodis,xbmc,xbmcs
    kook=kook kumulos=kumulos lametric=lametric,lametrics lark=lark lauther=lauther lfgalarm=lfg line=line
    mailersend=mailersend mailgun=mailgun mastodon=mastodon,mastodons,toot,toots matrix.base=matrix,matrixs
    mattermost=mmost,mmosts messagebird=msgbird misskey=misskey,misskeys mobilemessage=mobilemessage,mobilemsg
    msg91=msg91 nextcloud=ncloud,nclouds nextcloudtalk=nctalk,nctalks notica=notica,noticas notifiarr=notifiarr
    notifico=notifico,notificos notifyre=notifyre ntfy=ntfy,ntfys octopush=octopush office365=azure,o365
    one_signal=onesignal onebot=onebot,onebots opsgenie=opsgenie pagerduty=pagerduty pagertree=pagertree
    parseplatform=parsep,parseps pinglet=pinglet,pinglets pingram=pingram plivo=plivo postmark=postmark
    prowl=prowl pushbullet=pbul pushdeer=pushdeer,pushdeers pushed=pushed pushjet=pjet,pjets pushme=pushme
    pushover=pover pushplus=pushplus,wecom pushsafer=psafer,psafers pushward=pushward pushy=pushy qq=qq
    reddit=reddit resend=resend revolt=revolt ringcentral=ringc rocketchat=rocket,rockets ryver=ryver
    sendgrid=sendgrid sendpulse=sendpulse serverchan=schan serwersms=serwersms ses=ses seven=seven sfr=sfr
    signal_api=signal,signals signalgrid=signalgrid signl4=signl4 simplepush=simplepush,spush sinch=sinch
    slack=slack smsc=smsc smseagle=smseagle,smseagles smsmanager=smsmanager,smsmgr smstunnel=smstunnel
    smtp2go=smtp2go sns=sns sogs=session,sessions,sogs sparkpost=sparkpost spike=spike splunk=splunk,victorops
    spugpush=spugpush squadcast=squadcast stackfield=stackfield streamlabs=strmlabs synology=synology,synologys
    techuluspush=push telegram=tgram telesign=telesign telnyx=telnyx threema=threema trigv=trigv,trigvs
    twilio=twilio twist=twist twitter=tweet,twitter,x viber=viber voipms=voipms vonage=nexmo,vonage
    webexteams=webex,wxteams wechat=wechat wecombot=wecombot whapi=whapi whatsapp=whatsapp
    workflows=workflow,workflows wpush=wpush wxpusher=wxpusher xmatters=xmatters youlmk=youlmk zalo=zalo
    zoom=zoom zulip=zulip
"""

#: The module of each allowed scheme.
SERVICES: Final = {
    scheme: module
    for module, _, schemes in (row.partition("=") for row in _TABLE.split())
    for scheme in schemes.split(",")
}
#: Schemes whose addresses begin with the host of a server, not with a key.
_HOSTED: Final = frozenset(
    scheme
    for scheme, module in SERVICES.items()
    if module in {"apprise_api", "custom_form", "custom_json", "custom_xml", "gotify", "humhub", "mastodon",
                  "matrix.base", "mattermost", "nextcloud", "ntfy", "rocketchat"}
)  # fmt: skip
#: Schemes that are refused, and why.
REFUSED: Final = {
    "amqp": "it opens connections of its own, past the rules for addresses",
    "amqps": "it opens connections of its own, past the rules for addresses",
    "aprs": "it opens connections of its own, past the rules for addresses",
    "growl": "it opens connections of its own, past the rules for addresses",
    "irc": "it opens connections of its own, past the rules for addresses",
    "ircs": "it opens connections of its own, past the rules for addresses",
    "mqtt": "it opens connections of its own, past the rules for addresses",
    "mqtts": "it opens connections of its own, past the rules for addresses",
    "nostr": "it opens connections of its own, past the rules for addresses",
    "rsyslog": "it opens connections of its own, past the rules for addresses",
    "smpp": "it opens connections of its own, past the rules for addresses",
    "smpps": "it opens connections of its own, past the rules for addresses",
    "xmpp": "it opens connections of its own, past the rules for addresses",
    "xmpps": "it opens connections of its own, past the rules for addresses",
    "blink1": "it drives a device of this machine",
    "dbus": "it shows something on the desktop of this machine",
    "gio": "it shows something on the desktop of this machine",
    "glib": "it shows something on the desktop of this machine",
    "gnome": "it shows something on the desktop of this machine",
    "kde": "it shows something on the desktop of this machine",
    "macosx": "it shows something on the desktop of this machine",
    "qt": "it shows something on the desktop of this machine",
    "windows": "it shows something on the desktop of this machine",
    "deltachat": "mail is sent by the kind `email`, through the server of the operator",
    "deltachats": "mail is sent by the kind `email`, through the server of the operator",
    "mailto": "mail is sent by the kind `email`, through the server of the operator",
    "mailtos": "mail is sent by the kind `email`, through the server of the operator",
    "syslog": "it writes to the log of this machine",
    "vapid": "it reads keys from files; browsers are told by the kind `webpush`",
}


def service_of(url: str) -> str:
    """The module of apprise for an address; ConfigError says why there is none."""
    scheme = url.partition("://")[0].strip().lower() if "://" in url else ""
    if scheme in SERVICES:
        return SERVICES[scheme]
    if scheme in REFUSED:
        raise ConfigError(f"{scheme}:// is not allowed: {REFUSED[scheme]}.", code="service_refused")
    likely = did_you_mean(scheme, SERVICES)
    raise ConfigError(
        f"{scheme[:40]!r} is no service that is known here: write its address as `ntfy://ntfy.sh/tea`.{likely}",
        code="unknown_service",
    )


def service_shown(url: str) -> str:
    """The service, and its host where that is no key: everything else in an address may be one.

    >>> service_shown("ntfys://anna:secret@ntfy.example.org:8443/tea"), service_shown("tgram://123:secret/456")
    ('ntfys · ntfy.example.org:8443', 'tgram')
    """
    scheme, _, rest = url.partition("://")
    scheme = scheme.strip().lower()
    host = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    is_plain = scheme in _HOSTED and re.fullmatch(r"[\w.-]+\.[\w-]+(:\d+)?", host)
    return f"{scheme} · {host}" if is_plain else scheme
