"""What people type, in whole sentences and other words than the pages have: questions with answers, and without."""

# ruff: noqa: E501 - pages and questions, one line each

from __future__ import annotations

#: Title, text and language of each document.
PAGES = (
    (
        "Brook Street Surgery",
        "The surgery is led by Dr Amina Farrow. Appointments are made by telephone from 8:00. Repeat prescriptions are ready after two working days. Patients who miss three appointments are taken off the list. Blood is taken on Tuesday and Thursday mornings. There is a ramp at the side entrance.",
        "en",
    ),
    (
        "Larkfield Allotments",
        "A plot costs 45 pounds a year. The waiting list has 62 names. Water is turned off from November to March. Bonfires are allowed after dusk in winter only. Sheds may be no taller than two metres. Hens may be kept, cockerels may not.",
        "en",
    ),
    (
        "Night bus N7",
        "The N7 runs every 40 minutes between Central Station and Elmwood. The first bus leaves at 0:20. A ride costs 2.80 euros. Tickets are sold by the driver, who gives no change for notes above 20 euros. On New Year's Eve the bus is free.",
        "en",
    ),
    (
        "Corvid 3 manual",
        "Corvid stores its settings in ~/.corvid.toml. To start over, delete the folder ~/.cache/corvid. The command corvid sync copies new files to the server. Files larger than 4 GB are skipped. Use --dry-run to see what would be copied. Passwords are never written to the log.",
        "en",
    ),
    (
        "Castle youth hostel",
        "A bed in a dormitory is 31 francs, breakfast included. Guests must leave their rooms by ten in the morning. Bed linen can be hired at the reception. Dogs cannot stay overnight. The kitchen closes at 22:30. The hostel has 74 beds in 12 rooms.",
        "en",
    ),
    (
        "Stadtbücherei Moorwinkel",
        "Ein Ausweis kostet 18 Euro im Jahr, für Kinder nichts. Medien dürfen vier Wochen behalten werden. Wer zu spät zurückgibt, zahlt 30 Cent am Tag. Sonntags bleibt das Haus geschlossen. Leiter ist Henrik Thoma.",
        "de",
    ),
)
#: Questions, each with something that the quote has.
ANSWERED = (
    ("Which doctor is in charge of the Brook Street surgery?", "Amina Farrow"),
    ("Hello, I hope you are well! Could you perhaps tell me from what time I can phone the surgery for an appointment?", "8:00"),
    ("How long does it take until my repeat prescription can be picked up?", "two working days"),
    ("I use a wheelchair. Is there a ramp at the doctor's?", "ramp"),
    ("What happens to patients who keep missing their appointments?", "off the list"),
    ("On which days can I have my blood tested?", "Tuesday"),
    ("What is the yearly rent of an allotment plot at Larkfield?", "45 pounds"),
    ("How many people are waiting for an allotment, roughly speaking?", "62"),
    ("Is it fine if I put chickens or hens on my plot?", "Hens"),
    ("How tall can I build a garden shed on the allotment?", "two metres"),
    ("We moved here last year and would love to know during which months the water at the allotments is shut off.", "November"),
    ("How often does the night bus go to Elmwood?", "40 minutes"),
    ("Does the bus driver accept a 50 euro note, or do I need smaller notes?", "20 euros"),
    ("Do I need to pay for the bus on New Year's Eve when I come home from a party?", "free"),
    ("Where does Corvid keep its configuration and settings?", ".corvid.toml"),
    ("I have a video of 6 GB that corvid sync did not upload; are large files skipped?", "4 GB"),
    ("Can I find my password in the log of corvid by accident?", "never written"),
    ("By what time must guests check out of the hostel rooms?", "ten in the morning"),
    ("My friend and I are cycling through and wonder how much a dormitory bed for the night would be", "31 francs"),
    ("Can my dog sleep at the hostel with me?", "Dogs cannot"),
    ("Until when can we use the kitchen at night?", "22:30"),
    ("Guten Tag, ich bin neu in der Stadt und wüsste gern, was ein Ausweis der Bücherei für ein Jahr kostet.", "18 Euro"),
    ("Wie lange darf ich die ausgeliehenen Medien behalten?", "vier Wochen"),
    ("Was muss ich zahlen, wenn ich ein Buch zu spät zurückgebe?", "30 Cent"),
)  # fmt: skip
#: Questions of the same kind that no page answers; some about the things that pages are about.
UNANSWERED = (
    "Who is the mayor of Larkfield?", "How much is a haircut?", "When does the cinema open on Fridays?",
    "What is the price of a litre of milk?", "Which bank has the best rates?", "How do I bake bread without yeast?",
    "Who won the regatta?", "How old is the cathedral?", "Where can I hire a boat?", "When is the flu vaccine in stock?",
    "What does a swimming lesson cost?", "How long is the coast path?", "Who wrote the anthem?",
    "Is there a train to the airport at night?", "How do I print a photo?", "What is the population of Norway?",
    "Wie hoch ist der Turm?", "Wann beginnt die Oper?", "Was kostet ein Liter Diesel?", "Wer ist der Pfarrer?",
)  # fmt: skip
#: Questions about the things that pages are about, for what they do not say of them.
ASKED_OF_THINGS = (
    "Who is the chairman of the allotments?", "What is the e-mail address of the hostel?",
    "Who is the owner of the hostel?", "Wie lautet die Telefonnummer der Stadtbücherei?",
    "Wer ist der Bürgermeister von Moorwinkel?", "What is the licence of Corvid?", "What is the colour of the bus?",
    "Who is the author of Corvid?", "What is the size of a plot?", "How many doctors does the surgery have?",
)  # fmt: skip
