"""Whole pages in four languages: questions that they answer, most in other words, and near misses: they are about the very thing, and do not say it.

None of them was looked at while the rules for words were made. The campsite and the cinema were, for those for meaning.
"""

# ruff: noqa: E501 - pages and questions, as they are written

from __future__ import annotations

#: Title, text and language of each document.
PAGES = (
    (
        "Wexcombe Castle Campsite",
        """Wexcombe Castle Campsite lies in the orchard below the ruin, with a view over the estuary. Tents, campers and caravans are welcome.

Pitches and prices

A pitch for a small tent is 14 pounds a night, for a camper van 21 pounds. Each further person pays 6 pounds; under-fives stay for nothing. Electricity is charged at 4 pounds a day. We ask for a deposit of 20 pounds for the key to the barrier.

Season

The campsite opens on the Friday before Easter and closes at the end of October. Reception is staffed from 8 in the morning until 7 in the evening. Late arrivals use the field by the gate and register the next day. Departure is by eleven.

Facilities

There are two wash houses with hot showers, one of them heated. Drinking water comes from the taps along the hedge. Chemical toilets are emptied behind the barn. Washing machines take tokens, which the shop sells for 3.50 pounds. Bread rolls can be ordered until six for the next morning. The playground has a zip line and a sandpit.

Rules

Quiet time is from 10:30 at night to 7. Campfires are permitted only in the iron bowls that we lend out. Dogs are kept on a lead and must be walked outside. Drones are banned because of the falcons in the ruin. Cars do not drive above walking pace.

Around

The path to the beach takes a quarter of an hour. The castle ruin was built about 1190 and may be climbed at any time. In the village there is a pub, the Salted Hare, and a doctor on weekdays. Kayaks are hired out at the jetty by Ned Prowse.

Booking

We take bookings for at least two nights through the form on this site. If you cancel more than three weeks ahead you get everything back, later half. In August we are usually full.""",
        "en",
    ),
    (
        "Kletterhalle Granitwerk",
        """Das Granitwerk ist eine Kletterhalle in der alten Schlosserei am Güterbahnhof. Auf 1.300 Quadratmetern gibt es 160 Routen in allen Graden.

Öffnungszeiten

Werktags lassen wir euch von 10 bis 23 Uhr an die Wand, am Wochenende bis 21 Uhr. An Heiligabend und Silvester haben wir zu. Letzter Einlass ist neunzig Minuten vor Schluss.

Eintritt

Die Tageskarte kostet 14,50 Euro, nach 20 Uhr nur noch 10 Euro. Kinder bis 13 Jahre zahlen 8 Euro. Die Zehnerkarte gibt es für 130 Euro, sie ist übertragbar. Mitglieder des Alpenvereins bekommen zwei Euro Nachlass. Schuhe und Gurt verleihen wir für zusammen 6 Euro.

Kurse

Den Einsteigerkurs halten wir jeden Samstag um 11 Uhr; er dauert drei Stunden. Höchstens acht Leute lernen dort das Sichern. Für Fortgeschrittene gibt es ein Sturztraining bei Jelka Sommerfeld. Kindergeburtstage müssen drei Wochen vorher gebucht werden.

Regeln

Wer zum ersten Mal kommt, zeigt an der Theke, dass er sichern kann. Unter 14 Jahren ist Klettern nur mit einem Erwachsenen erlaubt. Magnesia darf nur flüssig verwendet werden. Barfuß klettert hier niemand. Hunde bleiben im Vorraum.

Anfahrt

Die Straßenbahn 6 hält an der Haltestelle Güterbahnhof, von dort sind es 200 Meter. Vor der Halle stehen 40 Fahrradständer. Autos parken im Parkhaus gegenüber, die ersten zwei Stunden erstatten wir.

Bistro

Im Bistro kochen wir mittags ein warmes Gericht ohne Fleisch. Kaffee kommt aus der Rösterei nebenan. Umkleiden und Duschen liegen im ersten Stock, Schlösser für die Spinde bringt ihr selbst mit. Der Boulderraum wurde im März 2023 erweitert.""",
        "de",
    ),
    (
        "Cinéma L'Éclipse",
        """Le cinéma L'Éclipse projette des films d'auteur et des classiques dans deux salles du vieux quartier. C'est une association qui l'anime.

Séances

Les séances ont lieu du mercredi au dimanche, à 18 h et à 20 h 45. Le dimanche matin, un film est montré aux enfants à 10 h 30. Les films étrangers passent en version originale sous-titrée. La caisse ouvre une demi-heure avant.

Tarifs

Une place coûte 7,20 euros. Les moins de 26 ans et les demandeurs d'emploi règlent 5 euros. Le carnet de dix entrées vaut 58 euros et n'a pas de date limite. L'adhésion à l'association revient à 15 euros l'année. Les chèques sont acceptés, la carte bancaire dès 10 euros.

Salles

La grande salle a 142 fauteuils, la petite 58. Toutes deux sont de plain-pied et disposent d'emplacements pour fauteuils roulants. Une boucle magnétique aide les malentendants. On n'apporte ni boisson ni nourriture dans les salles.

Histoire

L'Éclipse a ouvert ses portes en 1927 sous le nom de Palace. Un incendie l'a détruit en 1961. Des habitants l'ont relevé trois ans plus tard. L'écran mesure neuf mètres de large.

Équipe

La programmation est choisie par Bérénice Lagarde. Trois salariés et une trentaine de bénévoles tiennent la caisse et le bar. Les projectionnistes forment des stagiaires.

Festival

Le festival du court métrage se tient chaque année fin novembre. Les réalisateurs envoient leurs films avant le 15 septembre. Le jury remet un prix de 2 000 euros.""",
        "fr",
    ),
    (
        "Biblioteca municipal de Valdeolmos",
        """La biblioteca municipal de Valdeolmos presta libros, películas y revistas a todos los vecinos. Se encuentra en la plaza Mayor, en el antiguo mercado.

Horario

De lunes a viernes la sala está abierta de 9 a 20:30, los sábados hasta las 14. En julio y agosto solo abrimos por la mañana. Los festivos locales permanece cerrada.

Carné

El carné es gratuito y se obtiene en el mostrador con el DNI y una foto. Los menores de catorce años necesitan la firma de sus padres. Un duplicado cuesta 2 euros. El carné caduca a los cinco años.

Préstamo

Se prestan hasta seis libros durante 21 días y dos películas durante una semana. Los préstamos se renuevan dos veces por internet. Por cada día de retraso se pierde un día de préstamo. Los diccionarios no salen de la sala.

Actividades

El club de lectura se reúne el último jueves de cada mes a las 19 horas. Lo coordina Begoña Arriaga. Los cuentacuentos para niños son los viernes por la tarde. El taller de escritura tiene quince plazas y hay que apuntarse en septiembre.

Espacios

La sala de estudio dispone de 80 puestos con enchufe. Hay cuatro ordenadores de uso público, media hora por usuario. Se puede imprimir a 10 céntimos la hoja. El edificio cuenta con rampa y ascensor. En la sala infantil se permite hablar en voz baja.

Donaciones

Aceptamos libros donados si tienen menos de diez años. No se recogen enciclopedias ni libros de texto. El fondo antiguo reúne 1.200 volúmenes de un convento.""",
        "es",
    ),
    (
        "Kestrel Cargo Bikes",
        """Kestrel Cargo Bikes is a workers' cooperative that builds and repairs cargo bikes under the arches of Mill Road.

Hire

A two-wheeler costs 28 pounds a day, a trike 35. You need a passport or driving licence and a deposit of 150 pounds. The battery lasts about 60 kilometres. A spare battery can be added for 8 pounds. Helmets and a lock are included. Bikes come back by six o'clock; after that we charge another day.

Workshop

The workshop is open Tuesday to Saturday, 8:30 to 17:00. A full service takes two working days and costs 95 pounds. Punctures are mended while you wait. We repair all makes but not electric scooters. Old frames are taken in part exchange.

Sales

A new Kestrel starts at 3,400 pounds. Each bike is made to order, and delivery takes ten to twelve weeks. The frame is guaranteed for ten years, the motor for two. You may try a bike for a weekend before you buy. Payment by instalments is possible over 24 months.

Safety

The box carries up to 100 kilograms or three small children. Children must wear belts. Never leave the battery in the sun. In rain, cover the display. Brakes should be checked every three months.

About us

The cooperative was founded in 2011 by four couriers. Decisions are taken by all members on the first Monday of the month. Sunniva Brandt keeps the books. We recycle aluminium and share our drawings freely. Every spring we hold a race along the canal, open to everybody.""",
        "en",
    ),
)
#: Questions, each with something that the quote has.
ANSWERED = (
    ("How much do I pay for a pitch for my small tent?", "14 pounds"),
    ("What does electricity cost per day on the campsite?", "4 pounds a day"),
    ("When does Wexcombe campsite close for the winter?", "end of October"),
    ("By what time do I have to leave on the day of departure?", "by eleven"),
    ("Are campfires allowed at Wexcombe?", "iron bowls"),
    ("Why can't I fly a drone at the campsite?", "falcons"),
    ("Do dogs need to be on a lead at the campsite?", "on a lead"),
    ("How do I get to the beach and how long is the walk?", "quarter of an hour"),
    ("Who rents out kayaks?", "Ned Prowse"),
    ("What is the pub in the village called?", "Salted Hare"),
    ("How old is the castle ruin?", "1190"),
    ("Do I get my money back if I cancel my booking?", "everything back"),
    ("Is there a playground for the kids?", "playground"),
    ("Was kostet eine Tageskarte im Granitwerk?", "14,50"),
    ("Wie viele Routen hat die Kletterhalle?", "160 Routen"),
    ("Wie lange dauert der Einsteigerkurs?", "drei Stunden"),
    ("Kann ich in der Kletterhalle Schuhe ausleihen oder verleihen die keine?", "6 Euro"),
    ("Bei wem kann ich das Sturztraining machen?", "Jelka Sommerfeld"),
    ("Darf mein zwölfjähriger Sohn allein klettern, oder ist das unter 14 nicht erlaubt?", "Unter 14"),
    ("Welche Straßenbahn fährt zum Granitwerk?", "Straßenbahn 6"),
    ("Ist die Zehnerkarte übertragbar?", "übertragbar"),
    ("Gibt es Duschen in der Halle?", "Duschen"),
    ("Wann wurde der Boulderraum vergrößert?", "März 2023"),
    ("Combien coûte une place au cinéma L'Éclipse ?", "7,20"),
    ("À quelle heure est la séance pour les enfants le dimanche ?", "10 h 30"),
    ("Combien de fauteuils y a-t-il dans la grande salle ?", "142"),
    ("En quelle année le cinéma a-t-il brûlé dans un incendie ?", "1961"),
    ("Qui choisit les films de la programmation ?", "Lagarde"),
    ("Jusqu'à quand peut-on envoyer un film au festival ?", "15 septembre"),
    ("Puis-je payer par carte bancaire ?", "carte bancaire"),
    ("Combien de bénévoles travaillent au cinéma ?", "bénévoles"),
    ("¿Cuántos libros puedo sacar en préstamo?", "seis libros"),
    ("¿Cuánto cuesta un duplicado del carné?", "2 euros"),
    ("¿A qué hora cierra la biblioteca los sábados?", "las 14"),
    ("¿Quién coordina el club de lectura?", "Arriaga"),
    ("¿Qué pasa si devuelvo un libro con retraso?", "retraso"),
    ("¿Cuántos ordenadores hay en la biblioteca?", "cuatro ordenadores"),
    ("¿Es accesible el edificio, hay ascensor?", "ascensor"),
    ("¿Aceptan donaciones de libros de texto?", "libros de texto"),
    ("What does it cost to hire a trike for one day?", "35"),
    ("How far does the battery of a cargo bike last?", "60 kilometres"),
    ("How long is the delivery time for a new Kestrel?", "ten to twelve weeks"),
    ("Which documents do I need to hire a bike?", "passport"),
    ("When was the Kestrel cooperative founded?", "2011"),
    ("How much weight can the box carry?", "100 kilograms"),
    ("Who is responsible for the books at Kestrel?", "Sunniva Brandt"),
    ("Can you repair my electric scooter?", "scooters"),
    ("How often should the brakes be checked?", "three months"),
)
#: What the pages do not say of what they are about.
UNANSWERED = (
    "Who owns the Wexcombe Castle Campsite?",
    "What is the telephone number of the campsite?",
    "How many pitches does the campsite have?",
    "Who built the castle at Wexcombe?",
    "Is there wifi on the campsite?",
    "How much is it to rent a caravan at Wexcombe?",
    "What is the e-mail address of the campsite?",
    "When was the campsite opened?",
    "Is the campsite suitable for wheelchairs?",
    "How many people live in the village?",
    "Which bus goes to the campsite?",
    "Where is the nearest supermarket?",
    "Wer ist der Geschäftsführer der Kletterhalle Granitwerk?",
    "Wie hoch ist die Kletterwand im Granitwerk?",
    "Wie viele Mitarbeiter hat das Granitwerk?",
    "Wie lautet die E-Mail-Adresse der Kletterhalle?",
    "Was kostet eine Jahreskarte in der Kletterhalle?",
    "Wann wurde die Kletterhalle eröffnet?",
    "Gibt es eine Sauna in der Kletterhalle?",
    "Wer hat die Routen geschraubt?",
    "Was kostet ein Kindergeburtstag im Granitwerk?",
    "Kann man im Granitwerk mit Kreditkarte zahlen?",
    "Quel est le numéro de téléphone du cinéma ?",
    "Qui est le président de l'association du cinéma L'Éclipse ?",
    "Quel est le prix du pop-corn au cinéma ?",
    "Y a-t-il un parking près du cinéma ?",
    "Combien de spectateurs viennent au cinéma chaque année ?",
    "Qui a gagné le festival du court métrage ?",
    "Pourquoi le cinéma a-t-il changé de nom ?",
    "Quelle est l'adresse du cinéma L'Éclipse ?",
    "¿Quién dirige la biblioteca de Valdeolmos?",
    "¿Cuál es el correo electrónico de la biblioteca?",
    "¿Cuántos socios tiene la biblioteca?",
    "¿Cuándo se inauguró la biblioteca?",
    "¿Cuánto cuesta alquilar la sala?",
    "¿Hay cafetería en la biblioteca?",
    "¿Por qué se trasladó la biblioteca?",
    "¿Cuántos bibliotecarios trabajan en la biblioteca?",
    "How many employees does Kestrel Cargo Bikes have?",
    "What is the phone number of Kestrel?",
    "Who won the race along the canal?",
    "How much does insurance for a bike cost?",
    "Does Kestrel deliver to Scotland?",
    "Why are the frames made of aluminium?",
    "What is the annual turnover of the cooperative?",
    "How heavy is a Kestrel cargo bike?",
    "Where are the motors made?",
    "Is Kestrel open on Sundays?",
)
